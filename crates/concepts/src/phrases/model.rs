//! The table of weights, and how it is made.

use std::fmt::Write as _;
use std::sync::OnceLock;

use foldhash::HashMap;

use super::features::{Features, NAMES};

/// Made by `cargo run --release -p gleaner-concepts --example phrases -- CORPORA --write`.
const BUILT_IN: &str = include_str!("weights.tsv");

/// Weights of the steps of each trait.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PhraseModel {
    base: f64,
    weights: HashMap<(u8, u16), f64>,
}

/// What a model learns from: a document's candidates, each with whether it was chosen.
pub struct Example {
    pub candidates: Vec<(Features, bool)>,
    /// How much this document counts.
    pub times: u32,
}

impl PhraseModel {
    /// The weights that come with the program.
    pub fn built_in() -> &'static PhraseModel {
        static MODEL: OnceLock<PhraseModel> = OnceLock::new();
        MODEL.get_or_init(|| PhraseModel::read(BUILT_IN))
    }

    /// How likely this is a key phrase, from 0 to 1.
    pub fn score(&self, features: &Features) -> f64 {
        let sum: f64 = features
            .iter()
            .filter_map(|feature| self.weights.get(feature))
            .sum();
        1.0 / (1.0 + (-(self.base + sum)).exp())
    }

    /// Reads lines of trait, step and weight; a line that is none of these is passed over.
    fn read(table: &str) -> Self {
        let mut model = Self::default();
        for line in table.lines() {
            let mut cells = line.split('\t');
            let (Some(name), Some(step), Some(weight)) = (cells.next(), cells.next(), cells.next()) else {
                continue;
            };
            let (Ok(step), Ok(weight)) = (step.parse(), weight.parse()) else {
                continue;
            };
            match NAMES.iter().position(|known| *known == name) {
                Some(number) => {
                    model.weights.insert((number as u8, step), weight);
                }
                None => model.base += weight,
            }
        }
        model
    }

    /// The table as text, in a fixed order.
    pub fn write(&self) -> String {
        let mut rows: Vec<_> = self
            .weights
            .iter()
            .filter(|(_, weight)| weight.abs() >= 0.005)
            .collect();
        rows.sort_unstable_by_key(|(feature, _)| **feature);
        let mut table = format!("base\t0\t{:.2}\n", self.base);
        for ((number, step), weight) in rows {
            // Writing to a string cannot fail.
            let _ = writeln!(table, "{}\t{step}\t{weight:.2}", NAMES[usize::from(*number)]);
        }
        table
    }

    /// Learns weights by logistic regression with steps that shrink (`AdaGrad`). Of the many candidates that nobody chose a part
    /// is enough; which part is fixed by the numbers alone, so that the same examples give the same table.
    pub fn learn(examples: &[Example], rounds: u32) -> Self {
        let mut model = Self::default();
        let mut mean = Self::default();
        let mut squares: HashMap<(u8, u16), f64> = HashMap::default();
        let mut base_squares = 0.0;
        let mut chance = Chance(0x2545_f491_4f6c_dd1d);
        let mut order: Vec<usize> = examples
            .iter()
            .enumerate()
            .flat_map(|(at, example)| std::iter::repeat_n(at, example.times as usize))
            .collect();
        for _ in 0..rounds {
            for at in (1..order.len()).rev() {
                order.swap(at, chance.below(at + 1));
            }
            for at in &order {
                let (chosen, others): (Vec<_>, Vec<_>) =
                    examples[*at].candidates.iter().partition(|(_, chosen)| *chosen);
                if chosen.is_empty() || others.is_empty() {
                    continue;
                }
                let sample = (0..others.len().min(60)).map(|_| others[chance.below(others.len())]);
                for (features, chosen) in chosen.iter().copied().chain(sample.collect::<Vec<_>>()) {
                    let slope = model.score(features) - f64::from(u8::from(*chosen));
                    base_squares += slope * slope;
                    model.base -= 0.2 * slope / f64::sqrt(base_squares + 1e-8);
                    for feature in features {
                        let square = squares.entry(*feature).or_default();
                        *square += slope * slope;
                        let weight = model.weights.entry(*feature).or_default();
                        *weight -= 0.2 * slope / (*square + 1e-8).sqrt() + 1e-5 * *weight;
                    }
                }
            }
            // The mean over all rounds: the last few documents do not count more than others.
            mean.base += model.base / f64::from(rounds);
            for (feature, weight) in &model.weights {
                *mean.weights.entry(*feature).or_default() += weight / f64::from(rounds);
            }
        }
        mean
    }
}

/// Numbers that look random and are always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_is_whole() {
        let model = PhraseModel::built_in();
        let used: std::collections::BTreeSet<u8> = model.weights.keys().map(|(number, _)| *number).collect();
        assert_eq!(used.len(), NAMES.len());
        assert_eq!(
            PhraseModel::read(&model.write()),
            PhraseModel::read(&PhraseModel::read(&model.write()).write())
        );
    }

    #[test]
    fn what_is_chosen_is_learned() {
        let example = || Example {
            candidates: (0..40)
                .map(|at| (vec![(0, at % 4), (1, at % 3)], at % 4 == 2))
                .collect(),
            times: 1,
        };
        let model = PhraseModel::learn(&[example(), example()], 20);
        assert!(model.score(&vec![(0, 2), (1, 0)]) > 0.8);
        assert!(model.score(&vec![(0, 1), (1, 0)]) < 0.2);
    }
}
