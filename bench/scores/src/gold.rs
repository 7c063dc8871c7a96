//! How well does a text agree with a gold text, and which blocks of a page stand in it?

use crate::corpora::Gold;
use similar::{Algorithm, DiffOp};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::time::{Duration, Instant};

/// `\w+`, lower-cased.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) common: f64,
    pub(crate) gold: f64,
    pub(crate) taken: f64,
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

/// Bags of words.
pub(crate) fn word_counts(gold: &str, taken: &str) -> Counts {
    compare(words(gold), words(taken))
}

/// Bags of four words in a row.
pub(crate) fn shingle_counts(gold: &str, taken: &str) -> Counts {
    compare(shingles(gold, 4), shingles(taken, 4))
}

fn shingles(text: &str, width: usize) -> Vec<Vec<String>> {
    let words = words(text);
    if words.len() < width {
        return if words.is_empty() { Vec::new() } else { vec![words] };
    }
    words.windows(width).map(<[String]>::to_vec).collect()
}

/// Every piece is one decision: right, missed, wrong.
pub(crate) fn pieces(text: &str, with: &[String], without: &[String]) -> [f64; 3] {
    let text = folded(text);
    let found = |pieces: &[String]| {
        pieces
            .iter()
            .filter(|piece| text.contains(&folded(piece)))
            .count() as f64
    };
    let right = found(with);
    [right, with.len() as f64 - right, found(without)]
}

/// Blocks are parted by line breaks and pieces are not.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How much of each block is main text, from 0 to 1; none where nobody knows.
pub(crate) fn labels(texts: &[&str], gold: &Gold) -> Vec<Option<f32>> {
    match gold {
        Gold::Text(gold) => aligned(texts, gold).into_iter().map(Some).collect(),
        Gold::Pieces { with, without } => {
            let holds = |text: &str, pieces: &[String]| {
                let text = folded(text);
                pieces.iter().any(|piece| text.contains(&folded(piece)))
            };
            let label = |text: &&str| match (holds(text, with), holds(text, without)) {
                (true, false) => Some(1.0),
                (false, true) => Some(0.0),
                _ => None,
            };
            texts.iter().map(label).collect()
        }
    }
}

fn aligned(texts: &[&str], gold: &str) -> Vec<f32> {
    /// Longer blocks are known by their own words; shorter ones by what stands around them too.
    const SHORT_WORDS_MAX: usize = 6;
    const PATIENCE: Duration = Duration::from_secs(5);
    let gold_words = words(gold);
    let triples: HashSet<&[String]> = gold_words.windows(3).collect();
    let mut page = Vec::new();
    let mut owners = Vec::new();
    let blocks: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    for (at, block) in blocks.iter().enumerate() {
        page.extend(block.iter().cloned());
        owners.extend(std::iter::repeat_n(at, block.len()));
    }
    let deadline = Some(Instant::now() + PATIENCE);
    let mut equal = vec![0usize; texts.len()];
    for op in similar::capture_diff_slices_deadline(Algorithm::Myers, &page, &gold_words, deadline) {
        if let DiffOp::Equal { old_index, len, .. } = op {
            for owner in &owners[old_index..old_index + len] {
                equal[*owner] += 1;
            }
        }
    }
    let share = |at: usize, block: &Vec<String>| {
        if block.is_empty() {
            return 0.0;
        }
        if block.len() > SHORT_WORDS_MAX {
            let found = block.windows(3).filter(|triple| triples.contains(triple)).count();
            return found as f32 / (block.len() - 2) as f32;
        }
        equal[at] as f32 / block.len() as f32
    };
    blocks
        .iter()
        .enumerate()
        .map(|(at, block)| share(at, block))
        .collect()
}
