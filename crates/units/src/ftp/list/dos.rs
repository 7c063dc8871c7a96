//! Lines of servers that descend from DOS: Windows with its "MS-DOS style", and OS/2.
//!
//! ```text
//! 12-05-96  05:03PM       <DIR>          absoft2
//! 01-22-98  01:52PM                  795 AUTOEXEC.BAT
//! 10-23-00  01:27PM       <JUNCTION>     sample => elsewhere
//!             12345  A          07-28-95   16:45  air_tra1.bag      (OS/2)
//! ```

use super::super::dates::{self, clock_of, number, old_year_of, short_number, year_of};
use super::Line;
use super::words::{self, before, name_after, name_after_blanks};
use crate::{EntryKind, Meta};

pub(super) fn read_nt(line: &[u8]) -> Option<Line> {
    let words = words::of(line);
    let [day, time, third, fourth, ..] = words.as_slice() else {
        return None;
    };
    let (year, month, day) = day_of(day.bytes)?;
    let has_half = matches!(third.bytes, b"AM" | b"PM" | b"am" | b"pm");
    let (clock, what) = if has_half {
        (clock_of(&[time.bytes, third.bytes].concat())?, fourth)
    } else {
        (clock_of(time.bytes)?, third)
    };
    let (kind, size) = match what.bytes {
        b"<DIR>" => (EntryKind::Folder, None),
        b"<JUNCTION>" | b"<SYMLINK>" | b"<SYMLINKD>" => (EntryKind::Link, None),
        digits if digits.iter().all(u8::is_ascii_digit) => (EntryKind::File, number(digits)),
        _ => return None,
    };
    let name = match kind {
        EntryKind::File => name_after(line, what.end)?,
        EntryKind::Link => before(before(name_after_blanks(line, what.end)?, b" -> "), b" => "),
        _ => name_after_blanks(line, what.end)?,
    };
    Some(Line {
        name: name.to_vec(),
        kind,
        meta: Meta {
            size,
            modified: Some(dates::modified(year, month, day, Some(clock))?),
            id: None,
        },
    })
}

pub(super) fn read_os2(line: &[u8]) -> Option<Line> {
    let words = words::of(line);
    let (size, rest) = words.split_first()?;
    let size = number(size.bytes)?;
    let attributes = rest.iter().take_while(|word| is_attribute(word.bytes)).count();
    let is_folder = rest[..attributes].iter().any(|word| word.bytes == b"DIR");
    let [day, time, _name, ..] = &rest[attributes..] else {
        return None;
    };
    let (year, month, day) = day_of(day.bytes)?;
    let modified = dates::modified(year, month, day, Some(clock_of(time.bytes)?))?;
    Some(Line {
        name: name_after_blanks(line, time.end)?.to_vec(),
        kind: if is_folder {
            EntryKind::Folder
        } else {
            EntryKind::File
        },
        meta: Meta {
            size: Some(size).filter(|_| !is_folder),
            modified: Some(modified),
            id: None,
        },
    })
}

fn is_attribute(word: &[u8]) -> bool {
    word == b"DIR" || !word.is_empty() && word.iter().all(|byte| matches!(byte, b'R' | b'S' | b'A' | b'H'))
}

/// `12-05-96`, `05-26-1995`, `12/05/96`, `2019-03-01`.
fn day_of(word: &[u8]) -> Option<(i64, i64, i64)> {
    let mut parts = word.split(|byte| matches!(byte, b'-' | b'/'));
    let (one, two, three) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() {
        return None;
    }
    if let Some(year) = year_of(one) {
        return Some((year, short_number(two, 2)?, short_number(three, 2)?));
    }
    Some((old_year_of(three)?, short_number(one, 2)?, short_number(two, 2)?))
}
