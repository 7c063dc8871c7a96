//! A tree of files that a server shows, and the changes that a track must find in it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Files of a tree; one in a hundred changes, comes, goes or gets another name.
pub(crate) const FILES: usize = 2000;
const SHARE: usize = FILES / 100;

/// What the files were and what became of them, by their paths below the root.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    files: Vec<String>,
}

/// What a track has to tell.
#[derive(Default)]
pub(crate) struct Truth {
    pub(crate) states: BTreeMap<String, &'static str>,
    /// New name to old.
    pub(crate) moved: BTreeMap<String, String>,
    /// Files that have to be transferred, and no others.
    pub(crate) fetched: BTreeSet<String>,
}

impl Tree {
    /// Writes the tree. Its files are old, so that no clock is too coarse for them.
    pub(crate) fn write(root: &Path) -> Tree {
        let mut files = Vec::new();
        for number in 0..FILES {
            let name = match number % 400 {
                7 => format!("with blank {number}.txt"),
                // Not among those that change: servers write such names to their logs each in its own way.
                211 => format!("grün-{number}.txt"),
                _ => format!("file-{number}.txt"),
            };
            let path = format!("part-{}/{}/{name}", number % 17, number % 5);
            put(root, &path, &text(number, "first"), 1000 + number as u64);
            files.push(path);
        }
        Tree {
            root: root.to_owned(),
            files,
        }
    }

    /// Some files change, come, go, get another name; all others stay as they are.
    pub(crate) fn change(&self) -> Truth {
        let mut truth = Truth::default();
        let mut rest = self.files.iter().enumerate();
        for (number, path) in rest.by_ref().take(SHARE) {
            put(&self.root, path, &text(number, "second"), 200);
            truth.states.insert(path.clone(), "UPD");
            truth.fetched.insert(path.clone());
        }
        for (_, path) in rest.by_ref().take(SHARE) {
            std::fs::remove_file(self.root.join(path)).expect("a file to remove");
            truth.states.insert(path.clone(), "MIS");
        }
        for (_, path) in rest.by_ref().take(SHARE) {
            let to = path.replace(".txt", "-renamed.txt");
            std::fs::rename(self.root.join(path), self.root.join(&to)).expect("a file to rename");
            truth.states.insert(to.clone(), "SAM");
            truth.fetched.insert(to.clone());
            truth.moved.insert(to, path.clone());
        }
        for (_, path) in rest {
            truth.states.insert(path.clone(), "SAM");
        }
        for number in 0..SHARE {
            let path = format!("part-{}/added-{number}.txt", number % 17);
            put(&self.root, &path, &text(number + 5000, "new"), 300);
            truth.states.insert(path.clone(), "NEW");
            truth.fetched.insert(path);
        }
        truth
    }
}

/// Writes a file that was last written so many hours ago.
fn put(root: &Path, path: &str, text: &str, hours: u64) {
    let path = root.join(path);
    let folder = path.parent().expect("a folder");
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(&path, text).expect("a file");
    let file = std::fs::File::options().write(true).open(&path).expect("a file");
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3600);
    file.set_modified(then).expect("a time");
}

fn text(number: usize, version: &str) -> String {
    let line = format!(
        "Paragraph of file {number} in its {version} version, with words of its own: {:x}.\n",
        number * 7919
    );
    line.repeat(5 + number % 30)
}
