//! Hosts come to this worker by lease, and go back to the store when they have nothing to do.

use super::Scheduler;
use crate::requests::Request;
use gleaner_model::{HostState, Instant, defaults};
use gleaner_store::leases::{FencedHost, HostLease, HostsWanted};
use std::time::Duration;
use tracing::warn;

/// Hosts that are asked for at once.
const LEASED_TOGETHER: usize = 256;
/// Leases are renewed when so much of their time has passed.
const RENEWED_AFTER: Duration = Duration::from_secs(defaults::HOST_LEASE.as_secs() / 3);
/// How soon hosts are asked for again where others have them all.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// What was asked of the store about hosts.
pub(crate) struct Leasing {
    /// By what name hosts are taken.
    worker: String,
    is_asking: bool,
    is_renewing: bool,
    renew_at: Instant,
    /// Not to be asked for hosts before.
    ask_at: Instant,
    /// What the store said, if nothing was asked for since.
    is_finished: Option<bool>,
}

impl Leasing {
    pub(crate) fn new(worker: String, now: Instant) -> Leasing {
        Leasing {
            worker,
            is_asking: false,
            is_renewing: false,
            renew_at: now.after(RENEWED_AFTER),
            ask_at: now,
            is_finished: None,
        }
    }

    pub(super) fn told_whether_finished(&mut self, is_finished: bool) {
        self.is_finished = Some(is_finished);
    }
}

impl Scheduler {
    /// Renews what is held, gives back what has nothing to do, and asks for more where there may be some.
    pub(super) fn look_after_leases(&mut self, takes_more: bool) {
        let now = self.clock.monotonic();
        if (self.reserve.take_lapsed() || now >= self.leasing.renew_at) && !self.leasing.is_renewing {
            self.leasing.renew_at = now.after(RENEWED_AFTER);
            let leases = self.reserve.leases();
            if !leases.is_empty() {
                self.leasing.is_renewing = true;
                self.line.request(Request::Renew(leases));
            }
        }
        self.release_idle(false);
        if takes_more && self.reserve.wants_hosts() && !self.leasing.is_asking && now >= self.leasing.ask_at {
            self.reserve.set_wants_hosts(false);
            (self.leasing.is_asking, self.leasing.is_finished) = (true, None);
            let wanted = HostsWanted {
                worker: self.leasing.worker.clone(),
                most: LEASED_TOGETHER,
                priority_below: self.reserve.priority_below(),
                best_first: self.guidance.is_some(),
            };
            self.line.request(Request::Lease(wanted));
        }
    }

    /// When leases are to be looked after next.
    pub(super) fn next_look_at_leases(&self) -> Instant {
        if self.reserve.wants_hosts() && !self.leasing.is_asking {
            self.leasing.ask_at.min(self.leasing.renew_at)
        } else {
            self.leasing.renew_at
        }
    }

    pub(super) fn leased(&mut self, given: &[HostLease], until: Instant) {
        self.leasing.is_asking = false;
        for lease in given {
            if self.reserve.leased(lease, until) {
                self.failures.begin_with(lease.host, &lease.state);
            }
        }
        if given.len() == LEASED_TOGETHER {
            self.reserve.set_wants_hosts(true); // There may be more of them.
        }
    }

    pub(super) fn renewed(&mut self, leases: &[FencedHost], lost: &[FencedHost], until: Instant) {
        self.leasing.is_renewing = false;
        if !lost.is_empty() {
            warn!(
                hosts = lost.len(),
                "somebody else works on hosts whose leases were not renewed in time"
            );
        }
        self.reserve.lost(lost);
        self.reserve.renewed(leases, until);
    }

    /// Whether all is done that may be done now: the store is asked, once everything is given back. False while that is not
    /// known.
    pub(super) fn is_finished(&mut self) -> bool {
        if self.release_idle(true) {
            self.leasing.is_finished = None;
        }
        match self.leasing.is_finished.take() {
            Some(true) => return true,
            Some(false) => {
                // Rows wait, or somebody else may bring some.
                self.reserve.set_wants_hosts(true);
                self.leasing.ask_at = self.clock.monotonic().after(LOOK_AGAIN);
            }
            None => {
                let priority_below = self.reserve.priority_below();
                self.line.request(Request::IsFinished(priority_below));
            }
        }
        false
    }

    /// Whether there was something to give back.
    fn release_idle(&mut self, is_quiet: bool) -> bool {
        if !self.reserve.may_release(is_quiet) {
            return false;
        }
        let at = (self.clock.monotonic(), self.clock.wall());
        let released = self.reserve.release_idle(is_quiet, at);
        let are_some = !released.is_empty();
        if are_some {
            let released = self.with_failures(released);
            self.line.request(Request::Release(released));
        }
        are_some
    }

    /// All that is held, for whoever goes on with the run.
    pub(crate) fn leave_hosts(&mut self) -> Vec<(FencedHost, HostState)> {
        let at = (self.clock.monotonic(), self.clock.wall());
        let released = self.reserve.release_all(at);
        self.with_failures(released)
    }

    fn with_failures(&self, mut released: Vec<(FencedHost, HostState)>) -> Vec<(FencedHost, HostState)> {
        for (lease, state) in &mut released {
            self.failures.write_to(lease.host, state);
        }
        released
    }
}
