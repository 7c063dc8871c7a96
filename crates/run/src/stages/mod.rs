//! The stages of a page's life, one file each. What a stage takes and what it gives is in its head. What several of them ask is
//! the [rulebook](crate::rulebook), which does not change, and what the run [remembers of sites](crate::site_memory).

pub(crate) mod documents;
pub mod fetch;
pub mod follow;
pub mod judge;
pub mod keep;
pub mod pieces;
pub mod read;
pub mod reserve;
