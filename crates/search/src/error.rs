//! What can keep a search from being answered.

use std::path::PathBuf;

/// What is wrong with a question; `at` counts its characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    #[error("there is nothing to look for; give at least one word")]
    Empty,
    #[error("only words to leave out are given; give at least one word to look for: {0}")]
    OnlyNot(String),
    #[error("the quotation mark at character {at} is not closed; put another one behind the phrase: {text}")]
    OpenQuote { at: usize, text: String },
    #[error("the bracket at character {at} is not closed; put a `)` behind its words: {text}")]
    OpenBracket { at: usize, text: String },
    #[error(
        "the bracket at character {at} closes nothing; take it away or put it in quotation marks: {text}"
    )]
    StrayBracket { at: usize, text: String },
    #[error(
        "`{word}` at character {at} wants words on both sides; add them or put it in quotation marks: {text}"
    )]
    Dangling {
        word: &'static str,
        at: usize,
        text: String,
    },
    #[error("nothing follows `{field}:` at character {at}; write {field}:WORD: {text}")]
    EmptyField { field: String, at: usize, text: String },
    #[error("a word may be misspelt by 1 or 2 letters; write WORD~1 or WORD~2: {text}")]
    Distance { text: String },
    #[error("a beginning of one letter matches too much; give at least two letters before the `*`: {text}")]
    ShortPrefix { text: String },
    #[error("brackets are nested deeper than {max}; write the question with fewer of them")]
    TooDeep { max: usize },
    #[error("more than {max} words are asked for at once; ask for fewer")]
    TooMany { max: usize },
}

/// What keeps the index from doing its job.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    #[error("another gleaner is writing the index; try again when it is done: {folder}")]
    InUse { folder: PathBuf },
    #[error("the index cannot be used; `gleaner search rebuild` makes it anew: {folder}")]
    Index {
        folder: PathBuf,
        #[source]
        cause: tantivy::TantivyError,
    },
    #[error("the folder of the index cannot be used; check that it may be written: {folder}")]
    Folder {
        folder: PathBuf,
        #[source]
        cause: std::io::Error,
    },
}
