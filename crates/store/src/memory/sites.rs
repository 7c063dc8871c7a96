//! What runs learn about sites.

use super::MemoryStore;
use super::rows::Rows;
use crate::StoreError;
use crate::keep::{Cut, Rekeyed};
use crate::runs::{RunRef, SiteRules};
use crate::sites::Sites;
use async_trait::async_trait;
use gleaner_model::{ProjectId, ResourceId, RunId, Timestamp};

/// Addresses given in one go.
const PIECE: usize = 10_000;

impl Rows {
    /// Where two resources turn out to be one, the first keeps the key.
    fn rekey(&mut self, keys: &[Rekeyed]) {
        for &(resource, key) in keys {
            let held = self.resource_of.get(&key).copied();
            if held.is_some_and(|held| held != resource) {
                continue;
            }
            let Some(row) = self.resources.get_mut(&resource) else {
                continue;
            };
            self.resource_of.remove(&row.key);
            row.key = key;
            self.resource_of.insert(key, resource);
        }
    }
}

#[async_trait]
impl Sites for MemoryStore {
    async fn site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError> {
        let rows = self.rows();
        let rules = rows.site_rules.iter().filter(|((of, _), _)| *of == project);
        Ok(rules.map(|(_, rules)| rules.clone()).collect())
    }

    async fn addresses_of_domain(
        &self,
        domain: String,
        after: Option<ResourceId>,
    ) -> Result<Vec<(ResourceId, String)>, StoreError> {
        let rows = self.rows();
        let below = format!(".{domain}");
        let is_of = |name: &str| name == domain || name.ends_with(&below);
        let found = rows
            .resources
            .iter()
            .filter(|(id, row)| Some(**id) > after && is_of(&rows.hosts[&row.host].name))
            .map(|(id, row)| (*id, row.url.as_str().to_owned()));
        Ok(found.take(PIECE).collect())
    }

    async fn keep_rules(
        &self,
        project: ProjectId,
        site: String,
        rules: String,
        now: Timestamp,
        keys: Vec<Rekeyed>,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let place = (project, site.clone());
        if rows.site_rules.get(&place).is_none_or(|old| !old.is_pinned) {
            let row = SiteRules {
                site,
                rules,
                probed_at: Some(now),
                is_settled: true,
                is_pinned: false,
            };
            rows.site_rules.insert(place, row);
        }
        rows.rekey(&keys);
        Ok(())
    }

    async fn set_rules(
        &self,
        project: ProjectId,
        site: String,
        rules: String,
        is_pinned: bool,
        keys: Vec<Rekeyed>,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let place = (project, site.clone());
        let probed_at = rows.site_rules.get(&place).and_then(|old| old.probed_at);
        let row = SiteRules {
            site,
            rules,
            probed_at,
            is_settled: probed_at.is_some() || is_pinned,
            is_pinned,
        };
        rows.site_rules.insert(place, row);
        rows.rekey(&keys);
        Ok(())
    }

    async fn noises(&self, project: ProjectId) -> Result<Vec<(String, String)>, StoreError> {
        let rows = self.rows();
        let noises = rows.noises.iter().filter(|((of, _), _)| *of == project);
        Ok(noises
            .map(|((_, site), memory)| (site.clone(), memory.clone()))
            .collect())
    }

    async fn keep_noises(&self, project: ProjectId, noises: Vec<(String, String)>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        for (site, memory) in noises {
            rows.noises.insert((project, site), memory);
        }
        Ok(())
    }

    async fn traps(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows().trap_memories.get(&run).cloned())
    }

    async fn traps_before(&self, of: RunRef) -> Result<Option<Vec<u8>>, StoreError> {
        let rows = self.rows();
        let is_of = |run: &RunId| rows.runs.get(run).is_some_and(|run| run.project == of.project);
        let mut before = rows.trap_memories.range(..of.run).rev();
        Ok(before
            .find(|(run, _)| is_of(run))
            .map(|(_, memory)| memory.clone()))
    }

    async fn keep_traps(&self, run: RunId, saved: Vec<u8>, cuts: Vec<Cut>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        rows.trap_memories.insert(run, saved);
        for cut in cuts {
            let place = (run, cut.reason, cut.shape.clone());
            let count = cut.count;
            rows.cuts.entry(place).or_insert(cut).count = count;
        }
        Ok(())
    }
}
