//! A host's robots.txt, and the sitemaps that it names.

use crate::keep::{Enqueue, Kept, Refused};
use crate::work::{Purpose, StoredRobots};
use super::batch::Batch;
use super::{Keeper, Statements};
use crate::StoreError;
use gleaner_model::{HostId, Url};
use rusqlite::Transaction;
use std::collections::BTreeMap;

impl Keeper {
    /// Stores a host's robots.txt as read, and queues the sitemaps it names. `awaits_lists`: its pages wait for them.
    pub fn keep_robots(
        &mut self,
        host: HostId,
        robots: &StoredRobots,
        sitemaps: &[(Url, Enqueue)],
        awaits_lists: bool,
    ) -> Result<Kept, StoreError> {
        let result = self.try_keep_robots(host, robots, sitemaps, awaits_lists);
        if result.is_err() {
            self.forget_rows();
        }
        result
    }

    fn try_keep_robots(
        &mut self,
        host: HostId,
        robots: &StoredRobots,
        sitemaps: &[(Url, Enqueue)],
        awaits_lists: bool,
    ) -> Result<Kept, StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        transaction.execute(
            "UPDATE hosts SET robots_status = ?2, robots_reason = ?3, robots_body = ?4, robots_at = ?5 WHERE id = ?1",
            (host.0, robots.status, &robots.reason, &robots.body, robots.at.0),
        )?;
        let none = Refused::new();
        let mut batch = batch!(self, &transaction, &none);
        for (url, entry) in sitemaps {
            if entry.purpose == Purpose::GuessedSitemap && batch.was_absent(url)? {
                continue;
            }
            let (list, is_queued) = batch.enqueue_outright(url, entry, robots.at)?;
            if awaits_lists {
                batch.wait_for(list, host, is_queued)?;
            }
        }
        let kept = batch.finish()?;
        transaction.commit()?;
        Ok(kept)
    }
}
