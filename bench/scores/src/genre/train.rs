//! How the model of genres is made: lines and trees on numbers, weights of words, and a mixture of the three that is fitted on
//! documents which none of them has seen.
//!
//! It is made twice, with and without the names of the documents. A part of each lesson is the same document without its looks,
//! so that the model learns to do without.

use super::weights::{self, Lesson};
use crate::boost::{self, Settings, Table};
use crate::model::fold;
use gleaner_library::genre::Genre;
use gleaner_library::genre::training::{
    GENRES, GenreModel, GenreNode, GenreTree, GenreView, GenreWeights, MISSING, Mixture, PartsSaid, Scale,
    Seen, WordCounts, accepted, shares,
};
use gleaner_parse::content::training::{DecisionNode, DecisionTree};

/// Parts of the data for what is learned from documents that were not seen.
const PARTS: u64 = 3;
/// Salt of the parts inside a training; those that are measured have another.
const INSIDE: u64 = 11;
/// What a document without its looks counts beside the whole one.
const WITHOUT_LOOKS: f32 = 0.3;
/// Rare genres count more, but not as much as common ones together.
const BALANCE: f32 = 0.75;

/// A document ready for training.
pub(super) struct Ready {
    pub(super) key: String,
    pub(super) genre: usize,
    pub(super) named: Seen,
    pub(super) nameless: Seen,
}

impl Ready {
    fn view(&self, is_named: bool) -> &Seen {
        if is_named { &self.named } else { &self.nameless }
    }

    fn counts(&self) -> &WordCounts {
        self.named.counts()
    }
}

const fn settings() -> Settings {
    Settings {
        rounds: 60,
        leaves_max: 4,
        rate: 0.2,
        leaf_weight_min: 0.4,
        ridge: 1.0,
        columns: 0.2,
        groups: 0.8,
        seed: 17,
    }
}

fn balance(documents: &[&Ready]) -> GenreWeights {
    let mut counts = [0.0f32; GENRES];
    for document in documents {
        counts[document.genre] += 1.0;
    }
    counts.map(|count| (documents.len() as f32 / GENRES as f32 / count.max(1.0)).powf(BALANCE))
}

fn rounded(value: f32) -> f32 {
    (value * 1000.0).round() / 1000.0
}

/// Mean and spread of each number where it is known.
fn scales(documents: &[&Ready]) -> Vec<Scale> {
    let names = documents[0].named.columns();
    let scale = |(column, name): (usize, String)| {
        let values = documents.iter().map(|document| document.named.numbers()[column]);
        let values: Vec<f32> = values.filter(|value| *value > MISSING).collect();
        let count = values.len().max(1) as f32;
        let mean = values.iter().sum::<f32>() / count;
        let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt();
        Scale {
            name,
            mean: (mean * 10_000.0).round() / 10_000.0,
            spread: if spread < 1e-3 {
                1.0
            } else {
                (spread * 10_000.0).round() / 10_000.0
            },
        }
    };
    names.into_iter().enumerate().map(scale).collect()
}

/// All but the mixture.
fn parts(documents: &[&Ready]) -> GenreModel {
    let balance = balance(documents);
    let lessons: Vec<Lesson<'_>> = documents
        .iter()
        .map(|document| Lesson {
            counts: document.counts(),
            genre: document.genre,
            owner: &document.key,
            weight: balance[document.genre],
        })
        .collect();
    let columns = scales(documents);
    GenreModel {
        named: view(documents, &columns, &balance, true),
        nameless: view(documents, &columns, &balance, false),
        words: weights::of_words(&lessons),
        columns,
    }
}

fn view(documents: &[&Ready], columns: &[Scale], balance: &GenreWeights, is_named: bool) -> GenreView {
    let width = columns.len();
    let mut rows: Vec<f32> = Vec::new();
    let mut genres = Vec::new();
    let mut groups = Vec::new();
    for (number, document) in documents.iter().enumerate() {
        let whole = document.view(is_named);
        let weight = balance[document.genre];
        for (seen, weight) in [
            (whole, weight),
            (&whole.without(false, true), weight * WITHOUT_LOOKS),
        ] {
            rows.extend_from_slice(seen.numbers());
            genres.push((document.genre, weight));
            groups.push(number as u32);
        }
    }
    let weights: Vec<f32> = genres.iter().map(|(_, weight)| *weight).collect();
    let trees = (0..GENRES).map(|genre| {
        let yes: Vec<f32> = genres
            .iter()
            .map(|(known, _)| f32::from(u8::from(*known == genre)))
            .collect();
        let table = Table {
            width,
            rows: &rows,
            yes: &yes,
            weights: &weights,
            groups: &groups,
        };
        let grown = boost::grow(&table, &settings());
        grown.iter().map(|tree| with_means(tree, &rows, width)).collect()
    });
    let scaled: Vec<Vec<f32>> = rows
        .chunks(width)
        .map(|row| {
            columns
                .iter()
                .zip(row)
                .map(|(scale, number)| scale.of(*number))
                .collect()
        })
        .collect();
    GenreView {
        mixture: Mixture::default(),
        lines: weights::of_numbers(&scaled, &genres),
        trees: trees.collect(),
    }
}

