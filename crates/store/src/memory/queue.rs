//! Which rows of the frontier are next, and which URLs of a batch are met for the first time.

use super::known::before;
use super::rows::Rows;
use crate::keep::{Found, Keep};
use crate::runs::RunRef;
use crate::work::{AWAITED, Load, Loaded, Purpose, Queued};
use gleaner_model::{Leg, Url, UrlKey};
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
        let rows = self
            .frontier_of(of.run)
            .filter(|((_, host, priority, resource), _)| {
                *host == load.host && Some((*priority, *resource)) > load.after && is_meant(*priority)
            });
        let mut rows = rows.filter(|((.., resource), _)| !load.held.contains(resource));
        while loaded.rows.len() < load.limit {
            let Some(((_, host, priority, resource), row)) = rows.next() else {
                loaded.is_all = true;
                break;
            };
            loaded.rows.push(Queued {
                host,
                fence: load.fence,
                resource,
                url: self.resources[&resource].url.clone(),
                priority,
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
            let sample = self.sample_of(load.host, load.after.is_some());
            for row in &mut loaded.rows {
                row.known = self.known(of, row.resource, sample);
            }
        }
        loaded
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
                all.push(Found {
                    url: Url::parse(outlink.url)
                        .expect("canonical text is a URL: canonicalising twice changes nothing"),
                    key: outlink.key,
                    from: keep.resource,
                    resource,
                    is_guess: entry.purpose == Purpose::Guess,
                    // Who follows a chain of redirects goes to its end.
                    last: match (resource, entry.hops) {
                        (Some(resource), 0) if entry.legs.is_empty() => before(self, of, resource),
                        _ => None,
                    },
                });
            }
        }
        all
    }
}
