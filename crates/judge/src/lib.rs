//! Is it new, the same, changed, gone? (B1)
//!
//! In: what a fetch found and what was known before. Out: the state for the report, or none where there is no document
//! to speak of. Pure: it asks nobody and remembers nothing.

pub mod diff;
pub mod equality;
pub mod identity;
pub mod listed;
pub mod site;
mod state;
pub mod validators;
pub mod wall;

pub use state::{Finding, judge};
