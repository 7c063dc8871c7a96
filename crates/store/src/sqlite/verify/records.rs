//! Do the records agree with the catalog, and with their own digests?

use super::hashes::Hashes;
use super::{Fix, Verified};
use crate::folder::writer::{ArchiveFile, is_ours};
use crate::sqlite::catalog::archives;
use crate::sqlite::compact::doomed_names;
use crate::warc::reader::{Walked, Walker};
use crate::{Digest, StoreError, folder};
use gleaner_model::measure;
use rusqlite::{Connection, OptionalExtension, Row, Rows};
use std::collections::HashSet;
use std::path::Path;

/// A row that names a place in the archive.
#[derive(Debug, Clone, Copy)]
struct Named {
    archive: i64,
    offset: u64,
    by: By,
}

#[derive(Debug, Clone, Copy)]
enum By {
    Body(i64),
    Version(i64),
}

/// All rows that name places, in the order of the places.
struct Places<'s> {
    rows: Rows<'s>,
    next: Option<Named>,
}

const PLACES: &str = "SELECT archive, offset, 0, id FROM bodies WHERE NOT is_lost
     UNION ALL SELECT archive, offset, 1, id FROM versions ORDER BY 1, 2, 3, 4";

impl<'s> Places<'s> {
    fn new(rows: Rows<'s>) -> Result<Places<'s>, StoreError> {
        let mut places = Places { rows, next: None };
        places.advance()?;
        Ok(places)
    }

    fn advance(&mut self) -> Result<(), StoreError> {
        let named = |row: &Row<'_>| -> rusqlite::Result<Named> {
            let id = row.get(3)?;
            let by = if row.get::<_, i64>(2)? == 0 {
                By::Body(id)
            } else {
                By::Version(id)
            };
            Ok(Named {
                archive: row.get(0)?,
                offset: row.get::<_, i64>(1)? as u64,
                by,
            })
        };
        self.next = self.rows.next()?.map(named).transpose()?;
        Ok(())
    }

    /// The next row that names a place of `archive` before `end`.
    fn take_before(&mut self, archive: i64, end: u64) -> Result<Option<Named>, StoreError> {
        let found = self
            .next
            .filter(|named| (named.archive, named.offset) < (archive, end));
        if found.is_some() {
            self.advance()?;
        }
        Ok(found)
    }

    /// Where the next named place of `archive` is.
    fn peek(&self, archive: i64) -> Option<u64> {
        self.next
            .filter(|named| named.archive == archive)
            .map(|named| named.offset)
    }
}

/// `is_held`: it is we who hold the folder.
pub(super) fn check_archives(
    root: &Path,
    db: &Connection,
    is_held: bool,
    result: &mut Verified,
) -> Result<(), StoreError> {
    let is_in_use = || !is_held && folder::is_in_use(root);
    let folder = folder::archive(root);
    let known = archives(db, false)?;
    let last_commit = db.query_row("SELECT last FROM commits", [], |row| row.get::<_, i64>(0))? as u64;
    let was_in_use = is_in_use();
    let mut statement = db.prepare(PLACES)?;
    let mut places = Places::new(statement.query([])?)?;
    for file in &known {
        result.archives += 1;
        while places.take_before(file.id, 0)?.is_some() {} // Of an unknown archive: told already.
        let path = folder.join(&file.name);
        if !was_in_use {
            check_tail(&path, &folder, file, last_commit, result);
        }
        check_file(&path, file, db, &mut places, result)?;
    }
    // Asked again: a writer that began meanwhile may have made a file.
    if !was_in_use && !is_in_use() {
        check_unknown_files(&folder, &known, &doomed_names(db)?, last_commit, result);
    }
    Ok(())
}

/// What lies behind the committed length.
/// What went with the bytes.
fn lost(bodies: u64) -> String {
    match bodies {
        0 => ", no body lay in what is lost".to_owned(),
        1 => ", 1 body is lost".to_owned(),
        many => format!(", {many} bodies are lost"),
    }
}

fn check_tail(path: &Path, folder: &Path, file: &ArchiveFile, last_commit: u64, result: &mut Verified) {
    let length = std::fs::metadata(path).map_or(0, |meta| meta.len());
    if length <= file.committed_bytes {
        return;
    }
    let is_behind = crate::folder::recover::is_behind(folder, file, last_commit);
    let (what, fix) = match is_behind {
        Ok(false) if file.is_sealed => ("bytes that were given up as lost and are back", Fix::LeaveAlone),
        Ok(false) => ("bytes behind the last commit", Fix::CutTail),
        Ok(true) => ("bytes of commits that the catalog does not know", Fix::Adopt),
        Err(_) => (
            "bytes behind the last commit that cannot be read",
            Fix::LeaveAlone,
        ),
    };
    let behind = length - file.committed_bytes;
    result.add(
        format!("{behind} {what}"),
        format!("{} at byte {}", path.display(), file.committed_bytes),
        fix,
    );
}

