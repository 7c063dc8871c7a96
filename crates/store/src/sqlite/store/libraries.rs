//! [`Libraries`] on SQLite.

use super::SqliteStore;
use crate::StoreError;
use crate::libraries::{Libraries, LibraryChange};
use async_trait::async_trait;
use gleaner_model::library::LibrarySettings;
use gleaner_model::{LibraryId, ProjectId, Timestamp};

#[async_trait]
impl Libraries for SqliteStore {
    async fn library(
        &self,
        settings: LibrarySettings,
        project: ProjectId,
        now: Timestamp,
    ) -> Result<LibraryId, StoreError> {
        self.write(move |writer| writer.catalog.library(&settings, project, now))
            .await
    }

    async fn keep_library(&self, library: LibraryId, change: LibraryChange) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.keep_library(library, &change))
            .await
    }
}
