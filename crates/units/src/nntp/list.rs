//! What is there to read? The groups of a server, and the articles of a group with what their overview says (B2).
//!
//! A group's numbers come from the server and may be anything (HC107): they are asked for in pieces from the newest down,
//! so that a limit costs the old ones, and a line counts only if its number lies in the piece and was not there before.
//!
//! **Expired is not deleted.** Servers drop old articles and move the low mark up; nobody took those articles back. So a
//! group whose low mark is above 1 is listed [`Listed::WholeFrom`] that mark: what is missing above it was cancelled, what
//! is missing below it went by its age. An old article that was cancelled and then passed by the mark between two looks is
//! taken for expired: the protocol does not tell.

use super::address::is_group;
use super::article::select;
use super::date;
use super::reply::number_of;
use super::threads::Threads;
use super::wire::{Line, Overviews, Wire};
use crate::listing::{EntryKind, FileTime, ListingEnd, ListingEntry, Meta, TakeEntry, Turns, child};
use crate::net::failure::Failure;
use gleaner_model::{Reason, Timestamp, Url};
use std::collections::HashSet;
use std::time::Duration;

/// Entries of one folder, and lines read for them.
const ENTRIES_MAX: u64 = 1_000_000;
/// Bytes read for one folder: a million overviews are about 400 MB.
const BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// Article numbers asked for at once …
const PIECE: u64 = 10_000;
/// … unless that would make more pieces than this: a sparse group may span every number there is.
const PIECES_MAX: u64 = 1000;
const GROUP_LINE_BYTES_MAX: usize = 8 * 1024;
const OVERVIEW_BYTES_MAX: usize = 1024 * 1024;
/// RFC 5536 §3.1.3 allows 250; some ids are longer.
const ID_BYTES_MAX: usize = 1000;

/// Numbers of articles begin here (RFC 3977 §6).
const FIRST: u64 = 1;

/// Counts what was read for one folder, and what was left out of it.
#[derive(Default)]
struct Tally {
    lines: u64,
    /// Lines that could not be read or make no sense here.
    left_out: u64,
    /// Why no more was read.
    stopped: Option<String>,
    turns: Turns,
}

impl Tally {
    /// Whether another line may be taken.
    async fn goes_on(&mut self, wire: &Wire<'_>) -> bool {
        self.turns.after(1).await;
        if self.stopped.is_none() && self.lines >= ENTRIES_MAX {
            self.stopped = Some(format!("more than {ENTRIES_MAX} entries"));
        }
        if self.stopped.is_none() && wire.received > BYTES_MAX {
            self.stopped = Some(format!("a listing of more than {BYTES_MAX} bytes"));
        }
        self.lines += 1;
        self.stopped.is_none()
    }

    fn give(&mut self, entry: Option<ListingEntry>, take: &mut TakeEntry<'_>) {
        match entry {
            None => self.left_out += 1,
            Some(entry) => {
                if !take(entry) {
                    self.stopped = Some("no more entries were wanted".to_owned());
                }
            }
        }
    }

    /// How the listing ended; `oldest` is the first number that may be there.
    fn listed(self, oldest: u64) -> ListingEnd {
        let left_out = (self.left_out > 0).then(|| format!("{} lines make no sense", self.left_out));
        match self.stopped.or(left_out) {
            Some(detail) => ListingEnd::Part { detail },
            None if oldest > FIRST => ListingEnd::WholeFrom { oldest },
            None => ListingEnd::Whole,
        }
    }
}

/// `LIST ACTIVE` (RFC 3977 §7.6.3): a group is a folder.
pub(super) async fn groups(
    wire: &mut Wire<'_>,
    at: &Url,
    take: &mut TakeEntry<'_>,
) -> Result<ListingEnd, Failure> {
    if let Err(refused) = wire.ask_for_block(&[b"LIST", b"ACTIVE"], 215).await? {
        return Err(refused.refusal());
    }
    let mut tally = Tally::default();
    while tally.goes_on(wire).await {
        match wire.line(GROUP_LINE_BYTES_MAX).await? {
            Line::End => break,
            Line::TooLong => tally.left_out += 1,
            Line::Text(line) => tally.give(group_of(at, &line), take),
        }
    }
    Ok(tally.listed(FIRST))
}

