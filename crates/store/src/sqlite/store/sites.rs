//! [`Sites`] on SQLite: what is known of sites.

use super::SqliteStore;
use crate::StoreError;
use crate::keep::{Cut, Rekeyed};
use crate::runs::{RunRef, SiteRules};
use crate::sites::Sites;
use async_trait::async_trait;
use gleaner_model::{ProjectId, ResourceId, RunId, Timestamp};

#[async_trait]
impl Sites for SqliteStore {
    async fn site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError> {
        self.write(move |writer| writer.catalog.site_rules(project)).await
    }

    async fn addresses_of_domain(
        &self,
        domain: String,
        after: Option<ResourceId>,
    ) -> Result<Vec<(ResourceId, String)>, StoreError> {
        self.write(move |writer| writer.catalog.addresses_of_domain(&domain, after))
            .await
    }

    async fn keep_rules(
        &self,
        project: ProjectId,
        site: String,
        rules: String,
        now: Timestamp,
        keys: Vec<Rekeyed>,
    ) -> Result<(), StoreError> {
        self.write(move |writer| writer.keep_rules(project, &site, &rules, now, &keys))
            .await
    }

    async fn set_rules(
        &self,
        project: ProjectId,
        site: String,
        rules: String,
        is_pinned: bool,
        keys: Vec<Rekeyed>,
    ) -> Result<(), StoreError> {
        self.write(move |writer| writer.set_rules(project, &site, &rules, is_pinned, &keys))
            .await
    }

    async fn noises(&self, project: ProjectId) -> Result<Vec<(String, String)>, StoreError> {
        self.write(move |writer| writer.catalog.noises(project)).await
    }

    async fn keep_noises(&self, project: ProjectId, noises: Vec<(String, String)>) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.keep_noises(project, &noises))
            .await
    }

    async fn traps(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.write(move |writer| writer.catalog.traps(run)).await
    }

    async fn traps_before(&self, of: RunRef) -> Result<Option<Vec<u8>>, StoreError> {
        self.write(move |writer| writer.catalog.traps_before(of.project, of.run))
            .await
    }

    async fn keep_traps(&self, run: RunId, saved: Vec<u8>, cuts: Vec<Cut>) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.keep_traps(run, &saved, &cuts))
            .await
    }
}
