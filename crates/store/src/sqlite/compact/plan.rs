//! What of an archive file stays? One walk through it, beside the rows that name places in it.
//!
//! | record | stays |
//! |---|---|
//! | response or revisit that a version or a stored body names | yes |
//! | … that only a dropped version named | no |
//! | revisit that nobody names (the page was the same) | while its payload is stored |
//! | response that nobody names (a redirect, an answer that was tried again) | yes |
//! | request, metadata | with the response they belong to, which stands right before them |
//! | the first warcinfo | no: it carries the file's name, and the new file has its own |
//!
//! Nothing is guessed: a file that does not hold what the catalog says, or cannot be read to its end, is left alone.

use crate::StoreError;
use crate::folder::writer::ArchiveFile;
use crate::warc::reader::{Walked, Walker};
use data_encoding::BASE32;
use rusqlite::Connection;
use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

pub(super) struct Plan {
    pub(super) file: ArchiveFile,
    /// What stays, in order; neighbours are joined.
    pub(super) stays: Vec<Range<u64>>,
    /// Where each of these begins when they stand one after the other.
    begins: Vec<u64>,
    pub(super) kept_bytes: u64,
    pub(super) kept_records: u64,
    pub(super) freed_bytes: u64,
    pub(super) rows: Rows,
}

/// Rows that name places in the file. Ids with their offsets.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) bodies: Vec<(i64, u64)>,
    pub(super) versions: Vec<(i64, u64)>,
    pub(super) damages: HashSet<u64>,
    pub(super) dropped: HashSet<u64>,
}

/// The plan, or why the file has to be left alone.
pub(super) fn plan(
    db: &Connection,
    folder: &Path,
    file: ArchiveFile,
) -> Result<Result<Plan, String>, StoreError> {
    let rows = Rows::of(db, file.id)?;
    let path = folder.join(&file.name);
    let length = match std::fs::metadata(&path) {
        Ok(meta) => meta.len(),
        Err(cause) => return Ok(Err(cause.to_string())),
    };
    if length < file.committed_bytes {
        return Ok(Err(format!(
            "it is cut off: {length} of {} bytes",
            file.committed_bytes
        )));
    }
    let mut walker = match Walker::open(&path, 0) {
        Ok(walker) => walker,
        Err(cause) => return Ok(Err(cause.to_string())),
    };
    let mut missing = rows.needed(&file);
    let mut judge = Judge {
        db,
        named: rows.named(),
        rows: &rows,
        dropped_id: None,
    };
    let mut stays: Vec<Range<u64>> = Vec::new();
    let (mut kept_records, mut freed_bytes) = (0, 0);
    let mut holds_captures = false;
    while walker.position() < file.committed_bytes {
        let record = match walker.next(|_, _| {}) {
            Ok(Some(record)) => record,
            Ok(None) => break,
            Err(cause) => return Ok(Err(format!("a record is damaged ({cause})"))),
        };
        let range = record.offset..record.offset + record.member_bytes;
        missing.remove(&record.offset);
        match judge.judge(&record)? {
            Verdict::Stays => {
                kept_records += 1;
                holds_captures |= record.header("WARC-Type") != Some("warcinfo");
                match stays.last_mut() {
                    Some(last) if last.end == range.start => last.end = range.end,
                    _ => stays.push(range),
                }
            }
            Verdict::Goes => freed_bytes += record.member_bytes,
            Verdict::IsMadeAnew => {}
        }
    }
    if walker.position() != file.committed_bytes {
        return Ok(Err("its records do not end where the catalog says".to_owned()));
    }
    if let Some(offset) = missing.iter().min() {
        return Ok(Err(format!(
            "the catalog names byte {offset}, where no record begins"
        )));
    }
    // What runs say of themselves is of no use without anything that they fetched.
    if !holds_captures {
        freed_bytes += stays.iter().map(|range| range.end - range.start).sum::<u64>();
        (stays, kept_records) = (Vec::new(), 0);
    }
    let mut begins = Vec::with_capacity(stays.len());
    let mut kept_bytes = 0;
    for range in &stays {
        begins.push(kept_bytes);
        kept_bytes += range.end - range.start;
    }
    Ok(Ok(Plan {
        file,
        stays,
        begins,
        kept_bytes,
        kept_records,
        freed_bytes,
        rows,
    }))
}

