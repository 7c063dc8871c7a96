//! Projects and runs.

use super::MemoryStore;
use super::rows::{HeldProject, HeldRun, Rows, next};
use crate::StoreError;
use crate::error::{no_project, no_run};
use crate::runs::{Counts, Removed, RunKind, RunRow, RunStatus, Runs};
use async_trait::async_trait;
use gleaner_model::{Project, ProjectId, Reason, RunId, State, Timestamp};

impl Rows {
    pub(super) fn project_named(&self, name: &str) -> Option<ProjectId> {
        let mut projects = self.projects.iter();
        projects
            .find(|(_, project)| project.settings.name == name)
            .map(|(id, _)| *id)
    }

    fn check_free(&self, name: &str) -> Result<(), StoreError> {
        match self.project_named(name) {
            Some(_) => Err(StoreError::NameTaken {
                name: name.to_owned(),
            }),
            None => Ok(()),
        }
    }

    fn put_project(&mut self, settings: Project, now: Timestamp) -> ProjectId {
        let known = self.project_named(&settings.name);
        let created_at = known.map_or(now, |id| self.projects[&id].created_at);
        let id = known.unwrap_or_else(|| ProjectId(next(&self.projects, |id| id.0)));
        let row = HeldProject {
            settings,
            created_at,
            archived_at: None,
        };
        self.projects.insert(id, row);
        id
    }

    fn run(&self, run: RunId) -> Result<&HeldRun, StoreError> {
        self.runs.get(&run).ok_or_else(|| no_run(run))
    }

    pub(super) fn run_row(&self, id: RunId) -> Result<RunRow, StoreError> {
        let run = self.run(id)?;
        let project = self.projects.get(&run.project);
        Ok(RunRow {
            id,
            kind: run.kind,
            project: run.project,
            project_name: project.map_or_else(String::new, |project| project.settings.name.clone()),
            status: run.status,
            started_at: run.started_at,
            ended_at: run.ended_at,
            active_ms: run.active_ms,
            wire_bytes: run.wire_bytes,
            note: run.note.clone(),
        })
    }

    fn forget_run(&mut self, run: RunId) {
        self.of_process.notes_dates.remove(&run);
        self.of_process.open_lists.retain(|(of, _), _| *of != run);
        self.of_process.settling.remove(&run);
        self.of_process.leases.retain(|(of, _), _| *of != run);
    }

    pub(super) fn counts(&self, run: RunId) -> Counts {
        let mut counts = Counts::default();
        let mut failed_before = 0;
        for (_, change) in self.changes_of(run) {
            match change.state {
                State::New => counts.new += 1,
                State::Upd => counts.updated += 1,
                State::Sam => counts.same += 1,
                State::Mis => counts.missing += 1,
                State::Out => counts.out += 1,
                State::Err => {
                    counts.errors += 1;
                    failed_before += u64::from(change.document.is_some());
                }
            }
        }
        let unasked = self.unasked(run);
        counts.errors += unasked;
        counts.before = counts.updated + counts.same + counts.missing + counts.out + failed_before + unasked;
        let mut dead = 0;
        for (_, visit) in self.visits_of(run).filter(|(_, visit)| visit.at.is_some()) {
            let Some(status) = visit.status else { continue };
            let is_guess = visit.reason == Some(Reason::ScriptLink);
            counts.fetched += u64::from(!is_guess);
            counts.redirects += u64::from((300..400).contains(&status) && status != 304);
            dead += u64::from(!is_guess && matches!(status, 404 | 410));
        }
        counts.dead_links = u64::saturating_sub(dead, counts.missing);
        counts.queued = self.frontier_of(run).count() as u64;
        counts
    }

    /// Documents that a track which was cut off has not asked for.
    fn unasked(&self, run: RunId) -> u64 {
        let Some(row) = self.runs.get(&run) else { return 0 };
        if (row.kind, row.status) != (RunKind::Track, RunStatus::Stopped) {
            return 0;
        }
        let rows = self.frontier_of(run).map(|((.., resource), _)| resource);
        rows.filter(|resource| {
            self.document_there(*resource, row.project).is_some()
                && !self.changes.contains_key(&(run, *resource))
        })
        .count() as u64
    }
}

#[async_trait]
impl Runs for MemoryStore {
    async fn project(&self, project: Project, now: Timestamp) -> Result<ProjectId, StoreError> {
        Ok(self.rows().put_project(project, now))
    }

    async fn find_project(&self, name: String) -> Result<Option<(ProjectId, Project)>, StoreError> {
        let rows = self.rows();
        let found = rows.project_named(&name);
        Ok(found.map(|id| (id, rows.projects[&id].settings.clone())))
    }

    async fn add_project(&self, project: Project, now: Timestamp) -> Result<ProjectId, StoreError> {
        let mut rows = self.rows();
        rows.check_free(&project.name)?;
        Ok(rows.put_project(project, now))
    }

