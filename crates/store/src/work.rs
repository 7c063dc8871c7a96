//! The frontier as rows: what a run still has to ask for.

use crate::Digest;
use crate::StoreError;
use crate::keep::{Cut, Enqueue, Found, Keep, KeepWith, Kept, NotKept};
use crate::leases::{Fence, FencedHost};
use crate::runs::RunRef;
use async_trait::async_trait;
use gleaner_model::{DocumentId, HostId, Leg, Reason, ResourceId, RunId, State, Timestamp, Url, VersionId};
use std::collections::HashSet;

/// What a URL is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    #[default]
    Page,
    /// A page that nobody promises: that it is not there is no failure.
    Guess,
    Sitemap,
    /// The same for a sitemap.
    GuessedSitemap,
    /// The same for one that answered the last time: it is asked for in any case.
    FoundSitemap,
}

impl Purpose {
    pub(crate) fn column(self) -> Option<&'static str> {
        match self {
            Purpose::Page => None,
            Purpose::Guess => Some("guess"),
            Purpose::Sitemap => Some("sitemap"),
            Purpose::GuessedSitemap => Some("guessed-sitemap"),
            Purpose::FoundSitemap => Some("found-sitemap"),
        }
    }

    pub(crate) fn parse(text: Option<&str>) -> Purpose {
        match text {
            Some("sitemap") => Purpose::Sitemap,
            Some("guessed-sitemap") => Purpose::GuessedSitemap,
            Some("found-sitemap") => Purpose::FoundSitemap,
            Some("guess") => Purpose::Guess,
            _ => Purpose::Page,
        }
    }

    pub fn is_page(self) -> bool {
        matches!(self, Purpose::Page | Purpose::Guess)
    }

    pub fn is_guess(self) -> bool {
        matches!(
            self,
            Purpose::Guess | Purpose::GuessedSitemap | Purpose::FoundSitemap
        )
    }

    /// What a sitemap is in this run, by how it answered when it was last asked for; none: it is not asked for. One that nobody promises
    /// and that was not there is asked for again now and then.
    pub(crate) fn of_list(self, last_status: Option<u16>, run: RunId) -> Option<Purpose> {
        const ASKED_AGAIN_EVERY: i64 = 16;
        match (self, last_status) {
            (Purpose::GuessedSitemap, Some(200..300)) => Some(Purpose::FoundSitemap),
            (Purpose::GuessedSitemap, Some(400..)) => (run.0 % ASKED_AGAIN_EVERY == 0).then_some(self),
            _ => Some(self),
        }
    }
}

/// Those of steps that are not in `others`.
pub(crate) fn legs_without(legs: &[Leg], others: &[Leg]) -> Vec<Leg> {
    let is_other = |leg: &&Leg| !others.iter().any(|other| other.step == leg.step);
    legs.iter().filter(is_other).copied().collect()
}

/// A row of the frontier, with what is known about the document from earlier runs.
#[derive(Debug, Clone)]
pub struct Queued {
    pub host: HostId,
    /// Of the lease under which it was loaded.
    pub fence: Fence,
    pub resource: ResourceId,
    pub url: Url,
    pub priority: i64,
    /// Before its priority: higher is sooner.
    pub score: u16,
    pub depth: u32,
    pub purpose: Purpose,
    pub hops: u32,
    pub chain: Vec<String>,
    pub tries: u32,
    pub due_at: Timestamp,
    /// What the listing of its folder says of it.
    pub stamp: Option<String>,
    /// The steps that want it, and how far into each it lies; none in a project without steps.
    pub legs: Vec<Leg>,
    /// The form to send, as JSON; none for a plain question.
    pub request: Option<String>,
    pub known: Option<Known>,
}

impl Queued {
    pub fn fenced_host(&self) -> FencedHost {
        FencedHost {
            host: self.host,
            fence: self.fence,
        }
    }

    /// Where it stood when it was loaded.
    pub fn place(&self) -> RowPlace {
        RowPlace::new(self.priority, self.score, self.resource)
    }
}

/// One for each score.
const TURNS_OF_A_STEP: i64 = 1 << 16;

