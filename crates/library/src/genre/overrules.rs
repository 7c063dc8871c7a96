//! What people decided about documents, against the filter or for it.
//!
//! An overrule is data: it is kept with what the document looked like, and applied again after every new model, so that it is
//! never silently undone. The last word about a document counts; that there was another one is told.

use super::Genre;
use super::words::{WordCounts, direction};
use serde::{Deserialize, Serialize};

/// Documents whose words are as much alike as this are taken for one.
const ALIKE: f32 = 0.97;

/// What a person decided about a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Overrule {
    /// What tells the document from others: its digest, its address.
    pub document: String,
    /// Nothing where only accepting was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub genre: Option<Genre>,
    pub accept: bool,
    /// When, as RFC 3339, or empty. The order is that in which they are kept.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub at: String,
    /// What the document said, as the model sees it.
    pub words: WordCounts,
    /// The numbers of the document, empty where they are not known. They are of use to a model that was made for them.
    #[serde(default)]
    pub numbers: Vec<f32>,
}

/// Two overrules that cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub earlier: String,
    pub later: String,
    /// They are about one document; otherwise about two that say the same.
    pub is_same_document: bool,
}

/// All of them, in the order in which they were made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Overrules {
    list: Vec<Overrule>,
}

impl Overrules {
    /// Keeps it, and tells what it contradicts.
    pub fn add(&mut self, overrule: Overrule) -> Vec<Contradiction> {
        let found = self
            .list
            .iter()
            .filter_map(|earlier| contradiction(earlier, &overrule));
        let found = found.collect();
        self.list.push(overrule);
        found
    }

    pub fn list(&self) -> &[Overrule] {
        &self.list
    }

    /// All pairs that cannot both hold.
    pub fn contradictions(&self) -> Vec<Contradiction> {
        let mut found = Vec::new();
        for (at, later) in self.list.iter().enumerate() {
            found.extend(
                self.list[..at]
                    .iter()
                    .filter_map(|earlier| contradiction(earlier, later)),
            );
        }
        found
    }

    /// The last word about a document.
    pub fn of(&self, document: &str) -> Option<&Overrule> {
        self.list
            .iter()
            .rev()
            .find(|overrule| overrule.document == document)
    }

    /// Without what was decided about a document: a person takes it back.
    #[must_use]
    pub fn without(&self, document: &str) -> Overrules {
        let others = self.list.iter().filter(|overrule| overrule.document != document);
        Overrules {
            list: others.cloned().collect(),
        }
    }

    /// Those that count: the last word about each document, in order.
    pub fn in_force(&self) -> impl Iterator<Item = &Overrule> {
        let is_last = |at: usize, overrule: &Overrule| {
            !self.list[at + 1..]
                .iter()
                .any(|later| later.document == overrule.document)
        };
        self.list
            .iter()
            .enumerate()
            .filter(move |(at, overrule)| is_last(*at, overrule))
            .map(|(_, overrule)| overrule)
    }
}

fn contradiction(earlier: &Overrule, later: &Overrule) -> Option<Contradiction> {
    let is_same_document = earlier.document == later.document;
    let differs = earlier.accept != later.accept
        || (is_same_document
            && earlier
                .genre
                .zip(later.genre)
                .is_some_and(|(one, other)| one != other));
    (differs && (is_same_document || alike(&earlier.words, &later.words) >= ALIKE)).then(|| Contradiction {
        earlier: earlier.document.clone(),
        later: later.document.clone(),
        is_same_document,
    })
}

/// From 0 to 1.
fn alike(one: &WordCounts, other: &WordCounts) -> f32 {
    let one = direction(one, |_| Some(1.0));
    let other: std::collections::BTreeMap<u16, f32> = direction(other, |_| Some(1.0)).into_iter().collect();
    one.iter()
        .filter_map(|(bucket, value)| Some(value * other.get(bucket)?))
        .sum()
}
