//! Is everything there, and is it what it was? Every reference, digest, gzip member and the database itself.

use crate::archive::reader::Walker;
use crate::archive::writer::is_ours;
use crate::catalog::{Catalog, archives};
use crate::{DataFolder, StoreError, folder};
use data_encoding::BASE32;
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
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
    /// The version's body is marked as lost; the next run fetches it again.
    MarkLost { body: i64 },
    /// Unreferenced bytes behind the committed length are cut off.
    CutTail,
    /// Indexes are made again.
    Reindex,
    /// Nothing is lost by it, and it is not ours to change.
    LeaveAlone,
    /// Only a backup helps.
    Restore,
}

impl Fix {
    pub fn describe(&self) -> &'static str {
        match self {
            Fix::MarkLost { .. } => "--fix marks the version as lost, the next run fetches it again",
            Fix::CutTail => "--fix cuts it off; so does the next run",
            Fix::Reindex => "--fix makes the indexes again",
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

/// Looks at everything; changes nothing.
pub fn verify(root: &Path) -> Result<Verified, StoreError> {
    let path = folder::catalog(root);
    if !path.is_file() {
        return Err(StoreError::NoData { folder: root.to_owned() });
    }
    let mut result = Verified::default();
    let db = match Catalog::open_reader(&path) {
        Ok(db) => db,
        Err(StoreError::CatalogDamaged { path, cause }) => {
            result.findings.push(Finding {
                what: format!("the catalog cannot be opened: {cause}"),
                place: path.display().to_string(),
                fix: Fix::Restore,
            });
            return Ok(result);
        }
        Err(other) => return Err(other),
    };
    if let Err(cause) = check_catalog(&db, &mut result) {
        result.findings.push(Finding {
            what: format!("the catalog is damaged: {cause}"),
            place: path.display().to_string(),
            fix: Fix::Restore,
        });
        return Ok(result);
    }
    check_archives(root, &db, &mut result)?;
    Ok(result)
}

/// Puts right what can be put right without losing anything that is still good.
pub fn fix(folder: &DataFolder, verified: &Verified) -> Result<u64, StoreError> {
    let catalog = Catalog::open(&folder.catalog())?;
    let mut fixed = 0;
    for finding in &verified.findings {
        match &finding.fix {
            Fix::MarkLost { body } => {
                fixed += catalog.db.execute("UPDATE bodies SET is_lost = 1 WHERE id = ?1", [body])? as u64;
            }
            Fix::Reindex => {
                catalog.db.execute_batch("REINDEX")?;
                fixed += 1;
            }
            Fix::CutTail | Fix::LeaveAlone | Fix::Restore => {}
        }
    }
    // A file that is shorter than remembered ends where it ends; what it lost is marked above.
    for file in catalog.archives()? {
        let path = folder.archive().join(&file.name);
        let found = std::fs::metadata(&path).map_or(0, |meta| meta.len());
        if found < file.committed_bytes {
            catalog.db.execute(
                "UPDATE archives SET bytes = ?2, is_sealed = 1 WHERE id = ?1",
                (file.id, found as i64),
            )?;
            fixed += 1;
        }
    }
    let last_commit = catalog.last_commit()?;
    let cut = crate::archive::recover::recover(&folder.archive(), &catalog.archives()?, last_commit, false);
    match cut {
        Ok(done) => fixed += u64::from(done.bytes_cut > 0) + done.files_removed,
        Err(StoreError::CatalogBehind { path }) => fixed += adopt_tail(&catalog, &path)?,
        Err(other) => return Err(other),
    }
    Ok(fixed)
}

/// The archive holds commits the catalog has forgotten: keep the bytes, seal the file, and go on with a new one.
fn adopt_tail(catalog: &Catalog, path: &Path) -> Result<u64, StoreError> {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut walker =
        Walker::open(path, 0).map_err(|cause| StoreError::ArchiveRead { path: path.to_owned(), cause })?;
    let (mut last, mut end) = (0, 0);
    while let Ok(Some(record)) = walker.next(|_, _| {}) {
        last = last.max(record.commit.unwrap_or(0));
        end = walker.position();
    }
    catalog.db.execute(
        "INSERT INTO archives(name, bytes, is_sealed) VALUES (?1, ?2, 1)
         ON CONFLICT(name) DO UPDATE SET bytes = excluded.bytes, is_sealed = 1",
        (&name, end as i64),
    )?;
    catalog.db.execute("UPDATE commits SET last = max(last, ?1)", [last as i64])?;
    Ok(1)
}

fn check_catalog(db: &Connection, result: &mut Verified) -> rusqlite::Result<()> {
    let mut statement = db.prepare("PRAGMA integrity_check(100)")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let said: String = row.get(0)?;
        if said != "ok" {
            let only_index = said.contains("index");
            result.findings.push(Finding {
                what: said,
                place: "gleaner.db".to_owned(),
                fix: if only_index { Fix::Reindex } else { Fix::Restore },
            });
        }
    }
    let references = [
        ("versions without a document", "SELECT count(*) FROM versions v WHERE NOT EXISTS (SELECT 1 FROM documents WHERE id = v.document)"),
        ("versions without a body", "SELECT count(*) FROM versions v WHERE NOT EXISTS (SELECT 1 FROM bodies WHERE id = v.body)"),
        ("documents without a version", "SELECT count(*) FROM documents d WHERE NOT EXISTS (SELECT 1 FROM versions WHERE id = d.version)"),
        ("changes without a resource", "SELECT count(*) FROM changes c WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = c.resource)"),
        ("bodies in an unknown archive", "SELECT count(*) FROM bodies b WHERE NOT EXISTS (SELECT 1 FROM archives WHERE id = b.archive)"),
        ("queued URLs without a resource", "SELECT count(*) FROM frontier f WHERE NOT EXISTS (SELECT 1 FROM resources WHERE id = f.resource)"),
        ("queued URLs that no visit waits for", "SELECT count(*) FROM frontier f WHERE NOT EXISTS (SELECT 1 FROM visits WHERE run = f.run AND resource = f.resource)"),
        ("visits that wait for no queued URL", "SELECT count(*) FROM visits v WHERE at IS NULL AND NOT EXISTS (SELECT 1 FROM frontier f WHERE f.run = v.run AND f.resource = v.resource AND f.host = (SELECT host FROM resources WHERE id = v.resource) AND f.priority >= 0)"),
    ];
    for (what, query) in references {
        let count: i64 = db.query_row(query, [], |row| row.get(0))?;
        if count > 0 {
            result.findings.push(Finding {
                what: format!("{count} {what}"),
                place: "gleaner.db".to_owned(),
                fix: Fix::Restore,
            });
        }
    }
    result.versions = db.query_row("SELECT count(*) FROM versions", [], |row| row.get::<_, i64>(0))? as u64;
    result.bodies = db.query_row("SELECT count(*) FROM bodies", [], |row| row.get::<_, i64>(0))? as u64;
    Ok(())
}

/// A body as the catalog remembers it, by the place of its record.
struct Expected {
    id: i64,
    digest: [u8; 32],
    seen: bool,
}

fn check_archives(root: &Path, db: &Connection, result: &mut Verified) -> Result<(), StoreError> {
    let folder = folder::archive(root);
    let known = archives(db, false)?;
    for file in &known {
        result.archives += 1;
        check_file(&folder.join(&file.name), file.id, file.committed_bytes, db, result)?;
    }
    for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if known.iter().any(|file| file.name == name) {
            continue;
        }
        result.findings.push(Finding {
            what: if is_ours(&name) {
                "archive file that no commit refers to".to_owned()
            } else {
                "foreign file in the archive folder".to_owned()
            },
            place: entry.path().display().to_string(),
            fix: if is_ours(&name) { Fix::CutTail } else { Fix::LeaveAlone },
        });
    }
    Ok(())
}

