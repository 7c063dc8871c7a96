//! What was collected, in the forms that others read: a folder that is kept up to date, or one file (C4, F2, F3).
//!
//! ```text
//!  store: what a project holds as of a run ──select──► holdings ──gather (all processors)──► text, record
//!                                                                  │
//!            folder: s3, text, markdown ◄── tree ──────────────────┤
//!            one file: jsonl, parquet ◄────────────────────────────┤
//!            one file: warc, wacz ◄── records of the archive ◄─────┘
//! ```
//! In: a reader of the catalog, which project and run, which of its documents. Out: files, and what became of them.
//!
//! | file | idea |
//! |---|---|
//! | `select` | which documents are meant |
//! | `gather` | what a document says, or why nothing; many at a time |
//! | `tree`, `update` | a folder is brought up to date: only what changed is touched |
//! | `form` | which files a document has, and what they are called |
//! | `list` | what is known about such a folder |
//! | `record` | what is known about a document: for metadata files |
//! | `summary` | the sentences that say most |
//! | `five_star` | the record as sections that begin with five stars |
//! | `jsonl`, `columns` | a document a line, a document a row |
//! | `warc`, `wacz`, `surt` | records of the archive, and the index of them |

mod columns;
mod five_star;
mod form;
mod gather;
mod jsonl;
mod list;
mod record;
mod select;
mod summary;
mod surt;
mod tree;
mod update;
mod wacz;
mod warc;

pub use crate::files::whole::WholeFile;
pub use columns::write_parquet;
pub use form::{FileNaming, TreeForm};
pub use gather::TextPart;
pub use jsonl::write_jsonl;
pub use select::{PathPattern, Selection};
pub use tree::{Tree, write_tree};
pub use wacz::write_wacz;
pub use warc::write_warc;

use gleaner_model::{ProjectId, RunId};
use gleaner_readers::Pool;
use gleaner_store::Ledger;
use std::path::Path;

/// Whose documents, as of when, which of them, and which part of their text.
#[derive(Debug, Clone, Copy)]
pub struct ExportRequest<'a> {
    /// The data folder.
    pub data: &'a Path,
    pub project: ProjectId,
    /// The project's name.
    pub name: &'a str,
    /// As it was at the end of this run.
    pub run: RunId,
    pub selection: &'a Selection,
    pub part: TextPart,
    pub gone: GoneDocuments,
}

/// What to do with documents that are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoneDocuments {
    /// They leave the export.
    Removed,
    /// They stay, and it is said that they are gone.
    Marked,
}

/// Where documents come from and who reads them.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    pub reader: &'a dyn Ledger,
    /// For documents that are no pages.
    pub readers: &'a Pool,
}

/// What became of an export.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exported {
    /// Documents in it.
    pub documents: u64,
    /// Of them, those that are gone.
    pub gone: u64,
    /// Files of a folder.
    pub written: u64,
    pub unchanged: u64,
    pub removed: u64,
    /// Documents without text: their URL and the code of the reason.
    pub without_text: Vec<(String, String)>,
    /// Documents whose bytes cannot be read: their URL and why.
    pub failed: Vec<(String, String)>,
}
