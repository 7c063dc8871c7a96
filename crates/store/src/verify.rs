//! Is everything there, and is it what it was? Every reference, digest, gzip member and the database itself.
//!
//! One walk through each archive file, side by side with the catalog's rows sorted by the place they name: memory does
//! not grow with the catalog, and no question is asked once per row of another. Works beside a running crawl: all rows
//! are read as of one moment, and what lies behind the last commit is then the crawl's business.

use crate::archive::reader::{Walked, Walker};
use crate::archive::recover::recover;
use crate::archive::writer::{ArchiveFile, is_ours};
use crate::catalog::{Catalog, archives, sums};
use crate::{DataFolder, Digest, StoreError, folder};
use data_encoding::BASE32;
use gleaner_model::Url;
use rusqlite::{Connection, OptionalExtension, Row, Rows};
use sha2::{Digest as _, Sha256};
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

/// One thing that is wrong, where, and what `--fix` does about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub what: String,
    pub place: String,
    pub fix: Fix,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fix {
    /// The place is noted as damaged, and the body that stood there as lost; the next run fetches it again.
    MarkLost {
        archive: i64,
        offset: u64,
        body: Option<i64>,
    },
    /// The file ends here; everything that stood behind is lost, and the next run fetches it again.
    LoseTail { archive: i64, from: u64 },
    /// Unreferenced bytes behind the committed length are cut off.
    CutTail,
    /// The archive knows more than the catalog: its records are kept, and a new file is begun.
    Adopt,
    /// Indexes are made again.
    Reindex,
    /// A page of the catalog changed; it is taken as it is now.
    Accept,
    /// Nothing is lost by it, and it is not ours to change.
    LeaveAlone,
    /// Only a backup helps.
    Restore,
}

impl Fix {
    pub fn describe(&self) -> &'static str {
        match self {
            Fix::MarkLost { .. } | Fix::LoseTail { .. } => {
                "--fix marks it as lost, the next run fetches it again"
            }
            Fix::CutTail => "--fix cuts it off; so does the next run",
            Fix::Adopt => {
                "put back the right gleaner.db and gleaner.db-wal; --fix goes on without them, keeping these bytes"
            }
            Fix::Reindex => "--fix makes the indexes again",
            Fix::Accept => "put back gleaner.db from a backup; --fix goes on with it as it is",
            Fix::LeaveAlone => "left alone",
            Fix::Restore => "put back gleaner.db from a backup",
        }
    }
}

/// What was looked at and what was found.
#[derive(Debug, Clone, Default)]
pub struct Verified {
    pub archives: u64,
    pub records: u64,
    pub bodies: u64,
    pub versions: u64,
    pub findings: Vec<Finding>,
}

impl Verified {
    fn add(&mut self, what: impl Into<String>, place: impl Into<String>, fix: Fix) {
        self.findings.push(Finding {
            what: what.into(),
            place: place.into(),
            fix,
        });
    }
}

/// Looks at everything; changes nothing.
pub fn verify(root: &Path) -> Result<Verified, StoreError> {
    let path = folder::catalog(root);
    if !path.is_file() {
        return Err(StoreError::NoData {
            folder: root.to_owned(),
        });
    }
    let name = path.display().to_string();
    let mut result = Verified::default();
    for offset in sums::changes(&path) {
        result.add(
            "a page of the catalog changed while nobody used it",
            format!("{name} at byte {offset}"),
            Fix::Accept,
        );
    }
    let db = match Catalog::open_reader(&path) {
        Ok(db) => db,
        Err(StoreError::CatalogDamaged { path, cause }) => {
            result.add(
                format!("the catalog cannot be opened: {cause}"),
                path.display().to_string(),
                Fix::Restore,
            );
            return Ok(result);
        }
        Err(StoreError::Empty { .. }) => {
            result.add("the catalog is empty", name, Fix::Restore);
            check_unknown_files(&folder::archive(root), &[], 0, &mut result);
            return Ok(result);
        }
        Err(StoreError::CatalogChanged { .. }) => return Ok(result), // An older one, to be migrated first.
        Err(other) => return Err(other),
    };
    let snapshot = db.unchecked_transaction()?;
    let checked = check_catalog(&snapshot, &mut result).map_err(StoreError::from);
    let checked = checked.and_then(|()| check_archives(root, &snapshot, &mut result));
    match checked {
        Err(StoreError::CatalogDamaged { cause, .. } | StoreError::Catalog(cause)) => {
            result.add(format!("the catalog is damaged: {cause}"), name, Fix::Restore);
            Ok(result)
        }
        Err(other) => Err(other),
        Ok(()) => Ok(result),
    }
}

