//! Which queries come next, and when is one no longer worth asking? (G1)
//!
//! First the user's words, as they are and in pairs; then pairs of words that accepted documents have far more often than rejected
//! ones. A query ends after a page of whose sites too few are any good, and asking ends when several queries in a row
//! bring no site that is.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A page of results with fewer good sites than this share is the last one of its query.
const PRECISION_MIN: f64 = 0.3;
/// So many judged sites speak for a page.
const JUDGED_MIN: u64 = 3;
/// So many queries in a row without a good new site: no more are made up.
const DRY_MAX: usize = 3;
const PAGES_MAX: u32 = 10;
/// Words that queries are made of.
const WORDS_MAX: usize = 12;
/// A word in fewer accepted documents says little.
const DOCUMENTS_MIN: u64 = 2;

/// In how many documents a word is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryWords {
    accepted: u64,
    rejected: u64,
    words: BTreeMap<String, (u64, u64)>,
}

impl QueryWords {
    /// The different words of a document; words that say nothing are left out before.
    pub fn learn<'a>(&mut self, words: impl IntoIterator<Item = &'a str>, is_accepted: bool) {
        let words: BTreeSet<&str> = words.into_iter().collect();
        let all = if is_accepted {
            &mut self.accepted
        } else {
            &mut self.rejected
        };
        *all += 1;
        for word in words {
            let counts = self.words.entry(word.to_owned()).or_default();
            let count = if is_accepted { &mut counts.0 } else { &mut counts.1 };
            *count += 1;
        }
    }

    /// Words that accepted documents have and rejected ones have not, the strongest first.
    pub fn telling(&self) -> Vec<(&str, f64)> {
        let share = |count: u64, all: u64| (count as f64 + 0.5) / (all as f64 + 1.0);
        let odds = |share: f64| share / (1.0 - share);
        let mut telling: Vec<(&str, f64)> = self
            .words
            .iter()
            .filter(|(_, (accepted, _))| *accepted >= DOCUMENTS_MIN)
            .map(|(word, (accepted, rejected))| {
                let with = odds(share(*accepted, self.accepted).min(0.999));
                let without = odds(share(*rejected, self.rejected).min(0.999));
                // How many accepted documents have it weighs, too: a rare word finds little.
                let score = (with / without).ln() * share(*accepted, self.accepted).sqrt();
                (word.as_str(), score)
            })
            .filter(|(_, score)| *score > 0.0)
            .collect();
        telling.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        telling
    }
}

/// Why a query is not asked for another page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryEnd {
    /// The page brought no hit, or only such as were there before.
    NothingNew,
    /// Too few of its sites are any good.
    TooFewGood,
    PagesMax,
}

/// What was asked so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NextQueries {
    asked: BTreeSet<String>,
    /// Queries in a row that brought no good new site.
    dry: usize,
}

impl NextQueries {
    /// At most `most` queries that were not asked before: the user's first.
    pub fn next(&self, topic: &[String], words: &QueryWords, most: usize) -> Vec<String> {
        let mut next: Vec<String> = Vec::new();
        let mut add = |query: String| {
            let is_new = !query.is_empty() && !self.asked.contains(&key(&query)) && !next.contains(&query);
            if is_new && next.len() < most {
                next.push(query);
            }
        };
        for words in topic {
            add(words.trim().to_owned());
        }
        for (at, first) in topic.iter().enumerate() {
            for second in &topic[at + 1..] {
                add(format!("{} {}", first.trim(), second.trim()));
            }
        }
        if self.dry < DRY_MAX {
            let telling: Vec<&str> = words
                .telling()
                .into_iter()
                .take(WORDS_MAX)
                .map(|(word, _)| word)
                .collect();
            for sum in 1..telling.len() * 2 {
                for first in 0..telling.len().min(sum) {
                    let second = sum - first;
                    if second > first && second < telling.len() {
                        add(format!("{} {}", telling[first], telling[second]));
                    }
                }
            }
        }
        next
    }

    /// A query was asked to its end. `good_new`: new sites that turned out to be any good, as far as known.
    pub fn note(&mut self, query: &str, good_new: u64) {
        self.asked.insert(key(query));
        self.dry = if good_new == 0 { self.dry + 1 } else { 0 };
    }

    /// Whether more queries would be made up than the user's own.
    pub fn pays(&self) -> bool {
        self.dry < DRY_MAX
    }
}

/// Whether another page of a query is asked for. `new` are hits that no page before had; of the `judged` sites among
/// the page's, `good` were any good.
pub fn goes_on(page: u32, new: u64, judged: u64, good: u64) -> Result<(), QueryEnd> {
    if new == 0 {
        return Err(QueryEnd::NothingNew);
    }
    if judged >= JUDGED_MIN && (good as f64) < PRECISION_MIN * judged as f64 {
        return Err(QueryEnd::TooFewGood);
    }
    if page >= PAGES_MAX {
        return Err(QueryEnd::PagesMax);
    }
    Ok(())
}

/// Two queries of the same words are one.
fn key(query: &str) -> String {
    let mut words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    words.sort();
    words.dedup();
    words.join(" ")
}
