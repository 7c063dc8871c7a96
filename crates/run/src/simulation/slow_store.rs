//! The store in memory as it is behind a network or a slow disk: answers take their time, the disk is full now and then, and who
//! is killed may have had its call done or not.

use super::worker::SimulatedClock;
use crate::processor::inline;
use async_trait::async_trait;
use gleaner_model::chance::SplitMix;
use gleaner_model::{
    Chance, DocumentId, HostId, HostState, Leg, Project, ProjectId, Reason, ResourceId, RunId, State,
    Timestamp, Url,
};
use gleaner_store::followers::Followers;
use gleaner_store::keep::{Cut, Enqueue, Found, Keep, KeepWith, Kept, NotKept, Rekeyed};
use gleaner_store::leases::{FencedHost, HostLease, HostsWanted, Leases};
use gleaner_store::ledger::FollowPosition;
use gleaner_store::lists::Lists;
use gleaner_store::runs::{Counts, Removed, RunKind, RunRow, RunStatus, Runs, SiteRules};
use gleaner_store::settling::{
    Candidate, DatedDocument, FolderVisit, HostCounts, HostDocument, Move, Settling, SettlingTurn, TakenBack,
    UnlistedDocument,
};
use gleaner_store::sites::Sites;
use gleaner_store::tracking::{Beginning, KnownDocument, KnownLink, LinkPage, Naming, Others, Tracking};
use gleaner_store::work::{Ending, Load, Loaded, Rescored, StoredRobots, Work};
use gleaner_store::{Ledger, MemoryStore, RunRef, Store, StoreError};
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

const FULL_ONE_OF: u64 = 60;
const SLOW_ONE_OF: u64 = 4;
pub(super) const SLOWEST_MS: u64 = 400;

pub(super) struct SlowStore {
    pub(super) store: MemoryStore,
    pub(super) clock: Arc<SimulatedClock>,
    pub(super) chance: Arc<SplitMix>,
    /// How long answers take at most.
    pub(super) slowest_ms: u64,
    /// Whether the disk is full now and then.
    pub(super) is_full: bool,
}

impl SlowStore {
    async fn pause(&self) {
        let is_slow = self.slowest_ms > 0 && !inline::is_working();
        if is_slow && self.chance.next().is_multiple_of(SLOW_ONE_OF) {
            let takes = self.chance.next() % self.slowest_ms;
            tokio::time::sleep(Duration::from_millis(takes)).await;
        }
        self.clock.alive().await;
    }

    fn room(&self) -> Result<(), StoreError> {
        if self.is_full && self.chance.next().is_multiple_of(FULL_ONE_OF) {
            return Err(StoreError::DiskFull {
                path: "memory".into(),
            });
        }
        Ok(())
    }
}

/// Calls that are handed on, with a pause before and after. `full`: those that a run waits a full disk out with.
macro_rules! slow {
    ($contract:ident {
        $($name:ident($($argument:ident: $kind:ty),*) -> $given:ty;)*
    } full {
        $($writes:ident($($with:ident: $sort:ty),*) -> $gives:ty;)*
    } $(and { $($other:tt)* })?) => {
        #[async_trait]
        impl $contract for SlowStore {
            $(async fn $name(&self, $($argument: $kind),*) -> Result<$given, StoreError> {
                self.pause().await;
                let given = self.store.$name($($argument),*).await;
                self.pause().await;
                given
            })*
            $(async fn $writes(&self, $($with: $sort),*) -> Result<$gives, StoreError> {
                self.pause().await;
                self.room()?;
                let given = self.store.$writes($($with),*).await;
                self.pause().await;
                given
            })*
            $($($other)*)?
        }
    };
}

