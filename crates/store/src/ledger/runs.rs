//! Projects and runs, with what is noted about them as a whole.

use crate::StoreError;
use crate::keep::Cut;
use crate::runs::{Counts, ProjectRow, RunRow, SiteRules};
use crate::work::StoredRobots;
use gleaner_model::{Project, ProjectId, RunId, Timestamp, Url};

pub trait RunLedger {
    /// All runs, the oldest first.
    fn runs(&self) -> Result<Vec<RunRow>, StoreError>;

    fn run(&self, run: RunId) -> Result<RunRow, StoreError>;

    /// The newest run of all projects.
    fn last_run(&self) -> Result<Option<RunId>, StoreError>;

    /// The newest run of a project.
    fn last_run_of(&self, project: ProjectId) -> Result<Option<RunId>, StoreError>;

    /// When a run began; none where there is no such run.
    fn run_began(&self, run: RunId) -> Result<Option<Timestamp>, StoreError>;

    fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError>;

    fn counts(&self, run: RunId) -> Result<Counts, StoreError>;

    /// What a run left out: of what there is most first.
    fn cuts(&self, run: RunId) -> Result<Vec<Cut>, StoreError>;

    /// Sentences about the run as a whole, as they were given.
    fn notes(&self, run: RunId) -> Result<Vec<String>, StoreError>;

    fn find_project(&self, name: &str) -> Result<Option<(ProjectId, Project)>, StoreError>;

    /// The project's settings as they are now, by its number.
    fn project(&self, project: ProjectId) -> Result<Project, StoreError>;

    /// The names of those that are in use.
    fn projects(&self) -> Result<Vec<String>, StoreError>;

    /// All projects, archived ones too, the oldest first.
    fn project_rows(&self) -> Result<Vec<ProjectRow>, StoreError>;

    /// The projects that have documents whose URL begins with `prefix`, those that were fetched last first.
    fn projects_under(&self, prefix: &str) -> Result<Vec<ProjectId>, StoreError>;

    /// What was learned to be noise on a site, as JSON.
    fn noise(&self, project: ProjectId, site: &str) -> Result<Option<String>, StoreError>;

    /// What is known about the URLs of a project's sites, by site.
    fn all_site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError>;

    /// The volatile parts of a site's URLs, as JSON.
    fn site_rules(&self, project: ProjectId, site: &str) -> Result<Option<String>, StoreError>;

    /// What robots.txt of the URL's host said when last read.
    fn robots_of(&self, url: &Url) -> Result<Option<StoredRobots>, StoreError>;
}
