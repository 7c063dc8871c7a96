//! Where is it kept, safely?
//!
//! One folder: `gleaner.db` (the catalog, SQLite) and `archive/*.warc.gz` (the bytes). The order that makes a kill at
//! any moment harmless, in [`keep`]: bytes appended and synced, then one transaction {body, version, links, change,
//! frontier, visit}, then the pages count as done. A crash between the two leaves bytes that nobody refers to, and
//! [`archive::recover`] cuts them off at the next start; a row without its bytes cannot exist.
//!
//! Only this room knows SQL and WARC.

pub mod archive;
pub mod catalog;
pub mod compact;
pub mod error;
pub mod folder;
pub mod keep;
mod private;
pub mod read;
pub mod s4;
pub mod secrets;
mod stored;
pub mod texts;
pub mod verify;

pub use archive::{Capture, Digest, Packed, Packer, Payload};
pub use catalog::Catalog;
pub use error::StoreError;
pub use folder::DataFolder;
pub use keep::{Keep, Keeper, Outcome, Outlinks, Page};
pub use read::Reader;
pub use stored::{Stored, StoredBody};
pub use texts::{KeptText, Texts};