slow! { Runs {
    project(project: Project, now: Timestamp) -> ProjectId;
    find_project(name: String) -> Option<(ProjectId, Project)>;
    add_project(project: Project, now: Timestamp) -> ProjectId;
    rename_project(name: String, new: String) -> ();
    remove_project(project: ProjectId, now: Timestamp) -> Removed;
    start_run(id: ProjectId, project: Project, kind: RunKind, now: Timestamp) -> RunId;
    unfinished_run(project: Option<ProjectId>) -> Option<RunId>;
    run_settings(run: RunId) -> (ProjectId, Project);
    set_run_settings(run: RunId, project: Project) -> ();
    set_running(run: RunId) -> ();
    end_run(run: RunId, status: RunStatus, now: Timestamp, note: Option<String>) -> ();
    fail_run(run: RunId, now: Timestamp, why: String) -> ();
    run_row(run: RunId) -> RunRow;
    counts(run: RunId) -> Counts;
    cookies(run: RunId) -> Option<Vec<u8>>;
    tidy() -> ();
} full {}}

slow! { Leases {
    release_hosts(of: RunRef, released: Vec<(FencedHost, HostState)>) -> ();
} full {} and {
    // A store of many workers goes by its own clock, not by theirs.
    async fn lease_hosts(&self, of: RunRef, wanted: HostsWanted, _: Timestamp) -> Result<Vec<HostLease>, StoreError> {
        self.pause().await;
        let given = self.store.lease_hosts(of, wanted, self.clock.true_wall()).await;
        self.pause().await;
        given
    }

    async fn renew_leases(&self, of: RunRef, leases: Vec<FencedHost>, _: Timestamp) -> Result<Vec<FencedHost>, StoreError> {
        self.pause().await;
        let lost = self.store.renew_leases(of, leases, self.clock.true_wall()).await;
        self.pause().await;
        lost
    }

    async fn is_finished(&self, of: RunRef, priority_below: Option<i64>, _: Timestamp) -> Result<bool, StoreError> {
        self.pause().await;
        let is_finished = self.store.is_finished(of, priority_below, self.clock.true_wall()).await;
        self.pause().await;
        is_finished
    }
}}

slow! { Followers {
    advance(follower: String, to: FollowPosition) -> ();
    forget_follower(follower: String) -> ();
} full {}}

slow! { Work {
        enqueue_starts(of: RunRef, starts: Vec<(Url, Enqueue)>, now: Timestamp) -> Kept;
        load(of: RunRef, load: Load, with_known: bool) -> Loaded;
        rescore(of: RunRef, host: FencedHost, rows: Vec<Rescored>) -> u64;
        hosts_waiting(of: RunRef) -> Vec<HostId>;
        documents_by_host(of: RunRef) -> Vec<(HostId, u64)>;
        meet(of: RunRef, batch: Vec<Keep>) -> (Vec<Keep>, Vec<Found>);
        robots(host: HostId) -> Option<StoredRobots>;
        redirects_of(seeds: Vec<Url>) -> Vec<Url>;
        keep_cuts(of: RunRef, cuts: Vec<Cut>) -> ();
        hold_hosts(held: Vec<(HostId, Timestamp)>) -> ();
        hosts_held(now: Timestamp) -> Vec<(String, Timestamp)>;
    } full {
        give_up(of: RunRef, host: Option<FencedHost>, why: Ending, now: Timestamp) -> u64;
        keep_robots(of: RunRef, host: HostId, robots: StoredRobots, sitemaps: Vec<(Url, Enqueue)>, awaits_lists: bool) -> Kept;
    } and {
        async fn keep(&self, of: RunRef, batch: Vec<Keep>, with: KeepWith) -> Result<(Vec<Keep>, Kept), NotKept> {
            self.pause().await;
            if let Err(error) = self.room() {
                return Err(NotKept { batch, error });
            }
            let kept = self.store.keep(of, batch, with).await;
            self.pause().await;
            kept
        }
    }
}

