//! Which words does a text have? (F4, F5)
//!
//! In: text. Out: its language, its words with their places, their stems, with and without accents. Search and concepts both
//! read texts by this room, so that what one calls a word the other does too.
//!
//! ```text
//!  text ──Language──► which stems ─┬─ words ──► Stems: terms for the index, accents off (search)
//!                                  └─ words_of ──► stems with sentences and paragraphs, stop words known (concepts)
//! ```

mod analyser;
mod cut;
mod fold;
mod language;
mod placed;
mod stem;
mod stop_words;

pub use analyser::{Analyser, language_of};
pub use cut::{Word, is_unspaced, words};
pub use fold::folded;
pub use language::Language;
pub use placed::{PlacedWord, words_of};
pub use stem::{Stems, Terms};