impl Plan {
    /// Nothing is left to be written, and no row needs the file's name.
    pub(super) fn is_empty(&self) -> bool {
        self.stays.is_empty() && self.rows.bodies.is_empty() && self.rows.versions.is_empty()
    }

    /// Where the record that began at `offset` begins among those that stay.
    pub(super) fn moved(&self, offset: u64) -> Option<u64> {
        let index = self
            .stays
            .partition_point(|range| range.start <= offset)
            .checked_sub(1)?;
        let range = &self.stays[index];
        range
            .contains(&offset)
            .then(|| self.begins[index] + offset - range.start)
    }
}

impl Rows {
    fn of(db: &Connection, archive: i64) -> Result<Rows, StoreError> {
        let places = |sql: &str| -> Result<Vec<(i64, u64)>, StoreError> {
            let mut statement = db.prepare_cached(sql)?;
            let rows =
                statement.query_map([archive], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        let offsets = |sql| Ok::<_, StoreError>(places(sql)?.into_iter().map(|(_, offset)| offset).collect());
        Ok(Rows {
            bodies: places("SELECT id, offset FROM bodies WHERE archive = ?1")?,
            versions: places("SELECT id, offset FROM versions WHERE archive = ?1")?,
            damages: offsets("SELECT archive, offset FROM damages WHERE archive = ?1")?,
            dropped: offsets("SELECT archive, offset FROM dropped WHERE archive = ?1")?,
        })
    }

    fn named(&self) -> HashSet<u64> {
        let rows = self.bodies.iter().chain(&self.versions);
        rows.map(|(_, offset)| *offset).collect()
    }

    /// Places where a record has to begin: all that are named and not known to be lost.
    fn needed(&self, file: &ArchiveFile) -> HashSet<u64> {
        let mut needed = self.named();
        needed.retain(|offset| *offset < file.committed_bytes && !self.damages.contains(offset));
        needed
    }
}

enum Verdict {
    Stays,
    Goes,
    IsMadeAnew,
}

struct Judge<'a> {
    db: &'a Connection,
    named: HashSet<u64>,
    rows: &'a Rows,
    /// The response that went last; what belongs to it stands right behind it.
    dropped_id: Option<String>,
}

impl Judge<'_> {
    fn judge(&mut self, record: &Walked) -> Result<Verdict, StoreError> {
        let goes_with = |name| self.dropped_id.is_some() && record.header(name) == self.dropped_id.as_deref();
        let goes = match record.header("WARC-Type") {
            Some("warcinfo") if record.offset == 0 => return Ok(Verdict::IsMadeAnew),
            Some(kind @ ("response" | "resource" | "revisit")) => {
                let goes = !self.is_needed(kind, record)?;
                let id = record.header("WARC-Record-ID").map(str::to_owned);
                self.dropped_id = id.filter(|_| goes);
                goes
            }
            Some("request") => goes_with("WARC-Concurrent-To"),
            Some("metadata") => goes_with("WARC-Refers-To"),
            _ => false,
        };
        Ok(if goes { Verdict::Goes } else { Verdict::Stays })
    }

    fn is_needed(&self, kind: &str, record: &Walked) -> Result<bool, StoreError> {
        if self.named.contains(&record.offset) {
            return Ok(true);
        }
        if self.rows.dropped.contains(&record.offset) {
            return Ok(false);
        }
        if kind != "revisit" {
            return Ok(true);
        }
        let digest = record
            .header("WARC-Payload-Digest")
            .and_then(|said| said.strip_prefix("sha256:"))
            .and_then(|text| BASE32.decode(text.as_bytes()).ok());
        let Some(digest) = digest else {
            return Ok(true);
        };
        let mut statement = self
            .db
            .prepare_cached("SELECT EXISTS (SELECT 1 FROM bodies WHERE digest = ?1)")?;
        Ok(statement.query_row([digest], |row| row.get(0))?)
    }
}
