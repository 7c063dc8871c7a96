//! Words as hashes: in lower case, cut at what is neither letter nor digit. Whether two words are equal is all that is asked.

use std::collections::HashSet;

pub(super) const SEED: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The words of texts, one text after the other.
#[derive(Debug, Default)]
pub(in crate::content::main_text) struct Hashes {
    words: Vec<u64>,
    /// Where the words of each text begin.
    starts: Vec<usize>,
    /// The word under way; none between words.
    open: Option<u64>,
}

impl Hashes {
    /// Begins a text.
    pub(super) fn begin(&mut self) {
        self.starts.push(self.words.len());
    }

    pub(super) fn push(&mut self, c: char) {
        if c.is_ascii() {
            let byte = c as u8;
            if byte.is_ascii_alphanumeric() {
                self.mix(u64::from(byte.to_ascii_lowercase()));
            } else {
                self.end();
            }
        } else if c.is_alphanumeric() {
            for lower in c.to_lowercase() {
                self.mix(u64::from(lower));
            }
        } else {
            self.end();
        }
    }

    /// Ends the word under way.
    pub(super) fn end(&mut self) {
        self.words.extend(self.open.take());
    }

    /// The words of a text.
    pub(super) fn of(&self, at: usize) -> &[u64] {
        let to = self.starts.get(at + 1).copied().unwrap_or(self.words.len());
        &self.words[self.starts[at]..to]
    }

    /// The words of the text that was read last.
    pub(super) fn last(&self) -> &[u64] {
        self.of(self.starts.len() - 1)
    }

    fn mix(&mut self, value: u64) {
        let hash = self.open.unwrap_or(SEED);
        self.open = Some(mixed(hash, value));
    }

    fn read(text: &str) -> Hashes {
        let mut hashes = Hashes::default();
        hashes.begin();
        text.chars().for_each(|c| hashes.push(c));
        hashes.end();
        hashes
    }
}

/// Which words, or pairs of words, a text has.
#[derive(Debug, Default)]
pub(in crate::content::main_text) struct HashesOf {
    all: HashSet<u64, foldhash::fast::FixedState>,
}

impl HashesOf {
    pub(super) fn words(text: &str) -> HashesOf {
        HashesOf {
            all: Hashes::read(text).words.into_iter().collect(),
        }
    }

    pub(super) fn pairs(text: &str) -> HashesOf {
        HashesOf {
            all: Hashes::read(text).words.windows(2).map(pair).collect(),
        }
    }

    pub(super) fn contains(&self, word: u64) -> bool {
        self.all.contains(&word)
    }

    /// The share of the words that the text has too.
    pub(super) fn share(&self, words: &[u64]) -> f32 {
        if self.all.is_empty() || words.is_empty() {
            return 0.0;
        }
        words.iter().filter(|word| self.all.contains(word)).count() as f32 / words.len() as f32
    }

    /// The share of the pairs of words that the text has too.
    pub(super) fn share_of_pairs(&self, words: &[u64]) -> f32 {
        if self.all.is_empty() || words.len() < 2 {
            return 0.0;
        }
        let found = words
            .windows(2)
            .filter(|two| self.all.contains(&pair(two)))
            .count();
        found as f32 / (words.len() - 1) as f32
    }
}

/// FNV-1a, a step.
pub(super) fn mixed(hash: u64, value: u64) -> u64 {
    (hash ^ value).wrapping_mul(PRIME)
}

fn pair(two: &[u64]) -> u64 {
    two[0].wrapping_mul(PRIME) ^ two[1]
}
