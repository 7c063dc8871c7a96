//! WARC and WACZ files of others become an archive of ours: each capture is packed anew, with our digests, at its own time.
//!
//! Requests are not taken over: they may hold cookies and passwords of whoever made them.

use super::own::NOTE;
use super::runs::{Guess, Observed, numbers};
use super::told::{Told, keep_of};
use super::{Means, RebuildError, Rebuilt};
use gleaner_history::compare::Judging;
use gleaner_history::reconsider::{Effect, reconsider};
use gleaner_history::side::headers;
use gleaner_model::{RunId, Timestamp, Url};
use gleaner_store::runs::RunKind;
use gleaner_store::sqlite::{Rebuilding, own_archives};
use gleaner_store::warc::foreign::{Record, foreign_files, read_foreign};
use gleaner_store::warc::survey::moment;
use gleaner_store::{Capture, DataFolder, Digest, Packer, Payload, StoreError};
use std::collections::{BTreeMap, HashMap};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A capture of others, its bytes laid aside.
struct Found {
    url: Url,
    at: Timestamp,
    address: Option<std::net::IpAddr>,
    head: Vec<u8>,
    digest: Digest,
    /// Where the body lies in the spool, and how long it is.
    body: (u64, u64),
    media_type: String,
}

/// Makes a rebuilding and an archive of files, and of those in folders. `progress` hears how many captures are done, and of how many.
pub fn import(
    root: &Path,
    given: &[PathBuf],
    name: Option<&str>,
    means: Means<'_>,
    now: Timestamp,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Rebuilt, RebuildError> {
    let catalog = gleaner_store::folder::catalog(root);
    if catalog.exists() {
        return Err(StoreError::CatalogThere { path: catalog }.into());
    }
    if !own_archives(root).is_empty() {
        return Err(RebuildError::HasArchive(root.to_owned()));
    }
    let mut files = Vec::new();
    for path in given {
        let found = foreign_files(path).map_err(|cause| RebuildError::Given {
            path: path.clone(),
            cause,
        })?;
        if found.is_empty() {
            return Err(RebuildError::NoFiles(path.clone()));
        }
        files.extend(found);
    }
    let folder = DataFolder::open(root)?;
    let mut rebuilt = Rebuilt::default();
    let mut aside = Aside::new(&folder.spool())?;
    let mut found = gather(&files, &folder.spool(), &mut aside, &mut rebuilt)?;
    found.sort_by_key(|capture| capture.at);
    let mut observed = Observed::new();
    let mut guess = Guess::default();
    let places: Vec<u32> = found
        .iter()
        .map(|capture| guess.run_of(capture.url.as_str(), capture.digest, capture.at))
        .collect();
    for capture in found.iter().filter(|capture| is_document(&capture.head)) {
        observed.note(&capture.url, &capture.media_type);
    }
    if observed.is_empty() {
        return Err(RebuildError::Nothing {
            path: given[0].clone(),
            damaged: rebuilt.damaged.len(),
        });
    }
    let project = observed.project(name);
    let runs = numbers(places.iter().max().map_or(0, |last| last + 1), None);
    let mut rebuilding = Rebuilding::begin(folder, &[], &[], 0, "rebuild", means.software)?;
    let mut packer = Packer::default();
    let mut last: BTreeMap<RunId, Timestamp> = BTreeMap::new();
    let all = found.len() as u64;
    for (nth, (capture, place)) in found.iter().zip(&places).enumerate() {
        progress(nth as u64, all);
        let run = runs[*place as usize];
        let kind = if *place == 0 {
            RunKind::Crawl
        } else {
            RunKind::Track
        };
        rebuilding.restore_run(&project, run, kind, capture.at)?;
        last.insert(run, capture.at);
        let body = aside.read(capture.body)?;
        if keep(&mut rebuilding, &mut packer, run, capture, &body, means)? {
            rebuilt.captures += 1;
        }
    }
    for (run, at) in &last {
        rebuilding.end_restored(*run, *at, NOTE)?;
    }
    rebuilt.runs = last.len() as u64;
    rebuilt.projects = vec![project.name.clone()];
    rebuilding.finish()?;
    // Nobody told which changes count.
    reconsider(
        root,
        &project.name,
        &Judging::parse(&project.equality)?,
        Effect::Write,
        now,
    )?;
    progress(all, all);
    Ok(rebuilt)
}

/// False: this run had it already.
fn keep(
    rebuilding: &mut Rebuilding,
    packer: &mut Packer,
    run: RunId,
    capture: &Found,
    body: &[u8],
    means: Means<'_>,
) -> Result<bool, RebuildError> {
    let facts = BTreeMap::new();
    let mut told = Told {
        url: &capture.url,
        asked: None,
        at: capture.at,
        head: &capture.head,
        body,
        digest: capture.digest,
        facts: &facts,
        earlier: None,
    };
    let Some(rows) = rebuilding.take_up(&capture.url, &told.entry(), capture.at)? else {
        return Ok(false);
    };
    told.earlier = rebuilding.earlier(&capture.url)?;
    let mut keep = keep_of(&told, rows, means.readers);
    let failed = |cause| StoreError::ArchiveWrite {
        path: PathBuf::from("archive"),
        cause,
    };
    let mut packed = packer
        .pack(
            Capture {
                url: capture.url.as_str(),
                at: capture.at,
                address: capture.address,
                protocol: "http/1.1",
                request_head: &[],
                response_head: &capture.head,
                media_type: &capture.media_type,
                payload: Payload::Memory(body),
                truncated: false,
                is_compressed: false,
                facts: &[("run", run.to_string())],
            },
            &|| Err(std::io::Error::other("bodies are in memory here")),
        )
        .map_err(failed)?;
    if let Some(state) = keep.state {
        packed.say("state", state.as_str());
    }
    keep.packed = Some(packed);
    rebuilding.keep(keep)?;
    Ok(true)
}

fn is_document(head: &[u8]) -> bool {
    head.is_empty() || status(head).is_some_and(|status| (200..300).contains(&status))
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\n').next()?;
    let text = std::str::from_utf8(line).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// All captures of the files; their bodies go aside, because they may be more than memory holds.
fn gather(
    files: &[PathBuf],
    spool: &Path,
    aside: &mut Aside,
    rebuilt: &mut Rebuilt,
) -> Result<Vec<Found>, RebuildError> {
    let mut found: Vec<Found> = Vec::new();
    // Payloads by the digests that others gave them: revisits name these.
    let mut named: HashMap<String, (u64, u64, Digest)> = HashMap::new();
    for file in files {
        read_foreign(file, spool, &mut |read| {
            let record = match read {
                Ok(record) => record,
                Err(damaged) => {
                    rebuilt.damaged.push(damaged);
                    return Ok(());
                }
            };
            let kind = record.kind().to_owned();
            if !matches!(kind.as_str(), "response" | "resource" | "revisit") {
                return Ok(());
            }
            let header = |name: &str| record.header(name).map(str::to_owned);
            let url = header("WARC-Target-URI")
                .map(|text| text.trim_matches(['<', '>']).to_owned())
                .and_then(|text| Url::parse(&text).ok())
                .filter(|url| url.is_web() && url.path() != "/robots.txt");
            let (Some(url), Some(at)) = (url, header("WARC-Date").as_deref().and_then(moment)) else {
                rebuilt.skipped += 1;
                return Ok(());
            };
            let (head, payload) = split(&record);
            if !head.is_empty() && status(&head).is_none() {
                rebuilt.skipped += 1;
                return Ok(());
            }
            let said = header("WARC-Payload-Digest");
            let body = if kind == "revisit" {
                let stored = said.as_deref().and_then(|said| named.get(said));
                stored.map(|(from, length, digest)| ((*from, *length), *digest))
            } else {
                let digest = Digest::of(&payload);
                let place = aside.put(&payload)?;
                if let Some(said) = said {
                    named.insert(said, (place.0, place.1, digest));
                }
                Some((place, digest))
            };
            let Some((body, digest)) = body else {
                rebuilt.without_content += 1;
                return Ok(());
            };
            let fields = headers(&head);
            let announced = fields.iter().find(|(name, _)| name == "content-type");
            let media_type = match announced {
                Some((_, value)) => value.clone(),
                None if head.is_empty() => header("Content-Type").unwrap_or_default(),
                None => String::new(),
            };
            found.push(Found {
                url,
                at,
                address: header("WARC-IP-Address").and_then(|text| text.parse().ok()),
                head,
                digest,
                body,
                media_type: media_type
                    .split(';')
                    .next()
                    .unwrap_or("")
                    .trim()
                    .to_ascii_lowercase(),
            });
            Ok(())
        })?;
    }
    Ok(found)
}

/// Head and payload of a record, without the coding of the transfer (docs/decisions/0003).
fn split(record: &Record) -> (Vec<u8>, Vec<u8>) {
    let (head, body) = record.http();
    let chunked = headers(head)
        .iter()
        .any(|(name, value)| name == "transfer-encoding" && value.to_ascii_lowercase().contains("chunked"));
    let whole = if chunked { without_chunks(body) } else { None };
    match whole {
        Some(whole) => (renamed(head), whole),
        None if chunked => (renamed(head), body.to_vec()),
        None => (head.to_vec(), body.to_vec()),
    }
}

/// The head with its `Transfer-Encoding` fields set aside: what follows is no longer coded.
fn renamed(head: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(head.len() + 16);
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        if line.len() > 18 && line[..18].eq_ignore_ascii_case(b"transfer-encoding:") {
            out.extend_from_slice(b"X-Archive-Orig-");
        }
        out.extend_from_slice(line);
    }
    out
}

/// A body whose chunks are put together; none if it has none.
fn without_chunks(body: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(body.len());
    let mut rest = body;
    loop {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        let size = line.split(';').next().unwrap_or("").trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        rest = &rest[end + 1..];
        if size == 0 {
            return Some(out);
        }
        out.extend_from_slice(rest.get(..size)?);
        rest = rest.get(size..)?;
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"))?;
    }
}

/// Bodies on their way, in one file that is gone when this is.
struct Aside {
    file: std::fs::File,
    end: u64,
}

impl Aside {
    fn new(spool: &Path) -> Result<Aside, StoreError> {
        let file = tempfile::tempfile_in(spool).map_err(|cause| StoreError::ArchiveWrite {
            path: spool.to_owned(),
            cause,
        })?;
        Ok(Aside { file, end: 0 })
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(u64, u64), StoreError> {
        let from = self.end;
        let written = self
            .file
            .seek(SeekFrom::Start(from))
            .and_then(|_| self.file.write_all(bytes));
        written.map_err(|cause| StoreError::ArchiveWrite {
            path: PathBuf::from("spool"),
            cause,
        })?;
        self.end += bytes.len() as u64;
        Ok((from, bytes.len() as u64))
    }

    fn read(&mut self, (from, length): (u64, u64)) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        let read = self
            .file
            .seek(SeekFrom::Start(from))
            .and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|cause| StoreError::ArchiveRead {
            path: PathBuf::from("spool"),
            cause,
        })?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_put_together() {
        assert_eq!(
            without_chunks(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").as_deref(),
            Some(&b"abcde"[..])
        );
        assert_eq!(without_chunks(b"<html>no chunks</html>"), None);
        assert_eq!(without_chunks(b"ff\r\ncut off"), None);
        let head = renamed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        assert_eq!(
            head,
            b"HTTP/1.1 200 OK\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n\r\n"
        );
    }
}
