//! What can keep a report from being written.

use gleaner_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the output could not be written")]
    Write(#[from] std::io::Error),
}