/// Puts right what can be put right without losing anything that is still good.
pub fn fix(folder: &DataFolder, verified: &Verified) -> Result<u64, StoreError> {
    let catalog = Catalog::open_as_it_is(&folder.catalog())?;
    let needs_backup = verified
        .findings
        .iter()
        .any(|finding| finding.fix == Fix::Restore);
    let mut fixed = 0;
    let transaction = catalog.db.unchecked_transaction()?;
    for finding in &verified.findings {
        match &finding.fix {
            Fix::MarkLost {
                archive,
                offset,
                body,
            } => {
                transaction
                    .prepare_cached("INSERT INTO damages VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
                    .execute((archive, *offset as i64))?;
                transaction
                    .prepare_cached("UPDATE bodies SET is_lost = 1 WHERE id = ?1")?
                    .execute([body])?;
                fixed += 1;
            }
            Fix::LoseTail { archive, from } => {
                transaction.execute(
                    "UPDATE bodies SET is_lost = 1 WHERE archive = ?1 AND offset >= ?2",
                    (archive, *from as i64),
                )?;
                transaction.execute(
                    "UPDATE archives SET bytes = ?2, is_sealed = 1 WHERE id = ?1",
                    (archive, *from as i64),
                )?;
                fixed += 1;
            }
            // Made again from damaged rows an index would hide the damage.
            Fix::Reindex if !needs_backup => {
                transaction.execute_batch("REINDEX")?;
                fixed += 1;
            }
            Fix::Accept => fixed += 1,
            Fix::Reindex | Fix::CutTail | Fix::Adopt | Fix::LeaveAlone | Fix::Restore => {}
        }
    }
    transaction.commit()?;
    for finding in &verified.findings {
        if let Fix::LoseTail { archive, from } = finding.fix {
            cut_torn_end(folder, &catalog, archive, from)?;
        }
    }
    loop {
        match recover(&folder.archive(), &catalog.archives()?, catalog.last_commit()?) {
            Ok(done) => {
                fixed += u64::from(done.bytes_cut > 0) + done.files_removed;
                break;
            }
            // Each round adopts one file whole, so there are no more rounds than files.
            Err(StoreError::CatalogBehind { path }) => fixed += adopt(&catalog, &path)?,
            Err(other) => return Err(other),
        }
    }
    catalog.tidy()?;
    Ok(fixed)
}

/// What is left of the record at the end of a shortened file is of no use to anyone.
fn cut_torn_end(folder: &DataFolder, catalog: &Catalog, archive: i64, from: u64) -> Result<(), StoreError> {
    let Some(file) = catalog.archives()?.into_iter().find(|file| file.id == archive) else {
        return Ok(());
    };
    let path = folder.archive().join(&file.name);
    let Ok(open) = OpenOptions::new().write(true).open(&path) else {
        return Ok(());
    };
    open.set_len(from)
        .and_then(|()| open.sync_all())
        .map_err(|e| StoreError::writing(&path, e))
}

/// The archive holds commits the catalog has forgotten: keep the bytes, seal the file, and go on with a new one.
fn adopt(catalog: &Catalog, path: &Path) -> Result<u64, StoreError> {
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy().into_owned())
        .unwrap_or_default();
    let unreadable = |cause| StoreError::ArchiveRead {
        path: path.to_owned(),
        cause,
    };
    let mut walker = Walker::open(path, 0).map_err(unreadable)?;
    let (mut last, mut end) = (0, 0);
    loop {
        match walker.next(|_, _| {}) {
            Ok(Some(record)) => {
                last = last.max(record.commit.unwrap_or(0));
                end = walker.position();
            }
            Ok(None) => break,
            Err(cause) if cause.kind() == std::io::ErrorKind::UnexpectedEof => {
                let open = OpenOptions::new().write(true).open(path).map_err(unreadable)?;
                open.set_len(end)
                    .and_then(|()| open.sync_all())
                    .map_err(|e| StoreError::writing(path, e))?;
                break;
            }
            Err(_) => {
                end = std::fs::metadata(path).map_err(unreadable)?.len(); // Good records may lie behind the damage.
                break;
            }
        }
    }
    catalog.db.execute(
        "INSERT INTO archives(name, bytes, is_sealed) VALUES (?1, ?2, 1)
         ON CONFLICT(name) DO UPDATE SET bytes = excluded.bytes, is_sealed = 1",
        (&name, end as i64),
    )?;
    catalog
        .db
        .execute("UPDATE commits SET last = max(last, ?1)", [last as i64])?;
    Ok(1)
}