pub(super) fn check_unknown_files(
    folder: &Path,
    known: &[ArchiveFile],
    doomed: &[String],
    last_commit: u64,
    result: &mut Verified,
) {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !known.iter().any(|file| file.name == *name) && !doomed.contains(name))
        .collect();
    names.sort();
    for name in names {
        let place = folder.join(&name).display().to_string();
        if !is_ours(&name) {
            result.add("foreign file in the archive folder", place, Fix::LeaveAlone);
            continue;
        }
        let file = ArchiveFile {
            id: 0,
            name,
            committed_bytes: 0,
            is_sealed: false,
        };
        match crate::folder::recover::is_behind(folder, &file, last_commit) {
            Ok(true) => result.add(
                "archive file of commits that the catalog does not know",
                place,
                Fix::Adopt,
            ),
            _ => result.add("archive file that no commit refers to", place, Fix::CutTail),
        }
    }
}

fn check_file(
    path: &Path,
    file: &ArchiveFile,
    db: &Connection,
    places: &mut Places<'_>,
    result: &mut Verified,
) -> Result<(), StoreError> {
    let (archive, committed) = (file.id, file.committed_bytes);
    let place = |offset: u64| format!("{} at byte {offset}", path.display());
    let damaged = known_damages(db, archive)?;
    let length = std::fs::metadata(path).map_or(0, |meta| meta.len());
    let end = committed.min(length);
    let mut at = 0;
    // How far the file is good, for one that is cut off.
    let mut good = 0;
    let mut walker = None;
    while at < end {
        let reading = match &mut walker {
            Some(reading) => reading,
            None => match Walker::open(path, at) {
                Ok(open) => walker.insert(open),
                Err(cause) => {
                    result.add(
                        format!("archive file cannot be read: {cause}"),
                        path.display().to_string(),
                        Fix::LeaveAlone,
                    );
                    while places.take_before(archive, u64::MAX)?.is_some() {}
                    return Ok(());
                }
            },
        };
        not_there(places, archive, at, committed, &damaged, path, result)?;
        let mut hashes = Hashes::default();
        let walked = reading.next(|headers, piece| hashes.add(headers, piece));
        let next = reading.position();
        let judged = match walked {
            Ok(None) => break,
            Ok(Some(record)) => {
                result.records += 1;
                let digest = hashes.judge(&record);
                digest
                    .map(|payload| (record, payload))
                    .map_err(|what| (what, Some(next)))
            }
            Err(cause) => Err((cause.to_string(), None)),
        };
        let mut body = None;
        let mut wrong = None;
        while let Some(named) = places.take_before(archive, at + 1)? {
            match (named.by, &judged) {
                (By::Body(id), Err(_)) => body = Some(id),
                (By::Body(id), Ok((record, payload))) => {
                    if let Some(what) = body_problem(db, id, record, payload)? {
                        (body, wrong) = (Some(id), Some(what));
                    }
                }
                (By::Version(id), Ok((record, _))) if !damaged.contains(&at) => {
                    if let Some(what) = version_problem(db, id, record)? {
                        result.add(what, format!("gleaner.db, version {id}"), Fix::Restore);
                    }
                }
                (By::Version(_), _) => {}
            }
        }
        let lost = |what: String| {
            (
                what,
                place(at),
                Fix::MarkLost {
                    archive,
                    offset: at,
                    body,
                },
            )
        };
        match judged {
            Ok(_) => {
                if let Some(what) = wrong {
                    let (what, place, fix) = lost(what);
                    result.add(what, place, fix);
                }
                (at, good) = (next, next);
            }
            Err((what, resumes)) => {
                let goes_on = resumes.or_else(|| places.peek(archive).filter(|&offset| offset < end));
                let is_torn_end = goes_on.is_none() && length < committed;
                if !is_torn_end && (body.is_some() || !damaged.contains(&at)) {
                    let (what, place, fix) = lost(format!("damaged record: {what}"));
                    result.add(what, place, fix);
                }
                // Go on with the next record whose place is known: the others stay untouched.
                walker = None;
                let Some(offset) = goes_on else { break };
                at = offset;
                if !is_torn_end {
                    good = at;
                }
            }
        }
    }
    if length < committed {
        let mut count = 0u64;
        while let Some(named) = places.take_before(archive, committed)? {
            count += u64::from(matches!(named.by, By::Body(_)));
        }
        let what = if path.exists() {
            let of = measure::count(committed, "byte");
            format!("file is cut off: {length} of {of}{}", lost(count))
        } else {
            format!("file is missing{}", lost(count))
        };
        result.add(
            what,
            path.display().to_string(),
            Fix::LoseTail { archive, from: good },
        );
    }
    not_there(places, archive, u64::MAX, committed, &damaged, path, result)
}

