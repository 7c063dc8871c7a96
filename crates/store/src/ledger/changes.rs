//! What runs found: their changes.

use super::{Ledger, PAGE, Pages};
use crate::StoreError;
use gleaner_model::{DocumentId, Reason, RunId, State, VersionId};
use std::fmt;

/// A change that a run found. The number of one that left is never given again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ChangeId(pub i64);

impl fmt::Display for ChangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One line of `gleaner report`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    pub change: ChangeId,
    pub state: State,
    pub document: Option<DocumentId>,
    pub url: String,
    pub media_type: Option<String>,
    pub title: Option<String>,
    pub size: Option<u64>,
    pub reason: Option<Reason>,
    pub detail: Option<String>,
    /// The version that the run kept; none: it kept none.
    pub version: Option<VersionId>,
    /// Still there, but nothing links to it any more.
    pub is_orphan: bool,
    /// The address it had before.
    pub moved_from: Option<String>,
}

impl ChangeRow {
    /// The document and its new version, where there are both.
    pub fn kept(&self) -> Option<(DocumentId, VersionId)> {
        Some((self.document?, self.version?))
    }
}

/// What became of the documents that the project had before a track: UPD + SAM + MIS + ERR + OUT, all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Before {
    pub updated: u64,
    pub same: u64,
    pub missing: u64,
    pub errors: u64,
    pub out: u64,
    /// URLs that could not be fetched and never were documents: not among those above.
    pub errors_elsewhere: u64,
}

impl Before {
    pub fn documents(&self) -> u64 {
        self.updated + self.same + self.missing + self.errors + self.out
    }
}

pub trait ChangeLedger: super::RunLedger {
    /// Changes of a run behind one, in the order they were found; none at the end.
    fn changes(
        &self,
        run: RunId,
        state: Option<State>,
        after: Option<ChangeId>,
        limit: usize,
    ) -> Result<Vec<ChangeRow>, StoreError>;

    /// How many changes of a run there are of each state, those of documents apart from those of other addresses.
    fn states(&self, run: RunId) -> Result<Vec<(State, bool, u64)>, StoreError>;

    /// How many documents and links of a run ended for this reason, and the first of their addresses by the alphabet.
    fn count_of_reason(&self, run: RunId, reason: Reason) -> Result<(u64, Option<String>), StoreError>;

    /// What became of the documents there were before; none where the run is no track.
    fn before(&self, run: RunId) -> Result<Option<Before>, StoreError> {
        if self.run(run)?.kind != crate::runs::RunKind::Track {
            return Ok(None);
        }
        let mut before = Before::default();
        for (state, is_document, count) in self.states(run)? {
            match (state, is_document) {
                (State::Upd, _) => before.updated += count,
                (State::Sam, _) => before.same += count,
                (State::Mis, _) => before.missing += count,
                (State::Err, true) => before.errors += count,
                (State::Err, false) => before.errors_elsewhere += count,
                (State::Out, true) => before.out += count,
                (State::New | State::Out, _) => {}
            }
        }
        Ok(Some(before))
    }
}

impl dyn Ledger + '_ {
    /// The changes of a run, in the order they were found.
    pub fn all_changes(&self, run: RunId, state: Option<State>) -> Pages<'_, ChangeRow> {
        Pages::new(move |last: Option<&ChangeRow>| self.changes(run, state, last.map(|row| row.change), PAGE))
    }
}
