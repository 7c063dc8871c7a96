//! A store of SQLite and a folder, which can be left and opened again.

use super::pages::{begin, seed};
use crate::DataFolder;
use crate::runs::Runs;
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
        let root = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
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
    SqliteStore::open(DataFolder::open(root).unwrap(), "memory", "gleaner/test").unwrap()
}

#[test]
fn a_store_that_goes_on_after_it_was_tidied_opens_again() {
    let mut opened = Opened::new();
    crate::wait(async {
        let store = opened.store();
        let of = begin(store, "p").await;
        store.tidy().await.unwrap();
        seed(store, of, &["/1"]).await;
    });
    opened.open_again(); // It is not taken for one that changed while nobody used it.
    let found = crate::wait(opened.store().unfinished_run(None)).unwrap();
    assert!(found.is_some());
}
