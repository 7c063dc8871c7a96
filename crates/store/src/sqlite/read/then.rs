//! What there was at the end of a run.

use super::SqliteLedger;
use crate::ledger::{HoldingRow, Moved, ThenLedger};
use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, ProjectId, ResourceId, RunId, Timestamp, UrlKey, VersionId};

impl ThenLedger for SqliteLedger {
    fn holding_rows(
        &self,
        project: ProjectId,
        run: RunId,
        after: Option<DocumentId>,
        limit: usize,
    ) -> Result<Vec<HoldingRow>, StoreError> {
        // With max(), SQLite takes the other columns from the row that has it.
        let mut statement = self.db.prepare_cached(
            "SELECT d.id, max(v.id), v.run, r.key, r.url, h.name, v.type, v.charset, v.title, v.size, v.fetched_at, b.digest,
                 b.is_lost, (SELECT f.fetched_at FROM versions f WHERE f.document = d.id ORDER BY f.id LIMIT 1)
             FROM documents d NOT INDEXED CROSS JOIN versions v ON v.document = d.id CROSS JOIN resources r ON r.id = d.resource
             CROSS JOIN hosts h ON h.id = r.host CROSS JOIN bodies b ON b.id = v.body
             WHERE d.project = ?1 AND v.run <= ?2 AND d.id > ?3 GROUP BY d.id ORDER BY d.id LIMIT ?4",
        )?;
        let after = after.map_or(0, |after| after.0);
        let rows = statement.query_map((project.0, run.0, after, limit as i64), |row| {
            Ok(HoldingRow {
                document: DocumentId(row.get(0)?),
                version: VersionId(row.get(1)?),
                run: RunId(row.get(2)?),
                key: UrlKey(row.get(3)?),
                url: row.get(4)?,
                host: row.get(5)?,
                media_type: row.get(6)?,
                charset: row.get(7)?,
                title: row.get(8)?,
                size: row.get::<_, i64>(9)? as u64,
                fetched_at: Timestamp(row.get(10)?),
                digest: Digest(row.get(11)?),
                is_lost: row.get(12)?,
                first_fetched_at: Timestamp(row.get(13)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn moves(&self, run: RunId) -> Result<Vec<Moved>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT document, moved_from, resource FROM changes WHERE run = ?1 AND moved_from IS NOT NULL ORDER BY resource",
        )?;
        let rows = statement.query_map([run.0], |row| {
            Ok(Moved {
                document: row.get::<_, Option<i64>>(0)?.map(DocumentId),
                from: ResourceId(row.get(1)?),
                to: ResourceId(row.get(2)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
