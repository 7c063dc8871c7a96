//! What can keep a run from going on. Everything kept before stays kept; the run can be resumed.

use gleaner_frontier::{FileNameError, RuleError};
use gleaner_history::CompareError;
use gleaner_store::StoreError;
use gleaner_units::UnitError;

#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("the data folder failed")]
    Store(#[from] StoreError),
    #[error("the network failed")]
    Unit(#[from] UnitError),
    #[error("{} of the project's rules cannot be used: {}", .0.len(), list(.0))]
    Rules(Vec<RuleError>),
    #[error(transparent)]
    FileNames(#[from] FileNameError),
    #[error(transparent)]
    Equality(#[from] CompareError),
    #[error("a seed is not a URL: {seed}")]
    Seed { seed: String },
    #[error("step '{step}': {why}")]
    Step { step: String, why: String },
    #[error("the login failed: {why}")]
    Login { why: String },
    #[error(
        "a page could not be prepared for the archive: the process may not open more files, use more memory or write \
         larger files (ulimit); what was kept is safe, and `gleaner resume` continues"
    )]
    Pack(#[source] std::io::Error),
    #[error("a thread could not be started")]
    Thread(#[source] std::io::Error),
    #[error(
        "the stage '{stage}' ended before the run did; what was kept is safe, and `gleaner resume` continues"
    )]
    StageGone { stage: &'static str },
}

fn list(errors: &[RuleError]) -> String {
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("; ")
}
