//! What can keep a library from being worked on.

use gleaner_readers::ReadersError;
use gleaner_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum CollectError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Readers(#[from] ReadersError),
    /// What working on a run said.
    #[error(transparent)]
    Crawl(Box<dyn std::error::Error + Send + Sync>),
    #[error(
        "a stored part of the library cannot be read ({what}); it was written by another version: {cause}"
    )]
    Kept {
        what: &'static str,
        #[source]
        cause: serde_json::Error,
    },
    #[error("{why}: {given}")]
    Given { why: String, given: String },
}
