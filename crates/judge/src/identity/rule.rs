//! What is known about one volatile part of a site's URLs?
//!
//! A rule names a slot, what kind of value stands there, how the value is told from its neighbours, and why we believe
//! it. It finds the id in a piece of a URL; [`super::UrlRules`] does something with what was found.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::decode::settle_with_offsets;
use super::shape::ValueShape;
use super::slots::{Slot, UrlPiece};

/// Places in one value that are tried for a glued id. More than a few are noise.
const TRIES_MAX: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleKind {
    /// One value per session.
    Session,
    /// One value per fetch, the same on all links of it.
    Clock,
    /// Another value on every link of every fetch.
    Nonce,
    /// Differs between sessions in some other way; the content test showed that it does not matter.
    Volatile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleOrigin {
    Learned,
    User,
}

/// What stands beside the id inside its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Beside {
    pub text: String,
    /// `text` is all there is up to the border of the value; otherwise anything may lie beyond it.
    pub is_all: bool,
}

impl Beside {
    pub fn nothing() -> Beside {
        Beside {
            text: String::new(),
            is_all: true,
        }
    }
}

/// One volatile part of the URLs of a site, with the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRule {
    pub slot: Slot,
    pub kind: RuleKind,
    /// Requests may leave it out: the content test gave the same page without it.
    pub is_droppable: bool,
    /// Alphabet and length range; none where the slot's name is enough.
    pub shape: Option<ValueShape>,
    pub left: Beside,
    pub right: Beside,
    /// Values that fit but were seen in both sessions: they are not the id.
    pub except: Vec<String>,
    /// Of an id in a name: what stood beside it on every link. A parameter with that value says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Of an id in the path: the site leads from an address without it to the one with it, so both are one document's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_lack: bool,
    /// Links that bear the rule out.
    pub support: usize,
    /// Why, in a sentence for people.
    pub evidence: String,
    pub origin: RuleOrigin,
    pub is_on: bool,
}

impl UrlRule {
    /// A rule that a person wrote: everything in that slot.
    pub fn from_user(slot: Slot, kind: RuleKind) -> UrlRule {
        UrlRule {
            slot,
            kind,
            is_droppable: false,
            shape: None,
            left: Beside::nothing(),
            right: Beside::nothing(),
            except: Vec::new(),
            value: None,
            may_lack: false,
            support: 0,
            evidence: "added by hand".to_owned(),
            origin: RuleOrigin::User,
            is_on: true,
        }
    }

    pub(super) fn learned(slot: Slot, kind: RuleKind) -> UrlRule {
        UrlRule {
            evidence: String::new(),
            origin: RuleOrigin::Learned,
            ..UrlRule::from_user(slot, kind)
        }
    }

    /// The id is the whole value of its slot.
    pub(super) fn is_whole(&self) -> bool {
        self.left == Beside::nothing() && self.right == Beside::nothing()
    }

    /// The id is part of a parameter's name.
    pub(super) fn is_name(&self) -> bool {
        matches!(self.slot, Slot::QueryName | Slot::MatrixName)
    }

    /// The id in a parameter's name.
    pub(super) fn find_in_name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let id = name
            .strip_prefix(self.left.text.as_str())?
            .strip_suffix(self.right.text.as_str())?;
        let fits = self.shape.as_ref().is_none_or(|shape| shape.fits(id));
        (fits && !id.is_empty() && !self.except.iter().any(|other| other == name)).then_some(id)
    }

    /// Where in the decoded value of `piece` the id stands.
    pub(super) fn find_in<'p>(&self, piece: &'p UrlPiece) -> Option<(Range<usize>, &'p str)> {
        if !self.slot.holds(&piece.steps) {
            return None;
        }
        let value = piece.value.as_str();
        for start in starts(value, &self.left) {
            for end in ends(value, &self.right) {
                if start >= end {
                    continue;
                }
                let id = &value[start..end];
                let fits = self.shape.as_ref().is_none_or(|shape| shape.fits(id));
                if fits && !self.except.iter().any(|other| other == id) {
                    return Some((start..end, id));
                }
            }
        }
        None
    }

    /// Where in the text of the URL the id stands, and what it is.
    pub fn find<'p>(&self, piece: &'p UrlPiece, url: &str) -> Option<(Range<usize>, &'p str)> {
        let (range, id) = self.find_in(piece)?;
        if range == (0..piece.value.len()) {
            return Some((piece.span.clone(), id));
        }
        let raw = &url[piece.span.clone()];
        let (_, offsets) = settle_with_offsets(raw, piece.span.start);
        Some((offsets.raw(range.start)..offsets.raw(range.end), id))
    }
}

fn starts(value: &str, left: &Beside) -> Vec<usize> {
    if left.is_all {
        return value
            .starts_with(&left.text)
            .then_some(left.text.len())
            .into_iter()
            .collect();
    }
    value
        .match_indices(&left.text)
        .take(TRIES_MAX)
        .map(|(at, text)| at + text.len())
        .collect()
}

fn ends(value: &str, right: &Beside) -> Vec<usize> {
    if right.is_all {
        return value
            .ends_with(&right.text)
            .then(|| value.len() - right.text.len())
            .into_iter()
            .collect();
    }
    let mut ends: Vec<usize> = value
        .match_indices(&right.text)
        .take(TRIES_MAX)
        .map(|(at, _)| at)
        .collect();
    ends.reverse();
    ends
}
