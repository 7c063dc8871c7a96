//! Doomed files go, and only those: begun by a compaction that was killed, or replaced by one.

use crate::folder::recover::{Recovered, recover};
use crate::folder::writer::{ArchiveFile, sync_folder};
use crate::{Catalog, StoreError};
use rusqlite::Connection;
use std::io;
use std::path::Path;

/// Makes the archive fit the catalog again: first what a compaction left half-done, then what a commit did.
pub(crate) fn put_right(catalog: &Catalog, folder: &Path) -> Result<Recovered, StoreError> {
    let waiting = sweep(catalog, folder)?;
    recover(folder, &catalog.archives()?, &waiting, catalog.last_commit()?)
}

/// Removes doomed files. Gives the names of those that have to wait, because someone may still read them.
pub(super) fn sweep(catalog: &Catalog, folder: &Path) -> Result<Vec<String>, StoreError> {
    let doomed = doomed(&catalog.db)?;
    if doomed.is_empty() {
        return Ok(Vec::new());
    }
    // Not before the catalog says without its log that they are replaced; should the log get lost, it would name files
    // that are gone. And as long as someone reads an older state, SQLite does not fold the log.
    if !catalog.fold()? {
        return Ok(doomed.into_iter().map(|(name, _)| name).collect());
    }
    let known = catalog.archives()?;
    let mut is_any_removed = false;
    let mut done = Vec::new();
    for (name, heir) in doomed {
        if !known.iter().any(|file| file.name == name) {
            if !stands(folder, &known, heir.as_deref()) {
                continue; // The only copy. It is now unknown, and `recover` takes care not to cut it.
            }
            let path = folder.join(&name);
            match std::fs::remove_file(&path) {
                Ok(()) => is_any_removed = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(StoreError::writing(&path, error)),
            }
        }
        done.push(name);
    }
    if is_any_removed {
        sync_folder(folder)?; // Forgotten names must not come back after a power loss.
    }
    let transaction = catalog.db.unchecked_transaction()?;
    for name in done {
        transaction.execute("DELETE FROM doomed WHERE name = ?1", [name])?;
    }
    transaction.commit()?;
    Ok(Vec::new())
}

/// The heir is there with everything that the catalog says it holds.
fn stands(folder: &Path, known: &[ArchiveFile], heir: Option<&str>) -> bool {
    let Some(heir) = heir else {
        return true; // Nothing was inherited.
    };
    let length = std::fs::metadata(folder.join(heir)).map_or(0, |meta| meta.len());
    known
        .iter()
        .any(|file| file.name == heir && length >= file.committed_bytes)
}

fn doomed(db: &Connection) -> Result<Vec<(String, Option<String>)>, StoreError> {
    let mut statement = db.prepare("SELECT name, heir FROM doomed ORDER BY name")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The names alone, for `verify`: such a file is no finding.
pub(crate) fn doomed_names(db: &Connection) -> Result<Vec<String>, StoreError> {
    Ok(doomed(db)?.into_iter().map(|(name, _)| name).collect())
}
