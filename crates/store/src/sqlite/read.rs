//! Listings and content for people and programs, beside a running crawl: reads only, takes no lock.

use crate::runs::{Counts, RunRow};
use crate::sqlite::Catalog;
use crate::sqlite::runs::{counts, find_project, run_row, run_rows, run_settings};
use crate::{StoreError, folder};
use gleaner_model::{Project, ProjectId, ResourceId, RunId, Timestamp, Url};
use rusqlite::{Connection, OptionalExtension};
use std::path::{Path, PathBuf};

mod changes;
mod content;
mod documents;
mod extract;
mod first_pages;
mod following;
mod holdings;
mod link_list;
mod links;
mod requisites;
pub mod stored;
mod structure;
mod then;
mod versions;

pub use changes::{Before, ChangeRow, CutRow};
pub use content::StoredContent;
pub use documents::{Absence, DocumentFilter, DocumentRow};
pub use extract::{Extract, Extracted};
pub use first_pages::FirstPages;
pub use following::{Event, VersionFacts, VersionStanding};
pub use holdings::Holding;
pub use link_list::ListedLink;
pub use links::{Approach, LinkEnd, LinkRow, kind_name};
pub use requisites::Requisite;
pub use structure::{AddressRow, Extent, HostRow, Judgement, ResourceRow, Sighting, Sizes, VersionLook};
pub use then::DocumentThen;
pub use versions::{PrunedVersion, VersionRow};

pub struct Reader {
    pub(crate) root: PathBuf,
    pub(crate) db: Connection,
}

impl Reader {
    pub fn open(root: &Path) -> Result<Reader, StoreError> {
        let path = folder::catalog(root);
        if !path.is_file() {
            return Err(StoreError::NoData {
                folder: root.to_owned(),
            });
        }
        Ok(Reader {
            root: root.to_owned(),
            db: Catalog::open_reader(&path)?,
        })
    }

    pub fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        run_rows(&self.db)
    }

    pub fn run(&self, run: RunId) -> Result<RunRow, StoreError> {
        run_row(&self.db, run)
    }

    pub fn last_run(&self) -> Result<Option<RunId>, StoreError> {
        Ok(self.db.query_row("SELECT max(id) FROM runs", [], |row| {
            Ok(row.get::<_, Option<i64>>(0)?.map(RunId))
        })?)
    }

    pub fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError> {
        run_settings(&self.db, run)
    }

    pub fn find_project(&self, name: &str) -> Result<Option<(ProjectId, Project)>, StoreError> {
        find_project(&self.db, name)
    }

    /// The names of those that are in use.
    pub fn projects(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT name FROM projects WHERE archived_at IS NULL ORDER BY id")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn counts(&self, run: RunId) -> Result<Counts, StoreError> {
        counts(&self.db, run)
    }

    /// A document's id or a URL, as people type it.
    pub fn find_resource(&self, given: &str) -> Result<ResourceId, StoreError> {
        let missing = || StoreError::NotFound {
            what: "document",
            given: given.into(),
        };
        if let Ok(id) = given.parse::<i64>() {
            return self
                .db
                .query_row("SELECT resource FROM documents WHERE id = ?1", [id], |row| {
                    row.get(0).map(ResourceId)
                })
                .optional()?
                .ok_or_else(missing);
        }
        let url = Url::parse(given).map_err(|_| missing())?;
        self.resource_of(&url)?.ok_or_else(missing)
    }

    pub fn resource_of(&self, url: &Url) -> Result<Option<ResourceId>, StoreError> {
        Ok(self
            .db
            .query_row("SELECT id FROM resources WHERE key = ?1", [&url.key().0], |row| {
                row.get(0).map(ResourceId)
            })
            .optional()?)
    }

    /// What robots.txt of the URL's host said when last read.
    pub fn robots_of(&self, url: &Url) -> Result<Option<crate::work::StoredRobots>, StoreError> {
        Ok(self
            .db
            .query_row(
                "SELECT robots_status, robots_reason, robots_body, robots_at FROM hosts
                 WHERE scheme = ?1 AND name = ?2 AND port = ?3 AND robots_at IS NOT NULL",
                (url.scheme(), url.host(), url.port()),
                |row| {
                    Ok(crate::work::StoredRobots {
                        status: row.get(0)?,
                        reason: row.get(1)?,
                        body: row.get::<_, Option<Vec<u8>>>(2)?.unwrap_or_default(),
                        at: Timestamp(row.get(3)?),
                    })
                },
            )
            .optional()?)
    }

    /// What the last run that took up this resource found: depth, status, reason.
    pub fn last_visit(&self, resource: ResourceId) -> Result<Option<Visit>, StoreError> {
        Ok(self
            .db
            .query_row(
                "SELECT run, depth, at, status, reason FROM visits WHERE resource = ?1 ORDER BY run DESC LIMIT 1",
                [resource.0],
                |row| {
                    Ok(Visit {
                        run: RunId(row.get(0)?),
                        depth: row.get(1)?,
                        at: row.get::<_, Option<i64>>(2)?.map(Timestamp),
                        status: row.get(3)?,
                        reason: row.get(4)?,
                    })
                },
            )
            .optional()?)
    }
}

/// One visit of one resource.
#[derive(Debug, Clone)]
pub struct Visit {
    pub run: RunId,
    pub depth: u32,
    /// None: still queued.
    pub at: Option<Timestamp>,
    pub status: Option<u16>,
    pub reason: Option<String>,
}

impl Reader {
    /// Bodies whose bytes are gone; the next run fetches them again.
    pub fn lost_bodies(&self) -> Result<u64, StoreError> {
        Ok(self
            .db
            .query_row("SELECT count(*) FROM bodies WHERE is_lost", [], |row| {
                row.get::<_, i64>(0)
            })? as u64)
    }
}
