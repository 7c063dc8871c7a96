//! How likely is each block main text, by the model? In: what can be said of the page in numbers. Out: odds a block.

use super::features::{Facts, WIDE, WIDTH, page};
use super::repeats::Repeats;
use super::table::Model;
use super::trees::{likely, sum, sums};
use gleaner_model::Url;

/// What it costs a block to stand on many pages of its site, in logarithms of odds.
const REPEATED_COST: f32 = 2.0;

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

    pub(super) fn likely(&self, facts: &Facts<'_>, url: &Url, repeats: &Repeats) -> Vec<f32> {
        let kinds = self.guess(&page::numbers(facts, url));
        let rows = facts.rows(&self.lexicon, &kinds);
        let first: Vec<f32> = sums(&self.first, &rows, WIDTH).into_iter().map(likely).collect();
        let wide = facts.wide_rows(&rows, &first);
        let odds = sums(&self.second, &wide, WIDE);
        odds.into_iter()
            .zip(facts.drafts)
            .map(|(odds, draft)| {
                let cost = if repeats.holds(&draft.text) {
                    REPEATED_COST
                } else {
                    0.0
                };
                likely(odds - cost)
            })
            .collect()
    }
}
