//! Who is told? What a run found, for people and for programs (B8, C2).

pub mod error;
pub mod listing;
pub mod report;
pub mod time;

pub use error::PublishError;
pub use report::{Format, write_report};
