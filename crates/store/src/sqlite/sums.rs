//! Has the catalog changed while nobody used it? SQLite has no checksums of its own, so a flipped bit in a title or a
//! number would pass every other test.
//!
//! `gleaner.db-sums` holds one checksum per page. It is written when a run ends and the write-ahead log is empty, and
//! removed before the next change, so it either fits the file or shows damage. After a kill there is none.

use crate::folder::writer::sync_folder;
use crate::{StoreError, private};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

const MAGIC: &[u8; 16] = b"gleaner sums 1\n\0";
const PAGE_BYTES: usize = 8192;
/// Up to this size a catalog is checked at every start; a larger one by `verify` only.
const CHECKED_AT_OPEN_BYTES_MAX: u64 = 1 << 30;

fn path_of(catalog: &Path) -> PathBuf {
    let mut name = catalog.as_os_str().to_owned();
    name.push("-sums");
    PathBuf::from(name)
}

/// Writes the checksums. Without them less damage is noticed and nothing is lost, so a full disk is no reason to fail.
pub(crate) fn write(catalog: &Path) -> Result<(), StoreError> {
    let path = path_of(catalog);
    let written = sums_of(catalog).and_then(|sums| {
        let mut text = MAGIC.to_vec();
        text.extend(sums.iter().flat_map(|sum| sum.to_le_bytes()));
        text.extend(xxh3_64(&text).to_le_bytes());
        let mut file = private::options()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)?;
        file.write_all(&text)?;
        file.sync_all()
    });
    let Err(cause) = written else { return Ok(()) };
    let _unreadable_is_as_good_as_none = std::fs::remove_file(&path);
    match StoreError::writing(&path, cause) {
        StoreError::ArchiveWrite { path, cause } => Err(StoreError::SyncFailed { path, cause }),
        _full => Ok(()),
    }
}

/// Before the first change. The removal is safe on the disk when this returns: old sums beside a new catalog would be
/// a false alarm.
pub(crate) fn forget(catalog: &Path) -> Result<(), StoreError> {
    let path = path_of(catalog);
    match std::fs::remove_file(&path) {
        Ok(()) => sync_folder(catalog.parent().unwrap_or(Path::new("."))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(StoreError::writing(&path, error)),
    }
}

/// The place of the first page that changed, for a catalog that is quickly read.
pub(crate) fn first_change(catalog: &Path) -> Option<u64> {
    let is_small = std::fs::metadata(catalog).is_ok_and(|meta| meta.len() <= CHECKED_AT_OPEN_BYTES_MAX);
    if is_small {
        changes(catalog).first().copied()
    } else {
        None
    }
}

/// The places of all pages that are not what they were. Empty where there are no checksums to ask.
pub(crate) fn changes(catalog: &Path) -> Vec<u64> {
    let Some(remembered) = read(&path_of(catalog)) else {
        return Vec::new();
    };
    let mut log = catalog.as_os_str().to_owned();
    log.push("-wal");
    if std::fs::metadata(log).is_ok_and(|meta| meta.len() > 0) {
        return Vec::new(); // Someone is writing, or was.
    }
    let Ok(found) = sums_of(catalog) else {
        return Vec::new();
    };
    (0..remembered.len().max(found.len()))
        .filter(|&page| remembered.get(page) != found.get(page))
        .map(|page| (page * PAGE_BYTES) as u64)
        .collect()
}

fn read(path: &Path) -> Option<Vec<u64>> {
    let text = std::fs::read(path).ok()?;
    let (body, sum) = text.split_last_chunk::<8>()?;
    if xxh3_64(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let (sums, rest) = body.strip_prefix(MAGIC)?.as_chunks::<8>();
    rest.is_empty()
        .then(|| sums.iter().map(|sum| u64::from_le_bytes(*sum)).collect())
}

fn sums_of(catalog: &Path) -> io::Result<Vec<u64>> {
    let mut file = File::open(catalog)?;
    let mut sums = Vec::new();
    let mut pages = vec![0u8; 64 * PAGE_BYTES];
    loop {
        let mut filled = 0;
        while filled < pages.len() {
            match file.read(&mut pages[filled..])? {
                0 => break,
                n => filled += n,
            }
        }
        if filled == 0 {
            return Ok(sums);
        }
        sums.extend(pages[..filled].chunks(PAGE_BYTES).map(xxh3_64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_page_is_named_and_a_used_catalog_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = folder.path().join("gleaner.db");
        let mut bytes = vec![7u8; 3 * PAGE_BYTES];
        std::fs::write(&catalog, &bytes).unwrap();
        assert_eq!(first_change(&catalog), None, "no sums, no alarm");
        write(&catalog).unwrap();
        assert!(changes(&catalog).is_empty());

        bytes[PAGE_BYTES + 5] ^= 1;
        std::fs::write(&catalog, &bytes).unwrap();
        assert_eq!(changes(&catalog), [PAGE_BYTES as u64]);
        std::fs::write(&catalog, &bytes[..2 * PAGE_BYTES]).unwrap();
        assert_eq!(changes(&catalog), [PAGE_BYTES as u64, 2 * PAGE_BYTES as u64]);

        std::fs::write(folder.path().join("gleaner.db-wal"), "frames").unwrap();
        assert!(changes(&catalog).is_empty(), "in use");
        forget(&catalog).unwrap();
        forget(&catalog).unwrap();
        assert_eq!(first_change(&catalog), None);
    }
}
