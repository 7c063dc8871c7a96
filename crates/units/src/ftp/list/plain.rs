//! Lines made to be read by programs, and tables with the name first.
//!
//! ```text
//! +i8388621.29609,m824255902,r,s612,<TAB>name          (EPLF: the number is seconds since 1970)
//! CMT             <DIR>       11-21-94        10:17    (SuperTCP)
//! DESIGN1.DOC          11264  05-11-95        14:20    (or 05/11/95)
//! INSTALL.EXE          1234   Nov 16 1994     17:16    (NetManage)
//! ```

use super::super::dates::{self, SECOND, clock_of, month_of, number, old_year_of, short_number, year_of};
use super::Line;
use super::words;
use crate::{EntryKind, FileTime, Meta};
use gleaner_model::Timestamp;

/// <https://cr.yp.to/ftp/list/eplf.html>
pub(super) fn read_eplf(line: &[u8]) -> Option<Line> {
    let tab = memchr::memchr(b'\t', line)?;
    let facts = line[..tab].strip_prefix(b"+")?;
    let name = &line[tab + 1..];
    let mut kind = EntryKind::Other;
    let mut meta = Meta::default();
    for fact in facts.split(|byte| *byte == b',') {
        match fact {
            b"/" => kind = EntryKind::Folder,
            b"r" => kind = EntryKind::File,
            [b's', digits @ ..] => meta.size = number(digits),
            [b'm', digits @ ..] => {
                meta.modified = short_number(digits, 12).map(|seconds| FileTime {
                    at: Timestamp(seconds * 1000),
                    precision: SECOND,
                });
            }
            [b'i', id @ ..] => meta.id = Some(String::from_utf8_lossy(id).into_owned()),
            _ => {}
        }
    }
    (!name.is_empty()).then(|| Line {
        name: name.to_vec(),
        kind,
        meta,
    })
}

/// Name, size or `<DIR>`, date, time and nothing more.
pub(super) fn read_tabled(line: &[u8]) -> Option<Line> {
    let words = words::of(line);
    let [name, size, date @ .., time] = words.as_slice() else {
        return None;
    };
    let (kind, size) = match size.bytes {
        b"<DIR>" => (EntryKind::Folder, None),
        digits => (EntryKind::File, Some(number(digits)?)),
    };
    let (year, month, day) = match date {
        [day] => {
            let mut parts = day.bytes.split(|byte| matches!(byte, b'-' | b'/'));
            let (month, day) = (short_number(parts.next()?, 2)?, short_number(parts.next()?, 2)?);
            (old_year_of(parts.next()?)?, month, day)
        }
        [month, day, year] => (
            year_of(year.bytes)?,
            month_of(month.bytes)?,
            short_number(day.bytes, 2)?,
        ),
        _ => return None,
    };
    Some(Line {
        name: name.bytes.to_vec(),
        kind,
        meta: Meta {
            size,
            modified: Some(dates::modified(year, month, day, Some(clock_of(time.bytes)?))?),
            id: None,
        },
    })
}
