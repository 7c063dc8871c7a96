//! What can keep a report from being written.

use gleaner_run::CompareError;
use gleaner_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error("the output could not be written")]
    Write(#[from] std::io::Error),
}
