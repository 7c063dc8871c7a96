//! Which work does a reference mean? By the words of its title, by its year, by its DOI: a second count of citations, from texts.

use super::CitedWork;
use gleaner_words::{folded, words};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// From this cosine on two titles are the same.
const COSINE_MIN: f64 = 0.85;
/// Shorter titles are asked for their year too.
const WORDS_ENOUGH: usize = 3;
/// A paper is cited as a report first and as an article later.
const YEARS_APART: u16 = 2;

/// Titles of works, to be found by those who cite them.
#[derive(Debug, Clone, Default)]
pub struct CitationIndex {
    works: BTreeMap<u128, Known>,
    by_word: HashMap<String, BTreeSet<u128>>,
    by_doi: HashMap<String, u128>,
}

#[derive(Debug, Clone)]
struct Known {
    words: Vec<String>,
    year: Option<u16>,
}

/// Documents of the library that cite a work in their lists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitedCount {
    pub works: u64,
    pub references: u64,
}

impl CitationIndex {
    pub fn add(&mut self, work: u128, title: &str, year: Option<u16>, doi: Option<&str>) {
        let words = words_of(title);
        if let Some(doi) = doi {
            self.by_doi.insert(doi.to_owned(), work);
        }
        for word in &words {
            self.by_word.entry(word.clone()).or_default().insert(work);
        }
        if !words.is_empty() {
            self.works.insert(work, Known { words, year });
        }
    }

    /// The work that a reference means, if it is surely one of these.
    pub fn find(&self, cited: &CitedWork) -> Option<u128> {
        if let Some(work) = cited.doi.as_ref().and_then(|doi| self.by_doi.get(doi)) {
            return Some(*work);
        }
        let whole = words_of(&cited.text);
        let title = cited.title.as_deref().map(words_of).unwrap_or_default();
        let mut best: Option<(f64, u128)> = None;
        for work in self.near(&whole) {
            let known = &self.works[&work];
            let is_far = matches!((known.year, cited.year), (Some(one), Some(other)) if one.abs_diff(other) > YEARS_APART);
            let is_sure =
                known.words.len() >= WORDS_ENOUGH || (known.year.is_some() && known.year == cited.year);
            if is_far || !is_sure {
                continue;
            }
            let stands_there = known.words.len() >= WORDS_ENOUGH
                && whole
                    .windows(known.words.len())
                    .any(|window| window == known.words);
            let likeness = if stands_there {
                1.0
            } else {
                self.cosine(&known.words, &title)
            };
            // Of titles that stand inside each other the longest is meant.
            let score = likeness + known.words.len() as f64 * 1e-6;
            if likeness >= COSINE_MIN && best.is_none_or(|(most, _)| score > most) {
                best = Some((score, work));
            }
        }
        best.map(|(_, work)| work)
    }

    /// How often each work is cited: by how many others, and by how many entries. A work does not cite itself.
    pub fn count<'a>(
        &self,
        references: impl IntoIterator<Item = (u128, &'a [CitedWork])>,
    ) -> BTreeMap<u128, CitedCount> {
        let mut citing: BTreeMap<u128, (BTreeSet<u128>, u64)> = BTreeMap::new();
        for (from, entries) in references {
            for work in entries
                .iter()
                .filter_map(|entry| self.find(entry))
                .filter(|work| *work != from)
            {
                let (works, entries) = citing.entry(work).or_default();
                works.insert(from);
                *entries += 1;
            }
        }
        let count = |(works, references): (BTreeSet<u128>, u64)| CitedCount {
            works: works.len() as u64,
            references,
        };
        citing
            .into_iter()
            .map(|(work, counted)| (work, count(counted)))
            .collect()
    }

    /// Works that share the rarest words.
    fn near(&self, words: &[String]) -> BTreeSet<u128> {
        let mut lists: Vec<&BTreeSet<u128>> = words
            .iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter_map(|word| self.by_word.get(word))
            .collect();
        lists.sort_by_key(|list| list.len());
        lists.into_iter().take(12).flatten().copied().take(2000).collect()
    }

    fn cosine(&self, one: &[String], other: &[String]) -> f64 {
        let weight = |word: &String| {
            let works = self.by_word.get(word).map_or(1, BTreeSet::len);
            (1.0 + (self.works.len() as f64 + 1.0) / (works as f64 + 1.0)).ln()
        };
        let square = |words: &[String]| {
            words
                .iter()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .map(|word| weight(word).powi(2))
                .sum::<f64>()
        };
        let theirs: BTreeSet<&String> = other.iter().collect();
        let both: f64 = one
            .iter()
            .collect::<BTreeSet<_>>()
            .into_iter()
            .filter(|word| theirs.contains(word))
            .map(|word| weight(word).powi(2))
            .sum();
        let norm = (square(one) * square(other)).sqrt();
        if norm > 0.0 { both / norm } else { 0.0 }
    }
}

fn words_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    words(text, |word| {
        found.push(folded(&word.text.to_lowercase()).into_owned());
    });
    found
}
