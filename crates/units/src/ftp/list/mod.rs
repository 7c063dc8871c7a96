//! What does a line of a `LIST` say? There is no standard (RFC 959 §4.1.3 leaves it to people's eyes), so each style of
//! server has a reader of its own, and a line is what the first reader that understands all of it says it is.
//!
//! In go lines as sent; out come names as bytes, with kind, size and time as far as they are printed. A line that nobody
//! understands is [`Read::Unreadable`]: the caller must not call the listing whole then. Nothing is ever guessed into an
//! entry: a reader that is not sure refuses.

mod dls;
mod dos;
mod mainframe;
mod plain;
mod unix;
mod vms;
mod words;

#[cfg(test)]
mod tests;

use super::dates::MINUTE;
use crate::{EntryKind, FileTime, Meta};
use gleaner_model::Timestamp;
use std::time::Duration;

/// What one line tells of one thing in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) name: Vec<u8>,
    pub(super) kind: EntryKind,
    pub(super) meta: Meta,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Read {
    Entry(Line),
    /// A heading, a sum, an empty line: it names nothing.
    Nothing,
    Unreadable,
}

/// Reads the lines of one listing, in their order.
pub(super) struct Lines {
    now: Timestamp,
    /// How much earlier than the truth a printed time may be, because its zone is not printed.
    lag: Duration,
    /// The first file whose time was printed to the minute, with that time.
    sample: Option<(Vec<u8>, FileTime)>,
    /// The first half of an entry that goes on in the next line.
    half: Vec<u8>,
    /// Earlier lines were those of `dls`.
    is_dls: bool,
    /// The last entry was one of VMS: its owner may follow in a line of its own.
    was_vms: bool,
}

impl Lines {
    /// `now` places dates without a year.
    pub(super) fn new(now: Timestamp, lag: Duration) -> Lines {
        Lines {
            now,
            lag,
            sample: None,
            half: Vec::new(),
            is_dls: false,
            was_vms: false,
        }
    }

    /// `line` comes without its end.
    pub(super) fn read(&mut self, line: &[u8]) -> Read {
        if !self.half.is_empty() {
            let mut whole = std::mem::take(&mut self.half);
            if line.first().is_some_and(u8::is_ascii_whitespace) {
                whole.push(b' ');
                whole.extend_from_slice(line);
                let found = vms::read(&whole);
                self.was_vms = found.is_some();
                let found = found.or_else(|| dls::read(&whole, self.is_dls, self.now));
                return self.zoneless(found);
            }
            // The half was no half, so what it was is not known.
            return Read::Unreadable;
        }
        if is_heading(line) || std::mem::take(&mut self.was_vms) && vms::is_owner(line) {
            return Read::Nothing;
        }
        self.is_dls |= dls::is_sure(line);
        if vms::is_half(line) || self.is_dls && dls::is_half(line) {
            self.half = line.to_vec();
            return Read::Nothing;
        }
        // The one style that counts seconds of UTC.
        if let Some(entry) = plain::read_eplf(line) {
            return Read::Entry(entry);
        }
        let found = unix::read(line, self.now)
            .or_else(|| dos::read_nt(line))
            .or_else(|| dos::read_os2(line))
            .or_else(|| {
                let found = vms::read(line);
                self.was_vms = found.is_some();
                found
            })
            .or_else(|| mainframe::read_as400(line))
            .or_else(|| mainframe::read_vm(line))
            .or_else(|| mainframe::read_mvs(line))
            .or_else(|| plain::read_tabled(line))
            .or_else(|| dls::read(line, self.is_dls, self.now));
        self.zoneless(found)
    }

    /// An entry whose time is that of the server's own clock, wherever that stands.
    fn zoneless(&mut self, found: Option<Line>) -> Read {
        let Some(mut entry) = found else {
            return Read::Unreadable;
        };
        if let Some(modified) = &mut entry.meta.modified {
            if self.sample.is_none() && entry.kind == EntryKind::File && modified.precision <= MINUTE {
                self.sample = Some((entry.name.clone(), *modified));
            }
            modified.precision += self.lag;
        }
        Read::Entry(entry)
    }

    /// A file by which the zone can be found out.
    pub(super) fn sample(&self) -> Option<&(Vec<u8>, FileTime)> {
        self.sample.as_ref()
    }

    /// Whether the last entry was left without its second line.
    pub(super) fn is_cut(&self) -> bool {
        !self.half.is_empty()
    }
}

/// Headings and sums of the servers whose entries are read here.
fn is_heading(line: &[u8]) -> bool {
    const SUMS: [&[u8]; 7] = [
        b"total",
        b"insgesamt",
        b"gesamt",
        b"totale",
        b"totaal",
        "合計".as_bytes(),
        "итого".as_bytes(),
    ];
    const OPENINGS: [&[u8]; 5] = [
        b"Filename FileType",
        b"Volume Unit",
        b" Name     VV.MM",
        b"Name     VV.MM",
        b"Total of ",
    ];
    let words = words::of(line);
    match words.as_slice() {
        [] => true,
        [one] => SUMS.contains(&one.bytes),
        [one, two] if SUMS.contains(&one.bytes) => two
            .bytes
            .iter()
            .all(|byte| byte.is_ascii_digit() || *byte == b'.'),
        [one, two] if one.bytes == b"Directory" => two.bytes.ends_with(b"]"),
        _ => OPENINGS.iter().any(|opening| line.starts_with(opening)),
    }
}
