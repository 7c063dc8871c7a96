//! What someone who follows the store needs: versions in the order they came, and how each stands now.
//!
//! The number of a version is its place in that order: there is one writer, and a number is never given twice.

use super::Reader;
use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, ProjectId, RunId, Timestamp, VersionId};
use rusqlite::OptionalExtension;

/// What never changes about a version.
#[derive(Debug, Clone)]
pub struct VersionFacts {
    pub version: VersionId,
    pub document: DocumentId,
    pub project: ProjectId,
    pub run: RunId,
    /// As asked for.
    pub url: String,
    pub host: String,
    pub media_type: String,
    pub title: Option<String>,
    /// Of the body as sent.
    pub digest: Digest,
    /// Its bytes are gone.
    pub is_lost: bool,
}

/// How a version and its document stand now.
#[derive(Debug, Clone)]
pub struct VersionStanding {
    pub document: DocumentId,
    pub project: ProjectId,
    pub project_name: String,
    pub run: RunId,
    /// The document's address now.
    pub url: String,
    pub host: String,
    pub media_type: String,
    pub title: Option<String>,
    pub fetched_at: Timestamp,
    pub is_newest: bool,
    /// What the last run that looked at the document said.
    pub state: Option<String>,
    /// The document was found to be gone, or the settings no longer take it.
    pub is_absent: bool,
    /// A person removed the project.
    pub is_archived: bool,
}

/// What became of a document in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It says what this version says.
    Version(VersionId),
    /// It says what it said before, and is there again if it was not.
    Same,
    Absent,
}

impl Reader {
    /// Versions behind a number, the oldest first.
    pub fn versions_behind(
        &self,
        position: VersionId,
        limit: usize,
    ) -> Result<Vec<VersionFacts>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT v.id, v.document, d.project, v.run, coalesce(v.url, r.url), h.name, v.type, v.title, b.digest, b.is_lost
             FROM versions v JOIN documents d ON d.id = v.document JOIN resources r ON r.id = d.resource
             JOIN hosts h ON h.id = r.host JOIN bodies b ON b.id = v.body
             WHERE v.id > ?1 ORDER BY v.id LIMIT ?2",
        )?;
        let rows = statement.query_map((position.0, limit as i64), |row| {
            Ok(VersionFacts {
                version: VersionId(row.get(0)?),
                document: DocumentId(row.get(1)?),
                project: ProjectId(row.get(2)?),
                run: RunId(row.get(3)?),
                url: row.get(4)?,
                host: row.get(5)?,
                media_type: row.get(6)?,
                title: row.get(7)?,
                digest: Digest(row.get(8)?),
                is_lost: row.get(9)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Versions up to a number, and behind it.
    pub fn count_versions(&self, position: VersionId) -> Result<(u64, u64), StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT count(*) FILTER (WHERE id <= ?1), count(*) FROM versions")?;
        Ok(statement.query_row([position.0], |row| {
            let (before, all): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok((before as u64, (all - before) as u64))
        })?)
    }

    /// The numbers of all versions up to one.
    pub fn version_numbers(&self, position: VersionId) -> Result<Vec<i64>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT id FROM versions WHERE id <= ?1 ORDER BY id")?;
        let rows = statement.query_map([position.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The digest of a version's bytes as sent; none where the version left or its bytes are gone.
    pub fn version_digest(&self, version: VersionId) -> Result<Option<Digest>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT b.digest FROM versions v JOIN bodies b ON b.id = v.body WHERE v.id = ?1 AND NOT b.is_lost",
        )?;
        let found = statement.query_row([version.0], |row| row.get(0).map(Digest));
        Ok(found.optional()?)
    }

    /// When a run began; none where there is no such run.
    pub fn run_began(&self, run: RunId) -> Result<Option<Timestamp>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT started_at FROM runs WHERE id = ?1")?;
        let found = statement.query_row([run.0], |row| row.get(0).map(Timestamp));
        Ok(found.optional()?)
    }

    /// How a version stands now; none where it left.
    pub fn standing(&self, version: VersionId) -> Result<Option<VersionStanding>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT d.id, d.project, p.name, v.run, r.url, h.name, v.type, v.title, v.fetched_at, d.version = v.id,
                 (SELECT c.state FROM runs n CROSS JOIN changes c ON c.run = n.id AND c.resource = d.resource
                  WHERE n.project = d.project ORDER BY n.id DESC LIMIT 1),
                 d.gone_run IS NOT NULL OR coalesce(
                     (SELECT c.state = 'OUT' FROM runs n CROSS JOIN changes c ON c.run = n.id AND c.resource = d.resource
                      WHERE n.project = d.project AND c.state <> 'ERR' ORDER BY n.id DESC LIMIT 1), 0),
                 p.archived_at IS NOT NULL
             FROM versions v JOIN documents d ON d.id = v.document JOIN resources r ON r.id = d.resource
             JOIN hosts h ON h.id = r.host JOIN projects p ON p.id = d.project
             WHERE v.id = ?1",
        )?;
        let found = statement.query_row([version.0], |row| {
            Ok(VersionStanding {
                document: DocumentId(row.get(0)?),
                project: ProjectId(row.get(1)?),
                project_name: row.get(2)?,
                run: RunId(row.get(3)?),
                url: row.get(4)?,
                host: row.get(5)?,
                media_type: row.get(6)?,
                title: row.get(7)?,
                fetched_at: Timestamp(row.get(8)?),
                is_newest: row.get::<_, Option<bool>>(9)?.unwrap_or(false),
                state: row.get(10)?,
                is_absent: row.get(11)?,
                is_archived: row.get(12)?,
            })
        });
        Ok(found.optional()?)
    }

    /// What became of a document, run by run, the oldest first.
    pub fn events(&self, document: DocumentId) -> Result<Vec<(RunId, Event)>, StoreError> {
        // By the runs of its project and its addresses: there is no index of changes by document.
        let mut statement = self.db.prepare_cached(
            "SELECT n.id,
                 (SELECT max(v.id) FROM versions v WHERE v.document = d.id AND v.run = n.id),
                 (SELECT c.state FROM changes c WHERE c.run = n.id AND c.resource = d.resource AND c.state <> 'ERR')
             FROM documents d CROSS JOIN runs n ON n.project = d.project
             WHERE d.id = ?1 ORDER BY n.id",
        )?;
        let mut rows = statement.query([document.0])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let run = RunId(row.get(0)?);
            let version: Option<i64> = row.get(1)?;
            let state: Option<String> = row.get(2)?;
            let event = match (version, state.as_deref()) {
                (_, Some("MIS" | "OUT")) => Event::Absent,
                (Some(version), _) => Event::Version(VersionId(version)),
                (None, Some(_)) => Event::Same,
                (None, None) => continue,
            };
            found.push((run, event));
        }
        Ok(found)
    }
}