/// `group high low status`.
fn group_of(at: &Url, line: &[u8]) -> Option<ListingEntry> {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let name = words.next().filter(|name| is_group(name))?;
    // `=other.group` is another name of that group.
    let is_alias = words.nth(2).is_some_and(|status| status.starts_with(b"="));
    Some(ListingEntry {
        url: child(at, name, true)?,
        kind: if is_alias {
            EntryKind::Link
        } else {
            EntryKind::Folder
        },
        meta: Meta::default(),
    })
}

/// The articles of a group.
pub(super) async fn articles(
    wire: &mut Wire<'_>,
    at: &Url,
    group: &[u8],
    now: Timestamp,
    threads: &Threads,
    take: &mut TakeEntry<'_>,
) -> Result<ListingEnd, Failure> {
    // Always asked for: marks that were true half a minute ago are not.
    let reply = select(wire, group).await?;
    match reply.code {
        211 => {}
        411 => return Ok(ListingEnd::Gone),
        _ => return Err(reply.refusal()),
    }
    let Some([count, low, high]) = reply.numbers() else {
        return Err(Failure::new(Reason::BadReply, reply.shown()));
    };
    if count == 0 {
        // Three ways to tell an empty group (RFC 3977 §6.1.1.2); one of them tells no mark.
        return Ok(if low == 0 {
            ListingEnd::Part {
                detail: "the group is empty now, its articles may have expired".to_owned(),
            }
        } else {
            Tally::default().listed(low)
        });
    }
    if high < low {
        return Err(Failure::new(Reason::BadReply, reply.shown()));
    }
    let folder = Folder {
        at,
        group,
        now,
        threads,
    };
    let mut tally = Tally::default();
    let length = PIECE.max((high - low) / PIECES_MAX + 1);
    let mut top = high;
    loop {
        let bottom = top.saturating_sub(length - 1).max(low);
        wire.begin_anew();
        if !folder.overviews(wire, (bottom, top), &mut tally, take).await? {
            // No overviews here: the numbers alone, so that each article is fetched.
            folder.numbers(wire, (low, top), &mut tally, take).await?;
            break;
        }
        if bottom == low || tally.stopped.is_some() {
            break;
        }
        top = bottom - 1;
    }
    Ok(tally.listed(low))
}

struct Folder<'a> {
    at: &'a Url,
    group: &'a [u8],
    now: Timestamp,
    threads: &'a Threads,
}

impl Folder<'_> {
    /// The articles from `bottom` to `top`; false if the server gives no overviews.
    async fn overviews(
        &self,
        wire: &mut Wire<'_>,
        (bottom, top): (u64, u64),
        tally: &mut Tally,
        take: &mut TakeEntry<'_>,
    ) -> Result<bool, Failure> {
        let range = format!("{bottom}-{top}");
        loop {
            let command: &[u8] = match wire.connection.overviews {
                Overviews::Over => b"OVER",
                Overviews::Xover => b"XOVER",
                Overviews::Unknown => return Ok(false),
            };
            match wire.ask_for_block(&[command, range.as_bytes()], 224).await? {
                Ok(()) => break,
                // No article in this piece.
                Err(reply) if matches!(reply.code, 420 | 423) => return Ok(true),
                Err(reply) if reply.is_unknown_command() => {
                    wire.connection.overviews = match wire.connection.overviews {
                        Overviews::Over => Overviews::Xover,
                        _ => Overviews::Unknown,
                    };
                }
                Err(reply) => return Err(reply.refusal()),
            }
        }
        let mut seen = HashSet::new();
        while tally.goes_on(wire).await {
            match wire.line(OVERVIEW_BYTES_MAX).await? {
                Line::End => break,
                Line::TooLong => tally.left_out += 1,
                Line::Text(line) => {
                    let entry = self.article(&line, |number| {
                        (bottom..=top).contains(&number) && seen.insert(number)
                    });
                    tally.give(entry, take);
                }
            }
        }
        Ok(true)
    }

    /// `LISTGROUP` (RFC 3977 §6.1.2).
    async fn numbers(
        &self,
        wire: &mut Wire<'_>,
        (bottom, top): (u64, u64),
        tally: &mut Tally,
        take: &mut TakeEntry<'_>,
    ) -> Result<(), Failure> {
        if let Err(reply) = wire.ask_for_block(&[b"LISTGROUP", self.group], 211).await? {
            return Err(reply.refusal());
        }
        let mut seen = HashSet::new();
        while tally.goes_on(wire).await {
            match wire.line(GROUP_LINE_BYTES_MAX).await? {
                Line::End => break,
                Line::TooLong => tally.left_out += 1,
                Line::Text(line) => match number_of(line.trim_ascii()) {
                    // Posted since the group was asked for.
                    Some(number) if number > top => {}
                    _ => {
                        let entry = self.article(&line, |number| number >= bottom && seen.insert(number));
                        tally.give(entry, take);
                    }
                },
            }
        }
        Ok(())
    }

    /// Number, subject, from, date, message id, references, bytes, lines, parted by tabs (RFC 3977 §8.3.2). What is missing
    /// or cannot be read is unknown.
    fn article(&self, line: &[u8], mut is_new: impl FnMut(u64) -> bool) -> Option<ListingEntry> {
        let mut fields = line.split(|byte| *byte == b'\t').map(<[u8]>::trim_ascii);
        let number = fields
            .next()
            .and_then(number_of)
            .filter(|number| is_new(*number))?;
        let fields: Vec<&[u8]> = fields.take(6).collect();
        let date = fields
            .get(2)
            .and_then(|date| std::str::from_utf8(date).ok())
            .and_then(date::parse)
            // A date that lies ahead says nothing about when it was written.
            .filter(|at| *at <= self.now);
        let id = fields.get(3).and_then(|id| id_of(id));
        if let Some(id) = &id {
            self.threads.note(self.at, id, number);
        }
        Some(ListingEntry {
            url: child(self.at, number.to_string().as_bytes(), false)?,
            kind: EntryKind::File,
            meta: Meta {
                size: fields.get(5).and_then(|bytes| number_of(bytes)),
                modified: date.map(|at| FileTime {
                    at,
                    precision: Duration::from_secs(1),
                }),
                id,
            },
        })
    }
}

