//! What a page says, as 64 bytes of which most stay the same when a part of its words changes.
//!
//! Minima of hashes (Broder 1997) of pairs of neighbouring words, one for each of 64 parts of all hashes (one-permutation hashing, Li
//! et al. 2012). Of two texts the share of equal minima among the parts that either has is an estimate of their resemblance,
//! common pairs of words / all pairs of words.
//!
//! Trap: single words are no measure: two texts about anything in one language share most of their frequent words.

use xxhash_rust::xxh3::{Xxh3, xxh3_64};

const PARTS: usize = 64;
/// A part without any pair of words.
const EMPTY: u8 = 0;

/// What a page says, comparable with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextSketch([u8; PARTS]);

impl TextSketch {
    /// Of a page that says nothing, or whose text is not known.
    pub const NOTHING: TextSketch = TextSketch([EMPTY; PARTS]);

    pub fn of_words<'a>(words: impl IntoIterator<Item = &'a str>) -> TextSketch {
        let mut least = [u64::MAX; PARTS];
        let mut take = |hash: u64| {
            let part = &mut least[(hash >> 58) as usize];
            *part = (*part).min(hash);
        };
        let mut before: Option<u64> = None;
        let mut pairs = 0;
        for word in words {
            let word = xxh3_64(word.as_bytes());
            if let Some(before) = before {
                let mut pair = Xxh3::new();
                pair.update(&before.to_le_bytes());
                pair.update(&word.to_le_bytes());
                take(pair.digest());
                pairs += 1;
            }
            before = Some(word);
        }
        if let (Some(only), 0) = (before, pairs) {
            take(only);
        }
        // The lowest bits of a minimum are as good as chance; 0 is taken.
        TextSketch(least.map(|hash| {
            if hash == u64::MAX {
                EMPTY
            } else {
                (hash % 255) as u8 + 1
            }
        }))
    }

    /// The estimated share of what the two texts have in common; 0 where neither says anything.
    pub fn resemblance(&self, other: &TextSketch) -> f64 {
        let (mut equal, mut all) = (0u32, 0u32);
        for (one, other) in self.0.iter().zip(&other.0) {
            all += u32::from(*one != EMPTY || *other != EMPTY);
            equal += u32::from(*one != EMPTY && one == other);
        }
        if all == 0 {
            0.0
        } else {
            f64::from(equal) / f64::from(all)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seeded::Seeded;

    fn words(seed: u64, count: usize) -> Vec<String> {
        let mut chance = Seeded::new(seed);
        // As in real texts: few words make up much of it.
        let mut word = || {
            let bound = [20, 200, 2_000, 20_000][chance.below(4) as usize];
            format!("w{}", chance.below(bound))
        };
        (0..count).map(|_| word()).collect()
    }

    fn sketch(words: &[String]) -> TextSketch {
        TextSketch::of_words(words.iter().map(String::as_str))
    }

    #[test]
    fn a_text_with_a_tenth_of_its_words_changed_is_nearly_the_same_and_another_is_not() {
        let mut chance = Seeded::new(5);
        let mut sums = (0.0, 0.0);
        for seed in 0..50 {
            let text = words(seed, 300);
            let mut edited = text.clone();
            for _ in 0..30 {
                let at = chance.below(300) as usize;
                edited[at] = format!("new{}", chance.next());
            }
            sums.0 += sketch(&text).resemblance(&sketch(&edited));
            sums.1 += sketch(&text).resemblance(&sketch(&words(seed + 1_000, 300)));
        }
        // 0.9² / (2 - 0.9²) of the pairs remain.
        assert!((sums.0 / 50.0 - 0.68).abs() < 0.05, "{}", sums.0 / 50.0);
        assert!(sums.1 / 50.0 < 0.1, "{}", sums.1 / 50.0);
    }

    #[test]
    fn short_texts_are_compared_as_a_whole() {
        let one = TextSketch::of_words(["alone"]);
        assert!((one.resemblance(&one) - 1.0).abs() < 1e-12);
        assert!(one.resemblance(&TextSketch::of_words(["other"])) < 0.5);
        assert!(TextSketch::NOTHING.resemblance(&TextSketch::NOTHING).abs() < 1e-12);
        assert_eq!(TextSketch::of_words([]), TextSketch::NOTHING);
    }
}
