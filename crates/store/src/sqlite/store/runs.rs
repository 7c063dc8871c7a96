//! [`Runs`] on SQLite: projects and runs.

use super::SqliteStore;
use crate::StoreError;
use crate::runs::{Counts, Removed, RunKind, RunRow, RunStatus, Runs};
use async_trait::async_trait;
use gleaner_model::{Project, ProjectId, RunId, Timestamp};

#[async_trait]
impl Runs for SqliteStore {
    async fn project(&self, project: Project, now: Timestamp) -> Result<ProjectId, StoreError> {
        self.write(move |writer| writer.catalog.project(&project, now))
            .await
    }

    async fn find_project(&self, name: String) -> Result<Option<(ProjectId, Project)>, StoreError> {
        self.write(move |writer| writer.catalog.find_project(&name)).await
    }

    async fn add_project(&self, project: Project, now: Timestamp) -> Result<ProjectId, StoreError> {
        self.write(move |writer| writer.catalog.add_project(&project, now))
            .await
    }

    async fn rename_project(&self, name: String, new: String) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.rename_project(&name, &new))
            .await
    }

    async fn remove_project(&self, project: ProjectId, now: Timestamp) -> Result<Removed, StoreError> {
        self.write(move |writer| writer.catalog.remove_project(project, now))
            .await
    }

    async fn start_run(
        &self,
        id: ProjectId,
        project: Project,
        kind: RunKind,
        now: Timestamp,
    ) -> Result<RunId, StoreError> {
        self.write(move |writer| writer.catalog.start_run(id, &project, kind, now))
            .await
    }

    async fn unfinished_run(&self, project: Option<ProjectId>) -> Result<Option<RunId>, StoreError> {
        self.write(move |writer| writer.catalog.unfinished_run(project))
            .await
    }

    async fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError> {
        self.write(move |writer| writer.catalog.run_settings(run)).await
    }

    async fn set_run_settings(&self, run: RunId, project: Project) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.set_run_settings(run, &project))
            .await
    }

    async fn set_running(&self, run: RunId) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.set_running(run)).await
    }

    async fn end_run(
        &self,
        run: RunId,
        status: RunStatus,
        now: Timestamp,
        note: Option<String>,
    ) -> Result<(), StoreError> {
        self.write(move |writer| {
            writer.forget_run(run);
            writer.catalog.end_run(run, status, now, note.as_deref())
        })
        .await
    }

    async fn fail_run(&self, run: RunId, now: Timestamp, why: String) -> Result<(), StoreError> {
        self.write(move |writer| {
            writer.forget_run(run);
            writer.catalog.fail_run(run, now, &why)
        })
        .await
    }

    async fn run_row(&self, run: RunId) -> Result<RunRow, StoreError> {
        self.write(move |writer| writer.catalog.run_row(run)).await
    }

    async fn counts(&self, run: RunId) -> Result<Counts, StoreError> {
        self.write(move |writer| writer.catalog.counts(run)).await
    }

    async fn cookies(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        self.write(move |writer| writer.catalog.cookies(run)).await
    }

    async fn tidy(&self) -> Result<(), StoreError> {
        self.write(move |writer| writer.catalog.tidy()).await
    }
}
