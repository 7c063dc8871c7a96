//! What kind of document is it, and is it one that a library keeps? (G3, G5)
//!
//! In: what a reader made of a document, its name, its size. Out: a [`GenreVerdict`]: the genre, whether it is accepted, how sure that
//! is, and the three strongest reasons in plain words.
//!
//! ```text
//!  Reading ─┬─ sample ─┬─ structure, signs, speech ─┐
//!           │          └─ first and last words ─────┼─ model: trees and weights ─ GenreVerdict
//!  name ────┴─ layout, names ───────────────────────┘
//! ```
//! Whether a document speaks of the topic is another question, asked elsewhere. The model is a table that is checked in
//! (`model.txt`), made by `make genre-model`. What people decide against it is kept and learned from at once (`overrules`).

mod cues;
mod features;
mod judge;
mod layout;
mod model;
mod names;
mod overrules;
mod references;
pub mod rules;
mod sample;
mod signs;
mod speech;
mod structure;
pub mod training;
mod trees;
mod words;

pub use judge::{Judge, Seen};
pub use model::{GenreModel, ModelError, model};
pub use overrules::{Contradiction, Overrule, Overrules};

use gleaner_parse::documents::Reading;
use serde::{Deserialize, Serialize};

/// What a document is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Genre {
    Paper,
    Thesis,
    TechnicalReport,
    FaqOrManual,
    Slides,
    Cv,
    AssignmentOrExam,
    Syllabus,
    Form,
    LetterOrMinutes,
    FlyerOrPricelist,
    Book,
    LinkList,
    SourceOrData,
}

impl Genre {
    pub const ALL: [Genre; 14] = [
        Genre::Paper,
        Genre::Thesis,
        Genre::TechnicalReport,
        Genre::FaqOrManual,
        Genre::Slides,
        Genre::Cv,
        Genre::AssignmentOrExam,
        Genre::Syllabus,
        Genre::Form,
        Genre::LetterOrMinutes,
        Genre::FlyerOrPricelist,
        Genre::Book,
        Genre::LinkList,
        Genre::SourceOrData,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Genre::Paper => "paper",
            Genre::Thesis => "thesis",
            Genre::TechnicalReport => "technical-report",
            Genre::FaqOrManual => "faq-or-manual",
            Genre::Slides => "slides",
            Genre::Cv => "cv",
            Genre::AssignmentOrExam => "assignment-or-exam",
            Genre::Syllabus => "syllabus",
            Genre::Form => "form",
            Genre::LetterOrMinutes => "letter-or-minutes",
            Genre::FlyerOrPricelist => "flyer-or-pricelist",
            Genre::Book => "book",
            Genre::LinkList => "link-list",
            Genre::SourceOrData => "source-or-data",
        }
    }

    pub fn parse(name: &str) -> Option<Genre> {
        Genre::ALL.into_iter().find(|genre| genre.as_str() == name)
    }

    /// What a library keeps where nobody says otherwise.
    pub fn is_accepted(self) -> bool {
        matches!(
            self,
            Genre::Paper | Genre::Thesis | Genre::TechnicalReport | Genre::FaqOrManual
        )
    }
}

/// A document and what is known of it besides its text.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    pub reading: &'a Reading,
    /// A file name or an address.
    pub name: Option<&'a str>,
    /// As it came.
    pub size_bytes: Option<u64>,
}

/// What the filter says of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GenreVerdict {
    pub genre: Genre,
    pub accept: bool,
    /// How sure it is that the document is one to keep, from 0 to 1.
    pub score: f32,
    /// The strongest first, in plain words.
    pub reasons: Vec<String>,
    /// A person decides.
    #[serde(skip)]
    pub is_uncertain: bool,
}

#[cfg(test)]
mod tests;
