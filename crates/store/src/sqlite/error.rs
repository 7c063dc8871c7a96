//! What SQLite says, in the words of the store.

use crate::StoreError;
use std::io;
use std::path::PathBuf;

impl From<rusqlite::Error> for StoreError {
    fn from(cause: rusqlite::Error) -> Self {
        use rusqlite::{ErrorCode, ffi};
        let extended = cause.sqlite_error().map(|error| error.extended_code);
        if let Some(ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC) = extended {
            return StoreError::SyncFailed {
                path: PathBuf::from("gleaner.db"),
                cause: io::Error::other(cause),
            };
        }
        match cause.sqlite_error_code() {
            // SQLite does not say why; a limit of ours is far more common than a disk that refuses to be written.
            Some(ErrorCode::SystemIoFailure)
                if matches!(
                    extended,
                    Some(ffi::SQLITE_IOERR_WRITE | ffi::SQLITE_IOERR_SHMSIZE | ffi::SQLITE_IOERR_TRUNCATE)
                ) =>
            {
                StoreError::CatalogWrite(cause.into())
            }
            Some(ErrorCode::DiskFull) => StoreError::DiskFull {
                path: PathBuf::from("gleaner.db"),
            },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => StoreError::CatalogDamaged {
                path: PathBuf::from("gleaner.db"),
                is_foreign: cause.sqlite_error_code() == Some(ErrorCode::NotADatabase),
                cause: cause.into(),
            },
            _ => StoreError::Catalog(cause.into()),
        }
    }
}
