//! What sites' own lists (sitemaps, Atom feeds) say of pages that we have, and whether they are to be believed (B2).
//!
//! In a track the dates of the lists are noted as they are read. Where a host's lists are believed its pages wait until all
//! of them are, because two may name one page; then whoever runs decides which did not change since the server itself last
//! answered for them, and `settle_unasked` takes their rows away. A page that no list names is asked for as ever. What the lists
//! said is weighed when the run is over (`weigh.rs`).

use super::batch::Batch;
use crate::StoreError;
use crate::settling::DatedDocument;
use crate::sqlite::writer::RunWriter;
use gleaner_model::{DocumentId, HostId, Modified, Reason, ResourceId, RunId, State, Timestamp};
use rusqlite::OptionalExtension;

/// Rows worked on in one transaction.
const PIECE: usize = 4000;

/// One date of a list, as it is stored.
pub(super) fn push_date(dates: &mut Vec<u8>, resource: ResourceId, modified: Modified) {
    for number in [resource.0, modified.at.0, modified.until.0] {
        dates.extend_from_slice(&number.to_le_bytes());
    }
}

/// The dates of a stored list.
pub(super) fn dates_in(stored: &[u8]) -> impl Iterator<Item = (i64, Modified)> + '_ {
    let (numbers, _) = stored.as_chunks::<8>();
    let (dates, _) = numbers.as_chunks::<3>();
    dates.iter().map(|date| {
        let [resource, at, until] = date.map(i64::from_le_bytes);
        let modified = Modified {
            at: Timestamp(at),
            until: Timestamp(until),
        };
        (resource, modified)
    })
}

impl Batch<'_> {
    pub(super) fn note_dates(&mut self, list: ResourceId, dates: &[u8]) -> Result<(), StoreError> {
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO list_dates(run, list, dates) VALUES (?1, ?2, ?3)
             ON CONFLICT DO UPDATE SET dates = excluded.dates",
        )?;
        statement.execute((self.run.0, list.0, dates))?;
        Ok(())
    }

    /// The pages of `host` wait for this list. Only one that was queued as a list is waited for: a page of that address waits
    /// itself.
    pub(super) fn wait_for(
        &mut self,
        list: ResourceId,
        host: HostId,
        is_queued: bool,
    ) -> Result<(), StoreError> {
        let mut statement = self.transaction.prepare_cached(
            "INSERT INTO list_waits(run, list, host) SELECT ?1, ?2, ?3
             WHERE ?4 OR EXISTS (SELECT 1 FROM list_waits WHERE run = ?1 AND list = ?2) ON CONFLICT DO NOTHING",
        )?;
        statement.execute((self.run.0, list.0, host.0, is_queued))?;
        Ok(())
    }

    /// Who waits for an index or a redirect waits for what it leads to.
    pub(super) fn wait_for_next(&mut self, list: ResourceId, from: ResourceId) -> Result<(), StoreError> {
        if self.notes_dates {
            let mut statement = self.transaction.prepare_cached(
                "INSERT INTO list_waits(run, list, host)
                 SELECT run, ?3, host FROM list_waits WHERE run = ?1 AND list = ?2 ON CONFLICT DO NOTHING",
            )?;
            statement.execute((self.run.0, from.0, list.0))?;
        }
        Ok(())
    }

    /// Nobody waits for a second try.
    pub(super) fn wait_no_more(&mut self, list: ResourceId) -> Result<(), StoreError> {
        if self.notes_dates {
            let mut statement = self
                .transaction
                .prepare_cached("DELETE FROM list_waits WHERE run = ?1 AND list = ?2")?;
            statement.execute((self.run.0, list.0))?;
        }
        Ok(())
    }
}

