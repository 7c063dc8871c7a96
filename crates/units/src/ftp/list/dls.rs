//! Lines of `dls`, which puts the name first and a description last:
//!
//! ```text
//! README              763  Jul 11 21:05  Information about this server
//! bin/                  -  Apr 28  1994
//! pub/                  =  11 Jul 21:04  Public area
//! morgan               14  Apr 18 09:39  -> ../real/morgan
//! A-NAME-TOO-LONG-FOR-ITS-COLUMN.tar.Z
//!                   79215  Jul 11 21:04
//! etc/                  =                 (a server that prints no dates)
//! ```
//!
//! Without a date a line could be anything: a file is believed only where the listing has shown folders of this style.

use super::super::dates::{self, clock_of, month_of, number, short_number, year_of};
use super::Line;
use super::words::{self, Word};
use crate::{EntryKind, FileTime, Meta};
use gleaner_model::Timestamp;

/// `is_known`: earlier lines of the listing were of this style.
pub(super) fn read(line: &[u8], is_known: bool, now: Timestamp) -> Option<Line> {
    let words = words::of(line);
    let [name, size, rest @ ..] = words.as_slice() else {
        return None;
    };
    if line.first().is_some_and(u8::is_ascii_whitespace) {
        return None;
    }
    let folder = name.bytes.strip_suffix(b"/").filter(|name| !name.is_empty());
    let is_sized = number(size.bytes).is_some();
    let is_unsized = matches!(size.bytes, b"-" | b"=");
    if !(is_sized || is_unsized && folder.is_some()) {
        return None;
    }
    let dated = date(rest, now);
    if dated.is_none() && !(is_known || folder.is_some() && is_unsized) {
        return None;
    }
    let described = dated.map_or(0, |_| 3);
    let is_link = rest.get(described).is_some_and(|word| word.bytes == b"->");
    let (name, kind) = match folder {
        Some(folder) => (folder, EntryKind::Folder),
        None if is_link => (name.bytes, EntryKind::Link),
        None => (name.bytes, EntryKind::File),
    };
    if name.contains(&b'/') {
        return None;
    }
    Some(Line {
        name: name.to_vec(),
        kind,
        meta: Meta {
            size: number(size.bytes).filter(|_| kind == EntryKind::File),
            modified: dated,
            id: None,
        },
    })
}

/// Whether a line shows the style beyond doubt.
pub(super) fn is_sure(line: &[u8]) -> bool {
    matches!(words::of(line).as_slice(), [name, size, ..]
        if name.bytes.len() > 1 && name.bytes.ends_with(b"/") && matches!(size.bytes, b"-" | b"="))
}

/// Whether a line is a name alone, too long for its column.
pub(super) fn is_half(line: &[u8]) -> bool {
    let is_indented = line.first().is_some_and(u8::is_ascii_whitespace);
    !is_indented && words::of(line).len() == 1
}

/// Month and day in either order, then a time or a year.
fn date(words: &[Word<'_>], now: Timestamp) -> Option<FileTime> {
    let [one, two, three, ..] = words else { return None };
    let (month, day) = match (month_of(one.bytes), month_of(two.bytes)) {
        (Some(month), _) => (month, two.bytes),
        (None, Some(month)) => (month, one.bytes),
        (None, None) => return None,
    };
    let day = short_number(day, 2).filter(|day| (1..=31).contains(day))?;
    match clock_of(three.bytes) {
        Some(clock) => dates::modified_lately(month, day, clock, now),
        None => dates::modified(year_of(three.bytes)?, month, day, None),
    }
}
