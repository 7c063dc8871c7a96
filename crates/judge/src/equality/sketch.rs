//! How alike are two texts, from a few hundred bytes? (level E6) In: words. Out: a 64-bit simhash and 128 minhashes of
//! their 5-word shingles.
//!
//! Numbers, dates and times are masked first, so that pages which differ only in them look equal.

use crate::diff::delta::month;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

pub const MINHASHES: usize = 128;
pub const SHINGLE_WORDS: usize = 5;
/// Words of a text that are looked at.
const WORDS_MAX: usize = 100_000;

/// A text's shape in numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sketch {
    pub simhash: u64,
    pub minhashes: Box<[u32; MINHASHES]>,
    /// How many shingles it was made from, at most 2^32.
    pub shingles: u32,
}

impl Sketch {
    pub fn of<'a>(texts: impl Iterator<Item = &'a str>) -> Sketch {
        let words: Vec<u64> = texts
            .flat_map(str::split_whitespace)
            .take(WORDS_MAX)
            .map(masked_word)
            .collect();
        Sketch::of_words(&words)
    }

    /// From the hashes of words, however they were made.
    pub fn of_words(words: &[u64]) -> Sketch {
        let mut sketch = Sketch {
            simhash: 0,
            minhashes: Box::new([u32::MAX; MINHASHES]),
            shingles: 0,
        };
        let mut votes = [0i32; 64];
        for hash in shingles(words) {
            vote(&mut votes, hash);
            for (at, least) in sketch.minhashes.iter_mut().enumerate() {
                // One multiplication is one permutation: odd factors, high bits.
                let factor = FACTOR.wrapping_mul(2 * at as u64 + 1) | 1;
                let value = (hash ^ (at as u64) << 32).wrapping_mul(factor);
                *least = (*least).min((value >> 32) as u32);
            }
            sketch.shingles = sketch.shingles.saturating_add(1);
        }
        sketch.simhash = majority(&votes);
        sketch
    }

    /// An estimate of the share of shingles that both texts have.
    pub fn likeness(&self, other: &Sketch) -> f64 {
        let equal = self
            .minhashes
            .iter()
            .zip(other.minhashes.iter())
            .filter(|(one, other)| one == other)
            .count();
        equal as f64 / MINHASHES as f64
    }

    pub fn distance(&self, other: &Sketch) -> u32 {
        (self.simhash ^ other.simhash).count_ones()
    }
}

/// The hashes of all shingles in order; words fewer than those of a shingle are one.
pub fn shingles(words: &[u64]) -> impl Iterator<Item = u64> {
    let length = SHINGLE_WORDS.min(words.len()).max(1);
    words.windows(length).map(|shingle| {
        shingle.iter().fold(0u64, |hash, word| {
            (hash.rotate_left(13) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    })
}

const FACTOR: u64 = 0xd6e8_feb8_6659_fd93;

/// A simhash over any set of hashes.
pub(super) fn simhash(hashes: impl Iterator<Item = u64>) -> u64 {
    let mut votes = [0i32; 64];
    for hash in hashes {
        vote(&mut votes, hash);
    }
    majority(&votes)
}

fn vote(votes: &mut [i32; 64], hash: u64) {
    for (bit, count) in votes.iter_mut().enumerate() {
        *count += if hash >> bit & 1 == 1 { 1 } else { -1 };
    }
}

fn majority(votes: &[i32; 64]) -> u64 {
    votes
        .iter()
        .enumerate()
        .fold(0, |hash, (bit, &count)| hash | u64::from(count > 0) << bit)
}

/// The hash of a word without case and outer signs; anything with a digit, and names of months, is one word.
fn masked_word(word: &str) -> u64 {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    if bare.contains(|c: char| c.is_ascii_digit()) || month(bare).is_some() {
        return 1;
    }
    if bare.chars().any(char::is_uppercase) {
        xxh3_64(bare.to_lowercase().as_bytes())
    } else {
        xxh3_64_with_seed(bare.as_bytes(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(words: std::ops::Range<usize>) -> String {
        let word = |n: usize| ["alpha", "beta", "gamma"][n % 3].to_owned() + &"x".repeat(n / 3);
        words.map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn numbers_are_masked_and_likeness_falls_with_difference() {
        let base = Sketch::of(["Sold 17 on 3 May 2024, in all"].into_iter());
        let later = Sketch::of(["Sold 1,299 on 4 June 2025, in all"].into_iter());
        assert_eq!(base, later);
        let (one, near, far) = (text(0..400), text(20..400), text(400..800));
        let sketch = |text: &str| Sketch::of([text].into_iter());
        assert!(sketch(&one).likeness(&sketch(&near)) > 0.85);
        assert!(sketch(&one).likeness(&sketch(&far)) < 0.1);
        assert!(sketch(&one).distance(&sketch(&near)) < sketch(&one).distance(&sketch(&far)));
    }
}