/// Where a row stands among those of its host, which come in this order: by step, then the highest score, then by priority and
/// in the order of discovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowPlace {
    /// Of step and score.
    pub(crate) turn: i64,
    pub(crate) priority: i64,
    pub(crate) resource: ResourceId,
}

impl RowPlace {
    pub(crate) fn new(priority: i64, score: u16, resource: ResourceId) -> RowPlace {
        RowPlace {
            turn: priority.div_euclid(STEP_ROOM) * TURNS_OF_A_STEP - i64::from(score),
            priority,
            resource,
        }
    }

    pub(crate) const BEFORE_ALL: RowPlace = RowPlace {
        turn: i64::MIN,
        priority: i64::MIN,
        resource: ResourceId(i64::MIN),
    };

    /// The priority and resource behind which those rows without a score lie that come after this one.
    pub(crate) fn without_score(self) -> (i64, ResourceId) {
        if self.turn.rem_euclid(TURNS_OF_A_STEP) == 0 {
            (self.priority, self.resource)
        } else {
            let step = self.priority.div_euclid(STEP_ROOM);
            (step * STEP_ROOM, ResourceId(i64::MIN))
        }
    }

    /// The score of a row whose turn that is.
    pub(crate) fn score_of(turn: i64) -> u16 {
        (-turn).rem_euclid(TURNS_OF_A_STEP) as u16
    }
}

/// A row that is to come sooner or later than before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rescored {
    pub resource: ResourceId,
    /// As it was loaded: it names the row.
    pub priority: i64,
    pub score: u16,
}

/// The document as the last run left it.
#[derive(Debug, Clone)]
pub struct Known {
    pub document: DocumentId,
    /// The newest capture.
    pub version: VersionId,
    pub digest: Digest,
    pub size: u64,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// What new content is compared with: the newest version that said something of its own.
    pub base: VersionId,
    pub base_digest: Digest,
    /// An earlier run found it gone: it is no document of the project now.
    pub is_gone: bool,
    /// Ask for the whole content whatever the validators say: bytes that were lost (HC015), a page that something stood before;
    /// whoever asks may have further reasons.
    pub asks_whole: bool,
    /// Something else came in its place when it was last asked for.
    pub was_away: bool,
    /// The digests of what the last run saw in its place.
    pub instead: Option<Vec<u8>>,
}

impl Known {
    /// Whether "not modified" would be an answer.
    pub fn may_be_unchanged(&self) -> bool {
        !self.asks_whole && !self.is_gone
    }
}

/// Which rows of the frontier are asked for.
#[derive(Debug, Clone)]
pub struct Load {
    pub host: HostId,
    /// Of the lease; the rows carry it.
    pub fence: Fence,
    /// Only those behind this row.
    pub after: Option<RowPlace>,
    /// Not these.
    pub held: HashSet<ResourceId>,
    pub limit: usize,
    /// Only those of steps whose turn has come.
    pub priority_below: Option<i64>,
    pub wants_robots: bool,
    /// Only the lists that pages of some host wait for.
    pub lists_only: bool,
}

impl Load {
    pub fn fenced_host(&self) -> FencedHost {
        FencedHost {
            host: self.host,
            fence: self.fence,
        }
    }
}

/// The priority of lists that pages wait for: before everything else.
pub const AWAITED: i64 = -1;

/// robots.txt of a host as last read.
#[derive(Debug, Clone)]
pub struct StoredRobots {
    pub status: Option<u16>,
    pub reason: Option<String>,
    pub body: Vec<u8>,
    pub at: Timestamp,
}

/// What a look at the frontier gave.
#[derive(Debug, Default)]
pub struct Loaded {
    pub rows: Vec<Queued>,
    /// Rows between them whose address cannot be read: they can only be ended.
    pub unreadable: Vec<Unreadable>,
    /// There are no rows behind these.
    pub is_all: bool,
    /// How often the host's validators were right and wrong, where what is known was asked for.
    pub right: u64,
    pub wrong: u64,
}

/// A row of the frontier that nobody can ask for.
#[derive(Debug)]
pub struct Unreadable {
    pub resource: ResourceId,
    pub priority: i64,
    pub depth: u32,
    pub purpose: Purpose,
}

/// How far apart the priorities of two steps are: all pages of one come before the next step's.
pub(crate) const STEP_ROOM: i64 = 1 << 40;

