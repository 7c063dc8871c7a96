//! The bytes: WARC 1.1 files, one gzip member per record, synced before the catalog refers to them.
//!
//! ```text
//! capture ──► Packer (any thread) ──► Packed ──► Writer (one thread): append, sync ──► the catalog's transaction
//! ```
//! Only the writer's thread touches the open file. What lies behind the committed length belongs to no
//! commit and is cut off at the next start.

mod deflate;
pub mod foreign;
pub mod gzip;
mod packed;
pub mod reader;
pub mod record;
pub mod survey;

pub use packed::{FirstSeen, Packed};
pub use reader::{Record, read_record};
pub use record::{Capture, Digest, Packer, Payload};
