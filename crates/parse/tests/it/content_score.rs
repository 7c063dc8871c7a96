//! The measures of the collections: bags of words, bags of four-word shingles, segments.

use std::collections::HashMap;
use std::hash::Hash;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    common: f64,
    gold: f64,
    taken: f64,
}

impl Counts {
    pub(crate) fn precision(&self) -> f64 {
        if self.taken > 0.0 {
            self.common / self.taken
        } else {
            0.0
        }
    }

    pub(crate) fn recall(&self) -> f64 {
        if self.gold > 0.0 {
            self.common / self.gold
        } else {
            1.0
        }
    }

    pub(crate) fn f1(&self) -> f64 {
        if self.common > 0.0 {
            2.0 * self.common / (self.gold + self.taken)
        } else {
            0.0
        }
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

fn compare<T: Hash + Eq>(gold: Vec<T>, taken: Vec<T>) -> Counts {
    let mut counts = Counts {
        common: 0.0,
        gold: gold.len() as f64,
        taken: taken.len() as f64,
    };
    let mut bag: HashMap<T, usize> = HashMap::new();
    for item in gold {
        *bag.entry(item).or_default() += 1;
    }
    for item in taken {
        if let Some(left) = bag.get_mut(&item).filter(|left| **left > 0) {
            *left -= 1;
            counts.common += 1.0;
        }
    }
    counts
}

pub(crate) fn word_counts(gold: &str, taken: &str) -> Counts {
    compare(words(gold), words(taken))
}

pub(crate) fn shingle_counts(gold: &str, taken: &str) -> Counts {
    compare(shingles(gold), shingles(taken))
}

fn shingles(text: &str) -> Vec<Vec<String>> {
    let words = words(text);
    if words.len() < 4 {
        return if words.is_empty() { Vec::new() } else { vec![words] };
    }
    words.windows(4).map(<[String]>::to_vec).collect()
}

/// Every segment is one decision.
#[derive(Debug, Default)]
pub(crate) struct Segments {
    right: f64,
    missed: f64,
    wrong: f64,
}

impl Segments {
    pub(crate) fn add(&mut self, text: &str, with: &[String], without: &[String]) {
        let text = folded(text);
        for segment in with {
            if text.contains(&folded(segment)) {
                self.right += 1.0;
            } else {
                self.missed += 1.0;
            }
        }
        self.wrong += without
            .iter()
            .filter(|segment| text.contains(&folded(segment)))
            .count() as f64;
    }

    pub(crate) fn precision(&self) -> f64 {
        self.right / (self.right + self.wrong)
    }

    pub(crate) fn recall(&self) -> f64 {
        self.right / (self.right + self.missed)
    }

    pub(crate) fn f1(&self) -> f64 {
        2.0 * self.right / (2.0 * self.right + self.wrong + self.missed)
    }
}

/// Blocks are parted by line breaks and segments are not.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
