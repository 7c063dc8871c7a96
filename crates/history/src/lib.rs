//! What did a document say before, and does the difference count?
//!
//! ```text
//!  stored version ──side──► SeenVersion ──compare──► Comparison
//! ```
//! Stored versions are made comparable and compared under a project's equality. Reads the store; only `reconsider` writes to
//! it. Runs use it for the page they have just fetched, reports and diffs for any two versions.

pub mod compare;
mod error;
pub mod noise;
pub mod reconsider;
pub mod side;

pub use error::CompareError;