fn id_of(field: &[u8]) -> Option<String> {
    let is_id = field.len() <= ID_BYTES_MAX
        && field.len() > 2
        && field.starts_with(b"<")
        && field.ends_with(b">")
        && field.iter().all(u8::is_ascii_graphic);
    is_id
        .then(|| std::str::from_utf8(field).ok().map(str::to_owned))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn article(line: &[u8]) -> Option<ListingEntry> {
        let at = Url::parse("nntp://news.test/a.b/").unwrap();
        let folder = Folder {
            at: &at,
            group: b"a.b",
            now: Timestamp(2_000_000_000_000),
            threads: &Threads::default(),
        };
        folder.article(line, |number| number <= 100)
    }

    #[test]
    fn hc107_missing_fields_are_unknown() {
        let whole = article(b"7\tsubject\tme\tThu, 01 Jan 1970 00:00:01 GMT\t<a@b>\t<c@d>\t1234\t9\tXref: x")
            .unwrap();
        assert_eq!(whole.url.as_str(), "nntp://news.test/a.b/7");
        assert_eq!(whole.meta.size, Some(1234));
        assert_eq!(whole.meta.modified.unwrap().at, Timestamp(1000));
        assert_eq!(whole.meta.id.as_deref(), Some("<a@b>"));
        let lines: [&[u8]; 5] = [
            b"7",
            b"7\t\t\t\t\t\t\t",
            b"7\ts\tf\tsoon\tno id\t\t-1\t",
            b"7\ts\tf\tThu, 01 Jan 2099 00:00:01 GMT\t<a b>\t\t99999999999999999999",
            b"7\t\xff\t\xff\t\xff\t<\xff>\t\xff\t\xff",
        ];
        for line in lines {
            assert_eq!(article(line).unwrap().meta, Meta::default(), "{line:?}");
        }
        let none: [&[u8]; 4] = [b"", b"x\ts", b"101\ts", b"-7\ts"];
        for line in none {
            assert_eq!(article(line), None, "{line:?}");
        }
    }

    #[test]
    fn groups_are_folders_and_their_other_names_links() {
        let at = Url::parse("nntp://news.test/").unwrap();
        let group = group_of(&at, b"comp.lang.c++ 0000000009 0000000001 y").unwrap();
        assert_eq!(group.url.as_str(), "nntp://news.test/comp.lang.c%2B%2B/");
        assert_eq!(group.kind, EntryKind::Folder);
        assert_eq!(
            group_of(&at, b"old.name 1 1 =new.name").unwrap().kind,
            EntryKind::Link
        );
        let none: [&[u8]; 4] = [b"", b"   ", b"\0 1 1 y", b".. 1 1 y"];
        for line in none {
            assert_eq!(group_of(&at, line), None);
        }
    }
}
