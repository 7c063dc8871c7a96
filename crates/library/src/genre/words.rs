//! What do single words say of a genre? A weight for each word and genre, learned from documents.
//!
//! Words are buckets of a hash, so that a word that was never seen has its place too: an overrule teaches it. Only the first
//! 400 and the last 200 words are looked at: a document says there what it is.

use super::Genre;
use super::sample::Sample;
use std::collections::BTreeMap;

pub(super) const FIRST_WORDS: usize = 400;
pub(super) const LAST_WORDS: usize = 200;
pub const GENRES: usize = Genre::ALL.len();
/// A weight for each genre.
pub type GenreWeights = [f32; GENRES];

/// How often each bucket occurs.
pub type WordCounts = BTreeMap<u16, f32>;

/// What is known of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct KnownWord {
    /// How rare it is among the documents of the training.
    pub rarity: f32,
    pub weights: GenreWeights,
}

/// The words of a sample that are looked at, in order.
pub(super) fn looked_at<'a>(sample: &'a Sample<'_>) -> Vec<&'a str> {
    let end = sample.len();
    let first = 0..end.min(FIRST_WORDS);
    let last = end.saturating_sub(LAST_WORDS).max(first.end)..end;
    first.chain(last).map(|at| sample.word(at)).collect()
}

/// FNV-1a, folded to 16 bits: the same on every machine and for ever, because overrules are kept by it.
pub fn bucket(word: &str) -> u16 {
    let hash = word.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    ((hash >> 48) ^ (hash >> 32) ^ (hash >> 16) ^ hash) as u16
}

pub fn counts<'a>(words: impl Iterator<Item = &'a str>) -> WordCounts {
    let mut counts = WordCounts::new();
    for word in words {
        *counts.entry(bucket(word)).or_default() += 1.0;
    }
    counts
}

/// A direction: rare words count more, the tenth time less than the first; its length is one.
pub fn direction(counts: &WordCounts, rarity: impl Fn(u16) -> Option<f32>) -> Vec<(u16, f32)> {
    let mut values: Vec<(u16, f32)> = counts
        .iter()
        .filter_map(|(bucket, count)| Some((*bucket, (1.0 + count.ln()) * rarity(*bucket)?)))
        .collect();
    let length = values.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
    for (_, value) in &mut values {
        *value /= length.max(1e-6);
    }
    values
}