fn check_file(path: &Path, archive: i64, committed: u64, db: &Connection, result: &mut Verified) -> Result<(), StoreError> {
    let mut expected: HashMap<u64, Expected> = HashMap::new();
    let mut statement = db.prepare("SELECT offset, id, digest FROM bodies WHERE archive = ?1 AND NOT is_lost")?;
    let mut rows = statement.query([archive])?;
    while let Some(row) = rows.next()? {
        expected.insert(
            row.get::<_, i64>(0)? as u64,
            Expected { id: row.get(1)?, digest: row.get(2)?, seen: false },
        );
    }
    let place = |offset: u64| format!("{} at byte {offset}", path.display());
    let length = std::fs::metadata(path).map_or(0, |meta| meta.len());
    if length > committed {
        result.findings.push(Finding {
            what: format!("{} bytes behind the last commit", length - committed),
            place: place(committed),
            fix: Fix::CutTail,
        });
    } else if length < committed {
        result.findings.push(Finding {
            what: format!("file is cut off: {length} of {committed} bytes"),
            place: path.display().to_string(),
            fix: Fix::LeaveAlone,
        });
    }
    let mut at = 0;
    while at < committed.min(length) {
        let checked = Walker::open(path, at).map_err(|e| e.to_string()).and_then(|mut walker| {
            let mut problem = None;
            loop {
                let offset = walker.position();
                if offset >= committed {
                    return Ok(None);
                }
                let mut hashes = Hashes::default();
                match walker.next(|headers, piece| hashes.add(headers, piece)) {
                    Ok(None) => return Ok(None),
                    Ok(Some(record)) => {
                        result.records += 1;
                        let body = expected.get_mut(&offset);
                        if let Some(what) = hashes.problem(&record, body.as_deref()) {
                            problem = Some((offset, what, walker.position()));
                        }
                        if let Some(body) = body {
                            body.seen = true;
                        }
                        if problem.is_some() {
                            return Ok(problem);
                        }
                    }
                    Err(e) => return Ok(Some((offset, e.to_string(), 0))),
                }
            }
        });
        match checked {
            Ok(None) => break,
            Ok(Some((offset, what, next))) => {
                let body = expected.get_mut(&offset);
                let fix = body.as_ref().map_or(Fix::LeaveAlone, |b| Fix::MarkLost { body: b.id });
                if let Some(body) = body {
                    body.seen = true;
                }
                result.findings.push(Finding { what: format!("damaged record: {what}"), place: place(offset), fix });
                // Go on with the next record whose place is known: the others stay untouched.
                at = if next > 0 { next } else { next_known(db, archive, offset, &expected)? };
                if at == 0 {
                    break;
                }
            }
            Err(what) => {
                result.findings.push(Finding {
                    what: format!("archive file cannot be read: {what}"),
                    place: path.display().to_string(),
                    fix: Fix::LeaveAlone,
                });
                break;
            }
        }
    }
    let mut missing: Vec<(&u64, &Expected)> = expected.iter().filter(|(_, body)| !body.seen).collect();
    missing.sort_by_key(|(offset, _)| **offset);
    for (offset, body) in missing {
        result.findings.push(Finding {
            what: "record of a stored body is not there".to_owned(),
            place: place(*offset),
            fix: Fix::MarkLost { body: body.id },
        });
    }
    Ok(())
}

