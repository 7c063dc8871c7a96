//! What is kept, as maps.

use crate::keep::Cut;
use crate::leases::Fence;
use crate::ledger::FollowPosition;
use crate::libraries::{LibraryCycle, LibraryDocument, LibraryRow, LibrarySite};
use crate::runs::{RunKind, RunStatus, SiteRules};
use crate::tracking::targets;
use crate::warc::Digest;
use crate::work::{Purpose, StoredRobots};
use gleaner_model::{
    DocumentId, HostId, HostState, Leg, LibraryId, LinkKind, Modified, Project, ProjectId, Reason,
    ResourceId, RunId, State, Timestamp, Url, UrlKey, VersionId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

#[derive(Clone, Default)]
pub(super) struct Rows {
    /// How often something was kept.
    pub(super) touched: u64,
    pub(super) projects: BTreeMap<ProjectId, HeldProject>,
    pub(super) runs: BTreeMap<RunId, HeldRun>,
    pub(super) hosts: BTreeMap<HostId, HeldHost>,
    pub(super) resources: BTreeMap<ResourceId, HeldResource>,
    pub(super) resource_of: HashMap<UrlKey, ResourceId>,
    pub(super) documents: BTreeMap<DocumentId, HeldDocument>,
    pub(super) document_at: BTreeMap<(ResourceId, ProjectId), DocumentId>,
    pub(super) versions: BTreeMap<VersionId, HeldVersion>,
    pub(super) ladders: BTreeMap<VersionId, Vec<u8>>,
    pub(super) bodies: HashMap<Digest, HeldBody>,
    /// What was appended, capture by capture.
    pub(super) records: Vec<Vec<u8>>,
    pub(super) visits: BTreeMap<(RunId, ResourceId), HeldVisit>,
    pub(super) changes: BTreeMap<(RunId, ResourceId), HeldChange>,
    /// How many documents, versions and changes there ever were: their numbers are never given twice.
    documents_count: i64,
    versions_count: i64,
    changes_count: i64,
    /// In the order in which they finished; a number is never given twice.
    pub(super) finished: BTreeMap<i64, RunId>,
    finished_count: i64,
    pub(super) followers: BTreeMap<String, FollowPosition>,
    pub(super) frontier: BTreeMap<Place, HeldRow>,
    pub(super) page_links: BTreeMap<ResourceId, LinkList>,
    /// By page and by the run that found them first.
    pub(super) past_links: BTreeMap<(ResourceId, RunId), PastList>,
    pub(super) cuts: BTreeMap<(RunId, Reason, String), Cut>,
    pub(super) notes: BTreeSet<(RunId, String)>,
    pub(super) site_rules: BTreeMap<(ProjectId, String), SiteRules>,
    pub(super) noises: BTreeMap<(ProjectId, String), String>,
    pub(super) trap_memories: BTreeMap<RunId, Vec<u8>>,
    /// How often the validators of a host were right and wrong.
    pub(super) trusts: BTreeMap<HostId, (u64, u64)>,
    /// How many changes the lists of a host announced since they last failed to.
    pub(super) list_trusts: BTreeMap<HostId, i64>,
    pub(super) list_dates: BTreeMap<(RunId, ResourceId), Vec<(ResourceId, Modified)>>,
    pub(super) list_waits: BTreeSet<(RunId, ResourceId, HostId)>,
    /// As hosts were last released.
    pub(super) host_states: BTreeMap<(RunId, HostId), HostState>,
    pub(super) libraries: BTreeMap<LibraryId, HeldLibrary>,
    /// What is remembered only while the process lives.
    pub(super) of_process: OfProcess,
}

#[derive(Clone)]
pub(super) struct HeldLibrary {
    pub(super) row: LibraryRow,
    pub(super) sites: BTreeMap<String, LibrarySite>,
    /// By document, the oldest first.
    pub(super) verdicts: BTreeMap<DocumentId, Vec<LibraryDocument>>,
    pub(super) cycles: BTreeMap<u32, LibraryCycle>,
    pub(super) memories: BTreeMap<String, Vec<u8>>,
}

#[derive(Clone, Default)]
pub(super) struct OfProcess {
    pub(super) notes_dates: HashSet<RunId>,
    /// The lists of folders whose entries come in pieces, as far as they came.
    pub(super) open_lists: HashMap<(RunId, ResourceId), Vec<u8>>,
    /// Of each host that somebody had.
    pub(super) leases: BTreeMap<(RunId, HostId), HeldLease>,
    /// Who settles a run, and until when.
    pub(super) settling: HashMap<RunId, (String, Timestamp)>,
}

#[derive(Clone, Copy)]
pub(super) struct HeldLease {
    pub(super) fence: Fence,
    /// None: it was released.
    pub(super) until: Option<Timestamp>,
}

impl OfProcess {
    pub(super) fn is_held(&self, run: RunId, host: HostId, now: Timestamp) -> bool {
        let until = self.leases.get(&(run, host)).and_then(|lease| lease.until);
        until.is_some_and(|until| until > now)
    }
}

/// Where a row of the frontier stands: run, host, priority, resource.
pub(super) type Place = (RunId, HostId, i64, ResourceId);

#[derive(Clone)]
pub(super) struct HeldProject {
    pub(super) settings: Project,
    pub(super) created_at: Timestamp,
    pub(super) archived_at: Option<Timestamp>,
}

#[derive(Clone)]
pub(super) struct HeldRun {
    pub(super) project: ProjectId,
    pub(super) settings: Project,
    pub(super) kind: RunKind,
    pub(super) status: RunStatus,
    pub(super) started_at: Timestamp,
    pub(super) ended_at: Option<Timestamp>,
    pub(super) is_sealed: bool,
    pub(super) active_ms: u64,
    pub(super) wire_bytes: u64,
    pub(super) cookies: Option<Vec<u8>>,
    pub(super) note: Option<String>,
}

#[derive(Clone)]
pub(super) struct HeldHost {
    pub(super) scheme: String,
    pub(super) name: String,
    pub(super) port: u16,
    pub(super) robots: Option<StoredRobots>,
    pub(super) held_until: Option<Timestamp>,
}

#[derive(Clone)]
pub(super) struct HeldResource {
    pub(super) key: UrlKey,
    pub(super) host: HostId,
    pub(super) url: Url,
    /// The page it was first found on.
    pub(super) source: Option<ResourceId>,
    pub(super) discovered_at: Timestamp,
    pub(super) processed_at: Option<Timestamp>,
    /// Of the last answer.
    pub(super) status: Option<u16>,
    /// Of the last page that said so.
    pub(super) media_type: Option<String>,
    pub(super) charset: Option<String>,
    pub(super) title: Option<String>,
}

#[derive(Clone)]
pub(super) struct HeldDocument {
    pub(super) project: ProjectId,
    pub(super) resource: ResourceId,
    pub(super) version: Option<VersionId>,
    pub(super) depth: u32,
    pub(super) gone_run: Option<RunId>,
    pub(super) orphan_run: Option<RunId>,
    pub(super) looked_at: Option<Timestamp>,
    pub(super) instead_run: Option<RunId>,
    pub(super) instead: Option<Vec<u8>>,
}

#[derive(Clone)]
pub(super) struct HeldVersion {
    pub(super) document: DocumentId,
    pub(super) run: RunId,
    pub(super) fetched_at: Timestamp,
    pub(super) media_type: String,
    pub(super) charset: Option<String>,
    pub(super) title: Option<String>,
    pub(super) size: u64,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) digest: Digest,
    pub(super) same_as: Option<VersionId>,
    pub(super) ignored: Option<String>,
    /// As asked for, where that is not the document's address.
    pub(super) asked: Option<String>,
    /// The place of its own record.
    pub(super) record: usize,
}

