//! The scanner against the standard's own tests and against a full parser on real pages.

mod judge;
mod pages;
mod tokenizer;
mod trees;

use std::path::PathBuf;

/// The folder of the corpora, or `None` (said aloud) where it is absent.
fn corpora(name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpora")
        .join(name);
    if !path.is_dir() {
        println!("skipped: no corpora");
        return None;
    }
    Some(path)
}
