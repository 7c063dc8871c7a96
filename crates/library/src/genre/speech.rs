//! What does a document speak of? Phrases by group: how often, how often at its beginning, and how many of its parts begin so.

use super::cues::{Cues, GROUPS};
use super::features::{Column, Row, rate, slow};
use super::sample::Sample;

/// The beginning of a document, in words.
const BEGINNING: usize = 400;

pub(super) fn add(sample: &Sample<'_>, cues: &Cues, row: &mut Row) {
    let mut often = [0usize; GROUPS.len()];
    let mut first = [0usize; GROUPS.len()];
    let mut begins = [0usize; GROUPS.len()];
    for part in &sample.parts {
        for at in part.words.clone() {
            // A phrase does not go on in the next part.
            let mut words = sample.words(at..part.words.end);
            cues.at(&mut words, |group| {
                often[group] += 1;
                first[group] += usize::from(at < BEGINNING);
            });
        }
        if part.is_begin {
            let from = past_number(sample, part.words.clone());
            cues.at(&mut sample.words(from..part.words.end), |group| {
                begins[group] += 1;
            });
        }
    }
    for group in 0..GROUPS.len() {
        row.put(Column::Often(group), rate(often[group], sample.len()));
        row.put(Column::First(group), slow(first[group] as f32));
        row.put(Column::Begins(group), slow(begins[group] as f32));
    }
}

/// `2.1 Related work` begins with its third word.
fn past_number(sample: &Sample<'_>, words: std::ops::Range<usize>) -> usize {
    const NUMBERS_MAX: usize = 3;
    let is_number = |word: &str| {
        word.bytes().all(|byte| byte == b'0') || word.bytes().all(|byte| matches!(byte, b'i' | b'v' | b'x'))
    };
    let numbers = words
        .clone()
        .take(NUMBERS_MAX)
        .take_while(|at| is_number(sample.word(*at)));
    (words.start + numbers.count()).min(words.end)
}
