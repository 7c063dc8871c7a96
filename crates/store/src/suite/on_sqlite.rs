//! A store of SQLite and a folder, which can be left and opened again.

use crate::DataFolder;
use crate::sqlite::SqliteStore;
use std::path::Path;
use tempfile::TempDir;

pub(super) struct Opened {
    store: Option<SqliteStore>,
    root: TempDir,
}

impl Opened {
    pub(super) fn new() -> Opened {
        // Syncs cost nothing in memory, and no power is lost here.
        let memory = Path::new("/dev/shm");
        let root = match memory.is_dir() {
            true => tempfile::tempdir_in(memory),
            false => tempfile::tempdir(),
        };
        let root = root.unwrap();
        let store = Some(open(root.path()));
        Opened { store, root }
    }

    pub(super) fn store(&self) -> &SqliteStore {
        self.store.as_ref().expect("it is open but for a moment")
    }

    /// As after a kill: what is not kept is forgotten.
    pub(super) fn open_again(&mut self) {
        self.store = None;
        self.store = Some(open(self.root.path()));
    }
}

fn open(root: &Path) -> SqliteStore {
    SqliteStore::open(DataFolder::open(root).unwrap(), "test", "gleaner/test").unwrap()
}
