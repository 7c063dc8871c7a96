//! How is a file fetched? What it is, its bytes, and whether it is still the same afterwards.
//!
//! ```text
//! stat ─► open ─► read … read fstat ─┬─ as before ─► here
//!   ▲               │                └─ changed ───► once more, then changed-while-read
//!   └─ connection cut: go on where it stopped, if size and time are as before
//! ```
//!
//! A server works on the requests about one file in the order in which they come (section 6.1 of the draft), so the last
//! question goes out together with the last reads.

use super::Sftp;
use super::client::{Client, Wire};
use super::packet::{Attributes, FileKind, Request, Status};
use super::transfer::{self, Ended, Taken, too_large};
use crate::listing::segments;
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::unit::{Answer, Ask, Exchange, Redirect, Refusal, Unclear};
use crate::{Body, Headers};
use gleaner_model::date::http_date;
use gleaner_model::{Reason, Timestamp, Url};
use std::net::IpAddr;

/// What is spoken, as the `WARC-Protocol` field names it.
pub const SFTP: &str = "sftp";

/// Connections that may be lost in the middle of one file.
const CUTS_MAX: u32 = 5;
/// Times that a file may change under our hands.
const CHANGES_MAX: u32 = 1;
/// What a move from a file's address to a folder's is called, as HTTP would.
const MOVED: u16 = 301;

/// A path as the server takes it; `None` for names that no file can have.
pub(super) fn path_of(url: &Url) -> Option<Vec<u8>> {
    let mut names = segments(url);
    if names.last().is_some_and(Vec::is_empty) {
        names.pop();
    }
    let is_possible =
        |name: &Vec<u8>| !name.contains(&b'/') && !name.contains(&0) && name != b"." && name != b"..";
    if !names.iter().all(is_possible) {
        return None;
    }
    let mut path = Vec::new();
    for name in &names {
        path.push(b'/');
        path.extend_from_slice(name);
    }
    if path.is_empty() {
        path.push(b'/');
    }
    Some(path)
}

pub(super) fn impossible() -> Failure {
    Failure::new(Reason::NoSuchFile, "no file can have this name")
}

/// One fetch over all its connections.
struct Course<'a> {
    ask: &'a Ask,
    path: Vec<u8>,
    started: Timestamp,
    cuts: u32,
    changes: u32,
    /// What has come, and of which state of the file.
    kept: Option<(Attributes, Taken<'a>)>,
    wire_bytes: u64,
}

/// What one attempt found; the connection is good for more.
enum Found {
    Here(Headers, Body),
    Folder,
    File,
    Gone,
    Refused(Headers, Refusal),
    Failed(Failure),
}

impl Sftp {
    pub(super) async fn try_fetch(&self, ask: &Ask) -> Result<Answer, Failure> {
        let mut patience = Patience::of(ask, &self.net.settings.timeouts);
        let mut course = Course {
            ask,
            path: path_of(&ask.url).ok_or_else(impossible)?,
            started: self.net.settings.clock.wall(),
            cuts: 0,
            changes: 0,
            kept: None,
            wire_bytes: 0,
        };
        loop {
            let opened = match course.cuts {
                0 => self.client(&ask.url, &mut patience).await,
                // Those that wait were opened before the cut and most likely share its fate.
                _ => self.new_client(&ask.url, &mut patience).await,
            };
            let mut client = match opened {
                Ok(client) => client,
                Err(failure) if course.kept.is_some() && course.may_go_on(&failure) => continue,
                Err(failure) => return Err(failure),
            };
            let before = client.received();
            let found = self.attempt(&mut client, &mut course, &mut patience).await;
            course.wire_bytes += client.received() - before;
            match found {
                Ok(found) => {
                    let address = client.address();
                    self.pool.give_back(ask.url.origin(), client);
                    return course.answer(found, &patience, address);
                }
                Err(failure) if course.may_go_on(&failure) => {}
                Err(failure) => return Err(failure),
            }
        }
    }

