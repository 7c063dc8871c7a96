//! What does a line of `MLSD` or `MLST` say? Facts with names, a blank, and the name as it is (RFC 3659 §7).
//!
//! ```text
//! type=file;size=1880;modify=20130611172748;unique=804U2A; README.html
//! ```
//!
//! A line that breaks the grammar is refused as a whole: half a line is not evidence. A size that is no number is merely
//! not known (HC097).

use super::dates::{number, utc_of};
use super::list::Line;
use crate::{EntryKind, Meta};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fact {
    Entry(Line),
    /// The folder itself or the one above it.
    Here,
}

pub(super) fn read(line: &[u8]) -> Option<Fact> {
    let blank = memchr::memchr(b' ', line)?;
    let (facts, name) = (&line[..blank], &line[blank + 1..]);
    if name.is_empty() {
        return None;
    }
    let facts = match facts {
        [] => facts,
        [inside @ .., b';'] => inside,
        _ => return None,
    };
    // Where the server does not say what it is, the fetch will tell.
    let mut kind = EntryKind::File;
    let mut is_here = false;
    let mut meta = Meta::default();
    for fact in facts.split(|byte| *byte == b';').filter(|fact| !fact.is_empty()) {
        let equals = memchr::memchr(b'=', fact)?;
        let (key, value) = (fact[..equals].to_ascii_lowercase(), &fact[equals + 1..]);
        match key.as_slice() {
            b"type" => match kind_of(value) {
                Some(known) => kind = known,
                None => is_here = true,
            },
            b"size" => meta.size = number(value),
            b"modify" => meta.modified = Some(utc_of(value)?),
            b"unique" => meta.id = Some(String::from_utf8_lossy(value).into_owned()),
            _ => {}
        }
    }
    if is_here {
        return Some(Fact::Here);
    }
    if kind != EntryKind::File {
        meta.size = None;
    }
    Some(Fact::Entry(Line {
        name: name.to_vec(),
        kind,
        meta,
    }))
}

/// `None` for the folder itself and the one above it.
fn kind_of(value: &[u8]) -> Option<EntryKind> {
    let value = value.to_ascii_lowercase();
    match value.as_slice() {
        b"cdir" | b"pdir" => None,
        b"file" | b"" => Some(EntryKind::File),
        b"dir" => Some(EntryKind::Folder),
        // ProFTPD writes `symlink`, Pure-FTPd `slink:target`.
        _ if value.starts_with(b"os.unix=symlink") || value.starts_with(b"os.unix=slink") => {
            Some(EntryKind::Link)
        }
        _ => Some(EntryKind::Other),
    }
}
