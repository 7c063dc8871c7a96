//! The catalog of one machine: SQLite, one writer, and the WARC files of [`crate::folder`] beside it.

pub mod catalog;
pub mod compact;
mod error;
mod followers;
pub mod history;
mod keep;
mod leases;
mod libraries;
pub mod migrate;
mod numbers;
#[cfg(test)]
mod one_run;
mod pace;
pub mod projects;
pub mod queue;
mod queue_order;
pub(crate) mod read;
pub mod runs;
pub mod s4;
pub mod seen;
pub mod store;
pub(crate) mod sums;
pub mod texts;
pub mod verify;
pub(crate) mod writer;

pub use catalog::Catalog;
pub use keep::adopt::{Earlier, Lying, Rebuilding, own_archives};
pub use store::SqliteStore;