    async fn attempt(
        &self,
        client: &mut Client,
        course: &mut Course<'_>,
        patience: &mut Patience,
    ) -> Result<Found, Failure> {
        let mut wire = self.wire(client, patience);
        let stat = match wire.stat(&course.path).await? {
            Ok(stat) => stat,
            Err(status) => return Ok(refused(&status)),
        };
        let is_folder_address = course.ask.url.path().ends_with('/');
        match stat.kind() {
            Some(FileKind::Folder) if is_folder_address => {
                let detail = "a folder is listed, not fetched";
                return Ok(Found::Failed(Failure::new(Reason::UnwantedType, detail)));
            }
            Some(FileKind::Folder) => return Ok(Found::Folder),
            Some(FileKind::File) | None if is_folder_address => return Ok(Found::File),
            Some(FileKind::File) | None => {}
            Some(FileKind::Link | FileKind::Other) => {
                let detail = "neither a file nor a folder";
                return Ok(Found::Failed(Failure::new(Reason::UnwantedType, detail)));
            }
        }
        let handle = match wire.open(&course.path).await? {
            Ok(handle) => handle,
            Err(status) => return Ok(refused(&status)),
        };
        let found = self.read(&mut wire, &handle, stat, course).await?;
        wire.close(&handle);
        Ok(found)
    }

    async fn read(
        &self,
        wire: &mut Wire<'_>,
        handle: &[u8],
        mut now: Attributes,
        course: &mut Course<'_>,
    ) -> Result<Found, Failure> {
        loop {
            let limit = course.ask.body_bytes_max;
            if now.size.is_some_and(|size| size > limit) {
                return Ok(Found::Failed(too_large(limit)));
            }
            if course
                .kept
                .as_ref()
                .is_some_and(|(before, _)| !is_same(before, &now))
            {
                course.kept = None;
                course.changes += 1;
                if course.changes > CHANGES_MAX {
                    return Ok(Found::Failed(Failure::from(Reason::ChangedWhileRead)));
                }
            }
            let (before, mut taken) = if let Some(kept) = course.kept.take() {
                kept
            } else {
                let filter = course.ask.filter.as_deref();
                let folder = &self.net.spool_folder;
                match Taken::new(filter, headers(&now), folder, now.size, limit) {
                    Ok(taken) => (now, taken),
                    Err((headers, refusal)) => return Ok(Found::Refused(headers, refusal)),
                }
            };
            let read = transfer::read_on(wire, handle, before.size, &mut taken).await;
            let (ended, asked) = match read {
                Ok(read) => read,
                Err(failure) => {
                    course.kept = Some((before, taken));
                    return Err(failure);
                }
            };
            if let Ended::Stopped(refusal) = ended {
                return Ok(Found::Refused(taken.headers, refusal));
            }
            let asked = asked.unwrap_or_else(|| wire.begin(Request::Fstat, handle));
            let after = match wire.attributes(asked).await? {
                Ok(after) => after,
                Err(status) => return Ok(refused(&status)),
            };
            if !is_same(&before, &after) {
                course.kept = Some((before, taken));
                now = after;
                continue;
            }
            let came = taken.len();
            // Without a length from the server itself, that of the listing has to do.
            let listed = course.ask.listed_bytes.filter(|_| before.size.is_none());
            return Ok(match ended {
                _ if listed.is_some_and(|listed| came < listed) => Found::Failed(Failure::new(
                    Reason::Truncated,
                    format!("the file ended after {came} bytes of {}", listed.unwrap_or(0)),
                )),
                Ended::Short => Found::Failed(Failure::new(
                    Reason::Truncated,
                    format!(
                        "the file ended after {came} bytes of {}",
                        before.size.unwrap_or(0)
                    ),
                )),
                Ended::Long => Found::Failed(Failure::new(
                    Reason::SizeMismatch,
                    format!("there is more than the {came} bytes that the server announced"),
                )),
                _ => {
                    let (mut headers, body) = taken.finish()?;
                    if before.size.is_none() {
                        headers.push("content-length", body.len().to_string().as_bytes());
                    }
                    Found::Here(headers, body)
                }
            });
        }
    }
}