/// Rows of steps up to this one have priorities below that.
pub fn priority_behind(step: u32) -> i64 {
    (i64::from(step) + 1).saturating_mul(STEP_ROOM)
}

/// A row's priority: that of the first step that wants it.
pub(crate) fn priority_of(legs: &[Leg], priority: i64) -> i64 {
    let first = legs.iter().map(|leg| leg.step).min().unwrap_or(0);
    i64::from(first) * STEP_ROOM + priority.rem_euclid(STEP_ROOM)
}

/// The rows of the frontier, and the pages that come of them.
#[async_trait]
pub trait Work: Send + Sync {
    /// Puts where a run begins into the frontier; harmless to repeat.
    async fn enqueue_starts(
        &self,
        of: RunRef,
        starts: Vec<(Url, Enqueue)>,
        now: Timestamp,
    ) -> Result<Kept, StoreError>;

    /// The next rows of one host, best first. `with_known`: with what is known of their documents.
    async fn load(&self, of: RunRef, load: Load, with_known: bool) -> Result<Loaded, StoreError>;

    /// Gives rows of a host their new scores, and says how many of them there were: none where the lease is lost. Rows that are
    /// not there (any more) are passed over.
    async fn rescore(&self, of: RunRef, host: FencedHost, rows: Vec<Rescored>) -> Result<u64, StoreError>;

    /// Hosts that have something queued, in the order of their ids.
    async fn hosts_waiting(&self, of: RunRef) -> Result<Vec<HostId>, StoreError>;

    /// How many documents the run has of each host so far.
    async fn documents_by_host(&self, of: RunRef) -> Result<Vec<(HostId, u64)>, StoreError>;

    /// Each URL that a batch would take up first, once, with what is known of it. Without those that a listing names, which are
    /// there, and those that a step names, which are wanted. Gives the batch back in the order in which it will be kept.
    async fn meet(&self, of: RunRef, batch: Vec<Keep>) -> Result<(Vec<Keep>, Vec<Found>), StoreError>;

    /// Keeps a batch whole or not at all: bytes first, then one change of everything that follows. What could not be kept is
    /// handed back and may be given again. Pages of a lease that is lost come back unkept: see [`Kept::lost`].
    async fn keep(&self, of: RunRef, batch: Vec<Keep>, with: KeepWith) -> Result<(Vec<Keep>, Kept), NotKept>;

    /// Ends what is still queued for `host` (or for all, if `None`) with one reason: the run could not ask. Gives back how many
    /// pages that were promised end so: none where the lease is lost.
    async fn give_up(
        &self,
        of: RunRef,
        host: Option<FencedHost>,
        why: Ending,
        now: Timestamp,
    ) -> Result<u64, StoreError>;

    /// A host's robots.txt as last read.
    async fn robots(&self, host: HostId) -> Result<Option<StoredRobots>, StoreError>;

    /// Stores a host's robots.txt as read, and queues the sitemaps it names. `awaits_lists`: its pages wait for them.
    async fn keep_robots(
        &self,
        of: RunRef,
        host: HostId,
        robots: StoredRobots,
        sitemaps: Vec<(Url, Enqueue)>,
        awaits_lists: bool,
    ) -> Result<Kept, StoreError>;

    /// Where the seeds were found to redirect to, hop by hop: a resumed run knows what belongs to it.
    async fn redirects_of(&self, seeds: Vec<Url>) -> Result<Vec<Url>, StoreError>;

    /// Adds lines to what the report says was left out.
    async fn keep_cuts(&self, of: RunRef, cuts: Vec<Cut>) -> Result<(), StoreError>;

    /// Notes for later runs, whoever's they are, until when these hosts are not to be asked.
    async fn hold_hosts(&self, held: Vec<(HostId, Timestamp)>) -> Result<(), StoreError>;

    /// Names of hosts that are not to be asked yet, and until when.
    async fn hosts_held(&self, now: Timestamp) -> Result<Vec<(String, Timestamp)>, StoreError>;
}

/// With what queued pages end that nobody asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    pub reason: Reason,
    pub detail: Option<String>,
    /// None: documents are ERR, and of other addresses nothing is said.
    pub state: Option<State>,
}
