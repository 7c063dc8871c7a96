//! Which hosts this worker has to itself, and what it says of them when it gives them back.
//!
//! ```text
//!             leased                 nothing queued, nothing on its way
//!  free ─────────────────► held ────────────────────────────────────────► free
//!    ▲                      │
//!    └── lost: its time was up and somebody else asked for it
//! ```
//! Of hosts that are not held no rows are kept here; that there are some makes the worker ask for hosts.

use super::Reserve;
use super::host::{Host, Lists, Survey};
use gleaner_model::{HostId, HostState, Instant, Timestamp};
use gleaner_store::leases::{Fence, FencedHost, HostLease};
use std::collections::HashSet;

/// Hosts that are given back together: each time is a write.
const RELEASED_TOGETHER: usize = 64;

/// What is known of leases as a whole.
#[derive(Default)]
pub(super) struct Holding {
    /// Hosts that are not held may have rows.
    wants_more: bool,
    /// A host is not asked because its lease may be somebody else's.
    has_lapsed: bool,
    /// Hosts that may have nothing to do any more.
    maybe_idle: HashSet<HostId>,
    /// How often that was said since they were looked at.
    noted: usize,
    /// Hosts for which the store is ending what is queued.
    given_up: HashSet<HostId>,
    /// How many different hosts there were.
    met: u64,
}

impl Reserve {
    /// Whether there may be hosts to ask for.
    pub fn wants_hosts(&self) -> bool {
        self.holding.wants_more
    }

    /// There may be hosts to ask for, or they are asked for now.
    pub fn set_wants_hosts(&mut self, wants: bool) {
        self.holding.wants_more = wants;
    }

    /// Whether a host waits for its lease to be renewed. It is told once.
    pub fn take_lapsed(&mut self) -> bool {
        std::mem::take(&mut self.holding.has_lapsed)
    }

    /// The host waits for its lease to be renewed.
    pub(super) fn note_lapsed(&mut self) {
        self.holding.has_lapsed = true;
    }

    pub(super) fn note_maybe_idle(&mut self, id: HostId) {
        self.holding.maybe_idle.insert(id);
        self.holding.noted += 1;
    }

    /// A host is this worker's. What is remembered of it is right unless somebody else had it meanwhile; then that is known
    /// better, and true is given back.
    pub fn leased(&mut self, lease: &HostLease, until: Instant) -> bool {
        let id = lease.host;
        let known = self.hosts.get(&id).map_or(Fence::default(), |host| host.fence);
        let is_new = known == Fence::default();
        self.holding.met += u64::from(is_new);
        let begins = is_new || lease.fence != Fence(known.0 + 1);
        let delay = self.pace.wanted_delay();
        let host = self.host(id);
        if begins {
            host.begin_with(&lease.state);
            // The holder before may have asked it until then, and did not say so.
            let asked_until = lease.lapsed_at.map(|at| at.after(delay));
            host.pace.not_before = host.pace.not_before.max(asked_until);
        }
        (host.fence, host.until) = (lease.fence, Some(until));
        self.has_rows(id);
        begins
    }

    /// These hosts are somebody else's by now: their rows are dropped. Pages on their way come back unkept.
    pub fn lost(&mut self, lost: &[FencedHost]) {
        for lease in lost {
            if let Some(host) = self.hosts.get_mut(&lease.host)
                && host.fenced(lease.host) == Some(*lease)
            {
                host.until = None;
                host.forget();
            }
        }
        self.holding.wants_more |= !lost.is_empty(); // They may come back.
    }

    /// All leases that are held.
    pub fn leases(&self) -> Vec<FencedHost> {
        self.hosts
            .iter()
            .filter_map(|(id, host)| host.fenced(*id))
            .collect()
    }

    /// Those of them that are still held last until then.
    pub fn renewed(&mut self, leases: &[FencedHost], until: Instant) {
        for lease in leases {
            if let Some(host) = self.hosts.get_mut(&lease.host)
                && host.fenced(lease.host) == Some(*lease)
            {
                host.until = Some(until);
            }
        }
    }

