//! Puts right what can be put right without guessing.

use super::{Fix, Verified};
use crate::sqlite::Catalog;
use crate::sqlite::compact::put_right;
use crate::warc::reader::Walker;
use crate::{DataFolder, StoreError};
use std::fs::OpenOptions;
use std::path::Path;

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
        match put_right(&catalog, &folder.archive()) {
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