slow! { Sites {
    site_rules(project: ProjectId) -> Vec<SiteRules>;
    addresses_of_domain(domain: String, after: Option<ResourceId>) -> Vec<(ResourceId, String)>;
    set_rules(project: ProjectId, site: String, rules: String, is_pinned: bool, keys: Vec<Rekeyed>) -> ();
    noises(project: ProjectId) -> Vec<(String, String)>;
    traps(run: RunId) -> Option<Vec<u8>>;
    traps_before(of: RunRef) -> Option<Vec<u8>>;
} full {
    keep_rules(project: ProjectId, site: String, rules: String, now: Timestamp, keys: Vec<Rekeyed>) -> ();
    keep_noises(project: ProjectId, noises: Vec<(String, String)>) -> ();
    keep_traps(run: RunId, saved: Vec<u8>, cuts: Vec<Cut>) -> ();
}}

slow! { Tracking {
    known_documents(project: ProjectId, after: Option<DocumentId>) -> Vec<KnownDocument>;
    begin_documents(of: RunRef, documents: Vec<(KnownDocument, Beginning)>, legs: Vec<Leg>, now: Timestamp) -> ();
    documents_count(project: ProjectId) -> u64;
    has_documents(project: ProjectId) -> bool;
    link_pages(project: ProjectId, sources: Vec<ResourceId>) -> Vec<LinkPage>;
    link_pages_after(project: ProjectId, after: Option<ResourceId>) -> Vec<LinkPage>;
    known_links(of: RunRef, wanted: Vec<(ResourceId, Naming)>) -> Vec<KnownLink>;
    begin_links(of: RunRef, links: Vec<KnownLink>) -> ();
    rest_links(of: RunRef, links: Vec<KnownLink>, now: Timestamp) -> ();
    others_of_last_run(of: RunRef) -> Others;
    last_settings(of: RunRef) -> Option<Project>;
} full {}}

slow! { Lists {
    note_dates(of: RunRef) -> ();
    open_list(of: RunRef, host: HostId) -> Option<ResourceId>;
    round(of: RunRef) -> i64;
    dated_documents(of: RunRef, host: HostId, after: Option<DatedDocument>) -> Vec<DatedDocument>;
    trusted_lists() -> HashSet<HostId>;
    weigh_lists(of: RunRef) -> ();
} full {
    settle_unasked(of: RunRef, host: HostId, documents: Vec<DatedDocument>, now: Timestamp) -> u64;
}}

slow! { Settling {
    candidates(of: RunRef, state: State, reason: Option<Reason>) -> Vec<Candidate>;
    end_of_redirects(from: ResourceId) -> Option<ResourceId>;
    found_at(of: RunRef, resource: ResourceId) -> Option<(Candidate, State)>;
    keep_move(of: RunRef, moved: Move) -> ();
    keep_same_elsewhere(of: RunRef, old: DocumentId, detail: String) -> ();
    resources_of(urls: Vec<Url>) -> Vec<ResourceId>;
    take_settling(of: RunRef, worker: String, now: Timestamp) -> SettlingTurn;
    seal(of: RunRef, notes: Vec<String>, now: Timestamp) -> ();
    doubt_rules(of: RunRef) -> ();
    mark_orphans(of: RunRef, seeds: Vec<ResourceId>, steps: usize) -> u64;
    counts_by_host(of: RunRef) -> Vec<HostCounts>;
    host_documents(of: RunRef, host: HostId) -> Vec<HostDocument>;
    take_back(of: RunRef, versions: Vec<TakenBack>, detail: String) -> ();
    withhold(of: RunRef, documents: Vec<(DocumentId, ResourceId)>, detail: String) -> ();
    first_found_on(resource: ResourceId) -> Option<ResourceId>;
    drop_new(of: RunRef, found: Vec<Candidate>) -> ();
    unlisted(of: RunRef, schemes: Vec<&'static str>) -> Vec<UnlistedDocument>;
    folder_visit(of: RunRef, folder: Url) -> Option<FolderVisit>;
    folder_at(root: Url) -> Option<String>;
    names_files(of: RunRef, folder: String) -> bool;
    keep_unlisted(of: RunRef, judged: Vec<(UnlistedDocument, State, Reason)>, now: Timestamp) -> ();
} full {}}

impl Store for SlowStore {
    fn reader(&self) -> Result<Box<dyn Ledger>, StoreError> {
        self.store.reader()
    }
}
