//! Weights of words and of numbers: a softmax over the genres, learned by plain steps downhill. Small, and the same on every
//! machine.

use gleaner_library::genre::training::{
    GENRES, GenreLine, GenreWeights, KnownWord, WordCounts, direction, shares,
};
use std::collections::{BTreeMap, BTreeSet};

/// A word counts that so many owners use.
const OWNERS_MIN: usize = 4;

/// A document: its words, its genre, who made it, how much it counts.
pub(super) struct Lesson<'a> {
    pub(super) counts: &'a WordCounts,
    pub(super) genre: usize,
    pub(super) owner: &'a str,
    pub(super) weight: f32,
}

/// How to go downhill.
struct Steps {
    count: usize,
    /// How far a step goes.
    rate: f32,
    /// Pulls weights towards nothing.
    ridge: f32,
}

/// Directions have the length one, so that long steps are safe.
const FOR_WORDS: Steps = Steps {
    count: 160,
    rate: 2.0,
    ridge: 1e-4,
};
/// Numbers go together in many ways: long steps would go astray.
const FOR_NUMBERS: Steps = Steps {
    count: 250,
    rate: 0.06,
    ridge: 0.02,
};
const MOMENTUM: f32 = 0.9;

/// A row of numbers, those that are nothing left out.
type Row = Vec<(usize, f32)>;

fn rounded(value: f32, steps: f32) -> f32 {
    (value * steps).round() / steps
}

pub(super) fn of_words(lessons: &[Lesson<'_>]) -> BTreeMap<u16, KnownWord> {
    let mut owners: BTreeMap<u16, (usize, BTreeSet<&str>)> = BTreeMap::new();
    for lesson in lessons {
        for bucket in lesson.counts.keys() {
            let entry = owners.entry(*bucket).or_default();
            entry.0 += 1;
            entry.1.insert(lesson.owner);
        }
    }
    owners.retain(|_, (_, owners)| owners.len() >= OWNERS_MIN);
    let all = lessons.len() as f32;
    let rarity: BTreeMap<u16, f32> = owners
        .iter()
        .map(|(bucket, (documents, _))| {
            let rarity = ((1.0 + all) / (1.0 + *documents as f32)).ln() + 1.0;
            (*bucket, rounded(rarity, 100.0))
        })
        .collect();
    let places: BTreeMap<u16, usize> = rarity
        .keys()
        .enumerate()
        .map(|(at, bucket)| (*bucket, at))
        .collect();
    let rows: Vec<Row> = lessons
        .iter()
        .map(|lesson| {
            let row = direction(lesson.counts, |bucket| rarity.get(&bucket).copied());
            row.into_iter()
                .map(|(bucket, value)| (places[&bucket], value))
                .collect()
        })
        .collect();
    let genres: Vec<(usize, f32)> = lessons
        .iter()
        .map(|lesson| (lesson.genre, lesson.weight))
        .collect();
    let weights = descend(&rows, &genres, places.len(), &FOR_WORDS);
    rarity
        .into_iter()
        .zip(weights)
        .map(|((bucket, rarity), weights)| {
            let weights = weights.map(|weight| rounded(weight, 10.0));
            (bucket, KnownWord { rarity, weights })
        })
        .collect()
}

/// `rows` are scaled numbers; what each row is, and how much it counts, stands beside.
pub(super) fn of_numbers(rows: &[Vec<f32>], genres: &[(usize, f32)]) -> Vec<GenreLine> {
    let width = rows.first().map_or(0, Vec::len);
    // The last column is always one: what a line begins with.
    let rows: Vec<Row> = rows
        .iter()
        .map(|row| {
            let numbers = row
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, number)| *number != 0.0);
            numbers.chain([(width, 1.0)]).collect()
        })
        .collect();
    let weights = descend(&rows, genres, width + 1, &FOR_NUMBERS);
    (0..GENRES)
        .map(|genre| GenreLine {
            begin: rounded(weights[width][genre], 1000.0),
            weights: weights[..width]
                .iter()
                .map(|weights| rounded(weights[genre], 1000.0))
                .collect(),
        })
        .collect()
}

fn descend(rows: &[Row], genres: &[(usize, f32)], width: usize, steps: &Steps) -> Vec<GenreWeights> {
    let mass: f32 = genres.iter().map(|(_, weight)| weight).sum();
    let mut weights = vec![[0.0f32; GENRES]; width];
    let mut speed = vec![[0.0f32; GENRES]; width];
    for _ in 0..steps.count {
        let mut slope = vec![[0.0f32; GENRES]; width];
        for ((genre, weight), row) in genres.iter().zip(rows) {
            let mut sums = [0.0f32; GENRES];
            for (at, value) in row {
                for (sum, weight) in sums.iter_mut().zip(&weights[*at]) {
                    *sum += weight * value;
                }
            }
            let mut miss = shares(&sums);
            miss[*genre] -= 1.0;
            let part = weight / mass;
            for (at, value) in row {
                for (slope, miss) in slope[*at].iter_mut().zip(&miss) {
                    *slope += miss * value * part;
                }
            }
        }
        for ((weights, speed), slope) in weights.iter_mut().zip(&mut speed).zip(&slope) {
            for genre in 0..GENRES {
                let pull = slope[genre] + steps.ridge * weights[genre];
                speed[genre] = MOMENTUM * speed[genre] - steps.rate * pull;
                weights[genre] += speed[genre];
            }
        }
    }
    weights
}
