//! What lies in a folder, and how sure is that? MLSD where the server has it, else LIST, else names alone (B2).
//!
//! A listing is whole only if its connection closed properly, the server said so, every line was read and no limit was
//! passed (HC095). Anything less is part of a listing, and nothing can be concluded from what is not in it.

use super::control::Control;
use super::data::{self, Begun};
use super::lessons::{UNKNOWN_LAG, lag_of};
use super::list::{Line, Lines, Read};
use super::mlsd::{self, Fact};
use super::path;
use super::reply::Reply;
use super::visit::{Came, Visit};
use crate::listing::{Names, Turns};
use crate::net::failure::Failure;
use crate::{EntryKind, FileTime, Meta};
use bytes::{Buf, BytesMut};

const LINE_BYTES_MAX: usize = 8 * 1024;
const LINES_MAX: u64 = 1_000_000;
const LISTING_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Where names are all there is, each costs two questions more.
const NAMES_ASKED_MAX: usize = 10_000;

/// Takes what is found; false if no more is wanted.
pub(super) type TakeLine<'a> = dyn FnMut(Line) -> bool + Send + 'a;

/// How a listing ended.
#[derive(Debug)]
pub(super) enum Walked {
    Whole,
    /// Entries are missing, and why.
    Part(String),
    Refused(Reply),
}

/// Gives what lies in the folder that `names` lead to, each name once.
pub(super) async fn walk(
    control: &mut Control,
    visit: &mut Visit<'_>,
    names: &[Vec<u8>],
    take: &mut TakeLine<'_>,
) -> Result<Walked, Failure> {
    let now = visit.net.settings.clock.wall();
    if control.abilities.mlsd {
        let mut sieve = Sieve::new(Style::Mlsd, take);
        let walked = pour(control, visit, "MLSD", &path::written(names), &mut sieve).await?;
        match walked {
            Walked::Refused(reply) if reply.is_unknown_command() => control.abilities.mlsd = false,
            other => return Ok(other),
        }
    }
    // From inside the folder, because many servers read options or patterns in an argument.
    let reply = control.enter(visit, names).await?;
    if !reply.is_good() {
        return Ok(Walked::Refused(reply));
    }
    let lag = visit.lessons.of(visit.url.origin()).lag;
    let lines = Lines::new(now, lag.unwrap_or(UNKNOWN_LAG));
    let mut sieve = Sieve::new(Style::List(lines), take);
    let walked = pour(control, visit, "LIST", b"", &mut sieve).await?;
    if lag.is_none()
        && !control.is_busy
        && let Some((name, printed)) = sieve.sample()
    {
        learn_lag(control, visit, names, name, *printed).await?;
    }
    let is_hopeless = sieve.given == 0 && sieve.unreadable > 0;
    match walked {
        Walked::Part(_) if is_hopeless && !control.is_busy => {}
        Walked::Refused(reply) if reply.is_unknown_command() => {}
        Walked::Refused(reply) if reply.says(&["no files found", "no files in", "directory is empty"]) => {
            return Ok(Walked::Whole);
        }
        other => return Ok(other),
    }
    walk_by_names(control, visit, names, take).await
}

/// Asks for the time of one file in UTC, which tells how far the times of the next listings may lie behind. That this one
/// is not yet read by it costs a second look at what is younger than a day.
async fn learn_lag(
    control: &mut Control,
    visit: &mut Visit<'_>,
    folder: &[Vec<u8>],
    name: &[u8],
    printed: FileTime,
) -> Result<(), Failure> {
    if !control.abilities.tells_utc || !path::can_be_asked_for(name) {
        return Ok(());
    }
    let mut names = folder.to_vec();
    names.push(name.to_vec());
    let lag = match control.modified(visit, &path::written(&names)).await {
        Ok(utc) => lag_of(printed, utc),
        Err(Failure::Theirs { .. }) => {
            // The listing is there; only this connection is of no more use.
            control.is_busy = true;
            return Ok(());
        }
        Err(ours) => return Err(ours),
    };
    let origin = visit.url.origin();
    visit.lessons.note(origin, |lesson| lesson.lag = Some(lag));
    Ok(())
}

