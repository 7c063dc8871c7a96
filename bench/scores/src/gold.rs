//! How well does a text agree with a gold text, and which blocks of a page stand in it?

use crate::corpora::Gold;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

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

/// A place in the gold text where words of a block stand.
struct Found {
    block: usize,
    gold: Range<usize>,
}

/// Blocks of more words are known by them; shorter ones by what stands around them too.
const SHORT_WORDS_MAX: usize = 6;
/// The gold text keeps the order of the page nearly everywhere: what follows another order is found by later rounds.
const ROUNDS: usize = 4;

fn aligned(texts: &[&str], gold: &str) -> Vec<f32> {
    let gold = words(gold);
    let blocks: Vec<Vec<String>> = texts.iter().map(|text| words(text)).collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, word) in gold.iter().enumerate() {
        places.entry(word).or_default().push(at);
    }
    let mut shares = vec![0.0f32; blocks.len()];
    let triples: HashSet<&[String]> = gold.windows(3).collect();
    for (block, share) in blocks.iter().zip(&mut shares) {
        if block.len() > SHORT_WORDS_MAX {
            let found = block.windows(3).filter(|triple| triples.contains(triple)).count();
            *share = found as f32 / (block.len() - 2) as f32;
        }
    }
    let mut found: Vec<Found> = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        if block.len() > SHORT_WORDS_MAX && shares[at] < 0.5 {
            continue;
        }
        let runs = runs(block, &gold, &places);
        found.extend(runs.into_iter().map(|gold| Found { block: at, gold }));
    }
    let mut is_used = vec![false; gold.len()];
    let mut is_placed = vec![false; blocks.len()];
    for _ in 0..ROUNDS {
        let open: Vec<&Found> = found
            .iter()
            .filter(|one| !is_placed[one.block] && !is_used[one.gold.clone()].contains(&true))
            .collect();
        for one in chain(&open) {
            is_used[one.gold.clone()].fill(true);
            is_placed[one.block] = true;
            let block = &blocks[one.block];
            if block.len() <= SHORT_WORDS_MAX {
                shares[one.block] = one.gold.len() as f32 / block.len() as f32;
            }
        }
    }
    shares
}

/// Where most of a block's words stand in the gold text: all places of a short one, the best of a long one.
fn runs(block: &[String], gold: &[String], places: &HashMap<&str, Vec<usize>>) -> Vec<Range<usize>> {
    const PLACES_MAX: usize = 60;
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, word) in block.iter().enumerate() {
        for from in places.get(word.as_str()).into_iter().flatten() {
            let is_inside = at > 0 && *from > 0 && block[at - 1] == gold[from - 1];
            if is_inside {
                continue;
            }
            let same = block[at..]
                .iter()
                .zip(&gold[*from..])
                .take_while(|(ours, theirs)| ours == theirs);
            runs.push(*from..from + same.count());
        }
    }
    let longest = runs.iter().map(Range::len).max().unwrap_or(0);
    // Most of its words, and not one of two.
    if longest < block.len()
        && (longest * 5 < block.len() * 3 || longest < 2)
        && block.len() <= SHORT_WORDS_MAX
    {
        return Vec::new();
    }
    runs.retain(|run| run.len() == longest);
    runs.truncate(if block.len() > SHORT_WORDS_MAX {
        3
    } else {
        PLACES_MAX
    });
    runs
}

/// The places in one order that hold most words, near each other rather than far.
fn chain<'a>(found: &[&'a Found]) -> Vec<&'a Found> {
    const LOOK_BACK: usize = 1500;
    const WORTH_MAX: f32 = 40.0;
    let mut best: Vec<(f32, Option<usize>)> = Vec::with_capacity(found.len());
    for (at, one) in found.iter().enumerate() {
        let mut before = (0.0f32, None);
        for earlier in (at.saturating_sub(LOOK_BACK)..at).rev() {
            let other = found[earlier];
            if other.block >= one.block || other.gold.end > one.gold.start {
                continue;
            }
            let gap = |far: usize| {
                if far == 0 {
                    0.0
                } else {
                    (0.2 + 0.02 * far as f32).min(0.9)
                }
            };
            let cost = gap(one.gold.start - other.gold.end) + gap(one.block - other.block - 1);
            let worth = best[earlier].0 - cost;
            if worth > before.0 {
                before = (worth, Some(earlier));
            }
        }
        best.push((before.0 + (one.gold.len() as f32).min(WORTH_MAX), before.1));
    }
    let mut chain = Vec::new();
    let mut next = (0..best.len()).max_by(|a, b| best[*a].0.total_cmp(&best[*b].0));
    while let Some(at) = next {
        chain.push(found[at]);
        next = best[at].1;
    }
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_blocks_are_found_beside_the_text_and_not_in_a_menu() {
        let texts = [
            "Shirts",
            "Long sleeves",
            "Arrival Shirt",
            "The arrival shirt is a light shirt for people who run far and long.",
            "Slim fit",
            "Shirts",
            "Slim fit",
        ];
        let gold = "Arrival Shirt\n\nThe arrival shirt is a light shirt for people who run far and long.\n\nSlim fit";
        assert_eq!(aligned(&texts, gold), [0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0]);
    }
}
