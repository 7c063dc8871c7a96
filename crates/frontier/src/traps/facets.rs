//! Are filters being combined with each other? (HC041)
//!
//! One path with three or more parameters, each from a small vocabulary, makes as many URLs as the vocabularies have
//! combinations. An honest page of many parameters has one among them that is an *identifier*: its vocabulary grows with
//! the pages. So the number of URLs is held against the sum of the vocabularies. URLs with one or two parameters
//! (category and page number) are never counted: their product is small and usually real.

use gleaner_model::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Combinations that are always let through, and further ones per word of the vocabularies.
const COMBINATIONS_FREE: u32 = 200;
const COMBINATIONS_PER_WORD: u32 = 5;
const PARAMETERS_MIN: usize = 3;
/// A parameter's words are counted in this many bits; past nine tenths of them it is an identifier.
const WORD_BITS: usize = 1024;
const IDENTIFIER_BITS: u32 = 922;
const NAMES_MAX: usize = 64;
const PROBE_FIRST: u32 = 100;
const PROBE_RAREST: u32 = 10_000;

/// The parameters seen with one path.
#[derive(Debug, Default)]
pub(super) struct Facets {
    names: Vec<Vocabulary>,
    combinations: u32,
    refused: u32,
    probe_every: u32,
}

#[derive(Debug)]
struct Vocabulary {
    name: u64,
    bits: Box<[u64; WORD_BITS / 64]>,
    set: u32,
}

impl Facets {
    /// Notes a new URL and says whether it may go on.
    pub(super) fn admit(&mut self, url: &Url) -> bool {
        let mut count = 0;
        for pair in url.query().unwrap_or("").split('&').filter(|p| !p.is_empty()) {
            count += 1;
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            self.note(xxh3_64(name.as_bytes()), xxh3_64(value.as_bytes()));
        }
        if count < PARAMETERS_MIN {
            return true;
        }
        self.combinations = self.combinations.saturating_add(1);
        if self.combinations <= self.allowed() {
            return true;
        }
        if self.probe_every == 0 {
            self.probe_every = PROBE_FIRST;
        }
        self.refused += 1;
        if self.refused < self.probe_every {
            return false;
        }
        self.refused = 0;
        self.probe_every = (self.probe_every * 2).min(PROBE_RAREST);
        true
    }

    fn note(&mut self, name: u64, value: u64) {
        let at = self.names.iter().position(|v| v.name == name).unwrap_or_else(|| {
            if self.names.len() < NAMES_MAX {
                self.names.push(Vocabulary {
                    name,
                    bits: Box::new([0; WORD_BITS / 64]),
                    set: 0,
                });
            }
            self.names.len() - 1
        });
        let vocabulary = &mut self.names[at];
        let bit = value as usize % WORD_BITS;
        let word = &mut vocabulary.bits[bit / 64];
        let is_new = *word & (1 << (bit % 64)) == 0;
        *word |= 1 << (bit % 64);
        vocabulary.set += u32::from(is_new);
    }

    fn allowed(&self) -> u32 {
        if self.names.iter().any(|v| v.set >= IDENTIFIER_BITS) {
            return u32::MAX;
        }
        let words: f64 = self.names.iter().map(|v| words_for(v.set)).sum();
        COMBINATIONS_FREE + words as u32 * COMBINATIONS_PER_WORD
    }
}

/// Linear counting: how many words most likely set so many bits.
fn words_for(bits_set: u32) -> f64 {
    let bits = WORD_BITS as f64;
    -bits * (1.0 - f64::from(bits_set) / bits).ln()
}