/// Names first, then what each of them is.
async fn walk_by_names(
    control: &mut Control,
    visit: &mut Visit<'_>,
    folder: &[Vec<u8>],
    take: &mut TakeLine<'_>,
) -> Result<Walked, Failure> {
    let mut found = Vec::new();
    let mut keep = |line: Line| {
        found.push(line.name);
        found.len() < NAMES_ASKED_MAX
    };
    let mut sieve = Sieve::new(Style::Names, &mut keep);
    let walked = pour(control, visit, "NLST", b"", &mut sieve).await?;
    if control.is_busy || matches!(walked, Walked::Refused(_)) {
        return Ok(walked);
    }
    for (index, name) in found.into_iter().enumerate() {
        let line = match line_of(control, visit, folder, name).await {
            Ok(line) => line,
            Err(failure) if index > 0 => return Ok(Walked::Part(shown(failure)?)),
            Err(failure) => return Err(failure),
        };
        if !take(line) {
            return Ok(Walked::Part("no more was wanted".into()));
        }
    }
    Ok(walked)
}

/// Asks what a name stands for.
async fn line_of(
    control: &mut Control,
    visit: &mut Visit<'_>,
    folder: &[Vec<u8>],
    name: Vec<u8>,
) -> Result<Line, Failure> {
    let mut names = folder.to_vec();
    names.push(name.clone());
    let facts = control.facts(visit, &path::written(&names)).await?;
    let is_folder = facts.size.is_none() && control.enter(visit, &names).await?.is_good();
    Ok(Line {
        name,
        kind: if is_folder {
            EntryKind::Folder
        } else {
            EntryKind::File
        },
        meta: Meta {
            size: facts.size,
            modified: facts.modified,
            id: None,
        },
    })
}

/// Whether whole listings prove that nothing of this path is there. The server's refusal alone proves nothing: 550 is
/// said of what is missing, of what is forbidden and of what is broken.
pub(super) async fn is_gone(
    control: &mut Control,
    visit: &mut Visit<'_>,
    names: &[Vec<u8>],
) -> Result<bool, Failure> {
    let mut names = names;
    while let Some((name, parent)) = names.split_last() {
        // Such names are left out of listings by most servers.
        if name.starts_with(b".") {
            return Ok(false);
        }
        let (mut is_named, mut is_empty) = (false, true);
        let mut look = |line: Line| {
            is_named |= line.name == *name;
            is_empty = false;
            true
        };
        match walk(control, visit, parent, &mut look).await? {
            // A folder that may not be read is shown as an empty one by some.
            Walked::Whole => return Ok(!is_named && !is_empty),
            Walked::Part(_) => return Ok(false),
            Walked::Refused(_) => names = parent,
        }
    }
    Ok(false)
}

enum Style {
    Mlsd,
    List(Lines),
    Names,
}

/// Lets each name through once and counts what cannot be read.
struct Sieve<'s, 't> {
    style: Style,
    take: &'s mut TakeLine<'t>,
    seen: Names,
    lines: u64,
    bytes: u64,
    given: u64,
    unreadable: u64,
}

impl<'s, 't> Sieve<'s, 't> {
    fn new(style: Style, take: &'s mut TakeLine<'t>) -> Sieve<'s, 't> {
        Sieve {
            style,
            take,
            seen: Names::default(),
            lines: 0,
            bytes: 0,
            given: 0,
            unreadable: 0,
        }
    }

