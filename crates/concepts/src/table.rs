//! The table of concepts: rows for people and programs.

use serde::Serialize;

/// What counts as a concept.
#[derive(Clone, Debug)]
pub struct ConceptOptions {
    /// Words of a concept at most; never more than [`WORDS_MAX`].
    pub words_max: usize,
    /// How many words apart the first and the last of a concept may stand, both counted.
    pub span_max: u32,
    /// In so many windows at least.
    pub windows_min: u32,
    /// In so many documents at least.
    pub documents_min: u32,
    /// A word in a greater share of the documents says nothing about any of them.
    pub share_max: f64,
    /// A word in no more documents than this is never too common: small collections share their topic.
    pub documents_floor: u32,
    /// Passages kept for each row.
    pub passages_max: usize,
}

/// Concepts of more words are not looked for: their number grows without saying more.
pub const WORDS_MAX: usize = 5;

impl Default for ConceptOptions {
    fn default() -> Self {
        Self {
            words_max: 3,
            span_max: 12,
            windows_min: 3,
            documents_min: 2,
            share_max: 0.2,
            documents_floor: 10,
            passages_max: 3,
        }
    }
}

/// All concepts of a collection, most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConceptTable {
    pub documents: usize,
    pub windows: u64,
    /// Words that count, in all documents together.
    pub words: u64,
    /// Windows that every concept of more than one word has at least: what was asked for, or more where there were too many.
    pub windows_min: u32,
    pub rows: Vec<Concept>,
    pub topics: Vec<ConceptTopic>,
}

/// Words that often stand near each other, or one word that is frequent by itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Concept {
    /// Stems in the order of the alphabet.
    pub tokens: Vec<String>,
    pub count: usize,
    /// Windows that hold all of them within the span. Never less than that of a concept with more words.
    pub frequency: u32,
    pub documents: u32,
    /// The words as they are written most often, in the order in which they stand most often.
    pub original: String,
    /// The distinct orders in which they stand, the commonest first, as numbers of `tokens`.
    pub orders: Vec<Vec<u8>>,
    /// The first document that has it, and where, in characters.
    pub first_document: u64,
    pub first_position: u32,
    /// Characters from the first to the last of the words: the least, and the mean over all windows.
    pub distance: u32,
    pub distance_mean: f64,
    /// How much more often they stand together than by chance: 0 for chance, 1 for always. 0 for one word.
    pub npmi: f64,
    /// Whether no concept of the table holds all its words and more.
    pub maximal: bool,
    /// The number of its topic in `topics`, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topic: Option<usize>,
    pub language: &'static str,
    pub passages: Vec<Occurrence>,
}

/// Where a concept stands: from its first to its last word, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Occurrence {
    pub document: u64,
    pub start: u32,
    pub end: u32,
}

/// Concepts that hang together by strong pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConceptTopic {
    /// Its most frequent words, as written.
    pub words: Vec<String>,
    /// How many stems belong to it.
    pub size: usize,
    pub language: &'static str,
}
