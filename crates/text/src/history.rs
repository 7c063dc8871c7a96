//! When did this come, and when did it go? (J2) Every version is in the index, so the answer is a walk over the runs of the
//! documents that ever said it.

use crate::TextError;
use crate::find::{Finder, SearchFilter};
use gleaner_model::{DocumentId, RunId, Timestamp, VersionId};
use gleaner_search::{Marks, Snippet};
use gleaner_store::ledger::{Event, VersionStanding};
use std::collections::{BTreeSet, HashSet};

/// Which way it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// The document did not say it before this run (or was not there).
    Appeared,
    /// The document no longer says it (or is gone).
    Vanished,
}

/// Something that came or went.
#[derive(Debug, Clone)]
pub struct Happening {
    pub turn: Turn,
    pub run: RunId,
    /// When that run began.
    pub at: Timestamp,
    /// The version that says it: the first that does, or the last that did.
    pub version: VersionId,
    pub standing: VersionStanding,
    pub title: String,
    pub snippet: Snippet,
}

impl Finder<'_> {
    /// What came and went in the runs behind `from` up to `to`, the oldest first.
    pub fn happenings(
        &mut self,
        words: &str,
        wish: &SearchFilter,
        turns: &[Turn],
        from: Option<RunId>,
        to: Option<RunId>,
    ) -> Result<Vec<Happening>, TextError> {
        let question = self.question(words, wish)?;
        let reader = self.reader();
        let matching: HashSet<i64> = self.index().all(&question)?.into_iter().collect();
        let mut documents: BTreeSet<DocumentId> = BTreeSet::new();
        for version in &matching {
            documents.extend(
                reader
                    .standing(VersionId(*version))?
                    .map(|standing| standing.document),
            );
        }
        let mut found: Vec<(RunId, Turn, VersionId)> = Vec::new();
        for document in documents {
            let mut said: Option<VersionId> = None;
            // What it said when it was last there, for when it comes back the same.
            let mut last_said: Option<VersionId> = None;
            for (run, event) in reader.events(document)? {
                let now = match event {
                    Event::Version(version) => {
                        last_said = matching.contains(&version.0).then_some(version);
                        last_said
                    }
                    Event::Same => last_said,
                    Event::Absent => None,
                };
                match (said, now) {
                    (None, Some(version)) => found.push((run, Turn::Appeared, version)),
                    (Some(version), None) => found.push((run, Turn::Vanished, version)),
                    _ => {}
                }
                said = now;
            }
        }
        found.retain(|(run, turn, _)| {
            turns.contains(turn) && from.is_none_or(|from| *run > from) && to.is_none_or(|to| *run <= to)
        });
        found.sort_unstable();
        let mut marks = Marks::new(&question, &self.index().languages()?);
        let mut happenings = Vec::new();
        for (run, turn, version) in found {
            let Some(standing) = reader.standing(version)? else {
                continue;
            };
            let is_in_use = !wish.projects.is_empty() || !standing.is_archived;
            let at = reader.run_began(run)?.unwrap_or_default();
            let is_in_time =
                wish.since.is_none_or(|since| at >= since) && wish.until.is_none_or(|until| at <= until);
            if !is_in_use || !is_in_time {
                continue;
            }
            if happenings.len() >= wish.limit {
                break;
            }
            let (title, snippet) = self.shown(&standing, version, &mut marks)?;
            happenings.push(Happening {
                turn,
                run,
                at,
                version,
                standing,
                title,
                snippet,
            });
        }
        Ok(happenings)
    }
}
