//! Where is it kept, safely?
//!
//! One folder: `gleaner.db` (the catalog, SQLite) and `archive/*.warc.gz` (the bytes). The order that makes a kill at
//! any moment harmless, in [`keep`]: bytes appended and synced, then one transaction {body, version, links, change,
//! frontier, visit}, then the pages count as done. A crash between the two leaves bytes that nobody refers to, and
//! [`folder::recover`] cuts them off at the next start; a row without its bytes cannot exist.
//!
//! Only this room knows SQL and WARC.

pub mod error;
pub mod folder;
pub mod followers;
pub mod keep;
pub mod leases;
pub mod ledger;
pub mod libraries;
pub mod lists;
pub mod memory;
mod outlinks;
mod private;
pub mod runs;
pub mod secrets;
pub mod settling;
pub mod sites;
pub mod sqlite;
pub mod store;
#[cfg(test)]
mod suite;
pub mod tracking;
mod wait;
pub mod warc;
pub mod work;

pub use error::StoreError;
pub use folder::DataFolder;
pub use keep::{Keep, Outcome, Page};
pub use ledger::Ledger;
pub use memory::MemoryStore;
pub use outlinks::Outlinks;
pub use runs::RunRef;
pub use sqlite::Catalog;
pub use sqlite::SqliteStore;
pub use sqlite::texts::{KeptText, Texts};
pub use sqlite::{compact, s4, texts, verify};
pub use store::Store;
pub use wait::wait;
pub use warc::{Capture, Digest, Packed, Packer, Payload};
