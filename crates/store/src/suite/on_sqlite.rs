//! A store of SQLite and a folder, which can be left and opened again.

use super::leases::wanted;
use super::pages::{NOW, begin, seed};
use crate::DataFolder;
use crate::leases::{Fence, Leases};
use crate::runs::Runs;
use crate::sqlite::SqliteStore;
use gleaner_model::HostState;
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

#[test]
fn leases_end_with_the_process_and_what_hosts_were_released_with_stays() {
    let mut opened = Opened::new();
    let left = HostState {
        failures: 2,
        ..HostState::default()
    };
    let of = crate::wait(async {
        let store = opened.store();
        let of = begin(store, "p").await;
        seed(store, of, &["/1", "http://b.test/"]).await;
        let leases = store.lease_hosts(of, wanted("one", 9), NOW).await.unwrap();
        let released = vec![(leases[0].fenced(), left.clone())];
        store.release_hosts(of, released).await.unwrap();
        of
    });
    opened.open_again();
    let leases = crate::wait(opened.store().lease_hosts(of, wanted("two", 9), NOW)).unwrap();
    let told: Vec<_> = leases
        .into_iter()
        .map(|lease| (lease.fence, lease.lapsed_at, lease.state))
        .collect();
    let nothing = HostState::default();
    assert_eq!(told, [(Fence(1), None, left), (Fence(1), None, nothing)]);
}
