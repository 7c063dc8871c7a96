//! From text to terms: words, their stems and accents (F5).
//!
//! The one idea: a document and a question have to come to the same terms whatever the question's language. A document has
//! one language; a question is read in every language that the index has. Where accents and stems do not go together
//! (`généralité` without its accents has another stem), a document gets both terms at the same place.

mod fold;
mod language;
mod stem;
mod words;

pub use language::Language;
pub use stem::Stems;
pub use words::{Word, words};

pub(crate) use fold::folded;
