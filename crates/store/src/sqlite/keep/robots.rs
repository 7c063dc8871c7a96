//! A host's robots.txt, and the sitemaps that it names.

use crate::StoreError;
use crate::keep::{Enqueue, Kept};
use crate::sqlite::writer::RunWriter;
use crate::work::StoredRobots;
use gleaner_model::{HostId, Url};

impl RunWriter<'_> {
    /// Stores a host's robots.txt as read, and queues the sitemaps it names. `awaits_lists`: its pages wait for them.
    pub(crate) fn keep_robots(
        &mut self,
        host: HostId,
        robots: &StoredRobots,
        sitemaps: &[(Url, Enqueue)],
        awaits_lists: bool,
    ) -> Result<Kept, StoreError> {
        let ((), kept) = self.in_one_go(|batch| {
            batch.transaction.execute(
                "UPDATE hosts SET robots_status = ?2, robots_reason = ?3, robots_body = ?4, robots_at = ?5 WHERE id = ?1",
                (host.0, robots.status, &robots.reason, &robots.body, robots.at.0),
            )?;
            for (url, entry) in sitemaps {
                let last_status = batch.last_status(url)?;
                let Some(purpose) = entry.purpose.of_list(last_status, batch.run) else {
                    continue;
                };
                let entry = Enqueue {
                    purpose,
                    ..entry.clone()
                };
                let (list, is_queued) = batch.enqueue_outright(url, &entry, robots.at)?;
                if awaits_lists {
                    batch.wait_for(list, host, is_queued)?;
                }
            }
            Ok(())
        })?;
        Ok(kept)
    }
}
