//! A document's history: its versions from the oldest to the newest, and what was learned about its site.

use super::Reader;
use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, ProjectId, ResourceId, RunId, Timestamp, Url, VersionId};
use rusqlite::OptionalExtension;

/// One line of `gleaner versions`.
#[derive(Debug, Clone)]
pub struct VersionRow {
    /// Within the document; the oldest is 1.
    pub number: usize,
    pub id: VersionId,
    pub run: RunId,
    pub fetched_at: Timestamp,
    pub media_type: String,
    pub title: Option<String>,
    /// Decoded bytes.
    pub size: u64,
    /// Of the bytes as sent.
    pub digest: Digest,
    /// The state that its run reported.
    pub state: Option<String>,
    /// The version it repeats under the project's equality; none: it says something of its own.
    pub same_as: Option<VersionId>,
    /// JSON: what differed and did not count.
    pub ignored: Option<String>,
    /// As asked for, where that is not the document's URL.
    pub url: Option<String>,
    /// Its bytes are gone.
    pub is_lost: bool,
}

/// A version that retention dropped: what its run reported stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrunedVersion {
    pub run: RunId,
    /// When the run began.
    pub at: Timestamp,
    pub state: String,
}

impl VersionRow {
    /// Whether it says something that no older version said.
    pub fn is_own(&self) -> bool {
        self.same_as.is_none()
    }
}

impl Reader {
    /// A document's number or a URL, as people type it. Where several projects hold the URL it is the one fetched last; an
    /// address from which a document has moved still leads to it.
    pub fn find_document(&self, given: &str) -> Result<DocumentId, StoreError> {
        let missing = || StoreError::NotFound {
            what: "document",
            given: given.into(),
        };
        if let Ok(id) = given.parse::<i64>() {
            let found = self
                .db
                .query_row("SELECT id FROM documents WHERE id = ?1", [id], |row| {
                    row.get(0).map(DocumentId)
                });
            return found.optional()?.ok_or_else(missing);
        }
        let url = Url::parse(given).map_err(|_| missing())?;
        let resource = self.resource_of(&url)?.ok_or_else(missing)?;
        self.document_at(resource)?.ok_or_else(missing)
    }

    fn document_at(&self, resource: ResourceId) -> Result<Option<DocumentId>, StoreError> {
        let ask = |sql: &str| {
            let found = self
                .db
                .query_row(sql, [resource.0], |row| row.get(0).map(DocumentId));
            found.optional()
        };
        let here = ask("SELECT id FROM documents WHERE resource = ?1 ORDER BY version DESC LIMIT 1")?;
        if here.is_some() {
            return Ok(here);
        }
        Ok(ask(
            "SELECT document FROM changes WHERE moved_from = ?1 AND document IS NOT NULL ORDER BY id DESC LIMIT 1",
        )?)
    }

    /// The project of a document and its URL.
    pub fn document(&self, document: DocumentId) -> Result<(ProjectId, String), StoreError> {
        self.db
            .prepare_cached(
                "SELECT d.project, r.url FROM documents d JOIN resources r ON r.id = d.resource WHERE d.id = ?1",
            )?
            .query_row([document.0], |row| Ok((ProjectId(row.get(0)?), row.get(1)?)))
            .optional()?
            .ok_or_else(|| StoreError::NotFound {
                what: "document",
                given: document.to_string().into(),
            })
    }

    /// All versions of a document, the oldest first.
    pub fn versions(&self, document: DocumentId) -> Result<Vec<VersionRow>, StoreError> {
        // The change of a version stands under the document's address, unless the document has moved since.
        let mut statement = self.db.prepare_cached(
            "SELECT v.id, v.run, v.fetched_at, v.type, v.title, v.size, b.digest, v.same_as, v.ignored, v.url, b.is_lost,
                 coalesce(
                     (SELECT c.state FROM changes c WHERE c.run = v.run AND c.resource = d.resource AND c.version = v.id),
                     (SELECT c.state FROM changes c WHERE c.run = v.run AND c.version = v.id))
             FROM documents d JOIN versions v ON v.document = d.id JOIN bodies b ON b.id = v.body
             WHERE d.id = ?1 ORDER BY v.id",
        )?;
        let mut rows = statement.query([document.0])?;
        let mut found: Vec<VersionRow> = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(VersionRow {
                number: found.len() + 1,
                id: VersionId(row.get(0)?),
                run: RunId(row.get(1)?),
                fetched_at: Timestamp(row.get(2)?),
                media_type: row.get(3)?,
                title: row.get(4)?,
                size: row.get::<_, i64>(5)? as u64,
                digest: Digest(row.get(6)?),
                same_as: row.get::<_, Option<i64>>(7)?.map(VersionId),
                ignored: row.get(8)?,
                url: row.get(9)?,
                is_lost: row.get(10)?,
                state: row.get(11)?,
            });
        }
        Ok(found)
    }

    /// The versions of a document that are no longer kept, the oldest first. Those that only repeated another left no trace.
    pub fn pruned_versions(&self, document: DocumentId) -> Result<Vec<PrunedVersion>, StoreError> {
        // By the runs of its project and its addresses: there is no index of changes by document.
        let mut statement = self.db.prepare_cached(
            "SELECT n.id, n.started_at, c.state FROM documents d CROSS JOIN runs n ON n.project = d.project
             CROSS JOIN changes c ON c.run = n.id AND c.resource = d.resource
             WHERE d.id = ?1 AND c.version IS NULL AND c.state IN ('NEW', 'UPD') AND c.moved_from IS NULL
             ORDER BY n.id",
        )?;
        let rows = statement.query_map([document.0], |row| {
            Ok(PrunedVersion {
                run: RunId(row.get(0)?),
                at: Timestamp(row.get(1)?),
                state: row.get(2)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Documents of a project with more than one version.
    pub fn documents_with_history(&self, project: ProjectId) -> Result<Vec<DocumentId>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT v.document FROM versions v JOIN documents d ON d.id = v.document
             WHERE d.project = ?1 GROUP BY v.document HAVING count(*) > 1 ORDER BY v.document",
        )?;
        let rows = statement.query_map([project.0], |row| row.get(0).map(DocumentId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What was learned to be noise on a site, as JSON.
    pub fn noise(&self, project: ProjectId, site: &str) -> Result<Option<String>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT memory FROM noises WHERE project = ?1 AND site = ?2")?;
        Ok(statement
            .query_row((project.0, site), |row| row.get(0))
            .optional()?)
    }

    /// The volatile parts of a site's URLs, as JSON.
    pub fn site_rules(&self, project: ProjectId, site: &str) -> Result<Option<String>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT rules FROM site_rules WHERE project = ?1 AND site = ?2")?;
        Ok(statement
            .query_row((project.0, site), |row| row.get(0))
            .optional()?)
    }

    /// The project's settings as they are now, by its number.
    pub fn project(&self, project: ProjectId) -> Result<gleaner_model::Project, StoreError> {
        let (name, settings): (String, String) = self
            .db
            .query_row(
                "SELECT name, settings FROM projects WHERE id = ?1",
                [project.0],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?
            .ok_or_else(|| StoreError::NotFound {
                what: "project",
                given: project.to_string().into(),
            })?;
        serde_json::from_str(&settings).map_err(|cause| StoreError::Settings {
            what: format!("project {name}"),
            cause,
        })
    }
}
