//! Reading on SQLite, beside a running crawl: a connection of its own that cannot write, and no lock.

use super::Catalog;
use super::projects::project_rows;
use super::runs::{counts, find_project, run_row, run_rows, run_settings, site_rules};
use crate::error::no_project;
use crate::keep::Cut;
use crate::ledger::{Ledger, OpensLedgers, RunLedger};
use crate::runs::{Counts, ProjectRow, RunRow, SiteRules};
use crate::work::StoredRobots;
use crate::{StoreError, folder};
use gleaner_model::{DocumentId, Project, ProjectId, Reason, RunId, State, Timestamp, Url};
use rusqlite::{Connection, OptionalExtension, Transaction};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

mod changes;
mod content;
mod documents;
mod following;
mod libraries;
mod links;
mod stored;
mod structure;
mod then;
mod versions;

/// Statements that are kept prepared; whoever follows the store uses a few dozen again and again.
const STATEMENTS: usize = 64;

pub(crate) struct SqliteLedger {
    root: PathBuf,
    db: Connection,
    /// The last run whose changes were listed, with the first and the last of their numbers.
    listed: Cell<Option<(RunId, i64, i64)>>,
    /// Documents that the settings no longer take, as of the first page of the last listing.
    out: RefCell<Option<HashMap<DocumentId, RunId>>>,
}

/// Opens ledgers of a data folder.
pub(crate) struct Folder(pub(crate) PathBuf);

impl OpensLedgers for Folder {
    fn ledger(&self) -> Result<Box<dyn Ledger>, StoreError> {
        open(&self.0)
    }
}

pub(crate) fn open(root: &Path) -> Result<Box<dyn Ledger>, StoreError> {
    Ok(Box::new(SqliteLedger::open(root)?))
}

impl SqliteLedger {
    pub(crate) fn open(root: &Path) -> Result<SqliteLedger, StoreError> {
        let path = folder::catalog(root);
        if !path.is_file() {
            return Err(StoreError::NoData {
                folder: root.to_owned(),
            });
        }
        let db = Catalog::open_reader(&path)?;
        db.set_prepared_statement_cache_capacity(STATEMENTS);
        Ok(SqliteLedger {
            root: root.to_owned(),
            db,
            listed: Cell::new(None),
            out: RefCell::default(),
        })
    }

    /// One state of the catalog for several statements, unless the caller holds one already.
    fn snapshot(&self) -> Result<Option<Transaction<'_>>, StoreError> {
        if self.db.is_autocommit() {
            Ok(Some(self.db.unchecked_transaction()?))
        } else {
            Ok(None)
        }
    }
}

impl Ledger for SqliteLedger {
    fn opener(&self) -> Arc<dyn OpensLedgers> {
        Arc::new(Folder(self.root.clone()))
    }

    fn hold(&self) -> Result<(), StoreError> {
        Ok(self.db.execute_batch("BEGIN")?)
    }

    fn let_go(&self) {
        let _nothing_was_written = self.db.execute_batch("ROLLBACK");
    }
}

/// A state as it is stored. What nobody knows is as good as an error: it says nothing about what is there.
fn state(text: &str) -> State {
    State::parse(text).unwrap_or(State::Err)
}

/// A reason as it is stored.
fn reason(code: Option<&str>) -> Option<Reason> {
    code.map(Reason::stored)
}

impl RunLedger for SqliteLedger {
    fn runs(&self) -> Result<Vec<RunRow>, StoreError> {
        run_rows(&self.db)
    }

    fn run(&self, run: RunId) -> Result<RunRow, StoreError> {
        run_row(&self.db, run)
    }

    fn last_run(&self) -> Result<Option<RunId>, StoreError> {
        Ok(self.db.query_row("SELECT max(id) FROM runs", [], |row| {
            Ok(row.get::<_, Option<i64>>(0)?.map(RunId))
        })?)
    }

