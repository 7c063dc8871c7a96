//! Lines as `ls -l` prints them, and the many servers that imitate it:
//!
//! ```text
//! -rw-r--r--   1 ftp      staff      119926 Aug 22  2000 a name
//! drwxrwx---+ 23 500      500             0 Jan 10 13:09 folder
//! lrwxrwxrwx   1 X.Org                    7 Aug  8  2001 bin -> usr/bin
//! crw-r-----   1 root     kmem         0, 27 Jan 30 11:42 kmem
//! d [RWCEAFMS] jrd                      512 Mar 02 20:23 rfc          (NetWare)
//! -------r--          0     2166       2166 Mar 22 09:21 default.htm  (NetPresenz)
//! ```
//!
//! Columns cannot be trusted: owner and group may be missing or hold blanks. The date can: it is the first thing that is
//! a date and has a size before it, and the name begins one blank after it.

use super::super::dates::{self, Clock, clock_of, month_of, number, short_number, year_of};
use super::Line;
use super::words::{self, Word, before, name_after};
use crate::{EntryKind, FileTime, Meta};
use gleaner_model::Timestamp;

pub(super) fn read(line: &[u8], now: Timestamp) -> Option<Line> {
    let words = words::of(line);
    let (kind, first) = permissions(&words)?;
    let dated = (first + 1..words.len()).find_map(|at| {
        let size = size_before(&words[first..at])?;
        let (modified, used) = date(&words[at..], now)?;
        Some((size, Some(modified), at + used))
    });
    // A month in a language that is not known: the entry is there, its time is not told.
    let undated = || {
        (first + 1..words.len()).find_map(|at| {
            let size = size_before(&words[first..at])?;
            is_like_date(&words[at..]).then_some((size, None, at + 3))
        })
    };
    let (size, modified, after) = dated.or_else(undated)?;
    let mut name = name_after(line, words[after - 1].end)?;
    if kind == EntryKind::Link {
        name = before(name, b" -> ");
    }
    let size = match size {
        Size::Told(size) if kind == EntryKind::File => Some(size),
        Size::Told(_) | Size::NotTold => None,
    };
    Some(Line {
        name: name.to_vec(),
        kind,
        meta: Meta {
            size,
            modified,
            id: None,
        },
    })
}

/// What the permissions say it is, and the number of words they take.
fn permissions(words: &[Word<'_>]) -> Option<(EntryKind, usize)> {
    let first = words.first()?.bytes;
    let kind = match first.first()? {
        b'-' | b'f' | b'F' => EntryKind::File,
        b'd' => EntryKind::Folder,
        b'l' => EntryKind::Link,
        b'b' | b'c' | b'p' | b's' | b'D' => EntryKind::Other,
        _ => return None,
    };
    let is_netware = |rights: &[u8]| {
        matches!(rights, [b'[', inside @ .., b']'] if (7..=10).contains(&inside.len())
            && inside.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'-'))
    };
    if first.len() == 1 {
        return is_netware(words.get(1)?.bytes).then_some((kind, 2));
    }
    if is_netware(&first[1..]) {
        return Some((kind, 1));
    }
    let is_bit = |byte: &u8| matches!(byte, b'r' | b'w' | b'x' | b's' | b't' | b'l' | b'-' | b'A'..=b'Z');
    let is_unix = first.len() >= 10 && first[1..10].iter().all(is_bit);
    is_unix.then_some((kind, 1))
}

enum Size {
    Told(u64),
    /// That of a device, or a number that is none (HC097).
    NotTold,
}

