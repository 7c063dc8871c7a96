//! Versions: the history of a document, and all of them in the order they came, for those who follow the store.
//!
//! The number of a version is its place in that order. It is never given twice, also where the newest versions leave again.

use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, ProjectId, RunId, State, Timestamp, VersionId};

/// One line of `gleaner versions`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRow {
    /// Within the document; the oldest is 1.
    pub number: usize,
    pub id: VersionId,
    pub run: RunId,
    pub fetched_at: Timestamp,
    pub media_type: String,
    pub title: Option<String>,
    /// Decoded bytes.
    pub size: u64,
    /// Of the bytes as sent.
    pub digest: Digest,
    /// The state that its run reported.
    pub state: Option<State>,
    /// The version it repeats under the project's equality; none: it says something of its own.
    pub same_as: Option<VersionId>,
    /// JSON: what differed and did not count.
    pub ignored: Option<String>,
    /// As asked for, where that is not the document's URL.
    pub url: Option<String>,
    /// Its bytes are gone.
    pub is_lost: bool,
}

impl VersionRow {
    /// Whether it says something that no older version said.
    pub fn is_own(&self) -> bool {
        self.same_as.is_none()
    }
}

/// A version that retention dropped: what its run reported stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedVersion {
    pub run: RunId,
    /// When the run began.
    pub at: Timestamp,
    pub state: State,
}

/// What never changes about a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionFacts {
    pub version: VersionId,
    pub document: DocumentId,
    pub project: ProjectId,
    pub run: RunId,
    /// As asked for.
    pub url: String,
    pub host: String,
    pub media_type: String,
    pub title: Option<String>,
    /// Of the body as sent.
    pub digest: Digest,
    /// Its bytes are gone.
    pub is_lost: bool,
}

/// How a version and its document stand now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionStanding {
    pub document: DocumentId,
    pub project: ProjectId,
    pub project_name: String,
    pub run: RunId,
    /// The document's address now.
    pub url: String,
    pub host: String,
    pub media_type: String,
    pub title: Option<String>,
    pub fetched_at: Timestamp,
    pub is_newest: bool,
    /// What the last run that looked at the document said.
    pub state: Option<State>,
    /// The document was found to be gone, or the settings no longer take it.
    pub is_absent: bool,
    /// A person removed the project.
    pub is_archived: bool,
}

/// What became of a document in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It says what this version says.
    Version(VersionId),
    /// It says what it said before, and is there again if it was not.
    Same,
    Absent,
}

/// What a run says of a document, from the version it kept and the state it gave; none: nothing, or an error.
pub(crate) fn event(version: Option<VersionId>, state: Option<State>) -> Option<Event> {
    match (version, state.filter(|state| *state != State::Err)) {
        (_, Some(State::Mis | State::Out)) => Some(Event::Absent),
        (Some(version), _) => Some(Event::Version(version)),
        (None, Some(_)) => Some(Event::Same),
        (None, None) => None,
    }
}

pub trait VersionLedger {
    /// All versions of a document, the oldest first.
    fn versions(&self, document: DocumentId) -> Result<Vec<VersionRow>, StoreError>;

    /// The versions of a document that are no longer kept, the oldest first. Those that only repeated another left no trace.
    fn pruned_versions(&self, document: DocumentId) -> Result<Vec<PrunedVersion>, StoreError>;

    /// What became of a document, run by run, the oldest first.
    fn events(&self, document: DocumentId) -> Result<Vec<(RunId, Event)>, StoreError>;

    /// Versions behind a number, the oldest first; none at the end.
    fn versions_behind(&self, position: VersionId, limit: usize) -> Result<Vec<VersionFacts>, StoreError>;

    /// How many versions there are up to a number, and behind it.
    fn count_versions(&self, position: VersionId) -> Result<(u64, u64), StoreError>;

    /// The numbers of all versions up to one.
    fn version_numbers(&self, position: VersionId) -> Result<Vec<i64>, StoreError>;

    /// The digest of a version's bytes as sent; none where the version left or its bytes are gone.
    fn version_digest(&self, version: VersionId) -> Result<Option<Digest>, StoreError>;

    /// How a version stands now; none where it left.
    fn standing(&self, version: VersionId) -> Result<Option<VersionStanding>, StoreError>;
}
