//! Which names of ids and classes does a page give anew each time? In: two contents, and which blocks are one. Out: the
//! names that one of them has and the other has not in the same place.
//!
//! A block that happens to stand elsewhere has other names around it, too. So a name counts as unstable only if it is
//! lost more often than it is kept.

use super::place::{Element, Names, elements, head_of};
use crate::diff::align::align;
use crate::diff::{Change, ChangeKind, text_hashes};
use gleaner_model::{Block, Content};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};

/// Names remembered for one template, of each sort.
const NAMES_MAX: usize = 300;

/// What is known of the names of a template.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Naming {
    /// Seen to be lost.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    lost: Names,
    /// Seen in two looks at once, and not lost. Kept only where others are lost.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    kept: Names,
}

impl Naming {
    pub(super) fn is_empty(&self) -> bool {
        self.lost.is_empty() && self.kept.is_empty()
    }

    pub(super) fn lost(&self) -> &Names {
        &self.lost
    }

    /// Learns from two looks; `found` are the changes between both.
    pub(super) fn observe(&mut self, first: &Content, second: &Content, found: &[Change]) {
        let room = NAMES_MAX.saturating_sub(self.lost.len());
        self.lost
            .extend(lost(first, second, found).into_iter().take(room));
        if self.lost.is_empty() {
            return;
        }
        let (before, now) = (names_of(first), names_of(second));
        let both = before.intersection(&now).map(|name| (*name).to_owned());
        let room = NAMES_MAX.saturating_sub(self.kept.len());
        self.kept.extend(both.take(room));
        self.kept.retain(|name| !self.lost.contains(name));
    }

    /// The names of two contents that are no part of a place.
    pub(super) fn unstable(&self, first: &Content, second: &Content, found: &[Change]) -> Names {
        let mut all = lost(first, second, found);
        all.extend(self.lost.iter().cloned());
        // A page that makes names anew makes them for what comes and goes, too: there is nothing to compare those with.
        if !all.is_empty() {
            let (before, now) = (names_of(first), names_of(second));
            let heads: BTreeSet<&str> = before.union(&now).filter_map(|name| head_of(name)).collect();
            let is_made_up = |name: &&&str| !heads.contains(**name) && !self.kept.contains(**name);
            let one_sided = before.symmetric_difference(&now).filter(is_made_up);
            all.extend(one_sided.map(|name| (*name).to_owned()));
        }
        all
    }
}

fn names_of(content: &Content) -> BTreeSet<&str> {
    let paths = content.blocks.iter().map(|block| block.path.as_str());
    paths.flat_map(elements).flat_map(Element::names).collect()
}

fn lost(first: &Content, second: &Content, found: &[Change]) -> Names {
    let same = align(&text_hashes(&first.blocks), &text_hashes(&second.blocks));
    let changed = found
        .iter()
        .filter(|change| change.kind == ChangeKind::Change)
        .filter_map(|change| change.before.zip(change.after));
    let pairs: Vec<(&Block, &Block)> = same
        .into_iter()
        .chain(changed)
        .map(|(before, now)| (&first.blocks[before], &second.blocks[now]))
        .collect();
    // How often each was lost, and kept.
    let mut counts: HashMap<&str, (u32, u32)> = HashMap::new();
    for (before, now) in pairs.iter().filter(|(before, now)| before.path != now.path) {
        each_name(before, now, |name, is_kept| {
            if !is_kept {
                counts.entry(name).or_default().0 += 1;
            }
        });
    }
    if counts.is_empty() {
        return Names::new();
    }
    for (before, now) in pairs {
        each_name(before, now, |name, is_kept| {
            if is_kept && let Some(count) = counts.get_mut(name) {
                count.1 += 1;
            }
        });
    }
    counts
        .into_iter()
        .filter(|(_, (lost, kept))| lost > kept)
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The names around two blocks, from the inside out, as long as their elements are of the same kind.
fn each_name<'a>(before: &'a Block, now: &'a Block, mut tell: impl FnMut(&'a str, bool)) {
    for (old, new) in elements(&before.path).rev().zip(elements(&now.path).rev()) {
        if old.tag != new.tag {
            return;
        }
        let tell_side = |one: Element<'a>, other: Element<'a>, tell: &mut dyn FnMut(&'a str, bool)| {
            for name in one.names() {
                let is_kept = other.names().any(|other| other == name);
                // It may be all that is left of a name whose ending was seen to be one.
                if is_kept || !other.names().any(|other| head_of(other) == Some(name)) {
                    tell(name, is_kept);
                }
            }
        };
        tell_side(old, new, &mut tell);
        tell_side(new, old, &mut tell);
    }
}