    /// Takes one line; `Err` says why no more is read.
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        self.lines += 1;
        self.bytes += line.len() as u64 + 1;
        if self.lines > LINES_MAX || self.bytes > LISTING_BYTES_MAX {
            return Err(format!(
                "more than {LINES_MAX} lines or {LISTING_BYTES_MAX} bytes"
            ));
        }
        let found = match &mut self.style {
            Style::Mlsd => match mlsd::read(line) {
                Some(Fact::Entry(found)) => Some(found),
                Some(Fact::Here) => return Ok(()),
                None if line.is_empty() => return Ok(()),
                None => None,
            },
            Style::List(lines) => match lines.read(line) {
                Read::Entry(found) => Some(found),
                Read::Nothing => return Ok(()),
                Read::Unreadable => None,
            },
            Style::Names => Some(Line {
                name: line.to_vec(),
                kind: EntryKind::File,
                meta: Meta::default(),
            }),
        };
        let Some(found) = found else {
            self.unreadable += 1;
            return Ok(());
        };
        self.entry(found)
    }

    fn entry(&mut self, found: Line) -> Result<(), String> {
        // No thing in this folder is called so (HC093).
        if matches!(found.name.as_slice(), b"" | b"." | b"..") || found.name.contains(&b'/') {
            return Ok(());
        }
        if !path::can_be_asked_for(&found.name) {
            self.unreadable += 1;
            return Ok(());
        }
        if !self.seen.is_new(&found.name) {
            return Ok(());
        }
        self.given += 1;
        if (self.take)(found) {
            Ok(())
        } else {
            Err("no more was wanted".into())
        }
    }

    fn sample(&self) -> Option<&(Vec<u8>, FileTime)> {
        match &self.style {
            Style::List(lines) => lines.sample(),
            Style::Mlsd | Style::Names => None,
        }
    }

    fn is_cut(&self) -> bool {
        matches!(&self.style, Style::List(lines) if lines.is_cut())
    }
}

/// Reads one listing through the sieve.
async fn pour(
    control: &mut Control,
    visit: &mut Visit<'_>,
    verb: &str,
    argument: &[u8],
    sieve: &mut Sieve<'_, '_>,
) -> Result<Walked, Failure> {
    let mut data = match data::begin(control, visit, verb, argument, 0).await? {
        Begun::Data(data) => data,
        Begun::Refused(reply) => return Ok(Walked::Refused(reply)),
    };
    let mut buffer = BytesMut::new();
    let mut is_skipping = false;
    let mut turns = Turns::default();
    let came = loop {
        let before = sieve.given;
        let came = match data.read(visit, &mut buffer).await {
            Ok(came) => came,
            Err(failure) if sieve.given > 0 => return Ok(Walked::Part(shown(failure)?)),
            Err(failure) => return Err(failure),
        };
        while let Some(end) = memchr::memchr(b'\n', &buffer) {
            if is_skipping {
                is_skipping = false;
            } else {
                let line = &buffer[..end];
                if let Err(why) = sieve.line(line.strip_suffix(b"\r").unwrap_or(line)) {
                    return Ok(Walked::Part(why));
                }
            }
            buffer.advance(end + 1);
        }
        if buffer.len() > LINE_BYTES_MAX || is_skipping {
            sieve.unreadable += u64::from(!is_skipping);
            sieve.bytes += buffer.len() as u64;
            is_skipping = true;
            buffer.clear();
            if sieve.bytes > LISTING_BYTES_MAX {
                return Ok(Walked::Part(format!("more than {LISTING_BYTES_MAX} bytes")));
            }
        }
        if came != Came::Bytes {
            break came;
        }
        turns.after((sieve.given - before) as usize).await;
    };
    if !buffer.is_empty()
        && let Err(why) = sieve.line(&buffer)
    {
        return Ok(Walked::Part(why));
    }
    let reply = match data.finish(control, visit).await {
        Ok(reply) => reply,
        Err(failure) if sieve.given > 0 => return Ok(Walked::Part(shown(failure)?)),
        Err(failure) => return Err(failure),
    };
    // vsftpd says so with the code of a success.
    if reply.says(&["failed to open directory"]) || !reply.is_good() && sieve.given == 0 {
        return Ok(Walked::Refused(reply));
    }
    Ok(if !reply.is_good() {
        Walked::Part(reply.shown())
    } else if came == Came::Torn {
        Walked::Part("the connection ended without a goodbye".into())
    } else if sieve.unreadable > 0 || sieve.is_cut() {
        Walked::Part(format!("lines that cannot be read: {}", sieve.unreadable.max(1)))
    } else {
        Walked::Whole
    })
}

/// What failed on their side, in words.
fn shown(failure: Failure) -> Result<String, Failure> {
    match failure {
        Failure::Theirs { reason, detail } => {
            Ok(format!("{} {detail}", reason.meaning()).trim_end().to_owned())
        }
        ours @ Failure::Ours(_) => Err(ours),
    }
}
