//! Is a site that others point at worth reading? (G9; S1 4.4 and 5.4, its tables 31 to 34)
//!
//! Evidence from its home page and from the links to it becomes a probability by logistic regression; at 0.9 it is taken, from
//! 0.5 on it gets a trial of 50 pages, below it is turned down with the reason, and each verdict can be reversed by hand. What
//! trials and people say teaches the weights at once. Keywords count less the more turned-down sites have them: "general" and
//! "languages" vanish by themselves, which S1 did by hand after looking at its errors.
//!
//! S1's rule stands beside it: with K different keywords on the home page and A representative anchor texts, a site is taken if
//! (K > 0 and A > 0) or K > 1 or A > 1. Of the 99 hosts that it took, 55 were right.

mod evidence;

pub use evidence::{LookedAt, MORE_PAGES, SiteLook};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the stored form of [`NewSites`].
pub const VERSION: u32 = 1;
pub const TRIAL_PAGES: u64 = 50;
const ACCEPT: f64 = 0.9;
const TRY: f64 = 0.5;
const STEP: f64 = 0.3;
/// What a person says counts as much as so many trials.
const BY_HAND: f64 = 5.0;
/// A trial that brought so many documents was good, however many pages it took.
const TRIAL_GOOD: u64 = 2;
const REASONS: usize = 3;
const EVIDENCE: usize = 7;

/// What is known of a site before it is read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// How much the home page speaks of the topic, 0 to 1.
    pub topic: f64,
    /// Different topic words on it.
    pub keywords: Vec<String>,
    /// Anchor texts on it that a quarter of the good home pages have.
    pub anchors: u64,
    /// Accepted pages, on different domains, that link here.
    pub accepted_linking: u64,
    /// Links on the home page, and those that lead to documents.
    pub links: u64,
    pub links_to_documents: u64,
    /// How different its parts are, 0 (one subject) to 1 (a whole university).
    pub breadth: f64,
    /// A domain for research or education.
    pub is_academic: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteDecision {
    Accept,
    /// So many pages are read first: [`TRIAL_PAGES`].
    Trial,
    Reject(SiteReason),
}

/// Why a site was turned down, in S1's three words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteReason {
    /// The topic is a small part of it.
    Broad,
    /// It speaks of something else.
    Irrelevant,
    /// Some of its words are those of the topic, and mean something else.
    Ambiguous,
}

/// A decision, and what each piece of evidence added to or took from it, the strongest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteVerdict {
    pub decision: SiteDecision,
    pub probability: f64,
    pub because: Vec<(SitePiece, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SitePiece {
    Topic,
    Keywords,
    Anchors,
    AcceptedLinking,
    LinksToDocuments,
    Breadth,
    Academic,
}

const PIECES: [SitePiece; EVIDENCE] = [
    SitePiece::Topic,
    SitePiece::Keywords,
    SitePiece::Anchors,
    SitePiece::AcceptedLinking,
    SitePiece::LinksToDocuments,
    SitePiece::Breadth,
    SitePiece::Academic,
];

/// What was learned from sites that were tried.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewSites {
    pub version: u32,
    weights: [f64; EVIDENCE],
    bias: f64,
    /// Sums of squared steps, by which later steps shrink; the bias last.
    steps: [f64; EVIDENCE + 1],
    turned_down: u64,
    /// Turned-down sites that have the keyword.
    keyword_turned_down: BTreeMap<String, u64>,
}

impl Default for NewSites {
    /// Where nothing was learned: two keywords and an anchor, or a page that speaks of the topic throughout, earn a trial; it
    /// takes several pieces of evidence to be taken without.
    fn default() -> NewSites {
        NewSites {
            version: VERSION,
            weights: [3.0, 1.5, 1.0, 1.0, 2.0, -3.0, 0.5],
            bias: -3.0,
            steps: [1.0; EVIDENCE + 1],
            turned_down: 0,
            keyword_turned_down: BTreeMap::new(),
        }
    }
}

impl NewSites {
    /// 1 for a keyword that no turned-down site has, 0 for one that all have.
    pub fn keyword_weight(&self, keyword: &str) -> f64 {
        let with = self.keyword_turned_down.get(keyword).copied().unwrap_or(0) as f64;
        let all = self.turned_down as f64;
        if all == 0.0 {
            1.0
        } else {
            ((1.0 + all) / (1.0 + with)).ln() / (1.0 + all).ln()
        }
    }

    /// Numbers of about 0 to 2, each growing more slowly the more there is.
    fn numbers(&self, evidence: &Evidence) -> [f64; EVIDENCE] {
        let keywords: f64 = evidence
            .keywords
            .iter()
            .map(|word| self.keyword_weight(word))
            .sum();
        let share = evidence.links_to_documents as f64 / (evidence.links as f64).max(1.0);
        [
            evidence.topic.clamp(0.0, 1.0),
            keywords.ln_1p(),
            (evidence.anchors as f64).ln_1p(),
            (evidence.accepted_linking as f64).ln_1p(),
            share.clamp(0.0, 1.0),
            evidence.breadth.clamp(0.0, 1.0),
            f64::from(u8::from(evidence.is_academic)),
        ]
    }

