//! [`Lists`] on SQLite: what sitemaps and feeds tell.

use super::SqliteStore;
use crate::StoreError;
use crate::lists::Lists;
use crate::runs::RunRef;
use crate::settling::DatedDocument;
use async_trait::async_trait;
use gleaner_model::{HostId, ResourceId, Timestamp};
use std::collections::HashSet;

#[async_trait]
impl Lists for SqliteStore {
    async fn note_dates(&self, of: RunRef) -> Result<(), StoreError> {
        self.of(of, |run| {
            run.note_dates();
            Ok(())
        })
        .await
    }

    async fn open_list(&self, of: RunRef, host: HostId) -> Result<Option<ResourceId>, StoreError> {
        self.of(of, move |run| run.open_list(host)).await
    }

    async fn round(&self, of: RunRef) -> Result<i64, StoreError> {
        self.of(of, move |run| run.round()).await
    }

    async fn dated_documents(
        &self,
        of: RunRef,
        host: HostId,
        after: Option<DatedDocument>,
    ) -> Result<Vec<DatedDocument>, StoreError> {
        self.of(of, move |run| run.dated_documents(host, after.as_ref()))
            .await
    }

    async fn settle_unasked(
        &self,
        of: RunRef,
        host: HostId,
        documents: Vec<DatedDocument>,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        self.of(of, move |run| run.settle_unasked(host, &documents, now))
            .await
    }

    async fn trusted_lists(&self) -> Result<HashSet<HostId>, StoreError> {
        self.write(move |writer| writer.catalog.trusted_lists()).await
    }

    async fn weigh_lists(&self, of: RunRef) -> Result<(), StoreError> {
        self.of(of, move |run| run.weigh_lists()).await
    }
}
