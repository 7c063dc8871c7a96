//! What speaks for and against a candidate, as few small numbers.
//!
//! Each trait is cut into steps, and each step has a weight of its own: so a table can say that the second place is good, the
//! first one better, and all behind the tenth alike.

use super::Background;
use super::candidates::{Candidate, Candidates};

/// One step of one trait: which trait, which step.
pub type Features = Vec<(u8, u16)>;

/// What is shown of a candidate.
pub struct Traits {
    pub text: String,
    pub stems: String,
    pub times: u32,
    pub start: u32,
}

/// The names of the traits, in the order of their numbers; the table of weights uses them.
pub(super) const NAMES: [&str; 22] = [
    "words",
    "times",
    "density",
    "rarity",
    "rarity-of-words",
    "first",
    "first-share",
    "spread",
    "alone",
    "alone-length",
    "neighbours",
    "capitals",
    "acronym",
    "last-ending",
    "first-ending",
    "share-of-word",
    "words-length",
    "times-length",
    "letters",
    "rank",
    "rank-of-size",
    "rarest-word",
];

/// Endings that tell what kind of word it is, longer ones first.
const ENDINGS: [&str; 30] = [
    "ness", "tion", "sion", "ment", "able", "ible", "less", "ance", "ence", "ing", "ity", "ive", "ous",
    "ful", "ism", "ist", "ant", "ent", "ary", "ics", "ogy", "ure", "ed", "ly", "al", "ic", "er", "or", "ar",
    "s",
];

pub(super) fn describe(found: Candidates, background: Option<&Background>) -> Vec<(Traits, Features)> {
    let Candidates {
        mut candidates,
        words,
    } = found;
    // In a long text a phrase that stands once is none.
    if words > 2_000 {
        candidates.retain(|candidate| candidate.words == 1 || candidate.times > 1);
    }
    let times_of_stem: foldhash::HashMap<String, u32> = candidates
        .iter()
        .filter(|one| one.words == 1)
        .map(|one| (one.stems.clone(), one.times))
        .collect();
    let weights: Vec<f64> = candidates
        .iter()
        .map(|one| {
            f64::from(one.times)
                * background
                    .and_then(|background| background.rarity(&one.stems))
                    .unwrap_or(1.0)
        })
        .collect();
    let ranks = ranks(&weights, |_| true);
    let ranks_of_size: Vec<Vec<u32>> = (1..=4)
        .map(|size| self::ranks(&weights, |at| candidates[at].words == size))
        .collect();
    candidates
        .into_iter()
        .enumerate()
        .map(|(at, candidate)| {
            let rank_of_size = ranks_of_size[candidate.words - 1][at];
            let times = || {
                candidate
                    .stems
                    .split(' ')
                    .filter_map(|stem| times_of_stem.get(stem).copied())
            };
            let of_words = (times().max().unwrap_or(1), times().min().unwrap_or(1));
            let features = features(&candidate, words, background, of_words, ranks[at], rank_of_size);
            let text = candidate
                .written
                .iter()
                .map(|(text, times)| (std::cmp::Reverse(*times), text))
                .min();
            let text = text.map(|(_, text)| text.clone()).unwrap_or_default();
            (
                Traits {
                    text,
                    stems: candidate.stems,
                    times: candidate.times,
                    start: candidate.start,
                },
                features,
            )
        })
        .collect()
}

/// The rank of each of those that are asked for, from 0; a great one for the others.
fn ranks(weights: &[f64], asked: impl Fn(usize) -> bool) -> Vec<u32> {
    let mut order: Vec<usize> = (0..weights.len()).filter(|at| asked(*at)).collect();
    order.sort_by(|left, right| weights[*right].total_cmp(&weights[*left]).then(left.cmp(right)));
    let mut ranks = vec![u32::MAX; weights.len()];
    let mut rank = 0;
    for (before, at) in order.iter().enumerate() {
        // Equal weights have equal ranks: the order of the alphabet says nothing.
        if before > 0 && weights[order[before - 1]] > weights[*at] {
            rank = before as u32;
        }
        ranks[*at] = rank;
    }
    ranks
}

