//! The frontier as rows: what a run still has to ask for.

use crate::Digest;
use gleaner_model::{DocumentId, HostId, Leg, ResourceId, Timestamp, Url, VersionId};
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
}

impl Purpose {
    pub(crate) fn column(self) -> Option<&'static str> {
        match self {
            Purpose::Page => None,
            Purpose::Guess => Some("guess"),
            Purpose::Sitemap => Some("sitemap"),
            Purpose::GuessedSitemap => Some("guessed-sitemap"),
        }
    }

    pub(crate) fn parse(text: Option<&str>) -> Purpose {
        match text {
            Some("sitemap") => Purpose::Sitemap,
            Some("guessed-sitemap") => Purpose::GuessedSitemap,
            Some("guess") => Purpose::Guess,
            _ => Purpose::Page,
        }
    }

    pub fn is_page(self) -> bool {
        matches!(self, Purpose::Page | Purpose::Guess)
    }

    pub fn is_guess(self) -> bool {
        matches!(self, Purpose::Guess | Purpose::GuessedSitemap)
    }
}

/// A row of the frontier, with what is known about the document from earlier runs.
#[derive(Debug, Clone)]
pub struct Queued {
    pub host: HostId,
    pub resource: ResourceId,
    pub url: Url,
    pub priority: i64,
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
    /// Ask for the whole content whatever the validators say: a sample, a host that lied, bytes that were lost (HC015), a
    /// page that something stood before.
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
    /// Only those behind this row.
    pub after: Option<(i64, ResourceId)>,
    /// Not these.
    pub held: HashSet<ResourceId>,
    pub limit: usize,
    /// Only those of steps whose turn has come.
    pub priority_below: Option<i64>,
    pub wants_robots: bool,
    /// Only the lists that pages of some host wait for.
    pub lists_only: bool,
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
