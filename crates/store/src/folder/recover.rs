//! At the start: cut off what no commit refers to, and refuse to cut what a commit did.
//!
//! A kill between "bytes synced" and "transaction committed" leaves the records of exactly one commit behind the
//! committed length, perhaps torn. Records of two commits can only mean that the catalog went back in time (its
//! `-wal` file was deleted, or an old copy put back): cutting would then destroy the only copy, so nothing is cut.

use super::writer::{ArchiveFile, is_ours};
use crate::StoreError;
use crate::warc::gzip::{COMMIT_NEEDS, commit_of};
use crate::warc::reader::Walker;
use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::path::Path;

/// What was done to make the archive fit the catalog again.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Recovered {
    pub bytes_cut: u64,
    pub files_removed: u64,
}

/// `waiting` are files that a compaction replaced and that someone may still read: known, though no row of the archive.
pub(crate) fn recover(
    folder: &Path,
    known: &[ArchiveFile],
    waiting: &[String],
    last_commit: u64,
) -> Result<Recovered, StoreError> {
    let mut done = Recovered::default();
    for file in known {
        let path = folder.join(&file.name);
        let found = match std::fs::metadata(&path) {
            Ok(meta) => meta.len(),
            Err(_) => continue, // `verify` names missing files; a run can go on without an old one.
        };
        if found > file.committed_bytes {
            if is_behind(folder, file, last_commit)? {
                return Err(StoreError::CatalogBehind { path });
            }
            if file.is_sealed {
                continue; // Nothing was being written: given up once and put back since. Good records all the same.
            }
            let open = OpenOptions::new()
                .write(true)
                .open(&path)
                .map_err(|e| StoreError::writing(&path, e))?;
            open.set_len(file.committed_bytes)
                .map_err(|e| StoreError::writing(&path, e))?;
            open.sync_all().map_err(|cause| StoreError::SyncFailed {
                path: path.clone(),
                cause,
            })?;
            done.bytes_cut += found - file.committed_bytes;
        }
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_ours(&name) || known.iter().any(|file| file.name == name) || waiting.contains(&name) {
            continue; // A foreign file is not ours to remove; `verify` lists it.
        }
        let path = folder.join(&name);
        let unknown = ArchiveFile {
            id: 0,
            name,
            committed_bytes: 0,
            is_sealed: false,
        };
        if is_behind(folder, &unknown, last_commit)? {
            return Err(StoreError::CatalogBehind { path });
        }
        std::fs::remove_file(&path).map_err(|e| StoreError::writing(&path, e))?;
        done.files_removed += 1;
    }
    if done.files_removed > 0 {
        super::writer::sync_folder(folder)?; // A file that came back after a power loss would look like lost history.
    }
    Ok(done)
}

/// Would [`recover`] refuse, because this file holds commits the catalog does not know?
pub(crate) fn is_behind(folder: &Path, file: &ArchiveFile, last_commit: u64) -> Result<bool, StoreError> {
    let commits = commits_behind(&folder.join(&file.name), file.committed_bytes)?;
    Ok(commits
        .iter()
        .any(|&c| c > last_commit + 1 || (c <= last_commit && !file.is_sealed)))
}

/// The commit numbers of the records behind `from`, as far as they can be read.
fn commits_behind(path: &Path, from: u64) -> Result<BTreeSet<u64>, StoreError> {
    let mut commits = BTreeSet::new();
    let unreadable = |cause| StoreError::ArchiveRead {
        path: path.to_owned(),
        cause,
    };
    let mut walker = Walker::open(path, from).map_err(unreadable)?;
    loop {
        let begin = walker.position();
        match walker.next(|_, _| {}) {
            Ok(Some(record)) => commits.extend(record.commit),
            Ok(None) => break,
            Err(_) => {
                // A torn record still shows its number if its first bytes came through.
                let torn = read_at(path, begin).map_err(unreadable)?;
                commits.extend(commit_of(&torn).filter(|&c| c != 0));
                break;
            }
        }
    }
    Ok(commits)
}

fn read_at(path: &Path, at: u64) -> std::io::Result<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(at))?;
    let mut bytes = Vec::new();
    file.take(COMMIT_NEEDS as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
