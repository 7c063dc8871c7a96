//! Which rows of the frontier are next, and which URLs of a batch are met for the first time.

use super::known::before;
use super::rows::{HeldRow, Rows};
use crate::keep::{Found, Keep};
use crate::leases::FencedHost;
use crate::runs::RunRef;
use crate::work::{AWAITED, Load, Loaded, Queued, Rescored, RowPlace};
use gleaner_model::{HostId, Leg, RunId, UrlKey};
use std::collections::HashSet;

/// In the order of discovery; what came first stays first.
pub(super) fn in_order(batch: &mut [Keep]) {
    batch.sort_by_key(|keep| keep.resource);
}

impl Rows {
    pub(super) fn load(&self, of: RunRef, load: &Load, with_known: bool) -> Loaded {
        let is_meant = |priority: i64| match load.priority_below {
            _ if load.lists_only => priority <= AWAITED,
            Some(below) => priority < below,
            None => true,
        };
        let mut loaded = Loaded::default();
        let mut rows = self.rows_of_host(of.run, load.host);
        rows.retain(|(place, _)| {
            Some(*place) > load.after && is_meant(place.priority) && !load.held.contains(&place.resource)
        });
        let mut rows = rows.into_iter();
        while loaded.rows.len() < load.limit {
            let Some((place, row)) = rows.next() else {
                loaded.is_all = true;
                break;
            };
            loaded.rows.push(Queued {
                host: load.host,
                fence: load.fence,
                resource: place.resource,
                url: self.resources[&place.resource].url.clone(),
                priority: place.priority,
                score: row.score,
                depth: row.depth,
                purpose: row.purpose,
                hops: row.hops,
                chain: row.chain.clone(),
                tries: row.tries,
                due_at: row.due_at,
                stamp: row.stamp.clone(),
                legs: row.legs.clone(),
                request: row.request.clone(),
                known: None,
            });
        }
        if with_known {
            (loaded.right, loaded.wrong) = self.trusts.get(&load.host).copied().unwrap_or_default();
            for row in &mut loaded.rows {
                row.known = self.known(of, row.resource);
            }
        }
        loaded
    }

    /// A host's rows in the order in which they come.
    pub(super) fn rows_of_host(&self, run: RunId, host: HostId) -> Vec<(RowPlace, &HeldRow)> {
        let rows = self.frontier_of(run).filter(|((_, of, ..), _)| *of == host);
        let placed =
            rows.map(|((_, _, priority, resource), row)| (RowPlace::new(priority, row.score, resource), row));
        let mut placed: Vec<_> = placed.collect();
        placed.sort_by_key(|(place, _)| *place);
        placed
    }

    pub(super) fn rescore(&mut self, of: RunRef, host: FencedHost, rows: &[Rescored]) -> u64 {
        let mut found = 0;
        if !self.is_current(of.run, host) {
            return found;
        }
        for rescored in rows {
            let place = (of.run, host.host, rescored.priority, rescored.resource);
            if let Some(row) = self.frontier.get_mut(&place) {
                row.score = rescored.score;
                found += 1;
            }
        }
        found
    }

    pub(super) fn meet(&self, of: RunRef, batch: &mut [Keep]) -> Vec<Found> {
        in_order(batch);
        let mut met: HashSet<UrlKey> = HashSet::new();
        let mut all = Vec::new();
        for keep in batch.iter() {
            for outlink in keep.outlinks.iter() {
                let Some(entry) = outlink.queue else { continue };
                if entry.listed.is_some() || entry.legs.iter().any(Leg::is_named) || !met.insert(outlink.key)
                {
                    continue;
                }
                let resource = self.resource_of.get(&outlink.key).copied();
                if resource.is_some_and(|resource| self.visits.contains_key(&(of.run, resource))) {
                    continue;
                }
                // Who follows a chain of redirects goes to its end.
                let last = match (resource, entry.hops) {
                    (Some(resource), 0) if entry.legs.is_empty() => before(self, of, resource),
                    _ => None,
                };
                all.push(Found::of(&outlink, entry, keep.resource, resource, last));
            }
        }
        all
    }
}
