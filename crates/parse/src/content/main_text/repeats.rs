//! What stands on many pages of a site is not what any of them is about. A crawler knows it; who has one page does not.
//!
//! In: the contents of pages of one site. Out: [`Repeats`], which the extractor takes into account.

use gleaner_model::Content;
use std::collections::{HashMap, HashSet};

/// With fewer pages than this nothing can be said.
const PAGES_MIN: usize = 10;
/// From this share of the pages on a text is the site's, in percent.
const SHARE_PERCENT: usize = 30;

/// Hashes of the texts that stand on many pages of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repeats {
    texts: HashSet<u64>,
}

impl Repeats {
    pub fn of<'a>(pages: impl IntoIterator<Item = &'a Content>) -> Repeats {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        let mut pages_count = 0;
        for page in pages {
            pages_count += 1;
            let texts: HashSet<u64> = page.blocks.iter().map(|block| hash(&block.text)).collect();
            for text in texts {
                *counts.entry(text).or_default() += 1;
            }
        }
        if pages_count < PAGES_MIN {
            return Repeats::default();
        }
        let is_common = |count: usize| count * 100 >= pages_count * SHARE_PERCENT && count > 1;
        Repeats {
            texts: counts
                .into_iter()
                .filter(|(_, count)| is_common(*count))
                .map(|(text, _)| text)
                .collect(),
        }
    }

    /// From hashes that were kept, by [`Repeats::hashes`].
    pub fn from_hashes(hashes: impl IntoIterator<Item = u64>) -> Repeats {
        Repeats {
            texts: hashes.into_iter().collect(),
        }
    }

    pub fn hashes(&self) -> impl Iterator<Item = u64> {
        self.texts.iter().copied()
    }

    pub(super) fn holds(&self, text: &str) -> bool {
        !self.texts.is_empty() && self.texts.contains(&hash(text))
    }
}

/// FNV-1a: the same in every version, so that hashes can be kept.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
