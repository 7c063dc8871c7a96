//! Which documents speak of this? (F5)
//!
//! In: what documents say ([`IndexEntry`], one a version) and what somebody asks ([`Question`]). Out: the versions that
//! answer, the best first. The index is a folder of its own, made from the store and never needed for its truth.
//!
//! The one idea: a document in the index never changes. States, projects' names and whether a version is the newest are not
//! in it: whoever asks says of each version whether it is wanted ([`Index::top`]), so an unchanged document is written once.
//!
//! ```text
//!  IndexEntry ──words────► stems with places ──► index (tantivy), committed together with how far it got
//!  words ──query────► Question ──words, in every language the index has──► index ──► hits ──► snippet
//! ```

mod error;
mod index;
mod near;
mod query;
mod snippet;

pub use error::{QueryError, SearchError};
pub use gleaner_words::Language;
pub use index::{Commit, FORMAT, Hit, Index, IndexEntry, IndexPassage, RankedVersion, Writer};
pub use query::Question;
pub use snippet::{Marks, Snippet, snippet};
