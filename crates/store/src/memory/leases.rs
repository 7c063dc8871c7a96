//! Who works on which host.

use super::MemoryStore;
use super::rows::{HeldLease, Rows};
use crate::StoreError;
use crate::keep::Keep;
use crate::leases::{Fence, FencedHost, HostLease, HostsWanted, Leases};
use crate::runs::RunRef;
use crate::work::RowPlace;
use async_trait::async_trait;
use gleaner_model::defaults::HOST_LEASE;
use gleaner_model::{HostId, HostState, RunId, Timestamp};

impl Rows {
    /// Whether nobody got the host since.
    pub(super) fn is_current(&self, run: RunId, of: FencedHost) -> bool {
        let lease = self.of_process.leases.get(&(run, of.host));
        lease.map_or(Fence::default(), |lease| lease.fence) == of.fence
    }

    /// The lease, if it is neither released nor somebody else's.
    fn held(&mut self, run: RunId, of: FencedHost) -> Option<&mut HeldLease> {
        let lease = self.of_process.leases.get_mut(&(run, of.host));
        lease.filter(|lease| lease.fence == of.fence && lease.until.is_some())
    }

    fn lease(&mut self, run: RunId, host: HostId, now: Timestamp) -> HostLease {
        let until = now.after(HOST_LEASE);
        let before = self.of_process.leases.get(&(run, host)).copied();
        let lease = HeldLease {
            fence: Fence(before.map_or(0, |before| before.fence.0) + 1),
            until: Some(until),
        };
        self.of_process.leases.insert((run, host), lease);
        HostLease {
            host,
            fence: lease.fence,
            until,
            state: self.host_states.get(&(run, host)).cloned().unwrap_or_default(),
            best_score: self
                .first_row(run, host)
                .map_or(0, |first| RowPlace::score_of(first.turn)),
            lapsed_at: before.and_then(|before| before.until),
        }
    }

    fn first_row(&self, run: RunId, host: HostId) -> Option<RowPlace> {
        self.rows_of_host(run, host).first().map(|(place, _)| *place)
    }

    /// Takes the pages of leases that are lost out of a batch.
    pub(super) fn take_late(&self, run: RunId, batch: &mut Vec<Keep>) -> Vec<Keep> {
        batch
            .extract_if(.., |keep| !self.is_current(run, keep.fenced_host()))
            .collect()
    }
}

#[async_trait]
impl Leases for MemoryStore {
    async fn lease_hosts(
        &self,
        of: RunRef,
        wanted: HostsWanted,
        now: Timestamp,
    ) -> Result<Vec<HostLease>, StoreError> {
        let mut rows = self.rows();
        let waiting = rows
            .frontier_of(of.run)
            .map(|((_, host, priority, _), _)| (host, priority));
        let is_open = |priority: i64| wanted.priority_below.is_none_or(|below| priority < below);
        let mut hosts: Vec<HostId> = waiting
            .filter(|(_, priority)| is_open(*priority))
            .map(|(host, _)| host)
            .collect();
        hosts.dedup();
        hosts.retain(|host| !rows.of_process.is_held(of.run, *host, now));
        if wanted.best_first {
            hosts.sort_by_key(|host| rows.first_row(of.run, *host).map(|first| first.turn));
        }
        hosts.truncate(wanted.most);
        Ok(hosts
            .into_iter()
            .map(|host| rows.lease(of.run, host, now))
            .collect())
    }

    async fn renew_leases(
        &self,
        of: RunRef,
        leases: Vec<FencedHost>,
        now: Timestamp,
    ) -> Result<Vec<FencedHost>, StoreError> {
        let mut rows = self.rows();
        let mut lost = Vec::new();
        for lease in leases {
            match rows.held(of.run, lease) {
                Some(held) => held.until = Some(now.after(HOST_LEASE)),
                None => lost.push(lease),
            }
        }
        Ok(lost)
    }

    async fn release_hosts(
        &self,
        of: RunRef,
        released: Vec<(FencedHost, HostState)>,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for (lease, state) in released {
            let Some(held) = rows.held(of.run, lease) else {
                continue;
            };
            held.until = None;
            rows.host_states.insert((of.run, lease.host), state);
        }
        Ok(())
    }

    async fn is_finished(
        &self,
        of: RunRef,
        priority_below: Option<i64>,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let rows = self.rows();
        let is_open = |priority: i64| priority_below.is_none_or(|below| priority < below);
        let waits = rows
            .frontier_of(of.run)
            .any(|((_, _, priority, _), _)| is_open(priority));
        let mut leases = rows.of_process.leases.keys().filter(|(run, _)| *run == of.run);
        Ok(!waits && !leases.any(|(run, host)| rows.of_process.is_held(*run, *host, now)))
    }
}
