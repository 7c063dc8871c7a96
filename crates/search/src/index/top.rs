//! The best answers, in an order that does not depend on how the index came about: by score, then the newest version first.
//!
//! Whoever asks says of a version whether it is wanted; asked only of those that would be among the best, which are few.

use super::{Index, VERSION};
use crate::{Question, SearchError};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use tantivy::query::{EnableScoring, Query};

/// Scores that differ by less are equal: sums of the same numbers in another order differ in their last bits.
const STEPS_PER_POINT: f32 = 4096.0;

/// Where an answer stands among all: its score and its version. Later answers are smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RankedVersion {
    steps: u64,
    version: i64,
}

impl fmt::Display for RankedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:x}-{:x}", self.steps, self.version)
    }
}

impl FromStr for RankedVersion {
    type Err = ();

    fn from_str(text: &str) -> Result<RankedVersion, ()> {
        let (steps, version) = text.trim().split_once('-').ok_or(())?;
        let version = i64::from_str_radix(version, 16).map_err(drop)?;
        let steps = u64::from_str_radix(steps, 16).map_err(drop)?;
        Ok(RankedVersion { steps, version })
    }
}

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub version: i64,
    pub score: f32,
    pub place: RankedVersion,
}

impl Index {
    /// The best `limit` versions behind `after` of which `is_wanted` says so, the best first.
    pub fn top<E: From<SearchError>>(
        &self,
        question: &Question,
        limit: usize,
        after: Option<RankedVersion>,
        mut is_wanted: impl FnMut(i64) -> Result<bool, E>,
    ) -> Result<Vec<Hit>, E> {
        let mut best: BTreeSet<RankedVersion> = BTreeSet::new();
        let mut failed = None;
        self.each(question, true, |version, score| {
            let place = RankedVersion {
                steps: (score.max(0.0) * STEPS_PER_POINT).round() as u64,
                version,
            };
            let is_behind = after.is_none_or(|after| place < after);
            let is_among = best.len() < limit || best.first().is_some_and(|worst| *worst < place);
            if failed.is_some() || limit == 0 || !is_behind || !is_among {
                return;
            }
            match is_wanted(version) {
                Ok(true) => {
                    best.insert(place);
                    if best.len() > limit {
                        best.pop_first();
                    }
                }
                Ok(false) => {}
                Err(error) => failed = Some(error),
            }
        })?;
        if let Some(error) = failed {
            return Err(error);
        }
        Ok(best
            .into_iter()
            .rev()
            .map(|place| Hit {
                version: place.version,
                score: place.steps as f32 / STEPS_PER_POINT,
                place,
            })
            .collect())
    }

    /// All versions that answer, in no order.
    pub fn all(&self, question: &Question) -> Result<Vec<i64>, SearchError> {
        let mut found = Vec::new();
        self.each(question, false, |version, _| found.push(version))?;
        Ok(found)
    }

    fn each(
        &self,
        question: &Question,
        with_scores: bool,
        mut each: impl FnMut(i64, f32),
    ) -> Result<(), SearchError> {
        let query: Box<dyn Query> = self.ask(question)?;
        let searcher = self.searcher();
        let scoring = if with_scores {
            EnableScoring::enabled_from_searcher(&searcher)
        } else {
            EnableScoring::disabled_from_searcher(&searcher)
        };
        let failed = |cause| self.at(cause);
        let weight = query.weight(scoring).map_err(failed)?;
        for segment in searcher.segment_readers() {
            let column = segment.fast_fields().u64(VERSION).map_err(failed)?;
            let alive = segment.alive_bitset();
            let mut take = |doc, score| {
                if alive.is_none_or(|alive| alive.is_alive(doc))
                    && let Some(version) = column.first(doc)
                {
                    each(version as i64, score);
                }
            };
            weight.for_each(segment, &mut take).map_err(failed)?;
        }
        Ok(())
    }
}
