//! What a run found.

use super::{SqliteLedger, reason, state};
use crate::StoreError;
use crate::ledger::{ChangeId, ChangeLedger, ChangeRow};
use gleaner_model::{DocumentId, Reason, RunId, State, VersionId};

impl SqliteLedger {
    /// The first and the last number of a run's changes, looked up when its first page is asked for: no index says
    /// where they lie.
    fn numbers_of(&self, run: RunId, is_first_page: bool) -> Result<(i64, i64), StoreError> {
        if let (Some((of, first, last)), false) = (self.listed.get(), is_first_page)
            && of == run
        {
            return Ok((first, last));
        }
        let (first, last) = self
            .db
            .prepare_cached(
                "SELECT coalesce(first_change, 0), coalesce(last_change, -1) FROM finished WHERE run = ?1
                 UNION ALL
                 SELECT coalesce(min(id), 0), coalesce(max(id), -1) FROM changes
                 WHERE run = ?1 AND NOT EXISTS (SELECT 1 FROM finished WHERE run = ?1)",
            )?
            .query_row([run.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        self.listed.set(Some((run, first, last)));
        Ok((first, last))
    }
}

impl ChangeLedger for SqliteLedger {
    fn changes(
        &self,
        run: RunId,
        wanted: Option<State>,
        after: Option<ChangeId>,
        limit: usize,
    ) -> Result<Vec<ChangeRow>, StoreError> {
        let (first, last) = self.numbers_of(run, after.is_none())?;
        let from = after.map_or(first, |after| after.0 + 1);
        let mut statement = self.db.prepare_cached(
            "SELECT c.id, c.state, c.document, r.url, coalesce(v.type, r.type), v.size, c.reason, c.detail, c.version,
                 coalesce(c.is_orphan, 0), m.url, coalesce(v.title, r.title)
             FROM changes c NOT INDEXED CROSS JOIN resources r ON r.id = c.resource
             LEFT JOIN documents d ON d.id = c.document
             LEFT JOIN versions v ON v.id = CASE WHEN c.state IN ('NEW', 'UPD') THEN c.version
                 ELSE coalesce(c.version, d.version) END -- A dropped version's size is not the newest one's.
             LEFT JOIN resources m ON m.id = c.moved_from
             WHERE c.run = ?1 AND c.id BETWEEN ?2 AND ?3 AND (?4 IS NULL OR c.state = ?4) ORDER BY c.id LIMIT ?5",
        )?;
        let wanted = wanted.map(State::as_str);
        let rows = statement.query_map((run.0, from, last, wanted, limit as i64), |row| {
            Ok(ChangeRow {
                change: ChangeId(row.get(0)?),
                state: state(row.get_ref(1)?.as_str()?),
                document: row.get::<_, Option<i64>>(2)?.map(DocumentId),
                url: row.get(3)?,
                media_type: row.get(4)?,
                size: row.get::<_, Option<i64>>(5)?.map(|size| size as u64),
                reason: reason(row.get_ref(6)?.as_str_or_null()?),
                detail: row.get(7)?,
                version: row.get::<_, Option<i64>>(8)?.map(VersionId),
                is_orphan: row.get(9)?,
                moved_from: row.get(10)?,
                title: row.get(11)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn states(&self, run: RunId) -> Result<Vec<(State, bool, u64)>, StoreError> {
        let mut statement = self.db.prepare(
            "SELECT state, document IS NOT NULL, count(*) FROM changes WHERE run = ?1 GROUP BY 1, 2",
        )?;
        let rows = statement.query_map([run.0], |row| {
            let count: i64 = row.get(2)?;
            Ok((state(row.get_ref(0)?.as_str()?), row.get(1)?, count as u64))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn count_of_reason(&self, run: RunId, reason: Reason) -> Result<(u64, Option<String>), StoreError> {
        let row = self.db.query_row(
            "SELECT count(*), min(r.url) FROM changes c JOIN resources r ON r.id = c.resource
             WHERE c.run = ?1 AND c.reason = ?2",
            (run.0, reason.code()),
            |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)),
        )?;
        Ok((row.0 as u64, row.1))
    }
}
