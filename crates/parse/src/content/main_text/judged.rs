//! How likely is each block main text, by the model? In: what can be said of the page in numbers. Out: odds a block.

use super::features::{Facts, WIDE, WIDTH};
use super::repeats::Repeats;
use super::table::Model;
use super::trees::{likely, sum, sums};

/// What it costs a block to stand on many pages of its site, in logarithms of odds.
const REPEATED_COST: f32 = 2.0;
/// A block that is less likely by itself is not asked for beside the others.
const LIKELY_MIN: f32 = 0.02;

impl Model {
    /// How likely a page is of each type; together 1.
    pub fn guess(&self, numbers: &[f32]) -> Vec<f32> {
        let mut guess: Vec<f32> = self
            .kinds
            .iter()
            .map(|trees| likely(sum(trees, numbers)))
            .collect();
        let all = guess.iter().sum::<f32>().max(1e-6);
        for one in &mut guess {
            *one /= all;
        }
        guess
    }

    pub(super) fn likely(&self, facts: &Facts<'_>, kinds: &[f32], repeats: &Repeats) -> Vec<f32> {
        let rows = facts.rows(&self.lexicon, kinds);
        let mut found: Vec<f32> = sums(&self.first, &rows, WIDTH).into_iter().map(likely).collect();
        // Menus and footers are most of a page: what has next to no chance is not looked at twice.
        let wanted: Vec<usize> = (0..found.len()).filter(|at| found[*at] >= LIKELY_MIN).collect();
        let odds = sums(&self.second, &facts.wide_rows(&rows, &found, &wanted), WIDE);
        for (at, odds) in wanted.into_iter().zip(odds) {
            let is_repeated = repeats.holds(&facts.drafts[at].text);
            found[at] = likely(if is_repeated { odds - REPEATED_COST } else { odds });
        }
        found
    }
}
