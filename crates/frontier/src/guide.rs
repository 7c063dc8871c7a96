//! Which of the waiting addresses is worth a fetch, where a run looks for something? (A11, G9 to G11)
//!
//! A run without a guide goes breadth first ([`crate::Priority`]). One that collects for a library asks a [`Guide`] at four places:
//!
//! ```text
//!  a page came ──► page: what is it worth, and how promising is each of its links? ──► rows with scores
//!  no page came ─► nothing         a document was judged, or a person spoke ─► judged
//!  rows wait ────► is_due, rescore: what was learned since changes their order
//!  a host's turn ► choose: which of the rows at hand; place: is this part of a site still worth it?
//! ```
//! A guide learns from what it is told, in the order in which it is told; the same calls with the same chance give the same
//! answers. Chance comes in as a number. A guide keeps its state behind its own lock, because pages are judged on several threads.

use crate::Priority;
use gleaner_model::{Content, LinkKind, Url};
use std::fmt;

/// Scores lie behind this priority, one for each of their values.
const SCORED: u32 = 1 << 29;
const STEPS_PER_UNIT: f32 = 2047.0;
const UNITS: f32 = 16.0;

/// How likely an address is what is sought or leads there. It is kept with the row; more is better.
///
/// As a number of 16 bits, evenly over the logarithm of the odds: what is one in a thousand differs from one in ten thousand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkScore(pub u16);

impl LinkScore {
    pub const LEAST: LinkScore = LinkScore(0);
    pub const MOST: LinkScore = LinkScore(u16::MAX);

    pub fn of(likely: f32) -> LinkScore {
        let likely = if likely.is_nan() {
            0.0
        } else {
            likely.clamp(1e-7, 1.0 - 1e-7)
        };
        LinkScore::of_odds((likely / (1.0 - likely)).ln())
    }

    /// Of the logarithm of the odds.
    pub fn of_odds(odds: f32) -> LinkScore {
        let odds = if odds.is_nan() { -UNITS } else { odds };
        LinkScore(((odds.clamp(-UNITS, UNITS) + UNITS) * STEPS_PER_UNIT).round() as u16)
    }

    /// The logarithm of the odds.
    pub fn odds(self) -> f32 {
        f32::from(self.0) / STEPS_PER_UNIT - UNITS
    }

    pub fn likely(self) -> f32 {
        1.0 / (1.0 + (-self.odds()).exp())
    }

    /// As the sort key of the queue, where smaller is sooner. All scored rows come behind rows near a seed.
    pub fn priority(self) -> Priority {
        Priority(SCORED + u32::from(u16::MAX - self.0))
    }
}

/// A link of a page that is to be scored.
#[derive(Debug, Clone, Copy)]
pub struct LinkSeen<'a> {
    pub url: &'a Url,
    pub kind: LinkKind,
    pub anchor: &'a str,
}

/// A page that came.
#[derive(Debug, Clone, Copy)]
pub struct PageSeen<'a> {
    pub url: &'a Url,
    pub depth: u32,
    pub title: &'a str,
    /// What it says to its reader; none where that is not known, as for documents that are read later.
    pub content: Option<&'a Content>,
    /// What it is worth where that is known already (0 to 1); else the guide judges by what the page says.
    pub worth: Option<f32>,
    /// Those that may be followed, in the order of the page.
    pub links: &'a [LinkSeen<'a>],
}

/// What a guide says of a page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PageGuided {
    /// How likely it is what is sought, 0 to 1.
    pub worth: f32,
    /// One for each link, in their order.
    pub scores: Vec<LinkScore>,
}

/// A row of the frontier, as far as it must be known to be scored anew.
#[derive(Debug, Clone, Copy)]
pub struct RowSeen<'a> {
    pub url: &'a Url,
    pub depth: u32,
    /// As it is stored.
    pub score: LinkScore,
}

/// Whether a part of a site is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlaceTurn {
    Open,
    /// Its folder gives nothing: the row waits, and is asked about again later. In the words of the report.
    Paused(String),
    /// The site gives nothing more: its rows stay where they are. In the words of the report.
    Left(String),
}

/// What guides a run to what it looks for.
pub trait Guide: Send + Sync + fmt::Debug {
    /// A page came: learns from it, and scores its links. Called once a page, before its links become rows.
    fn page(&self, page: &PageSeen<'_>) -> PageGuided;

    /// There was nothing at an address: it is gone, refused, of an unwanted type. Errors that pass teach nothing and are not told.
    fn nothing(&self, url: &Url);

    /// What an address is worth became known later: its document was judged, or a person decided. 0 to 1.
    fn judged(&self, url: &Url, worth: f32);

    /// Whether so much was learned since the rows of a host were last scored that the best thousand are to be scored anew.
    fn is_due(&self, host: &str) -> bool;

    /// Scores for rows, in their order.
    fn rescore(&self, rows: &[RowSeen<'_>]) -> Vec<LinkScore>;

    /// Which of the rows at hand is fetched next; `chance` is a random number. Nothing for no rows.
    fn choose(&self, rows: &[RowSeen<'_>], chance: u64) -> Option<usize>;

    /// Whether an address that was chosen is asked for. Asked right before the fetch.
    fn place(&self, url: &Url, chance: u64) -> PlaceTurn;

    /// All that was learned, for the next run; bounded.
    fn save(&self) -> Vec<u8>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a11_scores_keep_their_order_and_become_priorities() {
        let likely = [0.0, 1e-5, 1e-4, 0.001, 0.1, 0.5, 0.9, 0.9999, 1.0];
        let scores: Vec<LinkScore> = likely.into_iter().map(LinkScore::of).collect();
        assert!(scores.is_sorted() && scores.windows(2).all(|pair| pair[0] != pair[1]));
        for (likely, score) in likely.into_iter().zip(&scores) {
            assert!((score.likely() - likely).abs() < 0.001, "{likely}");
        }
        assert!(LinkScore::of(0.9).priority() < LinkScore::of(0.1).priority());
        assert!(Priority::SEED < LinkScore::MOST.priority());
        assert_eq!(LinkScore::of(f32::NAN), LinkScore::of(0.0));
        assert!(LinkScore::LEAST <= LinkScore::of_odds(f32::NEG_INFINITY));
        assert!(LinkScore::of_odds(f32::INFINITY) <= LinkScore::MOST);
    }
}
