//! Who is told? What a run found and what changed in a document, for people and for programs (B7, B8, C1, C2).
//!
//! | file | idea |
//! |---|---|
//! | `report` | a run: text, JSON lines, CSV, and one page of HTML |
//! | `diff` | two versions of a document, in all forms |
//! | `listing` | rows as JSON objects |
//! | `found` | answers of a search, and chunks |
//! | `mirror` | a browsable copy of a collected site |
//! | `graph` | who links to whom: told, exported, drawn |
//! | `export` | what was collected, in the forms that others read |
//! | `files` | names and folders of files that are ours |
//! | `parquet` | tables in columns |
//! | `html` | what all our pages of HTML share |
//! | `text` | text from outside made harmless, and colours |

pub mod concepts;
pub mod diff;
pub mod error;
pub mod export;
mod files;
pub mod found;
pub mod graph;
mod html;
pub mod listing;
pub mod mirror;
pub mod parquet;
pub mod report;
pub mod text;
pub mod time;

pub use error::{ExportError, FileError, FolderError, MirrorError, PublishError};
pub use files::names::possible as possible_name;
pub use report::{ReportFormat, write_report};