/// Rows that name places before `end` where no record begins.
fn not_there(
    places: &mut Places<'_>,
    archive: i64,
    end: u64,
    committed: u64,
    damaged: &HashSet<u64>,
    path: &Path,
    result: &mut Verified,
) -> Result<(), StoreError> {
    while let Some(Named { offset, by, .. }) = places.take_before(archive, end)? {
        let place = format!("{} at byte {offset}", path.display());
        match by {
            By::Body(id) => result.add(
                "record of a stored body is not there",
                place,
                Fix::MarkLost {
                    archive,
                    offset,
                    body: Some(id),
                },
            ),
            By::Version(_) if damaged.contains(&offset) || offset >= committed => {} // Known to be lost.
            By::Version(_) => {
                result.add(
                    "record of a version is not there",
                    place,
                    Fix::MarkLost {
                        archive,
                        offset,
                        body: None,
                    },
                );
            }
        }
    }
    Ok(())
}

fn known_damages(db: &Connection, archive: i64) -> Result<HashSet<u64>, StoreError> {
    let mut statement = db.prepare_cached("SELECT offset FROM damages WHERE archive = ?1")?;
    let rows = statement.query_map([archive], |row| Ok(row.get::<_, i64>(0)? as u64))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Of the resource whose record holds a body: its versions are found by it, while nothing leads from a body to them.
const OF_BODY: &str =
    "FROM bodies b JOIN documents d ON d.resource = b.resource JOIN versions v ON v.document = d.id
     WHERE b.id = ?1 AND v.body = b.id";

fn body_problem(
    db: &Connection,
    body: i64,
    record: &Walked,
    payload: &[u8; 32],
) -> Result<Option<String>, StoreError> {
    let found: Option<([u8; 32], Option<String>)> = db
        .prepare_cached(
            "SELECT b.digest, r.url FROM bodies b LEFT JOIN resources r ON r.id = b.resource WHERE b.id = ?1",
        )?
        .query_row([body], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((digest, url)) = found else {
        return Ok(None);
    };
    let told = record.header("WARC-Target-URI");
    Ok(
        if !matches!(record.header("WARC-Type"), Some("response" | "resource")) {
            Some("the record is not a response".to_owned())
        } else if digest != *payload {
            Some("payload is not the one the catalog remembers".to_owned())
        } else if told != url.as_deref() && is_of_another(db, body, told)? {
            Some("the record is of another URL".to_owned())
        } else {
            None
        },
    )
}

/// Whether the versions with this body were asked for under other addresses than this one. What has none, such as a page
/// that says "not found", may have been asked for with the id of its day, which only versions remember.
fn is_of_another(db: &Connection, body: i64, told: Option<&str>) -> Result<bool, StoreError> {
    let sql = format!("SELECT count(*) > 0 AND NOT coalesce(max(v.url = ?2), 0) {OF_BODY}");
    let mut statement = db.prepare_cached(&sql)?;
    Ok(statement.query_row((body, told), |row| row.get(0))?)
}

fn version_problem(db: &Connection, version: i64, record: &Walked) -> Result<Option<String>, StoreError> {
    let found: Option<(String, [u8; 32])> = db
        .prepare_cached(
            "SELECT coalesce(v.url, r.url), b.digest FROM versions v JOIN documents d ON d.id = v.document
             JOIN resources r ON r.id = d.resource JOIN bodies b ON b.id = v.body WHERE v.id = ?1",
        )?
        .query_row([version], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((url, digest)) = found else {
        return Ok(None);
    };
    let is_right = matches!(
        record.header("WARC-Type"),
        Some("response" | "resource" | "revisit")
    ) && record.header("WARC-Target-URI") == Some(url.as_str())
        && record.header("WARC-Payload-Digest") == Some(Digest(digest).warc().as_str());
    Ok((!is_right).then(|| format!("the version's record is of another page than {url}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A look at each version for each body takes hours where there are 200,000.
    #[test]
    fn what_is_asked_for_each_body_is_found_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = crate::Catalog::open(&folder.path().join("gleaner.db")).unwrap();
        let mut statement = catalog
            .db
            .prepare(&format!("EXPLAIN QUERY PLAN SELECT 1 {OF_BODY}"))
            .unwrap();
        let plan: Vec<String> = statement
            .query_map([1], |row| row.get(3))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(plan.len(), 3, "{plan:?}");
        assert!(plan.iter().all(|step| step.starts_with("SEARCH")), "{plan:?}");
    }
}
