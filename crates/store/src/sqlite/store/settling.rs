//! [`Settling`] on SQLite: the last stage of a run.

use super::SqliteStore;
use crate::StoreError;
use crate::runs::RunRef;
use crate::settling::{
    Candidate, FolderVisit, HostCounts, HostDocument, Move, Settling, SettlingTurn, TakenBack,
    UnlistedDocument,
};
use async_trait::async_trait;
use gleaner_model::{DocumentId, HostId, Reason, ResourceId, State, Timestamp, Url};

#[async_trait]
impl Settling for SqliteStore {
    async fn candidates(
        &self,
        of: RunRef,
        state: State,
        reason: Option<Reason>,
    ) -> Result<Vec<Candidate>, StoreError> {
        self.of(of, move |run| run.candidates(state, reason)).await
    }

    async fn end_of_redirects(&self, from: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        self.write(move |writer| writer.catalog.end_of_redirects(from))
            .await
    }

    async fn found_at(
        &self,
        of: RunRef,
        resource: ResourceId,
    ) -> Result<Option<(Candidate, State)>, StoreError> {
        self.of(of, move |run| run.found_at(resource)).await
    }

    async fn keep_move(&self, of: RunRef, moved: Move) -> Result<(), StoreError> {
        self.of(of, move |run| run.keep_move(&moved)).await
    }

    async fn keep_same_elsewhere(
        &self,
        of: RunRef,
        old: DocumentId,
        detail: String,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.keep_same_elsewhere(old, &detail))
            .await
    }

    async fn resources_of(&self, urls: Vec<Url>) -> Result<Vec<ResourceId>, StoreError> {
        self.write(move |writer| writer.catalog.resources_of(&urls)).await
    }

    async fn take_settling(
        &self,
        of: RunRef,
        worker: String,
        now: Timestamp,
    ) -> Result<SettlingTurn, StoreError> {
        self.of(of, move |run| run.take_settling(worker, now)).await
    }

    async fn seal(&self, of: RunRef, notes: Vec<String>, now: Timestamp) -> Result<(), StoreError> {
        self.of(of, move |run| run.seal(&notes, now)).await
    }

    async fn doubt_rules(&self, of: RunRef) -> Result<(), StoreError> {
        self.of(of, move |run| run.doubt_rules()).await
    }

    async fn mark_orphans(
        &self,
        of: RunRef,
        seeds: Vec<ResourceId>,
        steps: usize,
    ) -> Result<u64, StoreError> {
        self.of(of, move |run| run.mark_orphans(&seeds, steps)).await
    }

    async fn counts_by_host(&self, of: RunRef) -> Result<Vec<HostCounts>, StoreError> {
        self.of(of, move |run| run.counts_by_host()).await
    }

    async fn host_documents(&self, of: RunRef, host: HostId) -> Result<Vec<HostDocument>, StoreError> {
        self.of(of, move |run| run.host_documents(host)).await
    }

    async fn take_back(
        &self,
        of: RunRef,
        versions: Vec<TakenBack>,
        detail: String,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.take_back(&versions, &detail)).await
    }

    async fn withhold(
        &self,
        of: RunRef,
        documents: Vec<(DocumentId, ResourceId)>,
        detail: String,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.withhold(&documents, &detail)).await
    }

    async fn first_found_on(&self, resource: ResourceId) -> Result<Option<ResourceId>, StoreError> {
        self.write(move |writer| writer.catalog.first_found_on(resource))
            .await
    }

    async fn drop_new(&self, of: RunRef, found: Vec<Candidate>) -> Result<(), StoreError> {
        self.of(of, move |run| run.drop_new(&found)).await
    }

    async fn unlisted(
        &self,
        of: RunRef,
        schemes: Vec<&'static str>,
    ) -> Result<Vec<UnlistedDocument>, StoreError> {
        self.of(of, move |run| run.unlisted(&schemes)).await
    }

    async fn folder_visit(&self, of: RunRef, folder: Url) -> Result<Option<FolderVisit>, StoreError> {
        self.of(of, move |run| run.folder_visit(&folder)).await
    }

    async fn folder_at(&self, root: Url) -> Result<Option<String>, StoreError> {
        self.write(move |writer| writer.catalog.folder_at(&root)).await
    }

    async fn names_files(&self, of: RunRef, folder: String) -> Result<bool, StoreError> {
        self.of(of, move |run| run.names_files(&folder)).await
    }

    async fn keep_unlisted(
        &self,
        of: RunRef,
        judged: Vec<(UnlistedDocument, State, Reason)>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.of(of, move |run| run.keep_unlisted(&judged, now)).await
    }
}