/// Reads the size at the end of what stands between permissions and date.
fn size_before(columns: &[Word<'_>]) -> Option<Size> {
    let (last, others) = columns.split_last()?;
    // A numeric group is a group: what follows it is the size, not more of its name.
    if let [_, _, group, more, ..] = others
        && number(group.bytes).is_some()
        && number(more.bytes).is_none()
        && !more.bytes.ends_with(b",")
    {
        return None;
    }
    let digits = last.bytes.strip_prefix(b"-").unwrap_or(last.bytes);
    if digits.iter().all(u8::is_ascii_digit) && !digits.is_empty() {
        let is_device = others.last().is_some_and(|major| major.bytes.ends_with(b","));
        let told = number(last.bytes).filter(|_| !is_device);
        return Some(told.map_or(Size::NotTold, Size::Told));
    }
    let mut halves = last.bytes.split(|byte| *byte == b',');
    let is_device = halves.next().and_then(number).is_some()
        && halves.next().and_then(number).is_some()
        && halves.next().is_none();
    is_device.then_some(Size::NotTold)
}

/// The date that `words` begin with, and how many words it takes.
fn date(words: &[Word<'_>], now: Timestamp) -> Option<(FileTime, usize)> {
    let [one, two, rest @ ..] = words else {
        return None;
    };
    if let Some(found) = iso_date(words) {
        return Some(found);
    }
    let three = rest.first()?.bytes;
    let (month, day) = match (month_of(one.bytes), month_of(two.bytes)) {
        (Some(month), _) => (month, day_of(two.bytes)?),
        (None, Some(month)) => (month, day_of(one.bytes)?),
        (None, None) => return None,
    };
    if let Some(clock) = clock_of(three) {
        // `ls -lT`: seconds, and then the year after all.
        let year = rest.get(1).and_then(|word| year_of(word.bytes));
        if let Some(year) = year.filter(|_| clock.precision == dates::SECOND && rest.len() > 2) {
            return Some((dates::modified(year, month, day, Some(clock))?, 4));
        }
        return Some((dates::modified_lately(month, day, clock, now)?, 3));
    }
    let year = year_of(three.strip_suffix("年".as_bytes()).unwrap_or(three))?;
    Some((dates::modified(year, month, day, None)?, 3))
}

fn day_of(word: &[u8]) -> Option<i64> {
    let word = word.strip_suffix("日".as_bytes()).unwrap_or(word);
    let word = word
        .strip_suffix(b",")
        .or(word.strip_suffix(b"."))
        .unwrap_or(word);
    short_number(word, 2).filter(|day| (1..=31).contains(day))
}

/// `2020-03-01 10:22`, `2020-03-01 10:22:05.123 +0100`.
fn iso_date(words: &[Word<'_>]) -> Option<(FileTime, usize)> {
    let (year, month, day) = iso_day(words.first()?.bytes)?;
    let clock = clock_of(words.get(1)?.bytes)?;
    let zone = words
        .get(2)
        .and_then(|word| zone_of(word.bytes))
        .filter(|_| words.len() > 3);
    let clock = Clock {
        seconds: clock.seconds - zone.unwrap_or(0),
        ..clock
    };
    let used = 2 + usize::from(zone.is_some());
    Some((dates::modified(year, month, day, Some(clock))?, used))
}

fn iso_day(word: &[u8]) -> Option<(i64, i64, i64)> {
    let mut parts = word.split(|byte| *byte == b'-');
    let year = year_of(parts.next()?)?;
    let (month, day) = (short_number(parts.next()?, 2)?, short_number(parts.next()?, 2)?);
    parts.next().is_none().then_some((year, month, day))
}

/// Seconds east of Greenwich, of `+0100`.
fn zone_of(word: &[u8]) -> Option<i64> {
    let (sign, digits) = match word {
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    if digits.len() != 4 {
        return None;
    }
    let (hours, minutes) = (short_number(&digits[..2], 2)?, short_number(&digits[2..], 2)?);
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// A word, a day and a time or year.
fn is_like_date(words: &[Word<'_>]) -> bool {
    let [month, day, last, _name, ..] = words else {
        return false;
    };
    let is_name = month.bytes.len() <= 12
        && month
            .bytes
            .iter()
            .all(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80 || *byte == b'.');
    is_name
        && day_of(day.bytes).is_some()
        && (clock_of(last.bytes).is_some() || year_of(last.bytes).is_some())
}