    pub fn judge(&self, evidence: &Evidence) -> SiteVerdict {
        let numbers = self.numbers(evidence);
        let parts: Vec<f64> = numbers
            .iter()
            .zip(self.weights)
            .map(|(number, weight)| number * weight)
            .collect();
        let probability = logistic(self.bias + parts.iter().sum::<f64>());
        let decision = if probability >= ACCEPT {
            SiteDecision::Accept
        } else if probability >= TRY {
            SiteDecision::Trial
        } else {
            SiteDecision::Reject(reason(evidence))
        };
        let mut because: Vec<(SitePiece, f64)> = PIECES
            .into_iter()
            .zip(parts)
            .filter(|(_, part)| *part != 0.0)
            .collect();
        because.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        SiteVerdict {
            decision,
            probability,
            because,
        }
    }

    /// A trial showed whether the site is good, or a person said so.
    pub fn learn(&mut self, evidence: &Evidence, is_good: bool, is_by_hand: bool) {
        let numbers = self.numbers(evidence);
        let weight = if is_by_hand { BY_HAND } else { 1.0 };
        let probability = self.judge(evidence).probability;
        let error = weight * (f64::from(u8::from(is_good)) - probability);
        let all = self
            .weights
            .iter_mut()
            .chain([&mut self.bias])
            .zip(&mut self.steps);
        for ((weight, step), number) in all.zip(numbers.into_iter().chain([1.0])) {
            let slope = error * number;
            *step += slope * slope;
            *weight += STEP * slope / step.sqrt();
        }
        if !is_good {
            self.turned_down += 1;
            let words: std::collections::BTreeSet<&String> = evidence.keywords.iter().collect();
            for word in words {
                *self.keyword_turned_down.entry(word.clone()).or_default() += 1;
            }
        }
    }
}

fn reason(evidence: &Evidence) -> SiteReason {
    if evidence.breadth >= 0.5 && (evidence.topic > 0.0 || !evidence.keywords.is_empty()) {
        SiteReason::Broad
    } else if evidence.topic < 0.3 && evidence.keywords.len() > 1 {
        SiteReason::Ambiguous
    } else {
        SiteReason::Irrelevant
    }
}

fn logistic(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

/// What a trial showed: good or not; nothing while it may still be either.
pub fn turned_out(fetches: u64, accepted: u64) -> Option<bool> {
    if accepted >= TRIAL_GOOD {
        Some(true)
    } else {
        (fetches >= TRIAL_PAGES).then_some(false)
    }
}

impl SiteVerdict {
    /// The three strongest pieces of evidence in plain words, those for the decision first.
    pub fn reasons(&self, evidence: &Evidence) -> Vec<String> {
        let is_for = !matches!(self.decision, SiteDecision::Reject(_));
        let (with, against): (Vec<_>, Vec<_>) =
            self.because.iter().partition(|(_, part)| (*part > 0.0) == is_for);
        let pieces = with.into_iter().chain(against).take(REASONS);
        pieces.map(|(piece, _)| piece.said(evidence)).collect()
    }
}

impl SitePiece {
    fn said(self, evidence: &Evidence) -> String {
        match self {
            SitePiece::Topic => format!("its pages are on the topic with {:.0} %", evidence.topic * 100.0),
            SitePiece::Keywords => format!("it has the words {}", evidence.keywords.join(", ")),
            SitePiece::Anchors => format!("it has {} of the links that good sites have", evidence.anchors),
            SitePiece::AcceptedLinking => format!(
                "accepted pages of {} domains link to it",
                evidence.accepted_linking
            ),
            SitePiece::LinksToDocuments => {
                format!(
                    "{} of its {} links lead to documents",
                    evidence.links_to_documents, evidence.links
                )
            }
            SitePiece::Breadth => format!("its parts differ by {:.0} %", evidence.breadth * 100.0),
            SitePiece::Academic => "its domain is one of research or education".to_owned(),
        }
    }
}

/// S1's rule, on numbers of different keywords and of representative anchor texts.
pub fn seed_rule(keywords: u64, anchors: u64) -> bool {
    (keywords > 0 && anchors > 0) || keywords > 1 || anchors > 1
}

/// S1's representative anchor texts: those that more than a quarter of the good home pages have, with how many do.
pub fn representative_anchors<'a>(pages: &[Vec<&'a str>]) -> BTreeMap<&'a str, u64> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for page in pages {
        let different: std::collections::BTreeSet<&str> = page.iter().copied().collect();
        for anchor in different {
            *counts.entry(anchor).or_default() += 1;
        }
    }
    counts.retain(|_, count| *count * 4 > pages.len() as u64);
    counts
}

#[cfg(test)]
mod tests;