/// Questions whose answer should be 0, each answered in one pass.
const REFERENCES: &[(&str, &str)] = &[
    (
        "versions without a document",
        "FROM versions v WHERE NOT EXISTS (SELECT 1 FROM documents WHERE id = v.document)",
    ),
    (
        "versions without a body",
        "FROM versions v WHERE NOT EXISTS (SELECT 1 FROM bodies WHERE id = v.body)",
    ),
    (
        "versions in an unknown archive",
        "FROM versions v WHERE NOT EXISTS (SELECT 1 FROM archives WHERE id = v.archive)",
    ),
    (
        "documents without a version",
        "FROM documents d WHERE NOT EXISTS (SELECT 1 FROM versions WHERE id = d.version)",
    ),
    (
        "documents without a resource",
        "FROM documents d WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = d.resource)",
    ),
    (
        "changes without a resource",
        "FROM changes c WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = c.resource)",
    ),
    (
        "bodies in an unknown archive",
        "FROM bodies b WHERE NOT EXISTS (SELECT 1 FROM archives WHERE id = b.archive)",
    ),
    (
        "links from an unknown page",
        "FROM links l WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = l.source)",
    ),
    (
        "links to an unknown page",
        "FROM links l WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = l.target)",
    ),
    (
        "queued URLs without a resource",
        "FROM frontier f WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = f.resource)",
    ),
    (
        "queued URLs that no visit waits for",
        "FROM frontier f WHERE NOT EXISTS (SELECT 1 FROM visits WHERE run = f.run AND resource = f.resource)",
    ),
    (
        "visits that wait for no queued URL",
        "FROM (SELECT run, resource FROM visits WHERE at IS NULL EXCEPT SELECT run, resource FROM frontier)",
    ),
];

fn check_catalog(db: &Connection, result: &mut Verified) -> rusqlite::Result<()> {
    let place = "gleaner.db";
    let mut statement = db.prepare("PRAGMA integrity_check(100)")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let said: String = row.get(0)?;
        if said != "ok" {
            let is_index = said.contains("missing from index") || said.contains("entries in index");
            result.add(said, place, if is_index { Fix::Reindex } else { Fix::Restore });
        }
    }
    for (what, query) in REFERENCES {
        let count: i64 = db.query_row(&format!("SELECT count(*) {query}"), [], |row| row.get(0))?;
        if count > 0 {
            result.add(format!("{count} {what}"), place, Fix::Restore);
        }
    }
    let mut statement = db.prepare("SELECT id, key, url FROM resources")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let is_right = Url::parse(row.get_ref(2)?.as_str().unwrap_or(""))
            .is_ok_and(|url| row.get::<_, [u8; 16]>(1).is_ok_and(|key| url.key().0 == key));
        if !is_right {
            let id: i64 = row.get(0)?;
            result.add(
                "the URL is not the one it was",
                format!("{place}, resource {id}"),
                Fix::Restore,
            );
        }
    }
    result.versions = db.query_row("SELECT count(*) FROM versions", [], |row| row.get::<_, i64>(0))? as u64;
    result.bodies = db.query_row("SELECT count(*) FROM bodies", [], |row| row.get::<_, i64>(0))? as u64;
    Ok(())
}

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

fn check_archives(root: &Path, db: &Connection, result: &mut Verified) -> Result<(), StoreError> {
    let folder = folder::archive(root);
    let known = archives(db, false)?;
    let last_commit = db.query_row("SELECT last FROM commits", [], |row| row.get::<_, i64>(0))? as u64;
    let is_in_use = folder::is_in_use(root);
    let mut statement = db.prepare(PLACES)?;
    let mut places = Places::new(statement.query([])?)?;
    for file in &known {
        result.archives += 1;
        while places.take_before(file.id, 0)?.is_some() {} // Of an unknown archive: told already.
        let path = folder.join(&file.name);
        if !is_in_use {
            check_tail(&path, &folder, file, last_commit, result);
        }
        check_file(&path, file, db, &mut places, result)?;
    }
    if !is_in_use {
        check_unknown_files(&folder, &known, last_commit, result);
    }
    Ok(())
}

