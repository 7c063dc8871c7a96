//! Hosts that a worker has to itself for a while.
//!
//! Only the holder of a host loads its rows and asks it, so pace, robots.txt and failures of the host need no other place than
//! the holder's memory. A lease ends when its time is up, when it is released, or with the process where the store is one
//! process's own. Each time a host is given away its *fence* is one higher: what comes late, from somebody who lost the host, is
//! known by its fence and changes nothing. Time only decides who may take a host, never what is kept.

use crate::StoreError;
use crate::runs::RunRef;
use async_trait::async_trait;
use gleaner_model::{HostId, HostState, Timestamp};

/// How often a host was given to a worker in its run; 0 while nobody had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Fence(pub u64);

/// A host as its holder names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FencedHost {
    pub host: HostId,
    pub fence: Fence,
}

/// A host that nobody else works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLease {
    pub host: HostId,
    pub fence: Fence,
    /// From this moment on it may be given to somebody else, unless it is renewed.
    pub until: Timestamp,
    /// As it was last released in this run.
    pub state: HostState,
    /// The score of the row that comes first.
    pub best_score: u16,
    /// When the time of the holder before was up, who did not release it and may have asked it until then.
    pub lapsed_at: Option<Timestamp>,
}

impl HostLease {
    pub fn fenced(&self) -> FencedHost {
        FencedHost {
            host: self.host,
            fence: self.fence,
        }
    }
}

/// Which hosts a worker asks for.
#[derive(Debug, Clone)]
pub struct HostsWanted {
    /// Who asks, for people.
    pub worker: String,
    pub most: usize,
    /// Only those with rows of steps whose turn has come.
    pub priority_below: Option<i64>,
    /// Those first whose first row comes first by step and score: every host that waits is looked at, so not for runs without
    /// scores.
    pub best_first: bool,
}

/// Who works on which host.
#[async_trait]
pub trait Leases: Send + Sync {
    /// Gives hosts that have rows waiting and that nobody holds to a worker for
    /// [`HOST_LEASE`](gleaner_model::defaults::HOST_LEASE), in the order of their numbers, or of
    /// their first rows.
    async fn lease_hosts(
        &self,
        of: RunRef,
        wanted: HostsWanted,
        now: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError>;

    /// These leases last as long as if they were given now, also those whose time is up and that nobody took. Gives back those
    /// that are lost.
    async fn renew_leases(
        &self,
        of: RunRef,
        leases: Vec<FencedHost>,
        now: Timestamp,
    ) -> Result<Vec<FencedHost>, StoreError>;

    /// These hosts may be given to anybody at once, who begins with these states. What is lost stays as it is.
    async fn release_hosts(
        &self,
        of: RunRef,
        released: Vec<(FencedHost, HostState)>,
    ) -> Result<(), StoreError>;

    /// Whether all that a run, or the steps whose turn has come, had to ask for is done: no row waits and no lease lives.
    async fn is_finished(
        &self,
        of: RunRef,
        priority_below: Option<i64>,
        now: Timestamp,
    ) -> Result<bool, StoreError>;
}
