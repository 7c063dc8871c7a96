//! A catalog from WARC files alone: what was collected, when, and what each run found, as far as records tell.
//!
//! ```text
//!  records ──survey──► captures in the order of time ──runs──► whose run? ──told──► Keep ──► store::keep (adopt, or keep)
//! ```
//! | file | idea |
//! |---|---|
//! | `own` | our own archive: the records stay where they are |
//! | `import` | files of others: each capture is packed anew, into an archive of ours |
//! | `runs` | which run and which project a capture belongs to |
//! | `told` | what a capture says: document, redirect, gone |
//!
//! What is not in records cannot come back: answers "not modified", robots.txt, listings of folders, learned noise and session
//! ids, logins. All of that is learned anew by the next track.

mod import;
mod own;
mod runs;
mod told;

use gleaner_history::CompareError;
use gleaner_readers::Pool;
use gleaner_store::StoreError;
pub use gleaner_store::warc::survey::DamagedRecord;
pub use import::import;
pub use own::rebuild;

/// What came of it.
#[derive(Debug, Default)]
pub struct Rebuilt {
    pub runs: u64,
    pub captures: u64,
    /// The names of the projects.
    pub projects: Vec<String>,
    /// Records that cannot be read: passed over.
    pub damaged: Vec<DamagedRecord>,
    /// Captures whose content is in none of the files.
    pub without_content: u64,
    /// Records of others that are no captures of documents: logs, name look-ups, robots.txt.
    pub skipped: u64,
}

/// What is needed besides the files.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// As the archive names the program.
    pub software: &'a str,
    /// For the links in documents that are no pages.
    pub readers: Option<&'a Pool>,
}

#[derive(Debug, thiserror::Error)]
pub enum RebuildError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Compare(#[from] CompareError),
    #[error(
        "there are no archive files here to build a catalog from; --from takes WARC and WACZ files of other programs: {0}"
    )]
    NoArchive(std::path::PathBuf),
    #[error(
        "there are archive files here already; `gleaner rebuild` without --from makes a catalog of them, or choose another \
         folder with --data: {0}"
    )]
    HasArchive(std::path::PathBuf),
    #[error("there is no WARC or WACZ file here: {0}")]
    NoFiles(std::path::PathBuf),
    #[error("cannot be read: {path}")]
    Given {
        path: std::path::PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error(
        "nothing in these files is a document that was fetched ({damaged} of their records cannot be read): {path}"
    )]
    Nothing {
        path: std::path::PathBuf,
        damaged: usize,
    },
}