/// Where a payload was stored first.
#[derive(Clone)]
pub(super) struct HeldBody {
    pub(super) resource: ResourceId,
    pub(super) at: Timestamp,
    /// The place of the record that has it.
    pub(super) record: usize,
}

#[derive(Clone, Default)]
pub(super) struct HeldVisit {
    pub(super) depth: u32,
    pub(super) at: Option<Timestamp>,
    pub(super) status: Option<u16>,
    pub(super) reason: Option<Reason>,
    pub(super) detail: Option<String>,
    pub(super) legs: Vec<Leg>,
}

#[derive(Clone)]
pub(super) struct HeldChange {
    /// Changes of a run lie in the order of these.
    pub(super) number: i64,
    pub(super) document: Option<DocumentId>,
    pub(super) version: Option<VersionId>,
    pub(super) state: State,
    pub(super) reason: Option<Reason>,
    pub(super) detail: Option<String>,
    pub(super) is_orphan: bool,
    pub(super) moved_from: Option<ResourceId>,
}

#[derive(Clone)]
pub(super) struct HeldRow {
    pub(super) depth: u32,
    pub(super) purpose: Purpose,
    pub(super) score: u16,
    pub(super) hops: u32,
    pub(super) chain: Vec<String>,
    pub(super) tries: u32,
    pub(super) due_at: Timestamp,
    pub(super) stamp: Option<String>,
    pub(super) legs: Vec<Leg>,
    pub(super) request: Option<String>,
}

#[derive(Clone)]
pub(super) struct LinkList {
    pub(super) first_run: RunId,
    pub(super) list: String,
}

#[derive(Clone)]
pub(super) struct PastList {
    pub(super) gone_run: RunId,
    pub(super) list: String,
}

/// The number after the last one.
pub(super) fn next<K: Ord + Copy, V>(table: &BTreeMap<K, V>, number: impl Fn(K) -> i64) -> i64 {
    table.last_key_value().map_or(1, |(last, _)| number(*last) + 1)
}

impl Rows {
    pub(super) fn next_document(&mut self) -> DocumentId {
        self.documents_count += 1;
        DocumentId(self.documents_count)
    }

    /// What a run found is final: followers may read it.
    pub(super) fn note_finished(&mut self, run: RunId) {
        if !self.finished.values().any(|finished| *finished == run) {
            self.finished_count += 1;
            self.finished.insert(self.finished_count, run);
        }
    }

