//! The catalog of one machine: SQLite, one writer, and the WARC files of [`crate::folder`] beside it.

pub mod catalog;
pub mod compact;
pub mod history;
pub mod keep;
pub mod migrate;
mod pace;
pub mod projects;
pub mod queue;
pub mod read;
pub mod runs;
pub mod s4;
pub mod seen;
pub(crate) mod sums;
pub mod texts;
mod validators;
pub mod verify;

pub use catalog::Catalog;