    fn last_run_of(&self, project: ProjectId) -> Result<Option<RunId>, StoreError> {
        let mut statement = self.db.prepare("SELECT max(id) FROM runs WHERE project = ?1")?;
        let found: Option<i64> = statement.query_row([project.0], |row| row.get(0))?;
        Ok(found.map(RunId))
    }

    fn run_began(&self, run: RunId) -> Result<Option<Timestamp>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT started_at FROM runs WHERE id = ?1")?;
        let found = statement.query_row([run.0], |row| row.get(0).map(Timestamp));
        Ok(found.optional()?)
    }

    fn run_settings(&self, run: RunId) -> Result<(ProjectId, Project), StoreError> {
        run_settings(&self.db, run)
    }

    fn counts(&self, run: RunId) -> Result<Counts, StoreError> {
        counts(&self.db, run)
    }

    fn cuts(&self, run: RunId) -> Result<Vec<Cut>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT reason, shape, count, example FROM cuts WHERE run = ?1 ORDER BY count DESC, reason, shape",
        )?;
        let mut rows = statement.query([run.0])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(Cut {
                reason: Reason::stored(&row.get::<_, String>(0)?),
                shape: row.get(1)?,
                count: row.get::<_, i64>(2)? as u64,
                example: row.get(3)?,
            });
        }
        Ok(found)
    }

    fn notes(&self, run: RunId) -> Result<Vec<String>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT text FROM notes WHERE run = ?1 ORDER BY text")?;
        let rows = statement.query_map([run.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn find_project(&self, name: &str) -> Result<Option<(ProjectId, Project)>, StoreError> {
        find_project(&self.db, name)
    }

    fn project(&self, project: ProjectId) -> Result<Project, StoreError> {
        let (name, settings): (String, String) = self
            .db
            .query_row(
                "SELECT name, settings FROM projects WHERE id = ?1",
                [project.0],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?
            .ok_or_else(|| no_project(&project.to_string()))?;
        serde_json::from_str(&settings).map_err(|cause| StoreError::Settings {
            what: format!("project {name}"),
            cause,
        })
    }

    fn projects(&self) -> Result<Vec<String>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT name FROM projects WHERE archived_at IS NULL ORDER BY id")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn project_rows(&self) -> Result<Vec<ProjectRow>, StoreError> {
        project_rows(&self.db)
    }

    fn projects_under(&self, prefix: &str) -> Result<Vec<ProjectId>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT d.project FROM documents d JOIN resources r ON r.id = d.resource
             WHERE r.url >= ?1 AND r.url < ?2 GROUP BY d.project ORDER BY max(d.version) DESC, d.project",
        )?;
        let end = format!("{prefix}{}", char::MAX);
        let rows = statement.query_map((prefix, end), |row| row.get(0).map(ProjectId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn noise(&self, project: ProjectId, site: &str) -> Result<Option<String>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT memory FROM noises WHERE project = ?1 AND site = ?2")?;
        Ok(statement
            .query_row((project.0, site), |row| row.get(0))
            .optional()?)
    }

    fn all_site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError> {
        site_rules(&self.db, project)
    }

    fn site_rules(&self, project: ProjectId, site: &str) -> Result<Option<String>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT rules FROM site_rules WHERE project = ?1 AND site = ?2")?;
        Ok(statement
            .query_row((project.0, site), |row| row.get(0))
            .optional()?)
    }

    fn robots_of(&self, url: &Url) -> Result<Option<StoredRobots>, StoreError> {
        Ok(self
            .db
            .query_row(
                "SELECT robots_status, robots_reason, robots_body, robots_at FROM hosts
                 WHERE scheme = ?1 AND name = ?2 AND port = ?3 AND robots_at IS NOT NULL",
                (url.scheme(), url.host(), url.port()),
                |row| {
                    Ok(StoredRobots {
                        status: row.get(0)?,
                        reason: row.get(1)?,
                        body: row.get::<_, Option<Vec<u8>>>(2)?.unwrap_or_default(),
                        at: Timestamp(row.get(3)?),
                    })
                },
            )
            .optional()?)
    }
}
