//! What can keep a search from being answered.

use std::path::PathBuf;

/// What is wrong with a question; `at` counts its characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("there is nothing to search for; give at least one word")]
    Empty,
    #[error("there are only words to leave out; give at least one word to search for: {0}")]
    OnlyNot(String),
    #[error("the quotation mark at character {at} is not closed; put another one after the phrase: {text}")]
    OpenQuote { at: usize, text: String },
    #[error("the bracket at character {at} is not closed; put a `)` after its words: {text}")]
    OpenBracket { at: usize, text: String },
    #[error("the bracket at character {at} closes nothing; remove it, or put it in quotation marks: {text}")]
    StrayBracket { at: usize, text: String },
    #[error(
        "`{word}` at character {at} needs words on both sides; add them, or put it in quotation marks: {text}"
    )]
    Dangling {
        word: &'static str,
        at: usize,
        text: String,
    },
    #[error("nothing follows `{field}:` at character {at}; write {field}:WORD: {text}")]
    EmptyField { field: String, at: usize, text: String },
    #[error("a word may differ by 1 or 2 letters; write WORD~1 or WORD~2: {text}")]
    Distance { text: String },
    #[error("one letter matches too much; give at least two letters before the `*`: {text}")]
    ShortPrefix { text: String },
    #[error("brackets are nested deeper than {max}; use fewer of them")]
    TooDeep { max: usize },
    #[error("there are more than {max} words; use fewer")]
    TooMany { max: usize },
}

/// What keeps the index from doing its job.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("another gleaner is writing the index; try again when it has finished: {folder}")]
    InUse { folder: PathBuf },
    #[error("the index cannot be used; `gleaner search rebuild` builds it again: {folder}")]
    Index {
        folder: PathBuf,
        #[source]
        cause: tantivy::TantivyError,
    },
    #[error("the folder of the index cannot be used; check that it is writable: {folder}")]
    Folder {
        folder: PathBuf,
        #[source]
        cause: std::io::Error,
    },
}