fn next_known(
    db: &Connection,
    archive: i64,
    after: u64,
    expected: &HashMap<u64, Expected>,
) -> Result<u64, StoreError> {
    let body = expected.keys().copied().filter(|&offset| offset > after).min();
    let version: Option<i64> = db.query_row(
        "SELECT min(offset) FROM versions WHERE archive = ?1 AND offset > ?2",
        (archive, after as i64),
        |row| row.get(0),
    )?;
    Ok([body, version.map(|v| v as u64)].into_iter().flatten().min().unwrap_or(0))
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
        if !headers.iter().any(|(name, value)| name == "Content-Type" && value.starts_with("application/http")) {
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

    fn problem(self, record: &crate::archive::reader::Walked, body: Option<&Expected>) -> Option<String> {
        let (block, payload): ([u8; 32], [u8; 32]) = (self.block.finalize().into(), self.payload.finalize().into());
        if let Some(said) = record.header("WARC-Block-Digest")
            && said.strip_prefix("sha256:") != Some(BASE32.encode(&block).as_str())
        {
            return Some("block digest does not fit".to_owned());
        }
        if record.header("WARC-Type") == Some("response")
            && let Some(said) = record.header("WARC-Payload-Digest")
            && said.strip_prefix("sha256:") != Some(BASE32.encode(&payload).as_str())
        {
            return Some("payload digest does not fit".to_owned());
        }
        if let Some(body) = body
            && body.digest != payload
        {
            return Some("payload is not the one the catalog remembers".to_owned());
        }
        None
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
