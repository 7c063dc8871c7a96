//! What became of the documents of a run, for whoever judges them as a whole, and what follows from that.

use gleaner_model::{DocumentId, HostId, Modified, Reason, ResourceId, State, Timestamp, Url, VersionId};

/// A document that is not where it was, or one that is new where none was.
#[derive(Debug, Clone)]
pub struct Candidate {
    pub document: DocumentId,
    pub resource: ResourceId,
    pub url: String,
    /// The version that speaks for it.
    pub version: VersionId,
    pub digest: [u8; 32],
    pub size: u64,
    pub title: Option<String>,
}

/// How a document that moved is reported.
#[derive(Debug)]
pub struct Move<'a> {
    pub old: &'a Candidate,
    pub new: &'a Candidate,
    pub state: State,
    /// The version that the new one repeats, where it does.
    pub same_as: Option<VersionId>,
}

/// How many documents of a host have which state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCounts {
    pub host: HostId,
    pub scheme: String,
    pub name: String,
    pub port: u16,
    /// Those that are new and those that are out too.
    pub all: usize,
    pub same: usize,
    pub changed: usize,
    pub failed: usize,
    pub gone: usize,
    /// How many failed for which reason.
    pub reasons: Vec<(Reason, usize)>,
}

impl HostCounts {
    /// Its scheme, name and port, as its addresses begin.
    pub fn origin(&self) -> String {
        let address = format!("{}://{}:{}/", self.scheme, self.name, self.port);
        Url::parse(&address).map_or(address, |url| url.origin().to_owned())
    }
}

/// A document that is not as it was.
#[derive(Debug, Clone)]
pub struct HostDocument {
    pub document: DocumentId,
    pub resource: ResourceId,
    pub state: State,
    pub reason: Option<Reason>,
    pub version: Option<VersionId>,
    /// Digests of the new version and of the one before.
    pub ladder: Option<Vec<u8>>,
    pub base_ladder: Option<Vec<u8>>,
    /// Digests of what came in its place in this run, and in the one before.
    pub shown: Option<Vec<u8>>,
    pub shown_last: Option<Vec<u8>>,
    /// What the run before said of it.
    pub last: Option<(State, Option<Reason>)>,
}

/// A version that was none.
#[derive(Debug, Clone, Copy)]
pub struct TakenBack {
    pub document: DocumentId,
    pub resource: ResourceId,
    pub version: VersionId,
    /// What stands in its place.
    pub reason: Reason,
}

/// A document of a server that lists, which no listing of this run named.
#[derive(Debug, Clone)]
pub struct UnlistedDocument {
    pub document: DocumentId,
    pub resource: ResourceId,
    pub url: String,
}

/// How the visit of a folder ended.
#[derive(Debug, Clone)]
pub struct FolderVisit {
    pub was_asked: bool,
    /// `CutShort` where the stored reason is not known any more.
    pub reason: Option<Reason>,
    pub detail: Option<String>,
}

/// A document in the frontier that a list dates.
#[derive(Debug, Clone)]
pub struct DatedDocument {
    pub document: DocumentId,
    pub url: String,
    /// When it changed last, as the list says.
    pub modified: Modified,
    /// When the server last answered for it.
    pub looked: Timestamp,
    pub(crate) priority: i64,
    pub(crate) resource: i64,
}
