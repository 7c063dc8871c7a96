//! What the stages tell the scheduler. The scheduler is the only listener.

use crate::error::RunError;
use crate::lists::ListsRead;
use crate::login::Entered;
use crate::robots::RobotsAnswer;
use crate::scheduler::going::Ticket;
use crate::stages::fetch::Fetched;
use gleaner_frontier::FetchOutcome;
use gleaner_judge::identity::UrlRules;
use gleaner_model::{HostId, Instant, Reason, ResourceId};
use gleaner_store::leases::{FencedHost, HostLease};
use gleaner_store::work::{Loaded, StoredRobots};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

pub(crate) enum News {
    /// Rows of a host, as asked for.
    Loaded {
        host: HostId,
        loaded: Loaded,
        robots: Option<StoredRobots>,
    },
    /// Pages that are safe, and hosts that got new rows.
    Kept {
        queued: BTreeMap<HostId, u64>,
        done: Vec<Done>,
        /// Documents that a listing shows to be as they were.
        unchanged: u64,
    },
    /// Hosts that are this worker's until then.
    Leased { given: Vec<HostLease>, until: Instant },
    /// These leases last until then, but for those that are lost.
    Renewed {
        leases: Vec<FencedHost>,
        lost: Vec<FencedHost>,
        until: Instant,
    },
    /// Hosts were given back.
    Released,
    /// Whether the store has nothing more to ask for and nobody works on a host.
    Finished(bool),
    /// Whether the lists that a host's pages wait for are read.
    Lists { host: HostId, read: ListsRead },
    GaveUp {
        host: Option<HostId>,
        count: u64,
        reason: Reason,
    },
    /// A host's robots.txt is stored; the sitemaps that it names are queued.
    RobotsKept { queued: BTreeMap<HostId, u64> },
    /// A connection is free again. The page goes on to be read, unless it shows that we are out: then it comes back here.
    Answered {
        turn: EndedFetch,
        out: Option<Box<ShownOut>>,
    },
    /// The first page of a host, and what its links say about the site's URLs.
    Surveyed {
        turn: EndedFetch,
        fetched: Box<Fetched>,
        rules: Option<Box<UrlRules>>,
        /// Whether anybody was asked, so that its kind of page need not be looked at again.
        is_looked_at: bool,
    },
    /// A site's rules are stored: its first page may be read now.
    RulesKept {
        host: HostId,
        rules: Box<UrlRules>,
        fetched: Box<Fetched>,
    },
    Robots {
        ticket: Ticket,
        host: HostId,
        asked: Box<RobotsAnswer>,
        outcome: FetchOutcome,
    },
    /// Our own disk had no room for a body of so many bytes; its page is back in the frontier.
    NoRoom { bytes: u64 },
    /// Whether a disk that was full has room again.
    Room(bool),
    /// The login is done, or why it is not.
    Entered(Result<Entered, String>),
    /// The run cannot go on.
    Failed(RunError),
}

/// A page that shows that we are out, and how it does.
pub(crate) struct ShownOut {
    pub fetched: Fetched,
    pub why: String,
}

/// A fetch that has ended, as far as its host is concerned.
pub(crate) struct EndedFetch {
    pub ticket: Ticket,
    pub host: HostId,
    pub address: Option<IpAddr>,
    pub outcome: FetchOutcome,
    pub bytes: u64,
    /// To the first and to the last byte, where something came.
    pub took: Option<(Duration, Duration)>,
    pub failure: Option<Failure>,
    /// A page that was seen from inside, where there is a login.
    pub inside: Option<ResourceId>,
    /// The page that is unchanged, by the server's word: nothing of it waits in memory for its commit.
    pub unchanged: Option<ResourceId>,
}

/// Why a host did not serve: what all its other pages would meet too.
pub(crate) struct Failure {
    pub reason: Reason,
    pub detail: String,
}

/// One page that is safe now.
pub struct Done {
    pub host: HostId,
    pub resource: ResourceId,
    pub end: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// A page with content: counts against the limit on pages.
    Document,
    Other,
    /// Still in the frontier.
    Again,
    /// The same: its host is somebody else's by now, and nothing of it was kept.
    Late,
}

impl End {
    /// Its row is gone.
    pub(crate) fn is_done(self) -> bool {
        matches!(self, End::Document | End::Other)
    }
}