    async fn rename_project(&self, name: String, new: String) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let id = rows.project_named(&name).ok_or_else(|| no_project(&name))?;
        rows.check_free(&new)?;
        if let Some(project) = rows.projects.get_mut(&id) {
            project.settings.name.clone_from(&new);
        }
        for run in rows.runs.values_mut() {
            if run.project == id && run.status != RunStatus::Finished {
                run.settings.name.clone_from(&new);
            }
        }
        Ok(())
    }

    async fn remove_project(&self, project: ProjectId, now: Timestamp) -> Result<Removed, StoreError> {
        let mut rows = self.rows();
        let has_history = rows.runs.values().any(|run| run.project == project)
            || rows
                .documents
                .values()
                .any(|document| document.project == project);
        if has_history {
            if let Some(row) = rows.projects.get_mut(&project) {
                row.archived_at = Some(now);
            }
            return Ok(Removed::Archived);
        }
        rows.site_rules.retain(|(of, _), _| *of != project);
        rows.noises.retain(|(of, _), _| *of != project);
        rows.projects.remove(&project);
        Ok(Removed::Whole)
    }

    async fn start_run(
        &self,
        id: ProjectId,
        project: Project,
        kind: RunKind,
        now: Timestamp,
    ) -> Result<RunId, StoreError> {
        let mut rows = self.rows();
        if !rows.projects.contains_key(&id) {
            return Err(no_project(&id.to_string()));
        }
        let run = RunId(next(&rows.runs, |id| id.0));
        let row = HeldRun {
            project: id,
            settings: project,
            kind,
            status: RunStatus::Running,
            started_at: now,
            ended_at: None,
            active_ms: 0,
            is_sealed: false,
            wire_bytes: 0,
            cookies: None,
            note: None,
        };
        rows.runs.insert(run, row);
        Ok(run)
    }

    async fn unfinished_run(&self, project: Option<ProjectId>) -> Result<Option<RunId>, StoreError> {
        let rows = self.rows();
        let is_archived = |id: &ProjectId| {
            let project = rows.projects.get(id);
            project.is_some_and(|project| project.archived_at.is_some())
        };
        let is_meant = |run: &HeldRun| match project {
            Some(project) => run.project == project,
            None => !is_archived(&run.project),
        };
        let mut runs = rows.runs.iter().rev();
        let found = runs.find(|(_, run)| run.status != RunStatus::Finished && is_meant(run));
        Ok(found.map(|(id, _)| *id))
    }

    async fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError> {
        let rows = self.rows();
        let run = rows.run(run)?;
        Ok((run.project, run.settings.clone()))
    }

    async fn set_run_settings(&self, run: RunId, project: Project) -> Result<(), StoreError> {
        if let Some(run) = self.rows().runs.get_mut(&run) {
            run.settings = project;
        }
        Ok(())
    }

    async fn set_running(&self, run: RunId) -> Result<(), StoreError> {
        self.rows().finished.retain(|_, finished| *finished != run);
        if let Some(run) = self.rows().runs.get_mut(&run) {
            (run.status, run.ended_at, run.note) = (RunStatus::Running, None, None);
            run.is_sealed = false;
        }
        Ok(())
    }

    async fn end_run(
        &self,
        run: RunId,
        status: RunStatus,
        now: Timestamp,
        note: Option<String>,
    ) -> Result<(), StoreError> {
        let mut rows = self.rows();
        rows.forget_run(run);
        if status == RunStatus::Finished {
            rows.host_states.retain(|(of, _), _| *of != run);
            if rows.runs.contains_key(&run) {
                rows.note_finished(run);
            }
        }
        if let Some(run) = rows.runs.get_mut(&run) {
            (run.status, run.ended_at, run.note) = (status, Some(now), note);
            if status == RunStatus::Finished {
                run.cookies = None;
            }
        }
        Ok(())
    }

    async fn fail_run(&self, run: RunId, now: Timestamp, why: String) -> Result<(), StoreError> {
        let mut rows = self.rows();
        rows.forget_run(run);
        if let Some(run) = rows.runs.get_mut(&run)
            && run.status == RunStatus::Running
        {
            (run.status, run.ended_at, run.note) = (RunStatus::Failed, Some(now), Some(why));
        }
        Ok(())
    }

    async fn run_row(&self, run: RunId) -> Result<RunRow, StoreError> {
        self.rows().run_row(run)
    }

    async fn counts(&self, run: RunId) -> Result<Counts, StoreError> {
        Ok(self.rows().counts(run))
    }

    async fn cookies(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.rows().run(run)?.cookies.clone())
    }

    async fn tidy(&self) -> Result<(), StoreError> {
        Ok(())
    }
}
