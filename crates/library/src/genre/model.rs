//! The model as a table: trees, weights of words, and how both are weighed. It is text, so that a new one is a difference that
//! can be read.
//!
//! ```text
//!  gleaner genre model 1
//!  [columns]                    the numbers that it was made for, in order: name, mean, spread
//!  [mixture named]              weight of the trees, the line and the words, slope and offset of the score
//!  [line named]                 a line for each genre: what it begins with, then a weight for each number
//!  [trees named paper] …        a tree a line (trees.rs)
//!  … the same for `nameless`: what is said of documents whose name is not known
//!  [words]                      bucket, rarity, a weight in tenths for each genre
//! ```

use super::Genre;
use super::features::{MISSING, Row};
use super::trees::GenreTree;
use super::words::{GENRES, GenreWeights, KnownWord, WordCounts, direction};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::OnceLock;

/// Its number goes up with every change of what a table means.
const HEAD: &str = "gleaner genre model 1";
const WEIGHT_STEPS: f32 = 10.0;
/// Numbers further from the mean count as if they were so many spreads away.
const SPREADS_MAX: f32 = 4.0;

/// Why a table is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    #[error("the model of genres has a version that this program does not read: {0}")]
    Version(String),
    #[error("the model of genres was made for other features; make it again with `make genre-model`: {0}")]
    Columns(String),
    #[error("the model of genres is damaged in line {0}")]
    Damaged(usize),
}

/// What was learned from documents whose genre is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GenreModel {
    pub columns: Vec<Scale>,
    /// With and without the name of the document: what says much where it is known hides what else there is to learn.
    pub named: GenreView,
    pub nameless: GenreView,
    pub words: BTreeMap<u16, KnownWord>,
}

/// A number: its name, where it usually is, and how far from there it goes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scale {
    pub name: String,
    pub mean: f32,
    pub spread: f32,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct GenreView {
    pub mixture: Mixture,
    /// For each genre.
    pub lines: Vec<GenreLine>,
    pub trees: Vec<Vec<GenreTree>>,
}

/// A weight for each number.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GenreLine {
    pub begin: f32,
    pub weights: Vec<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mixture {
    pub trees: f32,
    pub line: f32,
    pub words: f32,
    /// From how likely the accepted genres are together to the score.
    pub slope: f32,
    pub offset: f32,
}

/// What the three parts of a model say of each genre.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PartsSaid {
    pub trees: GenreWeights,
    pub line: GenreWeights,
    pub words: GenreWeights,
}

impl Scale {
    /// Spreads from the mean; nothing where the number is not known.
    pub fn of(&self, number: f32) -> f32 {
        if number <= MISSING {
            return 0.0;
        }
        ((number - self.mean) / self.spread).clamp(-SPREADS_MAX, SPREADS_MAX)
    }
}

impl Mixture {
    /// The parts together, before they are made into shares.
    pub fn mix(&self, said: &PartsSaid) -> GenreWeights {
        std::array::from_fn(|at| {
            self.trees * said.trees[at] + self.line * said.line[at] + self.words * said.words[at]
        })
    }

    /// From the shares of the genres to how sure it is that the document is one to keep.
    pub fn score(&self, shares: &GenreWeights) -> f32 {
        let accepted = accepted(shares).clamp(1e-6, 1.0 - 1e-6);
        let odds = (accepted / (1.0 - accepted)).ln();
        1.0 / (1.0 + (-(self.slope * odds + self.offset)).exp())
    }
}

/// The model that is checked in.
pub fn model() -> &'static GenreModel {
    static MODEL: OnceLock<GenreModel> = OnceLock::new();
    MODEL.get_or_init(|| {
        GenreModel::read(include_str!("model.txt")).expect("a test reads the table that is checked in")
    })
}

impl GenreModel {
    /// The view for a document of which these numbers are known.
    pub fn view(&self, numbers: &[f32]) -> &GenreView {
        // Those of the name come last, and all are missing where it is.
        if numbers.last().is_some_and(|number| *number > MISSING) {
            &self.named
        } else {
            &self.nameless
        }
    }

