//! A project as it was at the end of a run: which documents it had, in which versions, and which addresses led to them.
//!
//! The catalog says how things stand now and what changed in each run; what was then follows from the changes up to that run.

use super::Reader;
use crate::StoreError;
use gleaner_model::{DocumentId, LinkKind, ProjectId, RunId, UrlKey, VersionId};
use rusqlite::{OptionalExtension, Row};
use std::collections::{HashMap, HashSet};

/// A document as it was then.
#[derive(Debug, Clone)]
pub struct DocumentThen {
    pub document: DocumentId,
    pub version: VersionId,
    /// Of its address, or of its identity where parts of that are volatile.
    pub key: UrlKey,
    pub url: String,
    pub media_type: String,
    /// Its bytes are gone.
    pub is_lost: bool,
}

impl Reader {
    /// The newest run of a project.
    pub fn last_run_of(&self, project: ProjectId) -> Result<Option<RunId>, StoreError> {
        let mut statement = self.db.prepare("SELECT max(id) FROM runs WHERE project = ?1")?;
        let found: Option<i64> = statement.query_row([project.0], |row| row.get(0))?;
        Ok(found.map(RunId))
    }

    /// The projects that have documents whose URL begins with `prefix`, those that were fetched last first.
    pub fn projects_under(&self, prefix: &str) -> Result<Vec<ProjectId>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT d.project FROM documents d JOIN resources r ON r.id = d.resource
             WHERE r.url >= ?1 AND r.url < ?2 GROUP BY d.project ORDER BY max(d.version) DESC",
        )?;
        let end = format!("{prefix}{}", char::MAX);
        let rows = statement.query_map((prefix, end), |row| row.get(0).map(ProjectId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What the project had at the end of `run`, the oldest document first: neither what that run or one before it found to be
    /// gone, nor what the settings no longer took.
    pub fn documents_then(&self, project: ProjectId, run: RunId) -> Result<Vec<DocumentThen>, StoreError> {
        let absent = self.absent_then(project, run)?;
        let moved_later = self.moved_later(project, run)?;
        // With max(), SQLite takes the other columns from the row that has it.
        let mut statement = self.db.prepare(
            "SELECT d.id, max(v.id), r.key, r.url, v.type, b.is_lost
             FROM documents d JOIN versions v ON v.document = d.id JOIN resources r ON r.id = d.resource
             JOIN bodies b ON b.id = v.body
             WHERE d.project = ?1 AND v.run <= ?2 GROUP BY d.id ORDER BY d.id",
        )?;
        let mut rows = statement.query((project.0, run.0))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if absent.contains(&id) {
                continue;
            }
            let mut document = DocumentThen {
                document: DocumentId(id),
                version: VersionId(row.get(1)?),
                key: key(row, 2)?,
                url: row.get(3)?,
                media_type: row.get(4)?,
                is_lost: row.get(5)?,
            };
            if let Some(&resource) = moved_later.get(&id) {
                (document.key, document.url) = self.address_of(resource)?;
            }
            found.push(document);
        }
        Ok(found)
    }

    /// Documents that were there at the end of `run` in a version which retention has dropped since, with their addresses.
    pub fn pruned_then(
        &self,
        project: ProjectId,
        run: RunId,
    ) -> Result<HashMap<DocumentId, String>, StoreError> {
        let absent = self.absent_then(project, run)?;
        // What a run reported stays when its version goes. The last such report up to that run tells which version was meant.
        let mut statement = self.db.prepare(
            "SELECT c.document, c.version IS NULL, r.url FROM runs n JOIN changes c ON c.run = n.id
             JOIN resources r ON r.id = c.resource
             WHERE n.project = ?1 AND n.id <= ?2 AND c.document IS NOT NULL AND c.state IN ('NEW', 'UPD')
               AND c.moved_from IS NULL ORDER BY n.id",
        )?;
        let mut rows = statement.query((project.0, run.0))?;
        let mut pruned = HashMap::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if row.get(1)? && !absent.contains(&id) {
                pruned.insert(DocumentId(id), row.get(2)?);
            } else {
                pruned.remove(&DocumentId(id));
            }
        }
        Ok(pruned)
    }

    fn absent_then(&self, project: ProjectId, run: RunId) -> Result<HashSet<i64>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT c.document, c.state IN ('MIS', 'OUT') FROM runs n JOIN changes c ON c.run = n.id
             WHERE n.project = ?1 AND n.id <= ?2 AND c.document IS NOT NULL AND c.state <> 'ERR' ORDER BY n.id",
        )?;
        let mut rows = statement.query((project.0, run.0))?;
        let mut absent = HashSet::new();
        while let Some(row) = rows.next()? {
            let document: i64 = row.get(0)?;
            if row.get(1)? {
                absent.insert(document);
            } else {
                absent.remove(&document);
            }
        }
        Ok(absent)
    }

    /// Documents that have another address since, with the one they had then.
    pub(super) fn moved_later(
        &self,
        project: ProjectId,
        run: RunId,
    ) -> Result<HashMap<i64, i64>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT c.document, c.moved_from FROM runs n JOIN changes c ON c.run = n.id
             WHERE n.project = ?1 AND n.id > ?2 AND c.moved_from IS NOT NULL AND c.document IS NOT NULL
             ORDER BY n.id DESC",
        )?;
        let rows = statement.query_map((project.0, run.0), |row| Ok((row.get(0)?, row.get(1)?)))?;
        // The first move after that run comes last, and stays.
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub(super) fn address_of(&self, resource: i64) -> Result<(UrlKey, String), StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT key, url FROM resources WHERE id = ?1")?;
        Ok(statement.query_row([resource], |row| Ok((key(row, 0)?, row.get(1)?)))?)
    }

    /// Addresses that led to others then: by a redirect, or because the document had moved.
    pub fn detours_then(
        &self,
        project: ProjectId,
        run: RunId,
    ) -> Result<HashMap<UrlKey, UrlKey>, StoreError> {
        let mut detours = HashMap::new();
        let mut moved = self.db.prepare(
            "SELECT f.key, t.key FROM runs n JOIN changes c ON c.run = n.id
             JOIN resources f ON f.id = c.moved_from JOIN resources t ON t.id = c.resource
             WHERE n.project = ?1 AND n.id <= ?2 AND c.moved_from IS NOT NULL ORDER BY n.id",
        )?;
        let mut rows = moved.query((project.0, run.0))?;
        while let Some(row) = rows.next()? {
            detours.insert(key(row, 0)?, key(row, 1)?);
        }
        let mut redirecting = self.db.prepare(
            "SELECT DISTINCT v.resource, r.key FROM runs n JOIN visits v ON v.run = n.id JOIN resources r ON r.id = v.resource
             WHERE n.project = ?1 AND n.id <= ?2 AND v.status BETWEEN 300 AND 399 AND v.status <> 304",
        )?;
        let mut target = self.db.prepare(
            "SELECT t.key FROM links l JOIN resources t ON t.id = l.target
             WHERE l.source = ?1 AND l.kind = ?3 AND l.first_run <= ?2 AND (l.gone_run IS NULL OR l.gone_run > ?2)
             ORDER BY l.first_run DESC LIMIT 1",
        )?;
        let mut rows = redirecting.query((project.0, run.0))?;
        while let Some(row) = rows.next()? {
            let resource: i64 = row.get(0)?;
            let found = target.query_row((resource, run.0, LinkKind::Redirect as u8), |row| key(row, 0));
            if let Some(to) = found.optional()? {
                detours.insert(key(row, 1)?, to);
            }
        }
        Ok(detours)
    }
}

fn key(row: &Row<'_>, column: usize) -> rusqlite::Result<UrlKey> {
    row.get(column).map(UrlKey)
}
