//! The store as one run sees it.

use gleaner_store::{RunRef, Store};
use std::sync::Arc;

/// Which store, and which run everything is about.
#[derive(Clone)]
pub(crate) struct RunStore {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) of: RunRef,
}