    /// Of numbers that it was not made for it says nothing.
    pub fn said(&self, numbers: &[f32], counts: &WordCounts) -> PartsSaid {
        let mut said = PartsSaid {
            words: self.of_words(counts),
            ..PartsSaid::default()
        };
        if numbers.len() != self.columns.len() {
            return said;
        }
        let view = self.view(numbers);
        for (sum, trees) in said.trees.iter_mut().zip(&view.trees) {
            *sum = trees.iter().map(|tree| tree.value(numbers)).sum();
        }
        let scaled: Vec<f32> = (self.columns.iter().zip(numbers))
            .map(|(scale, number)| scale.of(*number))
            .collect();
        for (sum, line) in said.line.iter_mut().zip(&view.lines) {
            let products = line
                .weights
                .iter()
                .zip(&scaled)
                .map(|(weight, number)| weight * number);
            *sum = line.begin + products.sum::<f32>();
        }
        said
    }

    fn of_words(&self, counts: &WordCounts) -> GenreWeights {
        let mut sums = [0.0; GENRES];
        for (bucket, value) in self.direction(counts) {
            if let Some(known) = self.words.get(&bucket) {
                for (sum, weight) in sums.iter_mut().zip(known.weights) {
                    *sum += value * weight;
                }
            }
        }
        sums
    }

    pub(super) fn direction(&self, counts: &WordCounts) -> Vec<(u16, f32)> {
        direction(counts, |bucket| self.words.get(&bucket).map(|known| known.rarity))
    }

    pub fn write(&self) -> String {
        let mut out = format!("{HEAD}\n[columns]\n");
        for Scale { name, mean, spread } in &self.columns {
            let _ = writeln!(out, "{name} {mean} {spread}");
        }
        for (name, view) in [("named", &self.named), ("nameless", &self.nameless)] {
            let Mixture {
                trees,
                line,
                words,
                slope,
                offset,
            } = view.mixture;
            let _ = writeln!(out, "[mixture {name}]\n{trees} {line} {words} {slope} {offset}");
            let _ = writeln!(out, "[line {name}]");
            for line in &view.lines {
                let _ = writeln!(out, "{} {}", line.begin, joined(line.weights.iter()));
            }
            for (genre, trees) in Genre::ALL.iter().zip(&view.trees) {
                let _ = writeln!(out, "[trees {name} {}]", genre.as_str());
                for tree in trees {
                    out.push_str(&tree.write());
                    out.push('\n');
                }
            }
        }
        out.push_str("[words]\n");
        for (bucket, known) in &self.words {
            let weights = known.weights.map(|weight| (weight * WEIGHT_STEPS).round() as i32);
            let _ = writeln!(out, "{bucket} {} {}", known.rarity, joined(weights.iter()));
        }
        out
    }

