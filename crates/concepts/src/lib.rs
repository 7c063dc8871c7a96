//! Which words stand together, and which say what a document is about? (F4)
//!
//! In: the texts of documents. Out: a table of concepts (words that often stand near each other), the key phrases of a
//! document, and the terms of a vocabulary that a text names. Pure: the same documents give the same table, in whatever order
//! they came and whatever was taken away between.
//!
//! ```text
//! text ──► words (language, stems, sentences) ──► windows ──► mine ──► table
//!                         ├──► phrases (candidates, features, model)
//!                         └──► vocabulary
//! ```

pub mod collection;
pub mod compatible;
mod mine;
pub mod phrases;
pub mod table;
pub mod vocabulary;

pub use gleaner_words::{Analyser, PlacedWord, language_of, words_of};
