//! Changes of finished runs, behind a position.

use super::{SqliteLedger, reason, state};
use crate::StoreError;
use crate::ledger::{ChangeId, FollowLedger, FollowPosition, FollowedChange};
use gleaner_model::{DocumentId, ProjectId, ResourceId, RunId, VersionId};
use rusqlite::OptionalExtension;

impl SqliteLedger {
    /// The changes of the run that finished as this one, behind the position.
    fn changes_of_finished(
        &self,
        position: FollowPosition,
        limit: usize,
        found: &mut Vec<FollowedChange>,
    ) -> Result<(), StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT c.id, n.project, n.id, c.resource, r.url, c.state, c.document, c.version, c.reason,
                 coalesce(c.is_orphan, 0), m.url
             FROM finished f CROSS JOIN runs n ON n.id = f.run CROSS JOIN changes c NOT INDEXED
             CROSS JOIN resources r ON r.id = c.resource LEFT JOIN resources m ON m.id = c.moved_from
             WHERE f.number = ?1 AND c.run = f.run AND c.id BETWEEN max(f.first_change, ?2 + 1) AND f.last_change
             ORDER BY c.id LIMIT ?3",
        )?;
        let rows = statement.query_map((position.finished, position.change, limit as i64), |row| {
            let change: i64 = row.get(0)?;
            Ok(FollowedChange {
                position: FollowPosition { change, ..position },
                change: ChangeId(change),
                project: ProjectId(row.get(1)?),
                run: RunId(row.get(2)?),
                resource: ResourceId(row.get(3)?),
                url: row.get(4)?,
                state: state(row.get_ref(5)?.as_str()?),
                document: row.get::<_, Option<i64>>(6)?.map(DocumentId),
                version: row.get::<_, Option<i64>>(7)?.map(VersionId),
                reason: reason(row.get_ref(8)?.as_str_or_null()?),
                is_orphan: row.get(9)?,
                moved_from: row.get(10)?,
            })
        })?;
        for row in rows {
            found.push(row?);
        }
        Ok(())
    }
}

impl FollowLedger for SqliteLedger {
    fn changes_after(
        &self,
        position: FollowPosition,
        limit: usize,
    ) -> Result<Vec<FollowedChange>, StoreError> {
        let _snapshot = self.snapshot()?;
        let mut next = self
            .db
            .prepare_cached("SELECT min(number) FROM finished WHERE number > ?1")?;
        let (mut at, mut found) = (position, Vec::new());
        loop {
            self.changes_of_finished(at, limit - found.len(), &mut found)?;
            if found.len() >= limit {
                return Ok(found);
            }
            let number: Option<i64> = next.query_row([at.finished], |row| row.get(0))?;
            let Some(number) = number else { return Ok(found) };
            at = FollowPosition {
                finished: number,
                change: 0,
            };
        }
    }

    fn position(&self, follower: &str) -> Result<FollowPosition, StoreError> {
        let mut statement = self
            .db
            .prepare_cached("SELECT finished, change FROM followers WHERE name = ?1")?;
        let found = statement.query_row([follower], |row| {
            Ok(FollowPosition {
                finished: row.get(0)?,
                change: row.get(1)?,
            })
        });
        Ok(found.optional()?.unwrap_or_default())
    }
}
