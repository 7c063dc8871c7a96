//! Where a host waits for its turn: ready, waiting until a moment, or waiting until a connection is free. Pace decides.

use super::Reserve;
use super::host::{Lists, Place};
use crate::shared_pace::FurtherStarts;
use gleaner_frontier::{FetchOutcome, FetchSlots, Manner, OutcomeKind, Readiness};
use gleaner_model::{Clock, HostId, Instant, Timestamp, defaults};
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

impl Reserve {
    /// A fetch from this host has ended, one way or another.
    pub fn answered(
        &mut self,
        id: HostId,
        address: Option<IpAddr>,
        now: Instant,
        outcome: FetchOutcome,
        kept_waiting: bool,
    ) {
        if let Some(host) = self.hosts.get_mut(&id) {
            if !kept_waiting && outcome.kind != OutcomeKind::Failed {
                self.pace.set_manner(&host.name, Manner::InTime);
            }
            self.pace.finished(&host.name, host.address, now, outcome);
            if let Some(address) = address {
                host.address = Some(address);
            }
        }
        self.uncrowd();
        self.make_ready(id);
    }

    pub(super) fn uncrowd(&mut self) {
        for id in std::mem::take(&mut self.crowded) {
            self.make_ready_from(id, Place::Crowded);
        }
    }

    pub(super) fn make_ready(&mut self, id: HostId) {
        self.make_ready_from(id, Place::Idle);
    }

    pub(super) fn make_ready_from(&mut self, id: HostId, from: Place) {
        if let Some(host) = self.hosts.get_mut(&id)
            && host.place == from
            && !host.queue.is_empty()
        {
            host.place = Place::Ready;
            let manner = self.pace.manner(&host.name);
            self.ready[manner as usize].push_back(id);
        }
    }

    /// How the host has answered so far.
    pub fn manner(&self, id: HostId) -> Manner {
        (self.hosts.get(&id)).map_or(Manner::New, |host| self.pace.manner(&host.name))
    }

    /// An answer of this host is overdue: it is asked after the others until it answers in time.
    pub fn keeps_waiting(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get(&id) {
            self.pace.set_manner(&host.name, Manner::Slow);
        }
    }

    /// The next host that is ready and for which there is a slot, slow hosts last.
    pub(super) fn next_ready(&mut self, slots: &FetchSlots) -> Option<HostId> {
        for manner in Manner::ALL {
            while slots.has(manner)
                && let Some(id) = self.ready[manner as usize].pop_front()
            {
                let is = self.manner(id);
                // It answered, or kept us waiting, since it was put there.
                if is == manner || slots.has(is) {
                    return Some(id);
                }
                self.ready[is as usize].push_back(id);
            }
        }
        None
    }

    pub(super) fn wake(&mut self, now: Instant, wall: Timestamp) {
        while let Some(Reverse((at, id))) = self.asleep.peek().copied() {
            if at > now {
                break;
            }
            self.asleep.pop();
            let Some(host) = self.hosts.get_mut(&id) else {
                continue;
            };
            host.take_up_due(wall);
            if let Some(wait) = host.next_later(wall) {
                self.asleep
                    .push(Reverse((now.after(wait.max(Duration::from_millis(1))), id)));
            }
            if host.place == Place::Asleep {
                host.place = Place::Idle;
            }
            self.make_ready(id);
        }
    }

    /// Whether the host may be asked now; otherwise it waits where it belongs.
    pub(super) fn has_pace(&mut self, id: HostId, now: Instant) -> bool {
        let Some(host) = self.hosts.get_mut(&id) else {
            return false;
        };
        match self.pace.ready(&host.name, host.address, now) {
            Readiness::Now => return true,
            Readiness::At(at) => {
                host.place = Place::Asleep;
                self.asleep.push(Reverse((at, id)));
            }
            Readiness::Busy => {
                host.place = Place::Crowded;
                self.crowded.push(id);
            }
        }
        false
    }

    /// When a fetch from this host may go on with further requests.
    pub(crate) fn further_starts(&self, id: HostId, clock: &Arc<dyn Clock>) -> FurtherStarts {
        let host = self.hosts.get(&id);
        let (name, address) = host.map_or(("", None), |host| (&*host.name, host.address));
        self.pace.further_starts(name, address, clock)
    }

    /// Hosts that are not to be asked yet, and for how long: what the next run has to know.
    pub fn waits(&self, now: Instant) -> Vec<(HostId, Duration)> {
        self.hosts
            .iter()
            .map(|(id, host)| (*id, self.pace.wait(&host.name, now)))
            .filter(|(_, wait)| !wait.is_zero())
            .collect()
    }

    /// Hosts whose pause is too long to wait for, if all that is left waits for such a pause.
    pub fn all_paused(&self, now: Instant) -> Option<Vec<(HostId, Duration)>> {
        if !self.loads.is_empty() || !self.ready.iter().all(VecDeque::is_empty) || !self.crowded.is_empty() {
            return None;
        }
        let mut paused = Vec::new();
        for (id, host) in &self.hosts {
            if host.is_loading() || host.lists == Lists::Asked {
                return None;
            }
            if !host.has_work() || host.lists == Lists::Open {
                continue; // What it waits for may be paused.
            }
            match self.pace.pause(&host.name, now) {
                Some(pause) if pause > defaults::PAUSE_WORTH_WAITING => paused.push((*id, pause)),
                _ => return None,
            }
        }
        (!paused.is_empty()).then_some(paused)
    }
}