    /// What is queued for a host is being ended: until that is done, its lease must not become another one's.
    pub fn gives_up(&mut self, id: HostId) -> Option<FencedHost> {
        let lease = self.fenced(id)?;
        self.holding.given_up.insert(id);
        Some(lease)
    }

    /// It is done.
    pub fn gave_up(&mut self, id: HostId) {
        self.holding.given_up.remove(&id);
        self.note_maybe_idle(id);
    }

    /// The host as its holder names it; none where it is not held.
    pub fn fenced(&self, id: HostId) -> Option<FencedHost> {
        self.hosts.get(&id).and_then(|host| host.fenced(id))
    }

    /// Whether it is worth while to look for hosts to give back.
    pub fn may_release(&self, is_quiet: bool) -> bool {
        is_quiet || self.holding.noted >= RELEASED_TOGETHER
    }

    /// Gives hosts back that have nothing to do; at a quiet moment all of those.
    pub fn release_idle(&mut self, is_quiet: bool, at: (Instant, Timestamp)) -> Vec<(FencedHost, HostState)> {
        let mut idle = std::mem::take(&mut self.holding.maybe_idle);
        self.holding.noted = 0;
        if is_quiet {
            idle.extend(self.hosts.keys());
        }
        idle.retain(|id| {
            self.hosts.get(id).is_some_and(Host::is_idle) && !self.holding.given_up.contains(id)
        });
        if !is_quiet && idle.len() < RELEASED_TOGETHER {
            self.holding.maybe_idle = idle;
            return Vec::new();
        }
        self.release(idle.into_iter().collect(), at)
    }

    /// Gives all hosts back.
    pub fn release_all(&mut self, at: (Instant, Timestamp)) -> Vec<(FencedHost, HostState)> {
        let all: Vec<HostId> = self.hosts.keys().copied().collect();
        self.release(all, at)
    }

    fn release(&mut self, hosts: Vec<HostId>, at: (Instant, Timestamp)) -> Vec<(FencedHost, HostState)> {
        let mut released = Vec::new();
        for id in hosts {
            if let Some(host) = self.hosts.get_mut(&id)
                && let Some(lease) = host.fenced(id)
            {
                host.until = None;
                let mut state = host.state();
                if !host.name.is_empty() {
                    state.pace = self.pace.state(&host.name, at);
                }
                released.push((lease, state));
            }
        }
        released
    }

    pub fn hosts_count(&self) -> u64 {
        self.holding.met
    }
}

impl Host {
    pub(super) fn fenced(&self, host: HostId) -> Option<FencedHost> {
        let fence = self.fence;
        self.until.map(|_| FencedHost { host, fence })
    }

    /// Nothing is queued, nothing is asked of the store, and all that came is kept.
    fn is_idle(&self) -> bool {
        let is_asked = self.is_loading() || self.lists == Lists::Asked;
        self.until.is_some() && !is_asked && !self.has_work() && self.held.is_empty()
    }

    /// Begins with what the holder before knew.
    fn begin_with(&mut self, state: &HostState) {
        self.survey = match state.survey_tries_left {
            None => Survey::default(),
            Some(0) => Survey::Done,
            Some(tries) => Survey::Due(tries),
        };
        self.robots_failure = state.robots_failure.clone().unwrap_or_default();
        if state.are_lists_read {
            self.lists = Lists::Free;
        }
        self.pages = self.pages.max(state.documents);
        self.address = state.address;
        self.pace = state.pace.clone();
    }

    /// What the next holder has to know, without the failures and the pace, which others add.
    fn state(&self) -> HostState {
        HostState {
            survey_tries_left: match self.survey {
                Survey::Due(tries) if Survey::Due(tries) == Survey::default() => None,
                Survey::Due(tries) | Survey::Asked(tries) => Some(tries),
                Survey::Done => Some(0),
            },
            robots_failure: Some(self.robots_failure.clone()).filter(|why| !why.is_empty()),
            are_lists_read: self.lists == Lists::Free,
            documents: self.pages,
            address: self.address,
            ..HostState::default()
        }
    }
}