/// The tree with the mean answer at each of its questions.
fn with_means(tree: &DecisionTree, rows: &[f32], width: usize) -> GenreTree {
    let nodes = tree.nodes();
    let mut sums = vec![(0.0f64, 0.0f64); nodes.len()];
    for row in rows.chunks(width) {
        let answer = f64::from(tree.value(row));
        let mut at = 0;
        loop {
            sums[at].0 += answer;
            sums[at].1 += 1.0;
            match nodes[at] {
                DecisionNode::Leaf(_) => break,
                DecisionNode::Split {
                    column, border, low, ..
                } => {
                    at = usize::from(low) + usize::from(row[usize::from(column)] > border);
                }
            }
        }
    }
    let node = |(at, node): (usize, &DecisionNode)| match *node {
        DecisionNode::Leaf(value) => GenreNode {
            column: 0,
            border: 0.0,
            low: 0,
            value: rounded(value),
        },
        DecisionNode::Split {
            column, border, low, ..
        } => GenreNode {
            column,
            border,
            low,
            value: rounded((sums[at].0 / sums[at].1.max(1.0)) as f32),
        },
    };
    GenreTree::new(nodes.iter().enumerate().map(node).collect(), width)
        .expect("trees that were grown are sound")
}

/// What the parts say of a document that they have not seen.
struct Unseen {
    said: PartsSaid,
    genre: usize,
    weight: f32,
}

pub(super) fn train(documents: &[&Ready]) -> GenreModel {
    let numbers: Vec<u64> = (0..PARTS).collect();
    let balance = balance(documents);
    let unseen: Vec<[Vec<Unseen>; 2]> = crate::on_all(&numbers, |part| {
        let is_in = |document: &&&Ready| fold(&document.key, INSIDE, PARTS) == *part;
        let others: Vec<&Ready> = documents
            .iter()
            .filter(|document| !is_in(document))
            .copied()
            .collect();
        let model = parts(&others);
        [true, false].map(|is_named| {
            let held = documents.iter().filter(is_in);
            held.map(|document| Unseen {
                said: model.said(document.view(is_named).numbers(), document.counts()),
                genre: document.genre,
                weight: balance[document.genre],
            })
            .collect()
        })
    });
    let mut model = parts(documents);
    let (mut named, mut nameless) = (Vec::new(), Vec::new());
    for [with, without] in unseen {
        named.extend(with);
        nameless.extend(without);
    }
    model.named.mixture = mixture(&named);
    model.nameless.mixture = mixture(&nameless);
    model
}

/// Weighs the parts so that what they said of documents not seen is most likely, and calibrates the score.
fn mixture(unseen: &[Unseen]) -> Mixture {
    const STEPS: usize = 500;
    let mut mixture = Mixture {
        trees: 0.4,
        line: 0.8,
        words: 0.1,
        slope: 1.0,
        offset: 0.0,
    };
    let mass: f32 = unseen.iter().map(|one| one.weight).sum();
    for _ in 0..STEPS {
        let (mut trees, mut line, mut words) = (0.0, 0.0, 0.0);
        for one in unseen {
            let mut miss = shares(&mixture.mix(&one.said));
            miss[one.genre] -= 1.0;
            for (genre, miss) in miss.iter().enumerate() {
                let part = miss * one.weight / mass;
                trees += part * one.said.trees[genre];
                line += part * one.said.line[genre];
                words += part * one.said.words[genre];
            }
        }
        // None of them speaks against itself.
        mixture.trees = (mixture.trees - 0.05 * trees).max(0.0);
        mixture.line = (mixture.line - 0.05 * line).max(0.0);
        mixture.words = (mixture.words - 0.05 * words).max(0.0);
    }
    let rows: Vec<(f32, f32)> = unseen
        .iter()
        .map(|one| {
            let share = accepted(&shares(&mixture.mix(&one.said))).clamp(1e-6, 1.0 - 1e-6);
            let accept = Genre::ALL[one.genre].is_accepted();
            ((share / (1.0 - share)).ln(), f32::from(u8::from(accept)))
        })
        .collect();
    let (mut slope, mut offset) = (1.0f32, 0.0f32);
    for _ in 0..STEPS {
        let (mut of_slope, mut of_offset) = (0.0, 0.0);
        for (odds, accept) in &rows {
            let miss = 1.0 / (1.0 + (-(slope * odds + offset)).exp()) - accept;
            of_slope += miss * odds / rows.len() as f32;
            of_offset += miss / rows.len() as f32;
        }
        slope -= 0.1 * of_slope;
        offset -= 0.5 * of_offset;
    }
    Mixture {
        trees: rounded(mixture.trees),
        line: rounded(mixture.line),
        words: rounded(mixture.words),
        slope: rounded(slope.max(0.1)),
        offset: rounded(offset),
    }
}
