//! Which URLs would a batch take up, and what is known of them? Asked before the batch is kept, so that whoever decides about
//! them does so outside of any transaction.

use super::before::Before;
use crate::StoreError;
use crate::keep::{Found, Keep};
use crate::sqlite::seen::Known;
use crate::sqlite::writer::RunWriter;
use gleaner_model::{Leg, ResourceId, UrlKey};
use rusqlite::OptionalExtension;
use std::collections::HashSet;

/// In the order of discovery, and two of one address in the order given: rows of one table then land side by side, and what is met is met in the order in which it is kept.
pub(super) fn in_order(batch: &mut [Keep]) {
    batch.sort_by_key(|keep| keep.resource);
}

impl RunWriter<'_> {
    /// Each URL that the batch would take up first, once. Without those that a listing names, which are there, and those that
    /// a step names, which are wanted.
    pub(crate) fn meet(&mut self, batch: &mut [Keep]) -> Result<Vec<Found>, StoreError> {
        in_order(batch);
        // One view of everything; each look would take locks of its own otherwise.
        let transaction = self.catalog.db.unchecked_transaction()?;
        let mut find = transaction.prepare_cached("SELECT id FROM resources WHERE key = ?1")?;
        let mut visit =
            transaction.prepare_cached("SELECT 1 FROM visits WHERE run = ?1 AND resource = ?2")?;
        let before = Before {
            db: &transaction,
            project: self.project,
            run: self.run,
        };
        let mut met: HashSet<UrlKey> = HashSet::new();
        let mut all = Vec::new();
        for keep in batch.iter() {
            for outlink in keep.outlinks.iter() {
                let Some(entry) = outlink.queue else { continue };
                if entry.listed.is_some() || entry.legs.iter().any(Leg::is_named) {
                    continue;
                }
                let known = self.seen.get(&outlink.key);
                let has_legs = !entry.legs.is_empty();
                if known.is_some_and(|known| known.is_taken) && !has_legs || !met.insert(outlink.key) {
                    continue;
                }
                let resource = match known {
                    Some(known) => Some(known.resource),
                    None => find
                        .query_row([&outlink.key.0], |row| row.get(0))
                        .optional()?
                        .map(ResourceId),
                };
                if let Some(resource) = resource {
                    let row = (self.run.0, resource.0);
                    let is_taken = visit.query_row(row, |_| Ok(())).optional()?.is_some();
                    let known = Known { resource, is_taken };
                    // What steps want is looked up each time: they may come one by one.
                    if !has_legs {
                        self.seen.put(outlink.key, known);
                    }
                    if is_taken {
                        continue;
                    }
                }
                // Who follows a chain of redirects goes to its end.
                let last = match (resource, entry.hops) {
                    (Some(resource), 0) if !has_legs => before.last_answer(resource)?,
                    _ => None,
                };
                all.push(Found::of(&outlink, entry, keep.resource, resource, last));
            }
        }
        Ok(all)
    }
}
