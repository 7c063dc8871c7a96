//! Does a page speak of the topic? (G3, A11)
//!
//! In: what a page says, its address, topic words, examples. Out: a [`TopicVerdict`]: how likely the page is on the topic and the
//! three strongest reasons. Which kind of document it is, is another question (`genre`).
//!
//! ```text
//!  page ── TopicReader ── TopicPage ─┬─ words, pairs, title, headings ── inside  ─ TopicVerdict
//!                                    └─ title and address only ───────── outside ─ what a link promises
//!  examples, overrules, pages met ── TopicExamples ── TopicJudge
//! ```
//! The one idea: two views are learned from the same examples, the page as a whole and what is seen of it from outside. A link is
//! a page of which only the anchor (as a title) and the address are known, so that examples tell at once which links are worth it.
//! Without examples S1's rule judges: more than one of the topic's words.

mod examples;
mod judge;
mod keywords;
mod learn;
mod seen;

pub use examples::{ExampleKind, TopicExample, TopicExamples};
pub use judge::{TopicJudge, TopicVerdict};
pub use keywords::{KeywordHits, Keywords};
pub use seen::{TopicPage, TopicReader};

pub(crate) use judge::logistic;
/// How words become numbers of a hash, for what is learned of links too.
pub(crate) mod words_of_hash {
    pub(crate) use super::seen::{WordBuffer, hash, masked, mixed, runs};
}

#[cfg(test)]
mod tests;
