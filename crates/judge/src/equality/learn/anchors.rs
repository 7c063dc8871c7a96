//! Numbers in link texts, such as "Comments (17)": compared with the digits masked once they moved in two of three
//! visits. These are ordinary visits, not pairs of fetches: such a number moves slowly.

use super::leaf::{Leaf, NUMBER, skeleton};
use gleaner_model::Block;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Link texts remembered per template.
const ANCHORS_MAX: usize = 200;
/// A longer text is a sentence with a link, not an anchor.
const WORDS_MAX: usize = 8;

/// Per masked link text: in which of the last visits its number moved, the latest in the lowest bit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Anchors(BTreeMap<u64, u8>);

impl Anchors {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `pairs` are blocks in the same place before and now; those that did not change may be left out of it only if
    /// they are in `kept`.
    pub(super) fn observe<'a>(
        &mut self,
        changed: impl Iterator<Item = (&'a Block, &'a Block)>,
        kept: impl Iterator<Item = &'a Block>,
    ) {
        for block in kept {
            if let Some(key) = key(block)
                && let Some(visits) = self.0.get_mut(&key)
            {
                *visits = (*visits << 1) & 0b111;
            }
        }
        for (before, now) in changed {
            if let Some(key) = moved(before, now)
                && (self.0.len() < ANCHORS_MAX || self.0.contains_key(&key))
            {
                let visits = self.0.entry(key).or_default();
                *visits = (*visits << 1 | 1) & 0b111;
            }
        }
        self.0.retain(|_, visits| *visits != 0);
    }

    pub(super) fn covers(&self, before: &Block, now: &Block) -> bool {
        let visits = moved(before, now).and_then(|key| self.0.get(&key));
        visits.is_some_and(|visits| visits.count_ones() >= 2)
    }
}

/// The anchor's key, if only its numbers differ.
fn moved(before: &Block, now: &Block) -> Option<u64> {
    let (old, new) = (key(before)?, key(now)?);
    let leaf = Leaf::between(&before.text, &now.text);
    let only_numbers = !leaf.is_text && leaf.slots.iter().all(|slot| slot.sorts == NUMBER);
    (old == new && only_numbers).then_some(new)
}

fn key(block: &Block) -> Option<u64> {
    let is_anchor = !block.links.is_empty() && block.text.split_whitespace().nth(WORDS_MAX).is_none();
    if is_anchor { skeleton(&block.text) } else { None }
}
