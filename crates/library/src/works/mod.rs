//! Which documents are the same work: copies, other formats, versions? Which of them is the original, and who cites it? (G4, G7)
//!
//! In: the text of each document with its title and authors. Out: groups of documents, each pair with its relation, and counts.
//!
//! ```text
//!  text ──TextSignature::of──► signature ──keys──► rows (key, text): candidates are those that share keys
//!                                  │                     │ the best CANDIDATES_MAX by shared keys
//!                                  └────── related ◄─────┘
//!                                             │ bonds: pairs of texts, each by itself, whatever came first
//!                                          groups: stars around a centre; no chains
//! ```
//! Documents whose words are the same share one signature, so a text that a thousand hosts hold is looked up once. A bond depends
//! on its two texts alone and the groups on the bonds alone: the order of arrival changes nothing, as long as no key is shared by
//! more than [`KEY_TEXTS_MAX`] different texts (of a crowded key so many are looked at, the first that came).
//!
//! Whoever keeps this in a store needs two tables: texts (fingerprint, bytes of the signature) and keys (key, text), one of
//! documents (document, text), and one of bonds (text, text, relation). [`Works`] is the same in memory.

mod bytes;
mod counts;
mod groups;
mod known;
mod original;
mod relate;
mod signature;

pub use bytes::SignatureError;
pub use counts::{CitedFrom, HeldAt, WorkCounts};
pub use groups::{WorkBond, WorkGroup, groups};
pub use known::{TextFound, Works};
pub use original::{OriginEvidence, OriginalScore, Provenance, UploadWaves, original};
pub use relate::{Asked, Relation, TextLikeness, TitleRelation, likeness, related, related_as};
pub use signature::{TextSignature, WorkText, title_words};

/// Candidates that are compared in full, those first that share most keys.
pub const CANDIDATES_MAX: usize = 64;
/// Texts that are looked at under one key.
pub const KEY_TEXTS_MAX: usize = 64;

#[cfg(test)]
mod tests;
