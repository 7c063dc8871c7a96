//! The figures of the sets, as their SOURCE.md says they are made.

use crate::corpora::{Gold, Sample};
use crate::gold::{self, Counts};
use crate::print;
use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct Figures {
    /// Per type of page.
    words: BTreeMap<String, Vec<f64>>,
    articles: Vec<Counts>,
    /// Right, missed, wrong.
    pieces: [f64; 3],
    /// Pages with gold text and without any of ours.
    empty: usize,
}

impl Figures {
    pub(crate) fn add(&mut self, sample: &Sample, text: &str) {
        let has_gold = match &sample.gold {
            Gold::Text(gold) => !gold.trim().is_empty(),
            Gold::Pieces { with, .. } => !with.is_empty(),
        };
        self.empty += usize::from(has_gold && text.trim().is_empty());
        match &sample.gold {
            Gold::Text(gold) if sample.set == "wcxb" => {
                let kind = sample.kind.clone().unwrap_or_default();
                self.words
                    .entry(kind)
                    .or_default()
                    .push(gold::word_counts(gold, text).f1());
            }
            Gold::Text(gold) => self.articles.push(gold::shingle_counts(gold, text)),
            Gold::Pieces { with, without } => {
                for (sum, count) in self.pieces.iter_mut().zip(gold::pieces(text, with, without)) {
                    *sum += count;
                }
            }
        }
    }

    pub(crate) fn print(&self, before: &str) {
        let of = |name: &str| format!("{before}{name}");
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let all: Vec<f64> = self.words.values().flatten().copied().collect();
        if !all.is_empty() {
            print("wcxb", &of("all"), mean(&all));
            for (kind, values) in &self.words {
                print("wcxb", &of(kind), mean(values));
            }
        }
        if !self.articles.is_empty() {
            // As its authors do it: precision and recall are averaged over pages first.
            let precision = mean(&self.articles.iter().map(Counts::precision).collect::<Vec<_>>());
            let recall = mean(&self.articles.iter().map(Counts::recall).collect::<Vec<_>>());
            print("aeb", &of("all"), 2.0 * precision * recall / (precision + recall));
        }
        let [right, missed, wrong] = self.pieces;
        if right + missed > 0.0 {
            print(
                "trafilatura-eval",
                &of("all"),
                2.0 * right / (2.0 * right + missed + wrong),
            );
        }
        // Of all sets together.
        print("empty", &of("empty"), self.empty as f64);
    }
}
