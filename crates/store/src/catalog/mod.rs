//! The catalog: SQLite, one writer.

pub mod migrate;
pub mod queue;
pub mod runs;
pub mod seen;

use crate::StoreError;
use crate::archive::writer::ArchiveFile;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;

/// The writing connection. Lives on one thread.
pub struct Catalog {
    pub(crate) db: Connection,
}

impl Catalog {
    pub fn open(path: &Path) -> Result<Catalog, StoreError> {
        let db = Connection::open(path).map_err(|e| at(path, e))?;
        db.execute_batch(
            "PRAGMA page_size = 8192;
             PRAGMA journal_mode = WAL;
             PRAGMA synchronous = FULL;
             PRAGMA foreign_keys = OFF;
             PRAGMA temp_store = MEMORY;
             PRAGMA cache_size = -24576;
             PRAGMA wal_autocheckpoint = 4000;
             PRAGMA journal_size_limit = 67108864;",
        )
        .map_err(|e| at(path, e))?;
        migrate::migrate(&db)?;
        Ok(Catalog { db })
    }

    /// A second connection that cannot write: for listings beside a running crawl.
    pub fn open_reader(path: &Path) -> Result<Connection, StoreError> {
        let db = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)
            .map_err(|e| at(path, e))?;
        db.busy_timeout(std::time::Duration::from_secs(10)).map_err(|e| at(path, e))?;
        migrate::check_known(&db)?;
        Ok(db)
    }

    pub fn archives(&self) -> Result<Vec<ArchiveFile>, StoreError> {
        archives(&self.db, false)
    }

    pub fn unsealed_archives(&self) -> Result<Vec<ArchiveFile>, StoreError> {
        archives(&self.db, true)
    }

    pub fn last_commit(&self) -> Result<u64, StoreError> {
        Ok(self.db.query_row("SELECT last FROM commits", [], |row| row.get::<_, i64>(0))? as u64)
    }

    pub fn worker(&self, name: &str) -> Result<i64, StoreError> {
        self.db.execute("INSERT INTO workers(name) VALUES (?1) ON CONFLICT DO NOTHING", [name])?;
        Ok(self.db.query_row("SELECT id FROM workers WHERE name = ?1", [name], |row| row.get(0))?)
    }
}

pub(crate) fn archives(db: &Connection, only_unsealed: bool) -> Result<Vec<ArchiveFile>, StoreError> {
    let mut statement =
        db.prepare("SELECT id, name, bytes FROM archives WHERE is_sealed = 0 OR NOT ?1 ORDER BY id")?;
    let rows = statement.query_map([only_unsealed], |row| {
        Ok(ArchiveFile { id: row.get(0)?, name: row.get(1)?, committed_bytes: row.get::<_, i64>(2)? as u64 })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Errors of opening name the file.
fn at(path: &Path, cause: rusqlite::Error) -> StoreError {
    match StoreError::from(cause) {
        StoreError::CatalogDamaged { cause, .. } => StoreError::CatalogDamaged { path: path.to_owned(), cause },
        other => other,
    }
}
