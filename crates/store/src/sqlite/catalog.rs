//! The catalog: SQLite, one writer.

use super::{migrate, sums};
use crate::StoreError;
use crate::folder::writer::ArchiveFile;
use gleaner_model::{HostId, RunId};
use rusqlite::config::DbConfig;
use rusqlite::hooks::Wal;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::cell::Cell;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

/// Pages in the write-ahead log before they are folded into the database.
const WAL_PAGES_MAX: i32 = 4000;

/// How long another process may be in the way, and how often we look.
const PATIENCE: Duration = Duration::from_secs(5);
const POLL: Duration = Duration::from_millis(5);

/// Tries again while another process reads: SQLite waits for readers by itself, but not when its journal mode is
/// changed.
fn patiently(mut act: impl FnMut() -> rusqlite::Result<()>) -> rusqlite::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        match act() {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && Instant::now() < end =>
            {
                std::thread::sleep(POLL);
            }
            done => return done,
        }
    }
}

/// The writing connection. Lives on one thread.
pub struct Catalog {
    pub(crate) db: Connection,
    path: PathBuf,
    /// Length of the write-ahead log after the last commit.
    wal_pages: Arc<AtomicI32>,
    /// Checksums were written that fit the file as long as nothing is added to it.
    has_sums: Cell<bool>,
    /// Whose dates the table of dates holds.
    pub(super) dated: Cell<Option<(RunId, HostId)>>,
}

impl Catalog {
    /// Opens the catalog for writing, making or migrating it as needed. Refuses one that changed while nobody used it.
    pub fn open(path: &Path) -> Result<Catalog, StoreError> {
        Catalog::open_for_writing(path, true)
    }

    /// The same, but takes a changed one as it is.
    pub(crate) fn open_as_it_is(path: &Path) -> Result<Catalog, StoreError> {
        Catalog::open_for_writing(path, false)
    }

    fn open_for_writing(path: &Path, is_strict: bool) -> Result<Catalog, StoreError> {
        make_private(path);
        let mut db = Connection::open(path).map_err(|e| at(path, e))?;
        migrate::check_known(&db).map_err(|e| at_path(path, e))?;
        if is_strict && let Some(offset) = sums::first_change(path) {
            return Err(StoreError::CatalogChanged {
                path: path.to_owned(),
                offset,
            });
        }
        sums::forget(path)?;
        patiently(|| {
            db.execute_batch(
                "PRAGMA page_size = 8192;
                 PRAGMA journal_mode = WAL;
                 PRAGMA synchronous = FULL;
                 PRAGMA foreign_keys = OFF;
                 PRAGMA temp_store = MEMORY;
                 PRAGMA cache_size = -20480;
                 PRAGMA journal_size_limit = 67108864;",
            )
        })
        .map_err(|e| at(path, e))?;
        // The plan of a statement does not depend on the values that it is given: without this SQLite prepares many of them
        // anew for each value.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // More than a batch uses; with fewer each batch would prepare its statements anew.
        db.set_prepared_statement_cache_capacity(64);
        // SQLite's own checkpoints keep quiet about a failed sync; ours do not (HC119).
        let wal_pages = Arc::new(AtomicI32::new(0));
        let told = Arc::clone(&wal_pages);
        db.wal_hook(Some(move |_: &mut Wal, pages| {
            told.store(pages, Ordering::Relaxed);
            Ok(())
        }))?;
        let is_changed = migrate::migrate(&db).map_err(|e| at_path(path, e))?;
        let catalog = Catalog {
            db,
            path: path.to_owned(),
            wal_pages,
            has_sums: Cell::new(false),
            dated: Cell::new(None),
        };
        if is_changed {
            catalog.checkpoint("TRUNCATE")?; // A lost -wal then still leaves a catalog that can be read.
        }
        // SQLite says nothing when the switch fails, and would go on without a log.
        if !is_logged(path) {
            return Err(StoreError::NoLog {
                path: path.to_owned(),
            });
        }
        // The names of the new files too: SQLite's own sync of the folder keeps quiet about a failure.
        crate::folder::writer::sync_folder(path.parent().unwrap_or(Path::new(".")))?;
        Ok(catalog)
    }

    /// What is committed here outlives a kill, and a power loss from the next commit on.
    pub(super) fn without_sync<T>(
        &self,
        write: impl FnOnce() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.db.pragma_update(None, "synchronous", "NORMAL")?;
        let written = write();
        self.db.pragma_update(None, "synchronous", "FULL")?;
        written
    }

    /// Folds the write-ahead log into the database once it is long. What is committed stays committed either way.
    pub(crate) fn checkpoint_if_due(&self) -> Result<(), StoreError> {
        if self.wal_pages.load(Ordering::Relaxed) < WAL_PAGES_MAX {
            return Ok(());
        }
        match self.checkpoint("PASSIVE") {
            Err(error) if error.is_disk_full() => Ok(()), // It stays in the log, and the next commit tries again.
            other => other,
        }
    }