/// How rare the words of a candidate are elsewhere, on average; unknown without a background.
fn rarity_of_words(candidate: &Candidate, background: Option<&Background>) -> Option<f64> {
    let rarities: Option<Vec<f64>> = candidate
        .stems
        .split(' ')
        .map(|stem| background?.rarity(stem))
        .collect();
    rarities.map(|rarities| rarities.iter().sum::<f64>() / candidate.words as f64)
}

fn features(
    one: &Candidate,
    words: u32,
    background: Option<&Background>,
    (commonest, rarest): (u32, u32),
    rank: u32,
    rank_of_size: u32,
) -> Features {
    let (times, all) = (f64::from(one.times), f64::from(words.max(1)));
    let size = one.words as u16;
    let length = step(all.ln(), 1.0, 4, 10);
    let written: Vec<&str> = one
        .written
        .iter()
        .min_by_key(|(text, times)| (std::cmp::Reverse(**times), *text))
        .map_or(Vec::new(), |(text, _)| text.split(' ').collect());
    let (first_word, last_word) = (
        written.first().copied().unwrap_or_default(),
        written.last().copied().unwrap_or_default(),
    );
    let letters = written.iter().map(|word| word.chars().count()).sum::<usize>() as f64 / one.words as f64;
    let is_acronym = first_word.chars().count() > 1 && first_word.chars().all(char::is_uppercase);
    let alone = f64::from(one.alone) / times;
    let values = [
        size,
        step(times.log2(), 0.5, 0, 14),
        step((times / all * 1_000.0 + 0.1).log2() + 4.0, 0.5, 0, 24),
        background
            .and_then(|background| background.rarity(&one.stems))
            .map_or(99, |rarity| step(rarity, 0.5, 0, 20)),
        rarity_of_words(one, background).map_or(99, |rarity| step(rarity, 0.5, 0, 20)),
        step(f64::from(one.first + 1).log2(), 1.0, 0, 14),
        step(f64::from(one.first) / all, 0.1, 0, 9),
        step(f64::from(one.last - one.first) / all, 0.1, 0, 9),
        size * 10 + step(alone, 0.2, 0, 5),
        length * 10 + step(alone, 0.25, 0, 4),
        size * 100 + one.before.len() as u16 * 10 + one.behind.len() as u16,
        length * 10 + step(f64::from(one.capitals) / times, 0.34, 0, 2),
        u16::from(is_acronym),
        ending(last_word),
        if one.words > 1 { ending(first_word) } else { 99 },
        size * 10 + step(times / f64::from(commonest.max(1)), 0.2, 0, 5),
        size * 100 + length,
        length * 10 + step(times.log2(), 1.0, 0, 7),
        step(letters, 2.0, 0, 7),
        length * 100 + step(f64::from(rank.saturating_add(1)).log2(), 0.5, 0, 24),
        size * 100 + step(f64::from(rank_of_size.saturating_add(1)).log2(), 0.5, 0, 24),
        size * 100 + step(f64::from(rarest).log2(), 1.0, 0, 8),
    ];
    values
        .into_iter()
        .enumerate()
        .map(|(number, value)| (number as u8, value))
        .collect()
}

fn step(value: f64, width: f64, least: u16, most: u16) -> u16 {
    ((value / width).max(0.0) as u16).clamp(least, most)
}

/// The number of the ending of a word; the last one where it has none of them.
fn ending(word: &str) -> u16 {
    let lower = word.to_lowercase();
    let has = |ending: &&str| lower.ends_with(*ending) && lower.len() > ending.len() + 2;
    ENDINGS.iter().position(has).unwrap_or(ENDINGS.len()) as u16
}
