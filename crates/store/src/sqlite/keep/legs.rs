//! Steps that meet at one page (A2): each comes to it once, and one look serves all that wait for it.

use super::batch::Batch;
use crate::StoreError;
use crate::keep::{Enqueue, Keep};
use crate::sqlite::seen::Known;
use crate::work::{STEP_ROOM, legs_without, priority_of};
use gleaner_model::steps::{legs_of, legs_text};
use gleaner_model::{DocumentId, HostId, Leg, ResourceId, Timestamp, Url, UrlKey};
use rusqlite::OptionalExtension;

impl Batch<'_> {
    /// Takes up a page for the steps of `entry` that were not here yet; whether there is a new row for it.
    pub(super) fn enqueue_for_steps(
        &mut self,
        url: &Url,
        key: UrlKey,
        known: Known,
        entry: &Enqueue,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let resource = known.resource;
        let is_new = self.sql.take_up.execute((self.run.0, resource.0, entry.depth))? == 1;
        let is_named = entry.legs.iter().any(Leg::is_named);
        if is_new
            && !is_named
            && let Some(&reason) = self.refused.get(&key)
        {
            self.leave_out(resource, reason, now)?;
            return Ok(false);
        }
        let before = self.legs_of_visit(resource)?;
        let mut legs = legs_without(&entry.legs, &before);
        if legs.is_empty() && !entry.again {
            return Ok(false);
        }
        self.set_legs_of_visit(resource, &[before, legs.clone()].concat())?;
        if entry.again {
            legs.clone_from(&entry.legs);
        }
        let host = self.host(url)?;
        if let Some((priority, waiting)) = self.waiting_row(resource)? {
            let all = [waiting.clone(), legs_without(&legs, &waiting)].concat();
            if priority_of(&all, 0) / STEP_ROOM == priority / STEP_ROOM {
                self.transaction
                    .prepare_cached("UPDATE frontier SET legs = ?3 WHERE run = ?1 AND resource = ?2")?
                    .execute((self.run.0, resource.0, legs_text(&all)))?;
                return Ok(false);
            }
            // An earlier step wants it: it moves to the front.
            self.transaction
                .prepare_cached("DELETE FROM frontier WHERE run = ?1 AND resource = ?2")?
                .execute((self.run.0, resource.0))?;
            legs = all;
        }
        self.insert_leg_row(host, resource, entry, &legs)?;
        Ok(true)
    }

    fn insert_leg_row(
        &mut self,
        host: HostId,
        resource: ResourceId,
        entry: &Enqueue,
        legs: &[Leg],
    ) -> Result<(), StoreError> {
        let chain = if entry.chain.is_empty() {
            None
        } else {
            serde_json::to_string(&entry.chain).ok()
        };
        let added = self.transaction
            .prepare_cached(
                "INSERT INTO frontier(run, host, priority, resource, depth, purpose, hops, chain, legs, request, score)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING",
            )?
            .execute((
                self.run.0,
                host.0,
                priority_of(legs, entry.priority),
                resource.0,
                entry.depth,
                entry.purpose.column(),
                entry.hops,
                chain,
                legs_text(legs),
                &entry.request,
                entry.score,
            ))?;
        self.count_queued(host, added);
        Ok(())
    }

    /// The steps that came to want a page while it was on its way get a look of their own. Called before its row goes.
    pub(super) fn requeue_for_steps(&mut self, keep: &Keep) -> Result<(), StoreError> {
        let Some((_, waiting)) = self.waiting_row(keep.resource)? else {
            return Ok(());
        };
        let left = legs_without(&waiting, &keep.legs);
        if left.is_empty() {
            return Ok(());
        }
        let added = self
            .transaction
            .prepare_cached(
                "INSERT INTO frontier(run, host, priority, resource, depth, purpose, hops, legs, request, score)
                 SELECT run, host, ?5, resource, depth, purpose, 0, ?6, request, score FROM frontier
                 WHERE run = ?1 AND host = ?2 AND priority = ?3 AND resource = ?4 ON CONFLICT DO NOTHING",
            )?
            .execute((
                self.run.0,
                keep.host.0,
                keep.priority,
                keep.resource.0,
                // Not that of the row that goes, even where the step is the same.
                priority_of(&left, 1) + i64::from(keep.priority == priority_of(&left, 1)),
                legs_text(&left),
            ))?;
        self.count_queued(keep.host, added);
        Ok(())
    }

    /// The document, if this run told of it when another step came to it: it is told once.
    pub(super) fn told_to_a_step(&self, keep: &Keep) -> Result<Option<DocumentId>, StoreError> {
        if keep.legs.is_empty() {
            return Ok(None);
        }
        let told: Option<Option<i64>> = self
            .transaction
            .prepare_cached("SELECT document FROM changes WHERE run = ?1 AND resource = ?2")?
            .query_row((self.run.0, keep.resource.0), |row| row.get(0))
            .optional()?;
        Ok(told.flatten().map(DocumentId))
    }

    fn legs_of_visit(&self, resource: ResourceId) -> Result<Vec<Leg>, StoreError> {
        let legs: Option<Option<String>> = self
            .transaction
            .prepare_cached("SELECT legs FROM visits WHERE run = ?1 AND resource = ?2")?
            .query_row((self.run.0, resource.0), |row| row.get(0))
            .optional()?;
        Ok(legs.flatten().map_or_else(Vec::new, |text| legs_of(&text)))
    }

    fn set_legs_of_visit(&self, resource: ResourceId, legs: &[Leg]) -> Result<(), StoreError> {
        self.transaction
            .prepare_cached("UPDATE visits SET legs = ?3 WHERE run = ?1 AND resource = ?2")?
            .execute((self.run.0, resource.0, legs_text(legs)))?;
        Ok(())
    }

    /// The row that still waits for a page, and the steps that want it.
    fn waiting_row(&self, resource: ResourceId) -> Result<Option<(i64, Vec<Leg>)>, StoreError> {
        let row: Option<(i64, String)> = self
            .transaction
            .prepare_cached(
                "SELECT priority, legs FROM frontier WHERE run = ?1 AND resource = ?2 AND legs IS NOT NULL",
            )?
            .query_row((self.run.0, resource.0), |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        Ok(row.map(|(priority, legs)| (priority, legs_of(&legs))))
    }
}
