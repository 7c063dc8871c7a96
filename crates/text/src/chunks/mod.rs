//! Pieces of text for language models, with names that stay while their text stays (J4).
//!
//! [`cut`] makes them from a text; [`feed`] says which came and which went between two runs.

mod cut;
mod feed;
mod tokens;

pub use cut::{Chunk, cut};
pub(crate) use feed::last_finished;
pub use feed::{Cursor, Line, feed};
pub use tokens::tokens;

/// Tokens of a chunk at most, where nothing else is asked for: what embedding models take, with room for the headings.
pub const TOKENS_DEFAULT: usize = 400;
/// Less than this is no text; more than this no model takes.
pub const TOKENS_MIN: usize = 32;
pub const TOKENS_MAX: usize = 100_000;
/// Changes with every change of how chunks are cut or named.
pub const CUTTER: u32 = 3;
