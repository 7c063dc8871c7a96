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

/// A folder of the shared corpora, where there is one.
fn corpora(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/corpora")
        .join(name);
    folder.is_dir().then_some(folder)
}

/// Keeps scores where `make test` shows them: `scores/NAME.txt` in the target folder. A passing test's output is hidden.
fn keep_scores(name: &str, lines: &[String]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("scores");
    std::fs::create_dir_all(&folder).expect("a folder for scores");
    std::fs::write(folder.join(format!("{name}.txt")), lines.join("\n") + "\n").expect("room for scores");
}

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
