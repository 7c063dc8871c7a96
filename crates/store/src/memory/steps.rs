//! Steps that meet at one page: each comes to it once, and one look serves all that wait for it.

use super::keep::Batch;
use super::rows::{HeldRow, Place};
use crate::keep::{Enqueue, Keep};
use crate::work::{STEP_ROOM, legs_without, priority_of};
use gleaner_model::{DocumentId, Leg, ResourceId, Timestamp, Url, UrlKey};

impl Batch<'_> {
    /// Takes up a page for the steps of `entry` that were not here yet; whether there is a new row for it.
    pub(super) fn enqueue_for_steps(
        &mut self,
        url: &Url,
        key: UrlKey,
        resource: ResourceId,
        entry: &Enqueue,
        now: Timestamp,
    ) -> bool {
        let is_new = self.take_up(resource, entry.depth);
        let is_named = entry.legs.iter().any(Leg::is_named);
        if is_new
            && !is_named
            && let Some(&reason) = self.refused.get(&key)
        {
            self.leave_out(resource, reason, now);
            return false;
        }
        let visit = self.visit(resource);
        let mut legs = legs_without(&entry.legs, &visit.legs);
        if legs.is_empty() && !entry.again {
            return false;
        }
        visit.legs.extend(&legs);
        if entry.again {
            legs.clone_from(&entry.legs);
        }
        let host = self.host(url);
        if let Some((place, row)) = self.waiting_row(resource) {
            let all = [row.legs.clone(), legs_without(&legs, &row.legs)].concat();
            if priority_of(&all, 0) / STEP_ROOM == place.2 / STEP_ROOM {
                self.each_row(resource, |row| row.legs.clone_from(&all));
                return false;
            }
            // An earlier step wants it: it moves to the front.
            let run = self.of.run;
            self.rows
                .frontier
                .retain(|(of, .., other), _| (*of, *other) != (run, resource));
            legs = all;
        }
        let row = HeldRow {
            score: entry.score,
            depth: entry.depth,
            purpose: entry.purpose,
            hops: entry.hops,
            chain: entry.chain.clone(),
            tries: 0,
            due_at: Timestamp(0),
            stamp: None,
            legs: legs.clone(),
            request: entry.request.clone(),
        };
        self.put_row(host, resource, priority_of(&legs, entry.priority), row);
        true
    }

    /// The steps that came to want a page while it was on its way get a look of their own. Called before its row goes.
    pub(super) fn requeue_for_steps(&mut self, keep: &Keep) {
        let Some((_, waiting)) = self.waiting_row(keep.resource) else {
            return;
        };
        let left = legs_without(&waiting.legs, &keep.legs);
        let place = (self.of.run, keep.host, keep.priority, keep.resource);
        let Some(row) = self.rows.frontier.get(&place).filter(|_| !left.is_empty()) else {
            return;
        };
        let priority = priority_of(&left, 1);
        let row = HeldRow {
            hops: 0,
            chain: Vec::new(),
            tries: 0,
            due_at: Timestamp(0),
            stamp: None,
            legs: left,
            ..row.clone()
        };
        // Not that of the row that goes, even where the step is the same.
        let priority = priority + i64::from(keep.priority == priority);
        self.put_row(keep.host, keep.resource, priority, row);
    }

    /// The document, if this run told of it when another step came to it: it is told once.
    pub(super) fn told_to_a_step(&self, keep: &Keep) -> Option<DocumentId> {
        let change = self.rows.changes.get(&(self.of.run, keep.resource));
        change
            .filter(|_| !keep.legs.is_empty())
            .and_then(|change| change.document)
    }

    /// The row that still waits for a page.
    fn waiting_row(&self, resource: ResourceId) -> Option<(Place, HeldRow)> {
        let mut rows = self.rows.frontier_of(self.of.run);
        rows.find(|((.., of), row)| *of == resource && !row.legs.is_empty())
            .map(|(place, row)| (place, row.clone()))
    }

    fn each_row(&mut self, resource: ResourceId, mut change: impl FnMut(&mut HeldRow)) {
        for ((of, .., other), row) in &mut self.rows.frontier {
            if (*of, *other) == (self.of.run, resource) {
                change(row);
            }
        }
    }
}
