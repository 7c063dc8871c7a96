//! Lines of VMS: names with a version, sizes in blocks, and a second line where the name is long.
//!
//! ```text
//! Directory DISK$PCSA:[ANONYM]
//! CORE.DIR;1          1/3      8-SEP-1996 16:09 [SYSTEM] (RWE,RWE,RE,RE)
//! A-FILE-WITH-A-LONG-NAME.TXT;7
//!                     2        4-JUN-1997 11:02:33.07
//! SECRET.DAT;1        %RMS-E-PRV, insufficient privilege or file protection violation
//! ANOTHER-LONG-NAME.DAT;1
//!                     12/15    8-SEP-1996 16:09
//!                     [GROUP,OWNER] (RWED,RWED,RE,)
//! ```
//!
//! Blocks are 512 bytes, so the size is not known exactly and not told.

use super::super::dates::{self, clock_of, month_of, number, short_number, year_of};
use super::Line;
use super::words;
use crate::{EntryKind, FileTime, Meta};

/// Whether a line is a name alone, so that the rest follows.
pub(super) fn is_half(line: &[u8]) -> bool {
    let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
    let words = words::of(line.trim_ascii_end());
    // A name without a dot is believed only beside blocks and a date.
    !is_indented && words.len() == 1 && words[0].bytes.contains(&b'.') && named(words[0].bytes).is_some()
}

/// Whether a line holds only the owner and the rights of the entry before it.
pub(super) fn is_owner(line: &[u8]) -> bool {
    let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
    is_indented && matches!(line.trim_ascii_start().first(), Some(b'[' | b'('))
}

pub(super) fn read(line: &[u8]) -> Option<Line> {
    let words = words::of(line);
    let (name, kind) = named(words.first()?.bytes)?;
    let second = words.get(1)?.bytes;
    let is_hidden = second.starts_with(b"%RMS-E-PRV") || line.ends_with(b"insufficient privilege");
    let modified = if is_hidden { None } else { Some(modified(&words)?) };
    Some(Line {
        name,
        kind,
        meta: Meta {
            size: None,
            modified,
            id: None,
        },
    })
}

/// Takes the version from a name, and `.DIR` from a folder's.
fn named(word: &[u8]) -> Option<(Vec<u8>, EntryKind)> {
    let at = memchr::memrchr(b';', word)?;
    let (name, version) = (&word[..at], &word[at + 1..]);
    number(version)?;
    if name.is_empty() || name.contains(&b'/') {
        return None;
    }
    match name.split_at_checked(name.len().wrapping_sub(4)) {
        Some((folder, end)) if !folder.is_empty() && end.eq_ignore_ascii_case(b".DIR") => {
            Some((folder.to_vec(), EntryKind::Folder))
        }
        _ => Some((name.to_vec(), EntryKind::File)),
    }
}

/// Blocks, date, time.
fn modified(words: &[words::Word<'_>]) -> Option<FileTime> {
    let blocks = words.get(1)?.bytes;
    blocks
        .split(|byte| *byte == b'/')
        .try_for_each(|part| number(part).map(drop))?;
    let mut parts = words.get(2)?.bytes.split(|byte| *byte == b'-');
    let day = short_number(parts.next()?, 2)?;
    let (month, year) = (month_of(parts.next()?)?, year_of(parts.next()?)?);
    dates::modified(year, month, day, Some(clock_of(words.get(3)?.bytes)?))
}
