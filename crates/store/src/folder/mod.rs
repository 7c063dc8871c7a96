//! The data folder: who may use it, and what stands where in it.
//!
//! ```text
//! gleaner-data/
//!   gleaner.db        the catalog (with -wal and -shm while open, -sums while not)
//!   archive/*.warc.gz the bytes
//!   derived/          texts and their index: made from the rest when somebody needs them, may be thrown away
//!   secrets.json      passwords and tokens, sealed (only if somebody set one)
//!   spool/            large bodies on their way; empty between runs
//!   gleaner.lock      the process that may write
//! ```

pub mod recover;
pub mod writer;

use self::writer::sync_folder;
use crate::{StoreError, private};
use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The folder, held by this process until dropped. A dead process holds nothing: the lock is the kernel's.
pub struct DataFolder {
    root: PathBuf,
    lock: File,
}

impl DataFolder {
    /// Makes the folder if needed and takes the writer's lock.
    pub fn open(root: &Path) -> Result<DataFolder, StoreError> {
        let failed = |cause| StoreError::Folder {
            folder: root.to_owned(),
            cause,
        };
        let is_new = !root.is_dir();
        for part in [root.to_owned(), root.join("archive"), root.join("spool")] {
            private::create_folder(&part).map_err(failed)?;
        }
        if is_new && let Some(parent) = root.parent().filter(|parent| parent.is_dir()) {
            // The new folder's name should survive a power loss as its content does; not every parent may be opened.
            let _best_effort = sync_folder(parent);
        }
        let mut lock = private::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(root.join("gleaner.lock"))
            .map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                let _unreadable_is_fine = lock.read_to_string(&mut pid);
                let pid = if pid.trim().is_empty() {
                    "unknown".to_owned()
                } else {
                    pid.trim().to_owned()
                };
                return Err(StoreError::InUse {
                    folder: root.to_owned(),
                    pid,
                });
            }
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        lock.set_len(0).map_err(failed)?;
        writeln!(lock, "{}", std::process::id()).map_err(failed)?;
        let folder = DataFolder {
            root: root.to_owned(),
            lock,
        };
        folder.empty_spool();
        private::tighten(root);
        Ok(folder)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    pub fn archive(&self) -> PathBuf {
        archive(&self.root)
    }

    pub fn spool(&self) -> PathBuf {
        spool(&self.root)
    }

    pub fn catalog(&self) -> PathBuf {
        catalog(&self.root)
    }

    /// What a killed run left on its way is of no use to the next.
    fn empty_spool(&self) {
        for entry in std::fs::read_dir(self.spool()).into_iter().flatten().flatten() {
            let _best_effort = std::fs::remove_file(entry.path());
        }
    }
}

impl Drop for DataFolder {
    fn drop(&mut self) {
        let _the_kernel_does_it_anyway = self.lock.unlock();
    }
}

/// Does a process hold the folder for writing? Only a guess for others: it may begin or end at any time.
pub(crate) fn is_in_use(root: &Path) -> bool {
    let Ok(lock) = File::open(root.join("gleaner.lock")) else {
        return false;
    };
    matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock))
}

pub fn archive(root: &Path) -> PathBuf {
    root.join("archive")
}

/// What can be made again from the catalog and the archive.
pub fn derived(root: &Path) -> PathBuf {
    root.join("derived")
}

/// Makes the folder for that, for its owner alone.
pub fn make_derived(root: &Path) -> Result<PathBuf, StoreError> {
    let derived = derived(root);
    private::create_folder(&derived).map_err(|cause| StoreError::Folder {
        folder: derived.clone(),
        cause,
    })?;
    Ok(derived)
}

/// Writes a file among what can be made again: whole or not at all, for its owner alone.
pub fn keep_derived(root: &Path, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let (folder, unfinished) = (make_derived(root)?, format!("{name}.{}.part", std::process::id()));
    let (path, part) = (folder.join(name), folder.join(unfinished));
    let written = private::options()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&part)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| std::fs::rename(&part, &path));
    written.map_err(|cause| {
        let _leave_nothing_behind = std::fs::remove_file(&part);
        StoreError::writing(&path, cause)
    })
}

pub fn spool(root: &Path) -> PathBuf {
    root.join("spool")
}

pub fn catalog(root: &Path) -> PathBuf {
    root.join("gleaner.db")
}
