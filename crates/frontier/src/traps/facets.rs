//! Are filters being combined with each other? (HC041)
//!
//! One path with three or more parameters, each from a small vocabulary, makes as many URLs as the vocabularies have
//! combinations. An honest page of many parameters has one among them that is an *identifier*: its vocabulary grows with
//! the pages. So the number of URLs is held against the sum of the vocabularies, and against the pages that proved to
//! be worth it. Only *combinations* are counted and refused, URLs each of whose values was met twice before: a value
//! that is new is always looked at, so every single filter is.
//!
//! URLs with one or two parameters (category and page number) are not held against the vocabularies: their product is
//! small and usually real. They too are left out once nearly all of the path's combinations said nothing new.

use gleaner_model::Url;
use xxhash_rust::xxh3::xxh3_64;

/// Combinations that are always let through, and further ones per word of the vocabularies and per rich page.
const COMBINATIONS_FREE: u32 = 40;
const COMBINATIONS_PER_WORD: u32 = 4;
const COMBINATIONS_PER_RICH: u32 = 2;
const PARAMETERS_MIN: usize = 3;
/// A parameter's words are counted in this many bits; past nine tenths of them it is an identifier.
pub(super) const WORD_BITS: usize = 1024;
const IDENTIFIER_BITS: u32 = 922;
const NAMES_MAX: usize = 64;
const PROBE_FIRST: u32 = 100;
const PROBE_RAREST: u32 = 10_000;
/// So many fetches in a row, all stale, whatever the subset of parameters.
const STALE_MAX: u32 = 8;

/// The parameters seen with one path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facets {
    pub(super) names: Vec<Vocabulary>,
    pub(super) combinations: u32,
    pub(super) rich: u32,
    /// The last fetches, newest in the lowest bit; 1 is stale.
    pub(super) window: u32,
    pub(super) refused: u32,
    pub(super) probe_every: u32,
}

pub(super) type Words = [u64; WORD_BITS / 64];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vocabulary {
    pub(super) name: u64,
    pub(super) once: Box<Words>,
    pub(super) twice: Box<Words>,
}

impl Vocabulary {
    pub(super) fn new(name: u64) -> Vocabulary {
        Vocabulary {
            name,
            once: Box::new([0; WORD_BITS / 64]),
            twice: Box::new([0; WORD_BITS / 64]),
        }
    }

    fn set(&self) -> u32 {
        self.once.iter().map(|word| word.count_ones()).sum()
    }
}

impl Facets {
    /// Notes a new URL and says whether it may go on.
    pub(super) fn admit(&mut self, url: &Url) -> bool {
        let (count, is_combination) = self.look_at(url);
        for (name, value) in pairs(url) {
            self.note(name, value);
        }
        if !is_combination {
            return true;
        }
        if count >= PARAMETERS_MIN {
            self.combinations = self.combinations.saturating_add(1);
        }
        !self.is_closed(count) || self.is_probe()
    }

    /// The same for a URL that waited: a combination of values that many others have too.
    pub(super) fn check(&mut self, url: &Url) -> bool {
        let (_, is_combination) = self.look_at(url);
        !is_combination || !self.is_stale() || self.is_probe()
    }

    /// The same for a URL that an earlier run refused; nothing is counted.
    pub(super) fn refuses(&self, url: &Url) -> bool {
        let (count, is_combination) = self.look_at(url);
        is_combination && self.is_closed(count)
    }

    /// What a fetch gave; a rich one has much that is new.
    pub(super) fn fetched(&mut self, is_stale: bool, is_rich: bool) {
        self.window = (self.window << 1) | u32::from(is_stale);
        self.rich = self.rich.saturating_add(u32::from(is_rich));
        if is_rich {
            self.probe_every = PROBE_FIRST;
        }
    }

    fn is_closed(&self, count: usize) -> bool {
        self.is_stale() || (count >= PARAMETERS_MIN && self.combinations > self.allowed())
    }

    fn is_stale(&self) -> bool {
        self.window.trailing_ones() >= STALE_MAX
    }

    fn is_probe(&mut self) -> bool {
        self.probe_every = self.probe_every.max(PROBE_FIRST);
        self.refused += 1;
        if self.refused < self.probe_every {
            return false;
        }
        self.refused = 0;
        self.probe_every = (self.probe_every * 2).min(PROBE_RAREST);
        true
    }

    /// How many parameters there are, and whether each of them is known and its value came twice already.
    fn look_at(&self, url: &Url) -> (usize, bool) {
        let mut count = 0;
        let mut is_combination = true;
        for (name, value) in pairs(url) {
            count += 1;
            let known = self.names.iter().find(|v| v.name == name);
            is_combination &= known.is_some_and(|v| has(&v.twice, value));
        }
        (count, is_combination && count > 0)
    }

    fn note(&mut self, name: u64, value: u64) {
        let at = self.names.iter().position(|v| v.name == name).unwrap_or_else(|| {
            if self.names.len() < NAMES_MAX {
                self.names.push(Vocabulary::new(name));
            }
            self.names.len() - 1
        });
        let vocabulary = &mut self.names[at];
        if has(&vocabulary.once, value) {
            put(&mut vocabulary.twice, value);
        }
        put(&mut vocabulary.once, value);
    }

    fn allowed(&self) -> u32 {
        if self.names.iter().any(|v| v.set() >= IDENTIFIER_BITS) {
            return u32::MAX;
        }
        let words: f64 = self.names.iter().map(|v| words_for(v.set())).sum();
        let rich = self.rich.saturating_mul(COMBINATIONS_PER_RICH);
        (COMBINATIONS_FREE + words as u32 * COMBINATIONS_PER_WORD).saturating_add(rich)
    }
}

fn pairs(url: &Url) -> impl Iterator<Item = (u64, u64)> {
    let query = url.query().unwrap_or("");
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (xxh3_64(name.as_bytes()), xxh3_64(value.as_bytes()))
    })
}

fn has(words: &Words, value: u64) -> bool {
    let bit = value as usize % WORD_BITS;
    words[bit / 64] & (1 << (bit % 64)) != 0
}

fn put(words: &mut Words, value: u64) {
    let bit = value as usize % WORD_BITS;
    words[bit / 64] |= 1 << (bit % 64);
}

/// Linear counting: how many words most likely set so many bits.
fn words_for(bits_set: u32) -> f64 {
    let bits = WORD_BITS as f64;
    -bits * (1.0 - f64::from(bits_set) / bits).ln()
}
