//! The frontier, and the pages that come of it.

use super::MemoryStore;
use super::keep::Batch;
use super::rows::{HeldChange, Rows};
use crate::StoreError;
use crate::keep::{Cut, Enqueue, Found, Keep, KeepWith, Kept, NotKept, Refused};
use crate::leases::FencedHost;
use crate::runs::RunRef;
use crate::work::{Ending, Load, Loaded, Purpose, Rescored, StoredRobots, Work};
use async_trait::async_trait;
use gleaner_model::{HostId, State, Timestamp, Url, defaults};
use std::collections::BTreeMap;

impl Rows {
    fn give_up(&mut self, of: RunRef, host: Option<FencedHost>, why: &Ending, now: Timestamp) -> u64 {
        if host.is_some_and(|host| !self.is_current(of.run, host)) {
            return 0;
        }
        let is_meant = |at: HostId| host.is_none_or(|of| of.host == at);
        let ended: Vec<_> = self
            .frontier_of(of.run)
            .filter(|(place, _)| is_meant(place.1))
            .map(|(place, row)| (place, row.purpose))
            .collect();
        for &((.., resource), purpose) in &ended {
            let document = self.document_there(resource, of.project);
            if purpose == Purpose::Page && (why.state.is_some() || document.is_some()) {
                let mut change = HeldChange::new(document, why.state.unwrap_or(State::Err), Some(why.reason));
                change.detail.clone_from(&why.detail);
                self.add_change(of.run, resource, change);
            }
            if let Some(visit) = self.visits.get_mut(&(of.run, resource))
                && visit.at.is_none()
            {
                (visit.at, visit.reason) = (Some(now), Some(why.reason));
                visit.detail.clone_from(&why.detail);
            }
        }
        for (place, _) in &ended {
            self.frontier.remove(place);
        }
        ended.iter().filter(|(_, purpose)| !purpose.is_guess()).count() as u64
    }

    /// How it answered when it was last asked for.
    fn last_status(&self, url: &Url) -> Option<u16> {
        let resource = self.resource_of.get(&url.key())?;
        self.resources[resource].status
    }

    pub(super) fn add_cut(&mut self, of: RunRef, cut: Cut) {
        let place = (of.run, cut.reason, cut.shape.clone());
        self.cuts
            .entry(place)
            .and_modify(|sum| sum.count += cut.count)
            .or_insert(cut);
    }
}

#[async_trait]
impl Work for MemoryStore {
    async fn enqueue_starts(
        &self,
        of: RunRef,
        starts: Vec<(Url, Enqueue)>,
        now: Timestamp,
    ) -> Result<Kept, StoreError> {
        let mut rows = self.rows();
        let none = Refused::new();
        let mut batch = Batch::new(&mut rows, of, &none);
        for (url, entry) in &starts {
            batch.enqueue_outright(url, entry, now);
        }
        Ok(batch.kept)
    }

    async fn load(&self, of: RunRef, load: Load, with_known: bool) -> Result<Loaded, StoreError> {
        Ok(self.rows().load(of, &load, with_known))
    }

    async fn rescore(&self, of: RunRef, host: FencedHost, rows: Vec<Rescored>) -> Result<u64, StoreError> {
        Ok(self.rows().rescore(of, host, &rows))
    }

    async fn hosts_waiting(&self, of: RunRef) -> Result<Vec<HostId>, StoreError> {
        let rows = self.rows();
        let mut hosts: Vec<HostId> = rows.frontier_of(of.run).map(|((_, host, ..), _)| host).collect();
        hosts.dedup();
        Ok(hosts)
    }

    async fn documents_by_host(&self, of: RunRef) -> Result<Vec<(HostId, u64)>, StoreError> {
        let rows = self.rows();
        let mut counts: BTreeMap<HostId, u64> = BTreeMap::new();
        for (resource, change) in rows.changes_of(of.run) {
            if matches!(change.state, State::New | State::Upd | State::Sam) {
                *counts.entry(rows.resources[&resource].host).or_default() += 1;
            }
        }
        Ok(counts.into_iter().collect())
    }

    async fn meet(&self, of: RunRef, batch: Vec<Keep>) -> Result<(Vec<Keep>, Vec<Found>), StoreError> {
        let mut batch = batch;
        let met = self.rows().meet(of, &mut batch);
        Ok((batch, met))
    }

    async fn keep(&self, of: RunRef, batch: Vec<Keep>, with: KeepWith) -> Result<(Vec<Keep>, Kept), NotKept> {
        let (mut rows, mut batch) = (self.rows(), batch);
        let late = rows.take_late(of.run, &mut batch);
        let kept = rows.keep(of, &mut batch, &with);
        let lost = late.iter().map(Keep::fenced_host).collect();
        batch.extend(late);
        match kept {
            Ok(kept) => Ok((batch, Kept { lost, ..kept })),
            Err(error) => Err(NotKept { batch, error }),
        }
    }

    async fn give_up(
        &self,
        of: RunRef,
        host: Option<FencedHost>,
        why: Ending,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        Ok(self.rows().give_up(of, host, &why, now))
    }

    async fn robots(&self, host: HostId) -> Result<Option<StoredRobots>, StoreError> {
        let rows = self.rows();
        Ok(rows.hosts.get(&host).and_then(|host| host.robots.clone()))
    }

    async fn keep_robots(
        &self,
        of: RunRef,
        host: HostId,
        robots: StoredRobots,
        sitemaps: Vec<(Url, Enqueue)>,
        awaits_lists: bool,
    ) -> Result<Kept, StoreError> {
        let mut rows = self.rows();
        let now = robots.at;
        if let Some(host) = rows.hosts.get_mut(&host) {
            host.robots = Some(robots);
        }
        let none = Refused::new();
        let mut batch = Batch::new(&mut rows, of, &none);
        for (url, entry) in &sitemaps {
            let Some(purpose) = entry.purpose.of_list(batch.rows.last_status(url), of.run) else {
                continue;
            };
            let entry = Enqueue {
                purpose,
                ..entry.clone()
            };
            let (list, is_queued) = batch.enqueue_outright(url, &entry, now);
            if awaits_lists {
                batch.wait_for(list, host, is_queued);
            }
        }
        Ok(batch.kept)
    }

    async fn redirects_of(&self, seeds: Vec<Url>) -> Result<Vec<Url>, StoreError> {
        let rows = self.rows();
        let mut found = Vec::new();
        for seed in seeds {
            let mut at = rows.resource_of.get(&seed.key()).copied();
            for _ in 0..defaults::REDIRECTS_MAX {
                at = at.and_then(|from| rows.redirect_from(from));
                let Some(to) = at else { break };
                let url = &rows.resources[&to].url;
                if url.domain() == seed.domain() {
                    found.push(url.clone());
                }
            }
        }
        Ok(found)
    }

    async fn keep_cuts(&self, of: RunRef, cuts: Vec<Cut>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for cut in cuts {
            rows.add_cut(of, cut);
        }
        Ok(())
    }

    async fn hold_hosts(&self, held: Vec<(HostId, Timestamp)>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for (host, until) in held {
            if let Some(host) = rows.hosts.get_mut(&host) {
                host.held_until = Some(until);
            }
        }
        Ok(())
    }

    async fn hosts_held(&self, now: Timestamp) -> Result<Vec<(String, Timestamp)>, StoreError> {
        let rows = self.rows();
        let held = rows.hosts.values().filter_map(|host| {
            let until = host.held_until.filter(|until| *until > now)?;
            Some((host.name.clone(), until))
        });
        Ok(held.collect())
    }
}
