//! [`Tracking`] on SQLite: what a track begins with.

use super::SqliteStore;
use crate::StoreError;
use crate::runs::RunRef;
use crate::tracking::{Beginning, KnownDocument, KnownLink, LinkPage, Naming, Others, Tracking};
use async_trait::async_trait;
use gleaner_model::{DocumentId, Leg, Project, ProjectId, ResourceId, Timestamp};

#[async_trait]
impl Tracking for SqliteStore {
    async fn known_documents(
        &self,
        project: ProjectId,
        after: Option<DocumentId>,
    ) -> Result<Vec<KnownDocument>, StoreError> {
        self.write(move |writer| writer.catalog.known_documents(project, after))
            .await
    }

    async fn begin_documents(
        &self,
        of: RunRef,
        documents: Vec<(KnownDocument, Beginning)>,
        legs: Vec<Leg>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.begin_documents(&documents, &legs, now))
            .await
    }

    async fn documents_count(&self, project: ProjectId) -> Result<u64, StoreError> {
        self.write(move |writer| writer.catalog.documents_count(project))
            .await
    }

    async fn has_documents(&self, project: ProjectId) -> Result<bool, StoreError> {
        self.write(move |writer| writer.catalog.has_documents(project))
            .await
    }

    async fn link_pages(
        &self,
        project: ProjectId,
        sources: Vec<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError> {
        self.write(move |writer| writer.catalog.link_pages(project, &sources))
            .await
    }

    async fn link_pages_after(
        &self,
        project: ProjectId,
        after: Option<ResourceId>,
    ) -> Result<Vec<LinkPage>, StoreError> {
        self.write(move |writer| writer.catalog.link_pages_after(project, after))
            .await
    }

    async fn known_links(
        &self,
        of: RunRef,
        wanted: Vec<(ResourceId, Naming)>,
    ) -> Result<Vec<KnownLink>, StoreError> {
        self.of(of, move |run| run.known_links(&wanted)).await
    }

    async fn begin_links(&self, of: RunRef, links: Vec<KnownLink>) -> Result<(), StoreError> {
        self.of(of, move |run| run.begin_links(&links)).await
    }

    async fn rest_links(&self, of: RunRef, links: Vec<KnownLink>, now: Timestamp) -> Result<(), StoreError> {
        self.of(of, move |run| run.rest_links(&links, now)).await
    }

    async fn others_of_last_run(&self, of: RunRef) -> Result<Others, StoreError> {
        self.of(of, move |run| run.others_of_last_run()).await
    }

    async fn last_settings(&self, of: RunRef) -> Result<Option<Project>, StoreError> {
        self.of(of, move |run| run.last_settings()).await
    }
}