/// What lies behind the committed length.
fn check_tail(path: &Path, folder: &Path, file: &ArchiveFile, last_commit: u64, result: &mut Verified) {
    let length = std::fs::metadata(path).map_or(0, |meta| meta.len());
    if length <= file.committed_bytes {
        return;
    }
    let is_behind = crate::archive::recover::is_behind(folder, file, last_commit);
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

fn check_unknown_files(folder: &Path, known: &[ArchiveFile], last_commit: u64, result: &mut Verified) {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !known.iter().any(|file| file.name == *name))
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
        match crate::archive::recover::is_behind(folder, &file, last_commit) {
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
            format!("file is cut off: {length} of {committed} bytes, at least {count} bodies are lost")
        } else {
            format!("file is missing: {count} bodies are lost")
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
    Ok(if record.header("WARC-Type") != Some("response") {
        Some("the record is not a response".to_owned())
    } else if digest != *payload {
        Some("payload is not the one the catalog remembers".to_owned())
    } else if record.header("WARC-Target-URI") != url.as_deref() {
        Some("the record is of another URL".to_owned())
    } else {
        None
    })
}

fn version_problem(db: &Connection, version: i64, record: &Walked) -> Result<Option<String>, StoreError> {
    let found: Option<(String, [u8; 32])> = db
        .prepare_cached(
            "SELECT r.url, b.digest FROM versions v JOIN documents d ON d.id = v.document
             JOIN resources r ON r.id = d.resource JOIN bodies b ON b.id = v.body WHERE v.id = ?1",
        )?
        .query_row([version], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((url, digest)) = found else {
        return Ok(None);
    };
    let is_right = matches!(record.header("WARC-Type"), Some("response" | "revisit"))
        && record.header("WARC-Target-URI") == Some(url.as_str())
        && record.header("WARC-Payload-Digest") == Some(Digest(digest).warc().as_str());
    Ok((!is_right).then(|| format!("the version's record is of another page than {url}")))
}

/// The digests of one record, taken as its block passes by.
#[derive(Default)]
struct Hashes {
    block: Sha256,
    payload: Sha256,
    /// The last bytes of the HTTP head, until its end is found.
    head: Option<HeadEnd>,
}

#[derive(Default)]
struct HeadEnd {
    tail: Vec<u8>,
    is_over: bool,
}

impl Hashes {
    fn add(&mut self, headers: &[(String, String)], piece: &[u8]) {
        self.block.update(piece);
        if !headers
            .iter()
            .any(|(name, value)| name == "Content-Type" && value.starts_with("application/http"))
        {
            return;
        }
        let head = self.head.get_or_insert_default();
        if head.is_over {
            self.payload.update(piece);
            return;
        }
        let start = head.tail.len();
        head.tail.extend_from_slice(piece);
        let from = start.saturating_sub(3);
        if let Some(end) = find_head_end(&head.tail, from) {
            self.payload.update(&head.tail[end..]);
            head.is_over = true;
            head.tail = Vec::new();
        }
    }

    /// What is wrong with the record by its own account; else the digest of its payload.
    fn judge(self, record: &Walked) -> Result<[u8; 32], String> {
        let (block, payload): ([u8; 32], [u8; 32]) =
            (self.block.finalize().into(), self.payload.finalize().into());
        if let Some(said) = record.header("WARC-Block-Digest")
            && said.strip_prefix("sha256:") != Some(BASE32.encode(&block).as_str())
        {
            return Err("block digest does not fit".to_owned());
        }
        if record.header("WARC-Type") == Some("response")
            && let Some(said) = record.header("WARC-Payload-Digest")
            && said.strip_prefix("sha256:") != Some(BASE32.encode(&payload).as_str())
        {
            return Err("payload digest does not fit".to_owned());
        }
        Ok(payload)
    }
}

/// Behind the empty line that ends an HTTP head, looking from `from` on.
fn find_head_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(found) = bytes[at..].iter().position(|&b| b == b'\n') {
        at += found + 1;
        match &bytes[at..] {
            [b'\r', b'\n', ..] => return Some(at + 2),
            [b'\n', ..] => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// For callers that only want to say where.
pub fn catalog_path(root: &Path) -> PathBuf {
    folder::catalog(root)
}
