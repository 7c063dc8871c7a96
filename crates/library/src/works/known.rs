//! Everything that is known of texts and their bonds, in memory.

use super::groups::{WorkBond, WorkGroup, groups};
use super::relate::{Relation, likeness, related};
use super::signature::TextSignature;
use super::{CANDIDATES_MAX, KEY_TEXTS_MAX};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Documents, their texts, and which of these are one work.
#[derive(Debug, Clone, Default)]
pub struct Works {
    texts: BTreeMap<u128, Text>,
    documents: BTreeMap<i64, u128>,
    keys: HashMap<u64, Vec<u128>>,
}

#[derive(Debug, Clone)]
struct Text {
    signature: TextSignature,
    /// With the format of each.
    documents: BTreeMap<i64, u16>,
    bonds: BTreeSet<u128>,
}

/// What a document that came in was found to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFound {
    pub text: u128,
    /// Another document with the very same words was there before.
    pub is_known_text: bool,
    /// Texts of the same work.
    pub bonds: Vec<u128>,
}

impl Works {
    /// Takes a document in. `format` tells formats apart and means nothing else. A document that is there already is exchanged.
    pub fn add(&mut self, document: i64, format: u16, signature: &TextSignature) -> TextFound {
        self.remove(document);
        let text = signature.fingerprint();
        self.documents.insert(document, text);
        if let Some(known) = self.texts.get_mut(&text) {
            known.documents.insert(document, format);
            return TextFound {
                text,
                is_known_text: true,
                bonds: known.bonds.iter().copied().collect(),
            };
        }
        let bonds: BTreeSet<u128> = self
            .candidates(signature)
            .into_iter()
            .filter(|other| related(&likeness(signature, &self.texts[other].signature), true).is_some())
            .collect();
        for other in &bonds {
            if let Some(other) = self.texts.get_mut(other) {
                other.bonds.insert(text);
            }
        }
        for key in signature.keys() {
            self.keys.entry(key).or_default().push(text);
        }
        let found = TextFound {
            text,
            is_known_text: false,
            bonds: bonds.iter().copied().collect(),
        };
        let documents = BTreeMap::from([(document, format)]);
        self.texts.insert(
            text,
            Text {
                signature: signature.clone(),
                documents,
                bonds,
            },
        );
        found
    }

    /// Forgets a document; its text goes with its last one.
    pub fn remove(&mut self, document: i64) {
        let Some(text) = self.documents.remove(&document) else {
            return;
        };
        let Some(known) = self.texts.get_mut(&text) else {
            return;
        };
        known.documents.remove(&document);
        if !known.documents.is_empty() {
            return;
        }
        let Some(gone) = self.texts.remove(&text) else {
            return;
        };
        for other in &gone.bonds {
            if let Some(other) = self.texts.get_mut(other) {
                other.bonds.remove(&text);
            }
        }
        for key in gone.signature.keys() {
            if let Some(texts) = self.keys.get_mut(&key) {
                texts.retain(|other| *other != text);
            }
        }
    }

    /// Texts worth comparing with this one, those first that share most keys.
    pub fn candidates(&self, signature: &TextSignature) -> Vec<u128> {
        let own = signature.fingerprint();
        let mut shared: HashMap<u128, usize> = HashMap::new();
        for key in signature.keys() {
            for text in self.keys.get(&key).into_iter().flatten().take(KEY_TEXTS_MAX) {
                *shared.entry(*text).or_default() += 1;
            }
        }
        shared.remove(&own);
        let mut best: Vec<(u128, usize)> = shared.into_iter().collect();
        best.sort_unstable_by_key(|(text, count)| (Reverse(*count), *text));
        best.truncate(CANDIDATES_MAX);
        best.into_iter().map(|(text, _)| text).collect()
    }

    /// The works, each with its documents: with what they are to the first document of the centre.
    pub fn groups(&self) -> Vec<WorkGroup> {
        groups(self.texts.keys().copied(), &self.bonds())
    }

    pub fn bonds(&self) -> Vec<WorkBond> {
        let mut bonds = Vec::new();
        for (&one, text) in &self.texts {
            for &other in text.bonds.range(one..) {
                let with = &self.texts[&other];
                let formats = |text: &Text| text.documents.values().copied().collect::<BTreeSet<u16>>();
                let have_same_format = !formats(text).is_disjoint(&formats(with));
                if let Some(relation) = related(&likeness(&text.signature, &with.signature), have_same_format)
                {
                    bonds.push(WorkBond { one, other, relation });
                }
            }
        }
        bonds
    }

    pub fn documents(&self, text: u128) -> impl Iterator<Item = i64> {
        self.texts
            .get(&text)
            .into_iter()
            .flat_map(|text| text.documents.keys().copied())
    }

    /// What two documents are to each other, if they are one work.
    pub fn relation(&self, one: i64, other: i64) -> Option<Relation> {
        let (first, second) = (self.documents.get(&one)?, self.documents.get(&other)?);
        let (first_text, second_text) = (&self.texts[first], &self.texts[second]);
        let have_same_format = first_text.documents[&one] == second_text.documents[&other];
        if first == second {
            return Some(if have_same_format {
                Relation::Copy
            } else {
                Relation::OtherFormat
            });
        }
        if !first_text.bonds.contains(second) {
            return None;
        }
        related(
            &likeness(&first_text.signature, &second_text.signature),
            have_same_format,
        )
    }
}
