//! The stages of a page's life, one file each. A stage sees only its input and returns its output.

pub(crate) mod documents;
pub mod fetch;
pub mod follow;
pub mod judge;
pub mod keep;
pub mod left_out;
pub mod pieces;
pub mod read;
pub mod reserve;
