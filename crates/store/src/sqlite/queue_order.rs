//! In which order a host's rows come, and how that is changed: by step, score, priority and discovery.
//!
//! Rows lie by priority; those with a score lie in an index of their own beside that, so that a run without scores pays nothing.
//! Both are read at the same time, and the next row is the earlier one of the two.

use super::Catalog;
use super::writer::RunWriter;
use crate::StoreError;
use crate::leases::FencedHost;
use crate::work::{Rescored, RowPlace};
use gleaner_model::{HostId, ResourceId, RunId};
use rusqlite::fallible_streaming_iterator::FallibleStreamingIterator;
use rusqlite::{Row, Rows};

macro_rules! rows_of_host {
    ($behind:literal) => {
        concat!(
            "SELECT f.resource, r.url, f.priority, f.depth, f.purpose, f.hops, f.chain, f.tries, f.due_at, f.stamp,
                 f.legs, f.request, f.score
             FROM frontier f JOIN resources r ON r.id = f.resource WHERE f.run = ?1 AND f.host = ?2 AND ",
            $behind
        )
    };
}

/// A host's rows behind one of them, by priority.
pub(super) const ROWS_OF_HOST: &str =
    rows_of_host!("(f.priority, f.resource) > (?3, ?4) AND f.priority <= ?5 ORDER BY f.priority, f.resource");

/// The same for those with a score, by that.
pub(super) const SCORED_ROWS_OF_HOST: &str = rows_of_host!(
    "f.score > 0 AND (f.turn, f.priority, f.resource) > (?3, ?4, ?5) AND f.priority <= ?6 AND f.turn <= ?7
     ORDER BY f.turn, f.priority, f.resource"
);

const RESOURCE: usize = 0;
const PRIORITY: usize = 2;
pub(super) const SCORE: usize = 12;

fn place_of(row: &Row<'_>) -> Result<RowPlace, StoreError> {
    let resource = ResourceId(row.get(RESOURCE)?);
    Ok(RowPlace::new(row.get(PRIORITY)?, row.get(SCORE)?, resource))
}

/// Two lists of rows as one.
pub(super) struct RowsInOrder<'s> {
    all: Rows<'s>,
    scored: Rows<'s>,
    given: Given,
}

#[derive(Clone, Copy)]
enum Given {
    Nothing,
    WithScore,
    WithoutScore,
}

impl<'s> RowsInOrder<'s> {
    /// Of all rows, and of those of them that have a score.
    pub(super) fn of(all: Rows<'s>, scored: Rows<'s>) -> RowsInOrder<'s> {
        let given = Given::Nothing;
        RowsInOrder { all, scored, given }
    }

    pub(super) fn next(&mut self) -> Result<Option<&Row<'s>>, StoreError> {
        match self.given {
            Given::Nothing => {
                self.all.advance()?;
                self.scored.advance()?;
            }
            Given::WithScore => self.scored.advance()?,
            Given::WithoutScore => self.all.advance()?,
        }
        let scored = self.scored.get().map(place_of).transpose()?;
        while let Some(row) = self.all.get() {
            // Rows without a score come behind this one's step, whether it has one or not.
            let here = RowPlace::new(row.get(PRIORITY)?, 0, ResourceId(row.get(RESOURCE)?));
            if scored.is_some_and(|scored| scored < here) {
                break;
            }
            if place_of(row)? == here {
                self.given = Given::WithoutScore;
                return Ok(self.all.get());
            }
            self.all.advance()?;
        }
        self.given = Given::WithScore;
        Ok(self.scored.get())
    }
}

impl RunWriter<'_> {
    /// Rows of a host come sooner or later than before.
    pub(crate) fn rescore(&mut self, host: FencedHost, rows: &[Rescored]) -> Result<u64, StoreError> {
        if !self.is_current(host) {
            return Ok(0);
        }
        // Without a sync: a power loss takes what can be judged again.
        self.catalog.without_sync(|| {
            let transaction = self.catalog.db.unchecked_transaction()?;
            let mut set = transaction.prepare_cached(
                "UPDATE frontier SET score = ?5 WHERE run = ?1 AND host = ?2 AND priority = ?3 AND resource = ?4",
            )?;
            let mut found = 0;
            for row in rows {
                let place = (self.run.0, host.host.0, row.priority, row.resource.0, row.score);
                found += set.execute(place)? as u64;
            }
            drop(set);
            transaction.commit()?;
            Ok(found)
        })
    }
}

impl Catalog {
    /// When it is the turn of a host's first row, and the least priority of its rows; none where it has none.
    pub(super) fn first_of_host(&self, run: RunId, host: HostId) -> Result<Option<(i64, i64)>, StoreError> {
        let mut first = self.db.prepare_cached(
            "SELECT min(priority), (SELECT min(turn) FROM frontier WHERE run = ?1 AND host = ?2 AND score > 0)
             FROM frontier WHERE run = ?1 AND host = ?2",
        )?;
        let (priority, scored): (Option<i64>, Option<i64>) =
            first.query_row((run.0, host.0), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(priority.map(|priority| {
            let turn = RowPlace::new(priority, 0, ResourceId(0)).turn;
            (scored.map_or(turn, |scored| scored.min(turn)), priority)
        }))
    }
}
