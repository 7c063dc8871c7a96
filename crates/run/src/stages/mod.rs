//! The stages of a page's life, one file each. What a stage takes and what it gives is in its head; what several of them share
//! is in [`follow::Deciding`] and in the trap rules behind their lock.

pub(crate) mod documents;
pub mod fetch;
pub mod follow;
pub mod judge;
pub mod keep;
pub mod left_out;
pub mod pieces;
pub mod read;
pub mod reserve;
