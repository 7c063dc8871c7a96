//! The contract in its plainest form: maps in memory behind one lock.
//!
//! It is what every other store is compared with, and the store of simulations. It has no clock, no thread and no files, and
//! is written to be read: nothing in here is quick where plain would do.

mod keep;
mod known;
mod links;
mod lists;
mod orphans;
mod queue;
mod rows;
mod runs;
mod settling;
mod sites;
mod steps;
mod tracking;
mod unlisted;
mod weigh;
mod work;

use crate::keep::Cut;
use crate::store::Store;
use crate::{Reader, StoreError};
use gleaner_model::RunId;
use rows::{OfProcess, Rows};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A store that is gone with its process. Cheap to clone: all clones are one store.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Rows>>);

impl MemoryStore {
    /// As if the process had ended here and another one gone on: what is kept stays, all else is forgotten.
    pub fn restart(&self) {
        self.rows().of_process = OfProcess::default();
    }

    /// What a run left out, by reason and shape.
    pub fn cuts(&self, run: RunId) -> Vec<Cut> {
        let rows = self.rows();
        let cuts = rows.cuts.iter().filter(|((of, ..), _)| *of == run);
        cuts.map(|(_, cut)| cut.clone()).collect()
    }

    /// The sentences about a run as a whole.
    pub fn notes(&self, run: RunId) -> Vec<String> {
        let rows = self.rows();
        let notes = rows.notes.iter().filter(|(of, _)| *of == run);
        notes.map(|(_, note)| note.clone()).collect()
    }

    /// The records of the captures, in the order in which they were kept.
    pub fn records(&self) -> Vec<Vec<u8>> {
        self.rows().records.clone()
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn reader(&self) -> Result<Reader, StoreError> {
        Err(StoreError::NothingToRead)
    }
}
