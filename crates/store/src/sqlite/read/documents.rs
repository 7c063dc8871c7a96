//! Documents as they are now, and which of them are no longer there.

use super::{SqliteLedger, reason};
use crate::StoreError;
use crate::ledger::{Absence, DocumentFilter, DocumentLedger, DocumentRow, FirstVersion, Visit};
use gleaner_model::{DocumentId, HostId, ProjectId, ResourceId, RunId, Timestamp, Url, VersionId};
use rusqlite::OptionalExtension;
use std::collections::HashMap;

impl SqliteLedger {
    /// Documents that the last run which could tell has called OUT, with that run.
    fn documents_out(&self) -> Result<HashMap<DocumentId, RunId>, StoreError> {
        // Few documents were ever OUT; of those the last word counts. With max(), SQLite takes the state from its row.
        let mut statement = self.db.prepare(
            "SELECT document, max(run), state FROM changes
             WHERE state <> 'ERR' AND document IN
                 (SELECT document FROM changes WHERE state = 'OUT' AND document IS NOT NULL)
             GROUP BY document",
        )?;
        let mut rows = statement.query([])?;
        let mut out = HashMap::new();
        while let Some(row) = rows.next()? {
            if row.get_ref(2)?.as_str().unwrap_or("") == "OUT" {
                out.insert(DocumentId(row.get(0)?), RunId(row.get(1)?));
            }
        }
        Ok(out)
    }
}

impl DocumentLedger for SqliteLedger {
    fn documents(
        &self,
        filter: &DocumentFilter,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<DocumentRow>, StoreError> {
        let mut held = self.out.borrow_mut();
        if after.is_none() || held.is_none() {
            *held = Some(self.documents_out()?);
        }
        let out = held.get_or_insert_default();
        let mut statement = self.db.prepare_cached(
            "SELECT d.id, r.url, v.type, v.charset, v.title, v.size, v.fetched_at, p.name, d.gone_run, d.resource
             FROM documents d NOT INDEXED CROSS JOIN resources r ON r.id = d.resource
             CROSS JOIN versions v ON v.id = d.version
             CROSS JOIN hosts h ON h.id = r.host CROSS JOIN projects p ON p.id = d.project
             WHERE d.id > ?4 AND (?1 IS NULL OR h.name = ?1) AND (?2 IS NULL OR v.type = ?2 OR v.type LIKE ?2 || '/%')
               AND (?3 IS NULL OR p.name = ?3)
             ORDER BY d.id",
        )?;
        let after = after.map_or(0, |id| id.0);
        let mut rows = statement.query((&filter.host, &filter.media_type, &filter.project, after))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let id = DocumentId(row.get(0)?);
            let gone = row.get::<_, Option<i64>>(8)?.map(RunId);
            let absence = match gone {
                Some(run) => Some(Absence::Gone(run)),
                None => out.get(&id).copied().map(Absence::Out),
            };
            if filter.only_absent && absence.is_none() {
                continue;
            }
            found.push(DocumentRow {
                id,
                resource: ResourceId(row.get(9)?),
                url: row.get(1)?,
                media_type: row.get(2)?,
                charset: row.get(3)?,
                title: row.get(4)?,
                size: row.get::<_, i64>(5)? as u64,
                fetched_at: Timestamp(row.get(6)?),
                project: row.get(7)?,
                absence,
            });
            if found.len() >= limit {
                break;
            }
        }
        Ok(found)
    }

    fn find_document(&self, document: DocumentId) -> Result<Option<(ProjectId, String, HostId)>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT d.project, r.url, r.host FROM documents d JOIN resources r ON r.id = d.resource WHERE d.id = ?1",
        )?;
        let found = statement.query_row([document.0], |row| {
            Ok((ProjectId(row.get(0)?), row.get(1)?, HostId(row.get(2)?)))
        });
        Ok(found.optional()?)
    }

    fn document_at(&self, resource: ResourceId) -> Result<Option<DocumentId>, StoreError> {
        let ask = |sql: &str| {
            let found = self
                .db
                .query_row(sql, [resource.0], |row| row.get(0).map(DocumentId));
            found.optional()
        };
        let here =
            ask("SELECT id FROM documents WHERE resource = ?1 ORDER BY version DESC, id DESC LIMIT 1")?;
        if here.is_some() {
            return Ok(here);
        }
        Ok(ask(
            "SELECT document FROM changes WHERE moved_from = ?1 AND document IS NOT NULL ORDER BY id DESC LIMIT 1",
        )?)
    }

    fn address_of_document(&self, document: DocumentId) -> Result<Option<ResourceId>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT resource FROM documents WHERE id = ?1")?;
        let found = statement.query_row([document.0], |row| row.get(0).map(ResourceId));
        Ok(found.optional()?)
    }

    fn resource_of(&self, url: &Url) -> Result<Option<ResourceId>, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT id FROM resources WHERE key = ?1")?;
        let found = statement.query_row([&url.key().0], |row| row.get(0).map(ResourceId));
        Ok(found.optional()?)
    }

    fn last_visit(&self, resource: ResourceId) -> Result<Option<Visit>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT v.run, v.depth, v.at, v.status, v.reason FROM runs n CROSS JOIN visits v ON v.run = n.id AND v.resource = ?1
             ORDER BY n.id DESC LIMIT 1",
        )?;
        let found = statement.query_row([resource.0], |row| {
            Ok(Visit {
                run: RunId(row.get(0)?),
                depth: row.get(1)?,
                at: row.get::<_, Option<i64>>(2)?.map(Timestamp),
                status: row.get(3)?,
                reason: reason(row.get_ref(4)?.as_str_or_null()?),
            })
        });
        Ok(found.optional()?)
    }

    fn first_versions(&self, after: DocumentId, limit: usize) -> Result<Vec<FirstVersion>, StoreError> {
        let mut oldest = self
            .db
            .prepare_cached("SELECT id, type FROM versions WHERE document = ?1 ORDER BY id LIMIT 1")?;
        let mut behind = self.db.prepare_cached(
            "SELECT d.id, d.resource, r.host FROM documents d NOT INDEXED CROSS JOIN resources r ON r.id = d.resource
             WHERE d.id > ?1 ORDER BY d.id LIMIT ?2",
        )?;
        let mut rows = behind.query((after.0, limit as i64))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let document: i64 = row.get(0)?;
            let version = oldest.query_row([document], |row| Ok((VersionId(row.get(0)?), row.get(1)?)));
            found.push(FirstVersion {
                document: DocumentId(document),
                resource: ResourceId(row.get(1)?),
                host: HostId(row.get(2)?),
                version: version.optional()?,
            });
        }
        Ok(found)
    }

    fn documents_with_history(&self, project: ProjectId) -> Result<Vec<DocumentId>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT v.document FROM versions v JOIN documents d ON d.id = v.document
             WHERE d.project = ?1 GROUP BY v.document HAVING count(*) > 1 ORDER BY v.document",
        )?;
        let rows = statement.query_map([project.0], |row| row.get(0).map(DocumentId))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn lost_bodies(&self) -> Result<u64, StoreError> {
        let count: i64 = self
            .db
            .query_row("SELECT count(*) FROM bodies WHERE is_lost", [], |row| row.get(0))?;
        Ok(count as u64)
    }
}