/// Size and time decide; who may read it may change meanwhile.
fn is_same(before: &Attributes, after: &Attributes) -> bool {
    (before.size, before.modified_s) == (after.size, after.modified_s)
}

/// The server went away, which says nothing about the file.
pub(super) fn is_cut(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Theirs {
            reason: Reason::Closed | Reason::Reset,
            ..
        }
    )
}

fn refused(status: &Status) -> Found {
    match status.code {
        Status::NO_SUCH_FILE => Found::Gone,
        _ => Found::Failed(status.failure()),
    }
}

fn headers(attributes: &Attributes) -> Headers {
    let mut headers = Headers::with_capacity(2, 64);
    if let Some(modified) = attributes.modified() {
        headers.push("Last-Modified", http_date(modified).as_bytes());
    }
    if let Some(size) = attributes.size {
        headers.push("Content-Length", size.to_string().as_bytes());
    }
    headers
}

impl Course<'_> {
    /// Whether another connection is worth it after this.
    fn may_go_on(&mut self, failure: &Failure) -> bool {
        self.cuts += 1;
        is_cut(failure) && self.cuts <= CUTS_MAX
    }

    fn answer(self, found: Found, patience: &Patience, address: IpAddr) -> Result<Answer, Failure> {
        let exchange = |headers: Headers, body: Body, truncated: bool| Exchange {
            request_head: Vec::new(),
            response_head: Vec::new(),
            status: 0,
            headers,
            body,
            protocol: SFTP,
            address: Some(address),
            started: self.started,
            first_byte: patience.first_byte(),
            elapsed: patience.started().elapsed(),
            wire_bytes: self.wire_bytes,
            cookies_set: false,
            truncated,
        };
        let bare = || exchange(Headers::default(), Body::empty(), false);
        let url = &self.ask.url;
        Ok(match found {
            Found::Here(headers, body) => Answer::Here(exchange(headers, body, false)),
            Found::Gone => Answer::Gone(bare()),
            Found::Folder => Answer::Moved(bare(), moved(format!("{}{}/", url.origin(), url.path()))),
            Found::File => {
                let path = url.path().trim_end_matches('/');
                Answer::Moved(bare(), moved(format!("{}{path}", url.origin())))
            }
            Found::Refused(headers, refusal) => {
                Answer::Refused(exchange(headers, Body::empty(), true), refusal)
            }
            Found::Failed(Failure::Theirs { reason, detail }) => Answer::Unclear(Unclear {
                reason,
                detail,
                retry_after: None,
                exchange: None,
            }),
            Found::Failed(ours @ Failure::Ours(_)) => return Err(ours),
        })
    }
}

fn moved(location: String) -> Redirect {
    Redirect {
        status: MOVED,
        target: Url::parse(&location),
        location,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_becomes_a_path_and_never_another_one() {
        let cases: [(&str, Option<&[u8]>); 9] = [
            ("sftp://a.test/", Some(b"/")),
            ("sftp://a.test/a/b%20c", Some(b"/a/b c")),
            ("sftp://a.test/a/b/", Some(b"/a/b")),
            ("sftp://a.test/gr%FCn%0A", Some(b"/gr\xfcn\n")),
            ("sftp://a.test/%41%25", Some(b"/A%")),
            ("sftp://a.test/a%2Fb", None),
            ("sftp://a.test/a%00b", None),
            ("sftp://a.test/a/..%2F..%2Fetc", None),
            ("sftp://a.test/...", Some(b"/...")),
        ];
        for (url, path) in cases {
            assert_eq!(path_of(&Url::parse(url).unwrap()).as_deref(), path, "{url}");
        }
    }
}
