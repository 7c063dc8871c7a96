//! Projects and runs as rows: what they are called, how they stand, what they found.

use crate::StoreError;
use async_trait::async_trait;
use gleaner_model::{Project, ProjectId, RunId, Timestamp};

/// A run and the project that it executes: whom a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RunRef {
    pub project: ProjectId,
    pub run: RunId,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStatus {
    /// In progress, or killed while it was.
    Running,
    Stopped,
    Finished,
    Failed,
}

impl RunStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Running => "running",
            RunStatus::Stopped => "stopped",
            RunStatus::Finished => "finished",
            RunStatus::Failed => "failed",
        }
    }

    pub(crate) fn parse(text: &str) -> RunStatus {
        match text {
            "stopped" => RunStatus::Stopped,
            "finished" => RunStatus::Finished,
            "failed" => RunStatus::Failed,
            _ => RunStatus::Running,
        }
    }
}

/// What a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// Collects what it reaches from the seeds.
    Crawl,
    /// Asks for everything the project has, too.
    Track,
}

impl RunKind {
    pub fn as_str(self) -> &'static str {
        match self {
            RunKind::Crawl => "crawl",
            RunKind::Track => "track",
        }
    }

    pub(crate) fn parse(text: &str) -> RunKind {
        match text {
            "track" => RunKind::Track,
            _ => RunKind::Crawl,
        }
    }
}

/// A run as listed.
#[derive(Debug, Clone)]
pub struct RunRow {
    pub id: RunId,
    pub kind: RunKind,
    pub project: ProjectId,
    pub project_name: String,
    pub status: RunStatus,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub active_ms: u64,
    pub wire_bytes: u64,
    pub note: Option<String>,
}

/// What a run found, counted from its rows: always the truth, also after a kill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// URLs that gave an answer.
    pub fetched: u64,
    pub new: u64,
    pub updated: u64,
    pub same: u64,
    pub missing: u64,
    pub errors: u64,
    pub out: u64,
    /// Links that lead nowhere and never were documents of ours.
    pub dead_links: u64,
    pub redirects: u64,
    pub queued: u64,
    /// Documents that the project had before a track: UPD + SAM + MIS + OUT, and those of the ERR that were documents.
    pub before: u64,
}

/// The stored rules of one site.
#[derive(Debug, Clone)]
pub struct SiteRules {
    pub site: String,
    /// JSON, in the form of whoever learned them.
    pub rules: String,
    pub probed_at: Option<Timestamp>,
    /// Nobody need ask the site again.
    pub is_settled: bool,
    pub is_pinned: bool,
}

/// A project as listed.
#[derive(Debug, Clone)]
pub struct ProjectRow {
    pub id: ProjectId,
    pub name: String,
    pub created_at: Timestamp,
    pub archived_at: Option<Timestamp>,
    pub runs: u64,
    /// Those that are there, as far as we know.
    pub documents: u64,
    pub last_run: Option<LastRun>,
}

#[derive(Debug, Clone)]
pub struct LastRun {
    pub id: RunId,
    pub status: RunStatus,
    pub started_at: Timestamp,
}

/// How much of a project went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// There was nothing but its settings.
    Whole,
    /// Its history stays.
    Archived,
}

/// The rows of projects and runs.
#[async_trait]
pub trait Runs: Send + Sync {
    /// The project of that name with these settings, made if it is not there, brought back if it was archived.
    async fn project(&self, project: Project, now: Timestamp) -> Result<ProjectId, StoreError>;

    async fn find_project(&self, name: String) -> Result<Option<(ProjectId, Project)>, StoreError>;

    /// A new project; refused where there is one of that name, archived ones included.
    async fn add_project(&self, project: Project, now: Timestamp) -> Result<ProjectId, StoreError>;

    /// Gives a project another name, also in its unfinished run. What finished runs were called stays in their settings.
    async fn rename_project(&self, name: String, new: String) -> Result<(), StoreError>;

    /// A project that never ran goes whole; one that ran is archived.
    async fn remove_project(&self, project: ProjectId, now: Timestamp) -> Result<Removed, StoreError>;

    async fn start_run(
        &self,
        id: ProjectId,
        project: Project,
        kind: RunKind,
        now: Timestamp,
    ) -> Result<RunId, StoreError>;

    /// A run that was started and not finished: stopped, failed, killed, or cut off by a power loss. Runs of archived projects
    /// only where the project is named.
    async fn unfinished_run(&self, project: Option<ProjectId>) -> Result<Option<RunId>, StoreError>;

    /// With what settings a run works, and whose it is.
    async fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError>;

    async fn set_run_settings(&self, run: RunId, project: Project) -> Result<(), StoreError>;

    /// A run that goes on.
    async fn set_running(&self, run: RunId) -> Result<(), StoreError>;

    /// The end of a run. A finished one visits nobody any more: its cookies go.
    async fn end_run(
        &self,
        run: RunId,
        status: RunStatus,
        now: Timestamp,
        note: Option<String>,
    ) -> Result<(), StoreError>;

    /// It could not go on. A run that has its end keeps it.
    async fn fail_run(&self, run: RunId, now: Timestamp, why: String) -> Result<(), StoreError>;

    async fn run_row(&self, run: RunId) -> Result<RunRow, StoreError>;

    async fn counts(&self, run: RunId) -> Result<Counts, StoreError>;

    /// The cookies of an open run, sealed by whoever gave them.
    async fn cookies(&self, run: RunId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Nothing more is to be written for now: what is kept is left in its tidiest form.
    async fn tidy(&self) -> Result<(), StoreError>;
}
