//! The room as its callers see it: real pages, known edits.

mod beside;
mod diff;
mod equality;
mod identity;
mod page_changes;
mod rebuilt;
mod restless;
mod two_builds;

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// All files below a folder, sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The bytes of a gzip file.
fn unpacked(path: &Path) -> Vec<u8> {
    let packed = std::fs::read(path).expect("a file of the corpus");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut bytes)
        .expect("gzip");
    bytes
}
