//! Documents that are there though no way leads to them any more.

use super::rows::{Rows, is_sitemap};
use crate::runs::RunRef;
use crate::tracking::targets;
use gleaner_model::{ResourceId, RunId, State};
use std::collections::HashSet;

impl Rows {
    pub(super) fn mark_orphans(&mut self, of: RunRef, seeds: &[ResourceId], steps: usize) -> u64 {
        let has_lost_links = self.past_links.values().any(|past| past.gone_run == of.run);
        let has_lost_pages = self
            .changes_of(of.run)
            .any(|(_, change)| change.state == State::Mis);
        let mut documents = self.documents.values();
        let has_orphans =
            documents.any(|document| document.project == of.project && document.orphan_run.is_some());
        if !has_lost_links && !has_lost_pages && !has_orphans {
            return 0;
        }
        let named = match steps {
            0 => self.reached(of.run, seeds),
            _ => self.reached_by_steps(of.run, steps),
        };
        let there: Vec<_> = self
            .changes_of(of.run)
            .filter(|(_, change)| matches!(change.state, State::Sam | State::Upd))
            .filter_map(|(_, change)| change.document)
            .collect();
        let mut count = 0;
        for id in there {
            let Some(document) = self.documents.get_mut(&id) else {
                continue;
            };
            if named.contains(&document.resource) {
                document.orphan_run = None;
            } else {
                document.orphan_run = document.orphan_run.or(Some(of.run));
                count += 1;
                if let Some(change) = self.change_of_document(of.run, id) {
                    change.is_orphan = true;
                }
            }
        }
        count
    }

    fn reached_by_steps(&self, run: RunId, steps: usize) -> HashSet<ResourceId> {
        let visits = self.visits_of(run);
        visits
            .filter(|(_, visit)| visit.legs.iter().any(|leg| (leg.step as usize) < steps))
            .map(|(resource, _)| resource)
            .collect()
    }

    /// From the seeds and the sitemaps over all pages that are there. What a page says of itself does not count.
    fn reached(&self, run: RunId, seeds: &[ResourceId]) -> HashSet<ResourceId> {
        let is_there = |page: &ResourceId| {
            let visit = self.visits.get(&(run, *page));
            visit.is_some_and(|visit| !matches!(visit.status, Some(404 | 410)))
        };
        let mut reached: HashSet<ResourceId> = seeds.iter().copied().collect();
        let sitemaps = self.visits_of(run).map(|(page, _)| page);
        let sitemaps = sitemaps.filter(|page| is_sitemap(self.list_of(*page)));
        let mut open: Vec<ResourceId> = seeds.iter().copied().chain(sitemaps).collect();
        let mut read = HashSet::new();
        while let Some(page) = open.pop() {
            if !is_there(&page) || !read.insert(page) {
                continue;
            }
            for (target, _) in targets(self.list_of(page)) {
                let target = ResourceId(target);
                if target != page && reached.insert(target) {
                    open.push(target);
                }
            }
        }
        reached
    }
}