    pub fn read(table: &str) -> Result<GenreModel, ModelError> {
        let mut lines = table.lines().enumerate();
        let head = lines.next().map_or("", |(_, line)| line);
        if head != HEAD {
            return Err(ModelError::Version(head.chars().take(80).collect()));
        }
        let mut model = GenreModel::default();
        for view in [&mut model.named, &mut model.nameless] {
            view.trees = vec![Vec::new(); GENRES];
        }
        let mut part = "";
        for (number, line) in lines {
            if let Some(begun) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                part = begun;
                continue;
            }
            model.line(part, line).ok_or(ModelError::Damaged(number + 1))?;
        }
        Ok(model)
    }

    fn line(&mut self, part: &str, line: &str) -> Option<()> {
        let mut words = line.split(' ');
        let mut parts = part.split(' ');
        let kind = parts.next()?;
        let width = self.columns.len();
        let view = match parts.next() {
            Some("named") => Some(&mut self.named),
            Some("nameless") => Some(&mut self.nameless),
            _ => None,
        };
        match (kind, view) {
            ("columns", None) => self.columns.push(Scale {
                name: words.next()?.to_owned(),
                mean: number(words.next())?,
                spread: number(words.next()).filter(|spread| *spread > 0.0)?,
            }),
            ("mixture", Some(view)) => {
                view.mixture = Mixture {
                    trees: number(words.next())?,
                    line: number(words.next())?,
                    words: number(words.next())?,
                    slope: number(words.next())?,
                    offset: number(words.next())?,
                };
            }
            ("line", Some(view)) => {
                let begin = number(words.next())?;
                let weights: Option<Vec<f32>> = words.map(|word| number(Some(word))).collect();
                let weights = weights.filter(|weights| weights.len() == width)?;
                view.lines.push(GenreLine { begin, weights });
            }
            ("trees", Some(view)) => {
                let genre = Genre::parse(parts.next()?)?;
                view.trees[genre as usize].push(GenreTree::read(line, width)?);
            }
            ("words", None) => {
                let bucket = words.next()?.parse().ok()?;
                let mut known = KnownWord {
                    rarity: number(words.next())?,
                    ..KnownWord::default()
                };
                for weight in &mut known.weights {
                    *weight = words.next()?.parse::<i32>().ok()? as f32 / WEIGHT_STEPS;
                }
                self.words.insert(bucket, known);
            }
            _ => return None,
        }
        Some(())
    }

    /// It asks for the very numbers that are looked at.
    pub(super) fn check(&self, row: &Row) -> Result<(), ModelError> {
        let names = row.columns.iter().map(|column| column.name());
        let wrong = names.zip(&self.columns).find(|(name, known)| *name != known.name);
        if row.columns.len() != self.columns.len() {
            return Err(ModelError::Columns(format!(
                "{} instead of {}",
                self.columns.len(),
                row.columns.len()
            )));
        }
        wrong.map_or(Ok(()), |(name, _)| Err(ModelError::Columns(name)))
    }
}

fn number(word: Option<&str>) -> Option<f32> {
    word?.parse().ok().filter(|number: &f32| number.is_finite())
}

fn joined<T: ToString>(numbers: impl Iterator<Item = T>) -> String {
    numbers
        .map(|number| number.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Shares that add up to one.
pub fn shares(sums: &GenreWeights) -> GenreWeights {
    let most = sums.iter().copied().fold(f32::MIN, f32::max);
    let powers = sums.map(|sum| (sum - most).exp());
    let all: f32 = powers.iter().sum();
    powers.map(|power| power / all)
}

/// The part of the genres that a library keeps.
pub fn accepted(shares: &GenreWeights) -> f32 {
    let parts = Genre::ALL
        .iter()
        .zip(shares)
        .filter(|(genre, _)| genre.is_accepted());
    parts.map(|(_, share)| share).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_that_is_checked_in_can_be_read_and_written_and_fits() {
        let text = include_str!("model.txt");
        let model = GenreModel::read(text).expect("a table of this form");
        assert_eq!(model.write(), text);
        for view in [&model.named, &model.nameless] {
            assert!(view.lines.len() == GENRES && view.trees.iter().all(|trees| !trees.is_empty()));
        }
        assert!(!model.words.is_empty());
        let reading = gleaner_parse::documents::Reading::default();
        let row = super::super::features::row(&super::super::Subject {
            reading: &reading,
            name: None,
            size_bytes: None,
        });
        assert_eq!(model.check(&row), Ok(()));
    }

    #[test]
    fn a_table_of_another_version_or_a_damaged_one_is_refused_with_its_reason() {
        let version = GenreModel::read("gleaner genre model 99\n[columns]\n");
        assert!(matches!(version, Err(ModelError::Version(_))));
        assert!(matches!(GenreModel::read(""), Err(ModelError::Version(_))));
        for (table, line) in [
            ("[columns]\nwords x 1\n", 3),
            ("[columns]\nwords 1 0\n", 3),
            ("[trees named paper]\n0>1:1~0 =0 =0\n", 3),
            ("[columns]\nwords 1 1\n[trees named paper]\n0>1:0~0 =0 =0\n", 5),
            ("[columns]\nwords 1 1\n[line named]\n1 2 3\n", 5),
            ("[words]\n70000 1\n", 3),
            ("[nothing]\n1\n", 3),
        ] {
            assert_eq!(
                GenreModel::read(&format!("{HEAD}\n{table}")),
                Err(ModelError::Damaged(line)),
                "{table}"
            );
        }
    }
}
