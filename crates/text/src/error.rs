//! What can keep texts from being made and found.

use gleaner_readers::ReadersError;
use gleaner_search::{QueryError, SearchError};
use gleaner_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum TextError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Readers(#[from] ReadersError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error("this cursor is none that a search gave; leave --cursor away to begin at the top: {given}")]
    SearchCursor { given: String },
    #[error(
        "this cursor is none that `gleaner chunks` gave for this project; leave --since away to get all chunks: {given}"
    )]
    ChunkCursor { given: String },
    #[error("the project has no finished run yet; crawl it first: {project}")]
    NoRun { project: String },
    #[error("there is no such project; `gleaner project list` shows those there are: {given}")]
    NoProject { given: String },
    #[error("there is no such run; `gleaner runs` shows those there are: {given}")]
    NoRunOf { given: String },
}
