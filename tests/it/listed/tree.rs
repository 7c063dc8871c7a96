//! A tree of files that a server shows, and the changes that a track must find in it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Files of a tree; one in a hundred changes, comes, goes or gets another name.
pub(crate) const FILES: usize = 2000;
const SHARE: usize = FILES / 100;
/// Of those, the files of a folder that is shut later …
const SHUT: usize = 10;
const SHUT_FOLDER: &str = "shut";
/// … and one that is written all the time while it is read.
pub(crate) const GROWING: &str = "growing.log";
/// Large enough that reading it takes longer than writing to it.
const GROWING_LINES: usize = 60_000;

/// What the files were and what became of them, by their paths below the root.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    files: Vec<String>,
    shut: Vec<String>,
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
        for number in 0..FILES - SHUT - 1 {
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
        let shut: Vec<String> = (0..SHUT)
            .map(|number| format!("{SHUT_FOLDER}/file-{number}.txt"))
            .collect();
        for (number, path) in shut.iter().enumerate() {
            put(root, path, &text(number + 9000, "first"), 1000);
        }
        put(
            root,
            GROWING,
            &"a line that was there\n".repeat(GROWING_LINES),
            1000,
        );
        Tree {
            root: root.to_owned(),
            files,
            shut,
        }
    }

    /// Some files change, come, go, get another name, and a folder is shut; all others stay as they are.
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
        // Nobody may look: nothing in it is called gone.
        self.shut(true);
        for path in &self.shut {
            truth.states.insert(path.clone(), "ERR");
        }
        truth
    }

    /// Nothing changes but that the folder is open again and the growing file has grown.
    pub(crate) fn calm(&self, before: &Truth) -> Truth {
        self.shut(false);
        let there = before.states.iter().filter(|(_, state)| **state != "MIS");
        let mut truth = Truth {
            states: there.map(|(path, _)| (path.clone(), "SAM")).collect(),
            ..Truth::default()
        };
        truth.states.insert(GROWING.to_owned(), "UPD");
        truth.fetched.insert(GROWING.to_owned());
        truth
    }

    fn shut(&self, is_shut: bool) {
        let mode = if is_shut { 0 } else { 0o755 };
        let folder = self.root.join(SHUT_FOLDER);
        std::fs::set_permissions(folder, PermissionsExt::from_mode(mode)).expect("a folder to shut");
    }

    /// Somebody writes to a file without a pause.
    pub(crate) fn grow(&self) -> Growth {
        let is_over = Arc::new(AtomicBool::new(false));
        let (path, over) = (self.root.join(GROWING), Arc::clone(&is_over));
        let (begun, begins) = std::sync::mpsc::channel();
        let writer = std::thread::spawn(move || {
            let mut file = std::fs::File::options()
                .append(true)
                .open(&path)
                .expect("a file to write");
            let mut line = 0u64;
            while !over.load(Ordering::Relaxed) {
                line += 1;
                writeln!(file, "line {line}").expect("room for a line");
                if line == 1 {
                    let _nobody_may_wait = begun.send(());
                }
                // Not so fast that it fills the disk.
                if line > 100_000 {
                    std::thread::sleep(std::time::Duration::from_micros(200));
                }
            }
            // Long ago, so that it counts as settled.
            set_hours(&file, 100);
        });
        begins.recv().expect("a writer");
        Growth {
            is_over,
            writer: Some(writer),
        }
    }
}

/// A file that grows until this is dropped.
pub(crate) struct Growth {
    is_over: Arc<AtomicBool>,
    writer: Option<JoinHandle<()>>,
}

impl Drop for Growth {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(writer) = self.writer.take() {
            let _it_said_why = writer.join();
        }
    }
}

/// Writes a file that was last written so many hours ago.
pub(crate) fn put(root: &Path, path: &str, text: &str, hours: u64) {
    let path = root.join(path);
    let folder = path.parent().expect("a folder");
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(&path, text).expect("a file");
    let file = std::fs::File::options().write(true).open(&path).expect("a file");
    set_hours(&file, hours);
}

fn set_hours(file: &std::fs::File, hours: u64) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3600);
    file.set_modified(then).expect("a time");
}

pub(crate) fn text(number: usize, version: &str) -> String {
    let line = format!(
        "Paragraph of file {number} in its {version} version, with words of its own: {:x}.\n",
        number * 7919
    );
    line.repeat(5 + number % 30)
}