    pub(super) fn next_version(&mut self) -> VersionId {
        self.versions_count += 1;
        VersionId(self.versions_count)
    }

    /// The rows of a run's frontier, as they are asked for.
    pub(super) fn frontier_of(&self, run: RunId) -> impl Iterator<Item = (Place, &HeldRow)> {
        let from = (run, HostId(i64::MIN), i64::MIN, ResourceId(i64::MIN));
        let rows = self.frontier.range(from..);
        rows.take_while(move |(place, _)| place.0 == run)
            .map(|(place, row)| (*place, row))
    }

    pub(super) fn visits_of(&self, run: RunId) -> impl Iterator<Item = (ResourceId, &HeldVisit)> {
        let rows = self.visits.range((run, ResourceId(i64::MIN))..);
        rows.take_while(move |((of, _), _)| *of == run)
            .map(|((_, resource), visit)| (*resource, visit))
    }

    pub(super) fn changes_of(&self, run: RunId) -> impl Iterator<Item = (ResourceId, &HeldChange)> {
        let rows = self.changes.range((run, ResourceId(i64::MIN))..);
        rows.take_while(move |((of, _), _)| *of == run)
            .map(|((_, resource), change)| (*resource, change))
    }

    /// The same in the order in which they were found.
    pub(super) fn changes_in_order(&self, run: RunId) -> Vec<(ResourceId, &HeldChange)> {
        let mut changes: Vec<_> = self.changes_of(run).collect();
        changes.sort_by_key(|(_, change)| change.number);
        changes
    }

    pub(super) fn change_of_document(&mut self, run: RunId, document: DocumentId) -> Option<&mut HeldChange> {
        let mut changes = self.changes.iter_mut();
        changes
            .find(|((of, _), change)| *of == run && change.document == Some(document))
            .map(|(_, change)| change)
    }

    /// One change for each address that a run took up: the first one stays.
    pub(super) fn add_change(&mut self, run: RunId, resource: ResourceId, change: HeldChange) {
        if self.changes.contains_key(&(run, resource)) {
            return;
        }
        self.changes_count += 1;
        let number = self.changes_count;
        self.changes
            .insert((run, resource), HeldChange { number, ..change });
    }

    /// A document that is there, as far as we know.
    pub(super) fn document_there(&self, resource: ResourceId, project: ProjectId) -> Option<DocumentId> {
        let id = *self.document_at.get(&(resource, project))?;
        self.documents[&id].gone_run.is_none().then_some(id)
    }

    pub(super) fn documents_there(
        &self,
        project: ProjectId,
    ) -> impl Iterator<Item = (DocumentId, &HeldDocument)> {
        self.documents
            .iter()
            .filter(move |(_, document)| document.project == project && document.gone_run.is_none())
            .map(|(id, document)| (*id, document))
    }

    pub(super) fn newest_version(&self, document: DocumentId) -> Option<VersionId> {
        let mut versions = self.versions.iter().rev();
        versions
            .find(|(_, version)| version.document == document)
            .map(|(id, _)| *id)
    }

    /// The project's run before this one.
    pub(super) fn run_before(&self, project: ProjectId, run: RunId) -> Option<RunId> {
        let mut before = self.runs.range(..run).rev();
        before.find(|(_, row)| row.project == project).map(|(id, _)| *id)
    }

    pub(super) fn list_of(&self, page: ResourceId) -> &str {
        self.page_links.get(&page).map_or("", |links| &links.list)
    }

    /// Where a resource redirects to, one hop on.
    pub(super) fn redirect_from(&self, resource: ResourceId) -> Option<ResourceId> {
        let redirect = LinkKind::Redirect as u8;
        targets(self.list_of(resource))
            .find(|(_, kind)| *kind == redirect)
            .map(|(target, _)| ResourceId(target))
    }

    /// The links that a page had before this run: what came in its place had others, or none.
    pub(super) fn restore_links(&mut self, page: ResourceId, run: RunId) {
        if self
            .page_links
            .get(&page)
            .is_some_and(|links| links.first_run == run)
        {
            self.page_links.remove(&page);
        }
        let ended: Vec<_> = self
            .past_links
            .extract_if(.., |(source, _), past| *source == page && past.gone_run == run)
            .collect();
        if let Some(((_, first_run), PastList { list, .. })) = ended.into_iter().next() {
            let back = LinkList { first_run, list };
            self.page_links.entry(page).or_insert(back);
        }
    }
}

impl HeldChange {
    pub(super) fn new(document: Option<DocumentId>, state: State, reason: Option<Reason>) -> HeldChange {
        HeldChange {
            number: 0,
            document,
            version: None,
            state,
            reason,
            detail: None,
            is_orphan: false,
            moved_from: None,
        }
    }
}

/// Whether a stored list is that of a sitemap.
pub(super) fn is_sitemap(list: &str) -> bool {
    let mut kinds = targets(list).map(|(_, kind)| kind == LinkKind::Sitemap as u8);
    kinds.next() == Some(true) && kinds.all(|is_entry| is_entry)
}
