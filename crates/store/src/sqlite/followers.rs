//! Runs in the order in which they finished, and how far followers have come in it.

use super::Catalog;
use crate::StoreError;
use crate::ledger::FollowPosition;
use gleaner_model::RunId;
use rusqlite::Connection;

/// What a run found is final: followers may read it.
pub(super) fn note_finished(db: &Connection, run: RunId) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO finished(run, first_change, last_change) SELECT ?1, min(id), max(id) FROM changes WHERE run = ?1
         ON CONFLICT DO NOTHING",
        [run.0],
    )?;
    Ok(())
}

/// It goes on after all.
pub(super) fn note_unfinished(db: &Connection, run: RunId) -> Result<(), StoreError> {
    db.execute("DELETE FROM finished WHERE run = ?1", [run.0])?;
    Ok(())
}

impl Catalog {
    pub(super) fn advance(&self, follower: &str, to: FollowPosition) -> Result<(), StoreError> {
        self.db.execute(
            "INSERT INTO followers(name, finished, change) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET finished = excluded.finished, change = excluded.change
             WHERE (excluded.finished, excluded.change) > (finished, change)",
            (follower, to.finished, to.change),
        )?;
        Ok(())
    }

    pub(super) fn forget_follower(&self, follower: &str) -> Result<(), StoreError> {
        self.db
            .execute("DELETE FROM followers WHERE name = ?1", [follower])?;
        Ok(())
    }
}
