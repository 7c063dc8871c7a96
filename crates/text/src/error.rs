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
    #[error("this is not a cursor of a search; leave out --cursor to begin at the top: {given}")]
    SearchCursor { given: String },
    #[error(
        "this is not a cursor of `gleaner chunks` for this project; leave out --since to get all chunks: {given}"
    )]
    ChunkCursor { given: String },
    #[error("the project has no finished run yet; crawl it first: {project}")]
    NoRun { project: String },
    #[error("there is no such project; `gleaner project list` lists all: {given}")]
    NoProject { given: String },
    #[error("there is no such run; `gleaner runs` lists all: {given}")]
    NoRunOf { given: String },
}
