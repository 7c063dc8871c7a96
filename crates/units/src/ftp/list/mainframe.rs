//! Lines of IBM's larger systems: AS/400, VM/CMS and MVS.
//!
//! ```text
//! PEP              6409 04/03/24 14:06:29 *STMF      build.xml                          (AS/400)
//! README   ANONYMOU V         71         26          1 1997-04-02 12:33:20 TCP291       (z/VM)
//! LASTING  GLOBALV   A1 V      41     21     1       9/16/91   15:10:32                 (VM/CMS)
//! AUTHORS           DIR        -          -          - 1999-09-20 10:31:11 -
//! B10142 3390   2006/03/20  2   31  F       80    80  PS   MDI.OKL.WORK                 (MVS)
//! TBSHELF   01.03 2002/09/12 2002/10/11 09:37    11    11     0 KIL001                  (MVS member)
//! ```
//!
//! VM and MVS count records, so sizes in bytes are not told; MVS dates a data set by its last use, which is no time of
//! writing either.

use super::super::dates::{self, clock_of, number, old_year_of, short_number, year_of};
use super::Line;
use super::words::{self, Word, name_after_blanks};
use crate::{EntryKind, FileTime, Meta};

pub(super) fn read_as400(line: &[u8]) -> Option<Line> {
    let words = words::of(line);
    let [_owner, size, day, time, kind, ..] = words.as_slice() else {
        return None;
    };
    let size = number(size.bytes)?;
    let (year, month, day) = day_of(day.bytes, b'/')?;
    let modified = dates::modified(year, month, day, Some(clock_of(time.bytes)?))?;
    let name = name_after_blanks(line, kind.end)?;
    let kind = match kind.bytes {
        b"*DIR" | b"*DDIR" | b"*LIB" | b"*FLR" => EntryKind::Folder,
        // A file of members, unless it is a save file.
        b"*FILE" if !name.ends_with(b".SAVF") => EntryKind::Folder,
        [b'*', name @ ..] if !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric) => {
            EntryKind::File
        }
        _ => return None,
    };
    let name = name.strip_suffix(b"/").unwrap_or(name);
    Some(Line {
        name: name.to_vec(),
        kind,
        meta: Meta {
            size: Some(size).filter(|_| kind == EntryKind::File),
            modified: Some(modified),
            id: None,
        },
    })
}

pub(super) fn read_vm(line: &[u8]) -> Option<Line> {
    let words = words::of(line);
    let at = words
        .iter()
        .take(4)
        .position(|word| matches!(word.bytes, b"V" | b"F" | b"DIR"))?;
    // The minidisk between type and format, on older systems.
    let has_disk = at > 1 && matches!(words[at - 1].bytes, [b'A'..=b'Z', b'0'..=b'9']);
    let names = &words[..at - usize::from(has_disk)];
    let [records @ .., day, time] = words.get(at + 1..at + 6)? else {
        return None;
    };
    let is_count = |word: &Word<'_>| word.bytes == b"-" || number(word.bytes).is_some();
    if !records.iter().all(is_count) || words.len() > at + 7 {
        return None;
    }
    let (year, month, day) = day_of(day.bytes, b'-').or_else(|| american_day_of(day.bytes))?;
    let modified = dates::modified(year, month, day, Some(clock_of(time.bytes)?))?;
    let is_folder = words[at].bytes == b"DIR";
    let (name, kind) = match names {
        [folder] if is_folder => (folder.bytes.to_vec(), EntryKind::Folder),
        [name, kind] if !is_folder => ([name.bytes, b".", kind.bytes].concat(), EntryKind::File),
        _ => return None,
    };
    Some(told(name, kind, Some(modified)))
}

pub(super) fn read_mvs(line: &[u8]) -> Option<Line> {
    let words = words::of(line);
    match words.as_slice() {
        [
            _volume,
            _unit,
            referred,
            extents,
            used,
            _format,
            record,
            block,
            organisation,
            name,
        ] => {
            let numbers = [extents, used, record, block];
            numbers.iter().try_for_each(|word| number(word.bytes).map(drop))?;
            if referred.bytes != b"**NONE**" {
                day_of(referred.bytes, b'/')?;
            }
            let kind = match organisation.bytes {
                b"PS" => EntryKind::File,
                b"PO" | b"PO-E" => EntryKind::Folder,
                _ => EntryKind::Other,
            };
            let name = name.bytes.strip_prefix(b"'").unwrap_or(name.bytes);
            Some(told(name.strip_suffix(b"'").unwrap_or(name).to_vec(), kind, None))
        }
        [
            name,
            version,
            created,
            changed,
            time,
            size,
            first,
            modifications,
            _id,
        ] => {
            let (major, minor) = version.bytes.split_at_checked(2)?;
            number(major)?;
            number(minor.strip_prefix(b".")?)?;
            day_of(created.bytes, b'/')?;
            let (year, month, day) = day_of(changed.bytes, b'/')?;
            let numbers = [size, first, modifications];
            numbers.iter().try_for_each(|word| number(word.bytes).map(drop))?;
            let modified = dates::modified(year, month, day, Some(clock_of(time.bytes)?))?;
            Some(told(name.bytes.to_vec(), EntryKind::File, Some(modified)))
        }
        _ => None,
    }
}

fn told(name: Vec<u8>, kind: EntryKind, modified: Option<FileTime>) -> Line {
    Line {
        name,
        kind,
        meta: Meta {
            size: None,
            modified,
            id: None,
        },
    }
}

/// Year, month, day.
fn day_of(word: &[u8], between: u8) -> Option<(i64, i64, i64)> {
    let mut parts = word.split(|byte| *byte == between);
    let year = parts.next()?;
    let year = year_of(year).or_else(|| old_year_of(year))?;
    let (month, day) = (short_number(parts.next()?, 2)?, short_number(parts.next()?, 2)?);
    parts.next().is_none().then_some((year, month, day))
}

/// Month, day, year; 100 for 2000 was seen.
fn american_day_of(word: &[u8]) -> Option<(i64, i64, i64)> {
    let mut parts = word.split(|byte| *byte == b'/');
    let (month, day) = (short_number(parts.next()?, 2)?, short_number(parts.next()?, 2)?);
    let year = old_year_of(parts.next()?)?;
    parts.next().is_none().then_some((year, month, day))
}
