//! All that a project holds as of a run, with what is known about each document: for those who give it to others.
//!
//! As [`Reader::documents_then`], but what is gone is there too, and says so.

use super::Reader;
use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, ProjectId, RunId, Timestamp, Url, VersionId};
use std::collections::HashMap;

/// A document as it stood at the end of a run.
#[derive(Debug, Clone)]
pub struct Holding {
    pub document: DocumentId,
    /// The last up to that run.
    pub version: VersionId,
    /// The run that kept the version.
    pub run: RunId,
    /// Its address then.
    pub url: String,
    pub host: String,
    pub media_type: String,
    pub charset: Option<String>,
    pub title: Option<String>,
    /// Decoded bytes.
    pub size: u64,
    /// Of the version.
    pub fetched_at: Timestamp,
    /// Of the oldest version that is kept.
    pub first_fetched_at: Timestamp,
    /// Of the body as sent.
    pub digest: Digest,
    /// Its bytes are lost.
    pub is_lost: bool,
    /// What the last run that looked at the document said.
    pub state: String,
    /// The run that found it gone, or that no longer took it; none: it was there.
    pub gone_run: Option<RunId>,
}

/// What runs said about a document.
#[derive(Debug, Clone)]
struct Told {
    state: String,
    gone_run: Option<RunId>,
}

impl Reader {
    /// What the project held at the end of `run`, the oldest document first, also what was gone by then.
    pub fn holdings(&self, project: ProjectId, run: RunId) -> Result<Vec<Holding>, StoreError> {
        // All from one moment: a run may be going on.
        let _snapshot = self.db.unchecked_transaction()?;
        let mut told = self.told(project, run)?;
        let moved_later = self.moved_later(project, run)?;
        // With max(), SQLite takes the other columns from the row that has it.
        let mut statement = self.db.prepare(
            "SELECT d.id, max(v.id), v.run, r.url, h.name, v.type, v.charset, v.title, v.size, v.fetched_at, b.digest,
                 b.is_lost, (SELECT f.fetched_at FROM versions f WHERE f.document = d.id ORDER BY f.id LIMIT 1)
             FROM documents d JOIN versions v ON v.document = d.id JOIN resources r ON r.id = d.resource
             JOIN hosts h ON h.id = r.host JOIN bodies b ON b.id = v.body
             WHERE d.project = ?1 AND v.run <= ?2 GROUP BY d.id ORDER BY d.id",
        )?;
        let mut rows = statement.query((project.0, run.0))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            let told = told.remove(&id);
            let mut holding = Holding {
                document: DocumentId(id),
                version: VersionId(row.get(1)?),
                run: RunId(row.get(2)?),
                url: row.get(3)?,
                host: row.get(4)?,
                media_type: row.get(5)?,
                charset: row.get(6)?,
                title: row.get(7)?,
                size: row.get::<_, i64>(8)? as u64,
                fetched_at: Timestamp(row.get(9)?),
                digest: Digest(row.get(10)?),
                is_lost: row.get(11)?,
                first_fetched_at: Timestamp(row.get(12)?),
                gone_run: told.as_ref().and_then(|told| told.gone_run),
                // A version is kept together with its change.
                state: told.map_or_else(|| "NEW".to_owned(), |told| told.state),
            };
            if let Some(&resource) = moved_later.get(&id) {
                holding.url = self.address_of(resource)?.1;
                if let Ok(url) = Url::parse(&holding.url) {
                    url.host().clone_into(&mut holding.host);
                }
            }
            found.push(holding);
        }
        Ok(found)
    }

    fn told(&self, project: ProjectId, run: RunId) -> Result<HashMap<i64, Told>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT c.document, c.state, n.id FROM runs n JOIN changes c ON c.run = n.id
             WHERE n.project = ?1 AND n.id <= ?2 AND c.document IS NOT NULL ORDER BY n.id",
        )?;
        let mut rows = statement.query((project.0, run.0))?;
        let mut all: HashMap<i64, Told> = HashMap::new();
        while let Some(row) = rows.next()? {
            let (document, state): (i64, String) = (row.get(0)?, row.get(1)?);
            let before = all.get(&document).and_then(|told| told.gone_run);
            let gone_run = match state.as_str() {
                // An error says nothing about what is there.
                "ERR" => before,
                "MIS" | "OUT" => before.or(Some(RunId(row.get(2)?))),
                _ => None,
            };
            all.insert(document, Told { state, gone_run });
        }
        Ok(all)
    }
}
