//! What can keep the store from doing its job, each with what helps.

use gleaner_model::{GivenUrl, RunId};
use std::io;
use std::path::PathBuf;

/// What the database said, whichever it is.
pub type DatabaseError = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "another gleaner (process {pid}) is using the folder; stop it, or choose another folder with --data: {folder}"
    )]
    InUse { folder: PathBuf, pid: String },
    #[error(
        "there is no Gleaner data here; crawl something first, or choose another folder with --data: {folder}"
    )]
    NoData { folder: PathBuf },
    #[error(
        "there is a catalog here already; remove it, or choose another folder, to build a new one: {path}"
    )]
    CatalogThere { path: PathBuf },
    #[error(
        "the catalog (gleaner.db) is not there, but archive files are; `gleaner rebuild` makes a new one from them, \
         or restore the old one: {folder}"
    )]
    CatalogGone { folder: PathBuf },
    #[error("the data folder cannot be used; check that it exists, is a folder and is writable: {folder}")]
    Folder {
        folder: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("the data folder was removed or replaced while in use; nothing more was written: {folder}")]
    FolderGone { folder: PathBuf },
    #[error("disk full; nothing was lost, free some space: {path}")]
    DiskFull { path: PathBuf },
    #[error(
        "a file may not grow any further; nothing was lost: allow larger files (ulimit -f) and continue with `gleaner resume`: {path}"
    )]
    TooLarge { path: PathBuf },
    #[error("the disk reported an error while writing; everything kept before is safe: {path}")]
    SyncFailed {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("archive file cannot be written: {path}")]
    ArchiveWrite {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("archive file cannot be read: {path}")]
    ArchiveRead {
        path: PathBuf,
        #[source]
        cause: io::Error,
    },
    #[error("record is damaged ({what}); run `gleaner verify` to check everything: {path} at byte {offset}")]
    ArchiveDamaged {
        path: PathBuf,
        offset: u64,
        what: String,
    },
    #[error(
        "archive is shorter than the catalog remembers ({found} of {expected} bytes); run `gleaner verify --fix`: {path}"
    )]
    ArchiveShort {
        path: PathBuf,
        expected: u64,
        found: u64,
    },
    #[error(
        "the archive is ahead of the catalog by more than one commit, so gleaner.db-wal was lost or an old gleaner.db put back; \
         restore the right one, or run `gleaner verify --fix` to continue without it: {path}"
    )]
    CatalogBehind { path: PathBuf },
    #[error(
        "the data folder was written by a newer gleaner (format {found}, this one knows up to {known}); update gleaner, or choose another folder with --data"
    )]
    TooNew { found: i64, known: i64 },
    #[error(
        "the catalog is empty: the first crawl was cut off, or gleaner.db-wal was lost; crawl again, or restore the right files: {path}"
    )]
    Empty { path: PathBuf },
    #[error(
        "the catalog changed while nobody used it; restore it from a backup, or run `gleaner verify --fix` to continue with it: {path} at byte {offset}"
    )]
    CatalogChanged { path: PathBuf, offset: u64 },
    #[error("{}: {path}", damage(*.is_foreign))]
    CatalogDamaged {
        path: PathBuf,
        /// It does not even begin as a catalog.
        is_foreign: bool,
        #[source]
        cause: DatabaseError,
    },
    #[error(
        "the catalog cannot keep a write-ahead log here: the disk failed, or it is not a local disk: {path}"
    )]
    NoLog { path: PathBuf },
    #[error(
        "the catalog cannot be written: the disk failed, or files may not grow so large (ulimit -f); everything kept \
         before is safe, and `gleaner resume` continues"
    )]
    CatalogWrite(#[source] DatabaseError),
    #[error("the catalog cannot be used")]
    Catalog(#[source] DatabaseError),
    #[error("stored settings of {what} cannot be read")]
    Settings {
        what: String,
        #[source]
        cause: serde_json::Error,
    },
    #[error(
        "the writer has ended after a failure; everything kept before is safe, and `gleaner resume` continues"
    )]
    WriterGone,
    #[error("the file exists already; choose another name, or remove it: {path}")]
    FileThere { path: PathBuf },
    #[error("there is no such {what}{}: {given}", listed_by(what))]
    NotFound { what: &'static str, given: GivenUrl },
    #[error("there is already a project of that name (`gleaner project list --all` lists all): {name}")]
    NameTaken { name: String },
    #[error("the bytes of this version were lost ({given}); the next run fetches them again")]
    Lost { given: String },
}

impl StoreError {
    /// One version cannot be read; all else can.
    pub fn is_of_one_version(&self) -> bool {
        matches!(
            self,
            StoreError::Lost { .. } | StoreError::ArchiveDamaged { .. } | StoreError::ArchiveRead { .. }
        )
    }
}

impl StoreError {
    /// An I/O failure while writing to `path`, told apart by what helps.
    pub(crate) fn writing(path: &std::path::Path, cause: io::Error) -> StoreError {
        match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull {
                path: path.to_owned(),
            },
            io::ErrorKind::FileTooLarge => StoreError::TooLarge {
                path: path.to_owned(),
            },
            _ => StoreError::ArchiveWrite {
                path: path.to_owned(),
                cause,
            },
        }
    }

    /// Free space would help, and nothing else needs doing.
    pub fn is_disk_full(&self) -> bool {
        matches!(self, StoreError::DiskFull { .. })
    }
}

/// A file that does not even begin as one may be somebody else's.
fn damage(is_foreign: bool) -> &'static str {
    if is_foreign {
        "this is not a Gleaner catalog, or its beginning is damaged; choose another folder with --data, or run \
         `gleaner verify` to see where"
    } else {
        "the catalog is damaged; run `gleaner verify` to see where"
    }
}

pub(crate) fn no_project(given: &str) -> StoreError {
    StoreError::NotFound {
        what: "project",
        given: given.into(),
    }
}

pub(crate) fn no_run(run: RunId) -> StoreError {
    StoreError::NotFound {
        what: "run",
        given: run.to_string().into(),
    }
}

pub(crate) fn no_library(library: gleaner_model::LibraryId) -> StoreError {
    StoreError::NotFound {
        what: "library",
        given: library.to_string().into(),
    }
}

/// Where a person finds those there are.
fn listed_by(what: &str) -> &'static str {
    match what {
        "run" => "; `gleaner runs` lists all",
        "document" => "; `gleaner ls` lists all",
        "project" => "; `gleaner project list` lists all",
        _ => "",
    }
}
