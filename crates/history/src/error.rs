//! What can keep two versions from being compared.

use gleaner_judge::equality::ChainError;
use gleaner_model::Reason;
use gleaner_parse::content::SelectorError;
use gleaner_store::StoreError;

/// What can keep two versions from being compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the equality cannot be used: {0}")]
    Chain(#[from] ChainError),
    #[error("the equality cannot be used: {0}")]
    Selector(#[from] SelectorError),
    #[error(
        "the content cannot be decompressed ({reason}); `gleaner cat --encoded` prints it as it was sent: {url}"
    )]
    Packed { reason: Reason, url: String },
}

impl CompareError {
    /// The equality is wrong by itself, whatever it is used on.
    pub fn is_wrong_equality(&self) -> bool {
        matches!(self, CompareError::Chain(_) | CompareError::Selector(_))
    }

    /// This version cannot be read; others can.
    pub fn is_of_one_version(&self) -> bool {
        match self {
            CompareError::Packed { .. } => true,
            CompareError::Store(error) => error.is_of_one_version(),
            _ => false,
        }
    }
}
