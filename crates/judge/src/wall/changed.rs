//! What do the pages of a host that changed into something else have in common?

use super::host::{HostPage, PageOutcome};
use crate::equality::{Ladder, visible_digest};
use gleaner_model::Content;
use std::collections::{HashMap, HashSet};

/// Pages that must share something new before it is called common.
const COMMON_MIN: usize = 3;
/// Below this likeness a text was replaced.
const REPLACED: f64 = 0.3;
/// Shorter texts (in overlapping runs of words) do not shrink, they are edited.
const SHRINKS_FROM: u32 = 20;
/// So much of what is left was there before: the rest is the end of a sentence that was cut, or chance.
const KEPT: f64 = 0.8;

pub(super) struct ChangedPages<'a> {
    pages: &'a [HostPage],
    /// How many pages say it now and did not before, for each block, title and whole text.
    blocks: HashMap<u64, usize>,
    titles: HashMap<u64, usize>,
    texts: HashMap<[u8; 16], HashSet<[u8; 16]>>,
    count: usize,
}

impl<'a> ChangedPages<'a> {
    pub(super) fn of(pages: &'a [HostPage]) -> ChangedPages<'a> {
        let mut changed = ChangedPages {
            pages,
            blocks: HashMap::new(),
            titles: HashMap::new(),
            texts: HashMap::new(),
            count: 0,
        };
        for at in 0..pages.len() {
            let Some((before, now)) = changed.sides_of_replaced(at) else {
                continue;
            };
            changed.count += 1;
            for block in new_blocks(before, now) {
                *changed.blocks.entry(block).or_default() += 1;
            }
            if let Some(title) = new_title(before, now) {
                *changed.titles.entry(title).or_default() += 1;
            }
            // As many as differed before: copies of one text may become copies of another.
            let texts = changed.texts.entry(now.visible).or_default();
            texts.insert(before.map_or((at as u128).to_le_bytes(), |before| before.visible));
        }
        changed
    }

    /// The two sides of a page that is hardly what it was.
    fn sides_of_replaced(&self, at: usize) -> Option<(Option<&'a Ladder>, &'a Ladder)> {
        match &self.pages[at].outcome {
            PageOutcome::Changed { before, now, .. } => {
                let before = before.as_ref();
                let is_replaced = before.is_none_or(|before| {
                    before.sketch.likeness(&now.sketch) < REPLACED || is_shrunken(before, now)
                });
                is_replaced.then_some((before, now))
            }
            PageOutcome::Failed { shown, .. } => shown.as_ref().map(|shown| (None, shown)),
            PageOutcome::Same | PageOutcome::Gone { .. } => None,
        }
    }

    /// Whether a page is hardly what it was.
    pub(super) fn is_replaced(&self, at: usize) -> bool {
        self.sides_of_replaced(at).is_some()
    }

    /// Whether a page changed into less, or into something that others show too.
    pub(super) fn is_suspect(&self, at: usize) -> bool {
        let is_small =
            |(before, now): (Option<&Ladder>, &Ladder)| before.is_some_and(|before| is_shrunken(before, now));
        matches!(self.pages[at].outcome, PageOutcome::Changed { .. })
            && (self.sides_of_replaced(at).is_some_and(is_small) || self.is_common(at))
    }

    /// Whether it shares something new with most of the pages that changed into something else.
    fn is_common(&self, at: usize) -> bool {
        let Some((before, now)) = self.sides_of_replaced(at) else {
            return false;
        };
        let is_shared = |count: usize| count >= COMMON_MIN && count * 2 > self.count;
        let of = |counts: &HashMap<u64, usize>, key: u64| counts.get(&key).copied().unwrap_or(0);
        is_shared(self.texts.get(&now.visible).map_or(0, HashSet::len))
            || new_blocks(before, now).any(|block| is_shared(of(&self.blocks, block)))
            || new_title(before, now).is_some_and(|title| is_shared(of(&self.titles, title)))
    }

    /// Whether a page and the home page changed into one and the same text, as others did.
    pub(super) fn is_one_text(&self, at: usize, home: usize) -> bool {
        match (self.sides_of_replaced(at), self.sides_of_replaced(home)) {
            (Some((_, now)), Some((_, home))) => {
                now.visible == home.visible && self.texts[&now.visible].len() >= COMMON_MIN
            }
            _ => false,
        }
    }
}

/// Whether there is nothing to be read on a page.
pub(super) fn is_empty(now: &Ladder) -> bool {
    now.visible == visible_digest(&Content::default())
}

/// Less than half is left, or a part is missing and nothing came in its place.
fn is_shrunken(before: &Ladder, now: &Ladder) -> bool {
    let (was, is) = (f64::from(before.sketch.shingles), f64::from(now.sketch.shingles));
    let likeness = before.sketch.likeness(&now.sketch);
    // From the share of both that is common to the share of what is left that was there.
    let kept = likeness / (1.0 + likeness) * (was + is) / is.max(1.0);
    before.sketch.shingles >= SHRINKS_FROM && (is < was / 2.0 || is < was * 0.9 && kept >= KEPT)
}

fn new_blocks(before: Option<&Ladder>, now: &Ladder) -> impl Iterator<Item = u64> {
    let known: HashSet<u64> = before
        .into_iter()
        .flat_map(|before| before.main_blocks.iter().copied())
        .collect();
    let new: HashSet<u64> = now.main_blocks.iter().copied().collect();
    new.into_iter().filter(move |block| !known.contains(block))
}

fn new_title(before: Option<&Ladder>, now: &Ladder) -> Option<u64> {
    let is_new = before.is_none_or(|before| before.title != now.title);
    (is_new && now.title != Ladder::title_of("")).then_some(now.title)
}