    fn checkpoint(&self, mode: &str) -> Result<(), StoreError> {
        self.forget_sums_if_changed()?;
        self.db
            .query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |_| Ok(()))?;
        Ok(())
    }

    /// Runs go on after one of them has tidied up. Their commits lie in the log, where checksums are not asked; before they
    /// come into the file, the checksums go.
    fn forget_sums_if_changed(&self) -> Result<(), StoreError> {
        if self.has_sums.get() && self.wal_pages.load(Ordering::Relaxed) > 0 {
            sums::forget(&self.path)?;
            self.has_sums.set(false);
        }
        Ok(())
    }

    /// Folds the whole write-ahead log into the database; false if someone still reads an older state.
    pub(crate) fn fold(&self) -> Result<bool, StoreError> {
        self.forget_sums_if_changed()?;
        let is_busy: bool = self
            .db
            .query_row("PRAGMA wal_checkpoint(FULL)", [], |row| row.get(0))?;
        Ok(!is_busy)
    }

    /// One tidy file with its checksums: how the catalog is left when nothing more is to be written.
    pub fn tidy(&self) -> Result<(), StoreError> {
        self.checkpoint("TRUNCATE")?;
        self.wal_pages.store(0, Ordering::Relaxed);
        sums::write(&self.path)?;
        self.has_sums.set(true);
        Ok(())
    }

    /// A second connection that cannot write: for listings beside a running crawl.
    pub fn open_reader(path: &Path) -> Result<Connection, StoreError> {
        match Catalog::try_open_reader(path) {
            Err(StoreError::Catalog(cause)) if may_be_read_only(path, &cause) => {
                // The folder cannot be written to, so no process changes it meanwhile: SQLite need not make its files
                // for sharing.
                let text = path
                    .to_string_lossy()
                    .replace('%', "%25")
                    .replace('?', "%3f")
                    .replace('#', "%23");
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
                let db = Connection::open_with_flags(format!("file:{text}?immutable=1"), flags)
                    .map_err(|e| at(path, e))?;
                migrate::check_known(&db).map_err(|e| at_path(path, e))?;
                Ok(db)
            }
            other => other,
        }
    }

    fn try_open_reader(path: &Path) -> Result<Connection, StoreError> {
        let db = Connection::open_with_flags(
            path,
            OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
        )
        .map_err(|e| at(path, e))?;
        db.busy_timeout(std::time::Duration::from_secs(10))
            .map_err(|e| at(path, e))?;
        migrate::check_known(&db).map_err(|e| at_path(path, e))?;
        match migrate::format(&db)? {
            0 => Err(StoreError::Empty {
                path: path.to_owned(),
            }),
            migrate::FORMAT => Ok(db),
            _ => {
                drop(db);
                drop(Catalog::open(path)?); // Brings an older catalog up to date.
                Catalog::open_reader(path)
            }
        }
    }

    pub fn archives(&self) -> Result<Vec<ArchiveFile>, StoreError> {
        archives(&self.db, false)
    }

    pub fn unsealed_archives(&self) -> Result<Vec<ArchiveFile>, StoreError> {
        archives(&self.db, true)
    }

    pub fn last_commit(&self) -> Result<u64, StoreError> {
        Ok(self
            .db
            .query_row("SELECT last FROM commits", [], |row| row.get::<_, i64>(0))? as u64)
    }

    pub fn worker(&self, name: &str) -> Result<i64, StoreError> {
        self.db.execute(
            "INSERT INTO workers(name) VALUES (?1) ON CONFLICT DO NOTHING",
            [name],
        )?;
        Ok(self
            .db
            .query_row("SELECT id FROM workers WHERE name = ?1", [name], |row| row.get(0))?)
    }
}

impl Drop for Catalog {
    /// SQLite folds the log into the file when the connection is closed.
    fn drop(&mut self) {
        if let Err(error) = self.forget_sums_if_changed() {
            tracing::warn!(%error, "the next start will take the catalog for a changed one");
        }
    }
}

pub(crate) fn archives(db: &Connection, only_unsealed: bool) -> Result<Vec<ArchiveFile>, StoreError> {
    let mut statement = db.prepare(
        "SELECT id, name, bytes, is_sealed FROM archives WHERE is_sealed = 0 OR NOT ?1 ORDER BY id",
    )?;
    let rows = statement.query_map([only_unsealed], |row| {
        Ok(ArchiveFile {
            id: row.get(0)?,
            name: row.get(1)?,
            committed_bytes: row.get::<_, i64>(2)? as u64,
            is_sealed: row.get(3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Makes the file before SQLite would make it readable for all. Its log and its index get the rights that it has.
fn make_private(path: &Path) {
    let _sqlite_says_what_is_wrong = crate::private::options().append(true).create(true).open(path);
}

/// The file says of itself that it has a write-ahead log (bytes 18 and 19 of the SQLite file format).
fn is_logged(path: &Path) -> bool {
    let mut header = [0; 20];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header[18..] == [2, 2]
}

/// A tidy catalog on a medium that cannot be written to: a backup, a snapshot.
fn may_be_read_only(path: &Path, cause: &crate::error::DatabaseError) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(log).is_ok_and(|meta| meta.len() > 0);
    let code = cause
        .downcast_ref::<rusqlite::Error>()
        .and_then(rusqlite::Error::sqlite_error_code);
    code == Some(ErrorCode::CannotOpen) && !has_log
}

/// Errors of opening name the file.
fn at(path: &Path, cause: rusqlite::Error) -> StoreError {
    at_path(path, StoreError::from(cause))
}

fn at_path(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::CatalogDamaged {
            cause, is_foreign, ..
        } => StoreError::CatalogDamaged {
            path: path.to_owned(),
            is_foreign,
            cause,
        },
        other => other,
    }
}
