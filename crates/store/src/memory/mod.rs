//! The contract in its plainest form: maps in memory behind one lock.
//!
//! It is what every other store is compared with, and the store of simulations. It has no clock, no thread and no files, and
//! is written to be read: nothing in here is quick where plain would do.

mod keep;
mod known;
mod leases;
mod ledger;
mod libraries;
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

use crate::ledger::OpensLedgers;
use crate::store::Store;
use crate::{Ledger, StoreError};
use rows::{OfProcess, Rows};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Who did the work.
const WORKER: &str = "memory";

/// A store that is gone with its process. Cheap to clone: all clones are one store.
#[derive(Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Rows>>);

impl MemoryStore {
    /// As if the process had ended here and another one gone on: what is kept stays, all else is forgotten.
    pub fn restart(&self) {
        self.rows().of_process = OfProcess::default();
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
    fn reader(&self) -> Result<Box<dyn Ledger>, StoreError> {
        self.ledger()
    }
}
