//! A document's history, and versions in the order they came.

use super::{SqliteLedger, state};
use crate::ledger::{Event, PrunedVersion, VersionFacts, VersionLedger, VersionRow, VersionStanding, event};
use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, ProjectId, RunId, Timestamp, VersionId};
use rusqlite::OptionalExtension;

impl VersionLedger for SqliteLedger {
    fn versions(&self, document: DocumentId) -> Result<Vec<VersionRow>, StoreError> {
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
                state: row.get_ref(11)?.as_str_or_null().unwrap_or(None).map(state),
            });
        }
        Ok(found)
    }

    fn pruned_versions(&self, document: DocumentId) -> Result<Vec<PrunedVersion>, StoreError> {
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
                state: state(row.get_ref(2)?.as_str()?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn events(&self, document: DocumentId) -> Result<Vec<(RunId, Event)>, StoreError> {
        // By the runs of its project and its addresses: there is no index of changes by document.
        let mut statement = self.db.prepare_cached(
            "SELECT n.id,
                 (SELECT max(v.id) FROM versions v WHERE v.document = d.id AND v.run = n.id),
                 (SELECT c.state FROM changes c WHERE c.run = n.id AND c.resource = d.resource)
             FROM documents d CROSS JOIN runs n ON n.project = d.project
             WHERE d.id = ?1 ORDER BY n.id",
        )?;
        let mut rows = statement.query([document.0])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let version = row.get::<_, Option<i64>>(1)?.map(VersionId);
            let told = row.get_ref(2)?.as_str_or_null().unwrap_or(None).map(state);
            if let Some(event) = event(version, told) {
                found.push((RunId(row.get(0)?), event));
            }
        }
        Ok(found)
    }

    fn versions_behind(&self, position: VersionId, limit: usize) -> Result<Vec<VersionFacts>, StoreError> {
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

    fn count_versions(&self, position: VersionId) -> Result<(u64, u64), StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT count(*) FILTER (WHERE id <= ?1), count(*) FROM versions")?;
        Ok(statement.query_row([position.0], |row| {
            let (before, all): (i64, i64) = (row.get(0)?, row.get(1)?);
            Ok((before as u64, (all - before) as u64))
        })?)
    }

    fn version_numbers(&self, position: VersionId) -> Result<Vec<i64>, StoreError> {
        let mut statement = self
            .db
            .prepare("SELECT id FROM versions WHERE id <= ?1 ORDER BY id")?;
        let rows = statement.query_map([position.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn version_digest(&self, version: VersionId) -> Result<Option<Digest>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT b.digest FROM versions v JOIN bodies b ON b.id = v.body WHERE v.id = ?1 AND NOT b.is_lost",
        )?;
        let found = statement.query_row([version.0], |row| row.get(0).map(Digest));
        Ok(found.optional()?)
    }

    fn standing(&self, version: VersionId) -> Result<Option<VersionStanding>, StoreError> {
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
                state: row.get_ref(10)?.as_str_or_null()?.map(state),
                is_absent: row.get(11)?,
                is_archived: row.get(12)?,
            })
        });
        Ok(found.optional()?)
    }
}