impl RunWriter<'_> {
    /// From now on the dates of lists are noted: a track that may believe them, or learn to.
    pub(crate) fn note_dates(&mut self) {
        *self.notes_dates = true;
    }

    /// A list that the pages of `host` wait for and that is not read yet.
    pub(crate) fn open_list(&self, host: HostId) -> Result<Option<ResourceId>, StoreError> {
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT w.list FROM list_waits w JOIN visits v ON v.run = w.run AND v.resource = w.list
             WHERE w.run = ?1 AND w.host = ?2 AND v.at IS NULL ORDER BY w.list LIMIT 1",
        )?;
        let open = statement.query_row((self.run.0, host.0), |row| row.get(0).map(ResourceId));
        Ok(open.optional()?)
    }

    /// How many runs the project has had, this one included. Runs of other projects do not count: with every second number half
    /// of the pages would never be in a sample.
    pub(crate) fn round(&self) -> Result<i64, StoreError> {
        Ok(self.catalog.db.query_row(
            "SELECT count(*) FROM runs WHERE project = ?1 AND id <= ?2",
            (self.project.0, self.run.0),
            |row| row.get(0),
        )?)
    }

    /// Documents of the host that wait in the frontier and that its lists date, behind this one; none at the end. Those whose
    /// last answer was a failure are left out, and those whose bytes were lost: a list cannot tell that they are there.
    pub(crate) fn dated_documents(
        &self,
        host: HostId,
        after: Option<&DatedDocument>,
    ) -> Result<Vec<DatedDocument>, StoreError> {
        // The next piece of one host may be asked for when another's dates were looked at in between.
        let of = Some((self.run, host));
        if after.is_none() || self.catalog.dated.get() != of {
            self.catalog.dated.set(None);
            self.spread_dates(host)?;
            self.catalog.dated.set(of);
        }
        let last = after.map_or((i64::MIN, 0), |after| (after.priority, after.resource));
        self.dated_after(host, self.run_before()?, last)
    }

    /// Ends documents that are as they were, by their site's word; gives back how many. Harmless to repeat.
    pub(crate) fn settle_unasked(
        &mut self,
        host: HostId,
        documents: &[DatedDocument],
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let (settled, _) = self.in_one_go(|batch| {
            let mut settled = 0;
            for document in documents {
                settled += batch.settle_unasked(host, document, now)?;
            }
            Ok(settled)
        })?;
        Ok(settled)
    }

    /// Makes rows of the dates that the lists of one host gave, the latest for each page. A list at a time is in memory.
    fn spread_dates(&self, host: HostId) -> Result<(), StoreError> {
        let db = &self.catalog.db;
        db.execute_batch(
            "CREATE TEMP TABLE IF NOT EXISTS dated(resource INTEGER PRIMARY KEY, at INTEGER NOT NULL, until INTEGER NOT NULL);
             DELETE FROM temp.dated",
        )?;
        let transaction = db.unchecked_transaction()?;
        {
            let mut lists = transaction.prepare_cached(
                "SELECT t.dates FROM list_waits w JOIN list_dates t ON t.run = w.run AND t.list = w.list
                 WHERE w.run = ?1 AND w.host = ?2",
            )?;
            let mut spread = transaction.prepare_cached(
                "INSERT INTO temp.dated(resource, at, until) VALUES (?1, ?2, ?3)
                 ON CONFLICT DO UPDATE SET at = max(at, excluded.at), until = max(until, excluded.until)",
            )?;
            let mut rows = lists.query((self.run.0, host.0))?;
            while let Some(row) = rows.next()? {
                for (resource, modified) in dates_in(row.get_ref(0)?.as_blob().unwrap_or_default()) {
                    spread.execute((resource, modified.at.0, modified.until.0))?;
                }
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// The run of this project before the one at hand; 0 if there is none.
    pub(super) fn run_before(&self) -> Result<RunId, StoreError> {
        let sql = "SELECT coalesce(max(id), 0) FROM runs WHERE project = ?1 AND id < ?2";
        let row = (self.project.0, self.run.0);
        Ok(self.catalog.db.query_row(sql, row, |row| row.get(0).map(RunId))?)
    }

    fn dated_after(
        &self,
        host: HostId,
        before: RunId,
        last: (i64, i64),
    ) -> Result<Vec<DatedDocument>, StoreError> {
        let mut statement = self.catalog.db.prepare_cached(
            "SELECT f.priority, f.resource, d.id, r.url, t.at, t.until,
                    max(coalesce(d.looked_at, 0), v.fetched_at,
                        CASE WHEN c.state = 'SAM' AND (p.status < 300 OR p.status = 304) THEN p.at ELSE 0 END)
             FROM frontier f
             CROSS JOIN temp.dated t ON t.resource = f.resource
             CROSS JOIN documents d ON d.resource = f.resource AND d.project = ?3 AND d.gone_run IS NULL
             CROSS JOIN versions v ON v.id = d.version
             CROSS JOIN bodies b ON b.id = v.body
             CROSS JOIN resources r ON r.id = f.resource
             LEFT JOIN changes c ON c.run = ?7 AND c.resource = f.resource
             LEFT JOIN visits p ON p.run = ?7 AND p.resource = f.resource
             WHERE f.run = ?1 AND f.host = ?2 AND (f.priority, f.resource) > (?4, ?5)
               AND f.purpose IS NULL AND f.tries = 0 AND NOT b.is_lost AND c.state IS NOT 'ERR'
             ORDER BY f.priority, f.resource LIMIT ?6",
        )?;
        let project = self.project.0;
        let from = (
            self.run.0,
            host.0,
            project,
            last.0,
            last.1,
            PIECE as i64,
            before.0,
        );
        let rows = statement.query_map(from, |row| {
            Ok(DatedDocument {
                priority: row.get(0)?,
                resource: row.get(1)?,
                document: DocumentId(row.get(2)?),
                url: row.get(3)?,
                modified: Modified {
                    at: Timestamp(row.get(4)?),
                    until: Timestamp(row.get(5)?),
                },
                looked: Timestamp(row.get(6)?),
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Batch<'_> {
    /// The page is as it was, by its site's word: its row goes with that. Gives back how many did.
    fn settle_unasked(
        &mut self,
        host: HostId,
        row: &DatedDocument,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let place = (self.run.0, host.0, row.priority, row.resource);
        if self.sql.delete_frontier.execute(place)? == 0 {
            return Ok(0);
        }
        let reason = Reason::NotAsked.code();
        let nothing: Option<&str> = None;
        let visit = (self.run.0, row.resource, now.0, None::<u16>, reason, nothing, 0);
        self.sql.visit.execute(visit)?;
        self.sql.insert_change.execute((
            self.run.0,
            row.resource,
            Some(row.document.0),
            None::<i64>,
            State::Sam.as_str(),
            Some(reason),
            nothing,
        ))?;
        // This visit was no look: the next run has to know when the last one was.
        let mut look = self
            .transaction
            .prepare_cached("UPDATE documents SET looked_at = ?2 WHERE id = ?1 AND looked_at IS NOT ?2")?;
        look.execute((row.document.0, row.looked.0))?;
        Ok(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_dates_are_read_as_they_were_written() {
        let date = |text: &str| Modified::parse(text).expect("a date");
        let written = [(7, date("2024")), (i64::MAX, date("2024-05-01T10:00:00Z"))];
        let mut stored = Vec::new();
        for (resource, modified) in written {
            push_date(&mut stored, ResourceId(resource), modified);
        }
        assert_eq!(dates_in(&stored).collect::<Vec<_>>(), written);
        assert_eq!(dates_in(&stored[..40]).count(), 1, "what was cut off is nothing");
    }
}
