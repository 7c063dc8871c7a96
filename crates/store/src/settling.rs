//! What became of the documents of a run, for whoever judges them as a whole, and what follows from that.

use crate::StoreError;
use crate::runs::RunRef;
use async_trait::async_trait;
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
#[derive(Debug, Clone)]
pub struct Move {
    pub old: Candidate,
    pub new: Candidate,
    pub state: State,
    /// The version that the new one repeats, where it does.
    pub same_as: Option<VersionId>,
    /// What is said of it.
    pub detail: String,
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

/// Whose it is to settle a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettlingTurn {
    /// Whoever asked.
    Ours,
    /// Another worker's, who is at it.
    Anothers,
    /// It was sealed.
    Done,
}

/// The rows of a run's last stage: documents that moved, pages that were none, orphans, sentences about the whole.
///
/// Each change here is whole or not at all, and takes away its own precondition, so settling may be killed and done again.
#[async_trait]
pub trait Settling: Send + Sync {
    /// Documents of this run in one state, with the version that speaks for them.
    async fn candidates(
        &self,
        of: RunRef,
        state: State,
        reason: Option<Reason>,
    ) -> Result<Vec<Candidate>, StoreError>;

    /// Where a resource leads to by redirects, at the end of the chain.
    async fn end_of_redirects(&self, from: ResourceId) -> Result<Option<ResourceId>, StoreError>;

    /// The document at a resource, as this run found it.
    async fn found_at(
        &self,
        of: RunRef,
        resource: ResourceId,
    ) -> Result<Option<(Candidate, State)>, StoreError>;

    /// One document instead of one gone and one new: it keeps its number and goes on at its new address.
    async fn keep_move(&self, of: RunRef, moved: Move) -> Result<(), StoreError>;

    /// A document whose address leads to another one that says the same: it is there, under two addresses.
    async fn keep_same_elsewhere(
        &self,
        of: RunRef,
        old: DocumentId,
        detail: String,
    ) -> Result<(), StoreError>;

    /// The resources of these URLs, where there are some.
    async fn resources_of(&self, urls: Vec<Url>) -> Result<Vec<ResourceId>, StoreError>;

    /// Lets one worker settle a run, for [`HOST_LEASE`](gleaner_model::defaults::HOST_LEASE); who has it may ask again and has
    /// it for longer. A run that goes on is to be settled again.
    async fn take_settling(
        &self,
        of: RunRef,
        worker: String,
        now: Timestamp,
    ) -> Result<SettlingTurn, StoreError>;

    /// The run's states are final.
    async fn seal(&self, of: RunRef, notes: Vec<String>, now: Timestamp) -> Result<(), StoreError>;

    /// The next run learns the URLs of the project's sites anew.
    async fn doubt_rules(&self, of: RunRef) -> Result<(), StoreError>;

    /// Marks documents that are there and that nothing leads to any more; gives back how many.
    async fn mark_orphans(&self, of: RunRef, seeds: Vec<ResourceId>, steps: usize)
    -> Result<u64, StoreError>;

    /// The hosts whose documents are not all as they were.
    async fn counts_by_host(&self, of: RunRef) -> Result<Vec<HostCounts>, StoreError>;

    /// The documents of a host that are not as they were.
    async fn host_documents(&self, of: RunRef, host: HostId) -> Result<Vec<HostDocument>, StoreError>;

    /// Takes back versions that were none: what came was not the documents' content. It is remembered, so that the next run
    /// can tell whether it stays.
    async fn take_back(&self, of: RunRef, versions: Vec<TakenBack>, detail: String)
    -> Result<(), StoreError>;

    /// Documents that this run called gone are not: their host is away.
    async fn withhold(
        &self,
        of: RunRef,
        documents: Vec<(DocumentId, ResourceId)>,
        detail: String,
    ) -> Result<(), StoreError>;

    /// The page that this resource was first found on.
    async fn first_found_on(&self, resource: ResourceId) -> Result<Option<ResourceId>, StoreError>;

    /// New documents that are none: more addresses of a page that many addresses show. Their records stay in the archive.
    async fn drop_new(&self, of: RunRef, found: Vec<Candidate>) -> Result<(), StoreError>;

    /// Documents of servers with these schemes that no listing of this run named.
    async fn unlisted(
        &self,
        of: RunRef,
        schemes: Vec<&'static str>,
    ) -> Result<Vec<UnlistedDocument>, StoreError>;

    /// How this run visited a folder; none if it did not come there.
    async fn folder_visit(&self, of: RunRef, folder: Url) -> Result<Option<FolderVisit>, StoreError>;

    /// The address of the folder that a project begins with, where it leads to one.
    async fn folder_at(&self, root: Url) -> Result<Option<String>, StoreError>;

    /// Whether this run found a file in a folder or in those inside it, wanted or not.
    async fn names_files(&self, of: RunRef, folder: String) -> Result<bool, StoreError>;

    /// Writes down what became of documents that no listing named.
    async fn keep_unlisted(
        &self,
        of: RunRef,
        judged: Vec<(UnlistedDocument, State, Reason)>,
        now: Timestamp,
    ) -> Result<(), StoreError>;
}
