//! The room as its callers see it: real pages, known edits.

mod diff;
mod equality;
mod identity;

use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A folder of the shared corpora, where there is one.
fn corpora(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpora")
        .join(name);
    folder.is_dir().then_some(folder)
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
