//! One transaction's worth of work: finds or makes the rows of URLs and hosts, and queues what is to be asked for.

use super::links::OpenLists;
use super::statements::Statements;
use crate::StoreError;
use crate::keep::{Cut, Enqueue, Kept, Refused};
use crate::sqlite::seen::{Hosts, Known, Seen};
use crate::work::Purpose;
use gleaner_model::{HostId, ProjectId, Reason, ResourceId, RunId, Timestamp, Url, UrlKey};
use rusqlite::{Connection, OptionalExtension, Transaction};
use std::collections::BTreeMap;

pub(super) struct Batch<'a> {
    pub(super) transaction: &'a Transaction<'a>,
    pub(super) sql: Statements<'a>,
    pub(super) seen: &'a mut Seen,
    pub(super) hosts: &'a mut Hosts,
    pub(super) notes_dates: bool,
    pub(super) worker: i64,
    pub(super) run: RunId,
    pub(super) project: ProjectId,
    pub(super) refused: &'a Refused,
    pub(super) kept: Kept,
    /// Of pages that changed something.
    pub(super) wire_bytes: u64,
    /// What its pages left out, added up: many pages leave out the same.
    pub(super) cuts: BTreeMap<(Reason, String), Cut>,
    /// Working memory for the lists of links.
    pub(super) list: Vec<u8>,
    pub(super) open_lists: &'a mut OpenLists,
}

impl Batch<'_> {
    pub(super) fn resource(
        &mut self,
        url: &Url,
        key: UrlKey,
        source: Option<ResourceId>,
        now: Timestamp,
    ) -> Result<Known, StoreError> {
        if let Some(known) = self.seen.get(&key) {
            return Ok(known);
        }
        let find = &mut self.sql.find_resource;
        let found = find.query_row([&key.0], |row| row.get(0)).optional()?;
        let resource = if let Some(id) = found {
            ResourceId(id)
        } else {
            let host = self.host(url)?;
            let source = source.map(|s| s.0);
            let row = (&key.0, host.0, url.as_str(), source, now.0, self.worker);
            ResourceId(self.sql.insert_resource.insert(row)?)
        };
        let known = Known {
            resource,
            is_taken: false,
        };
        self.seen.put(key, known);
        Ok(known)
    }

    pub(super) fn host(&mut self, url: &Url) -> Result<HostId, StoreError> {
        let origin = url.origin();
        if let Some(host) = self.hosts.get(origin) {
            return Ok(host);
        }
        let row = (url.scheme(), url.host(), url.port());
        self.sql.insert_host.execute(row)?;
        let host = HostId(self.sql.find_host.query_row(row, |row| row.get(0))?);
        self.hosts.put(origin, host);
        Ok(host)
    }

    /// A URL that no page led to: a seed, a sitemap that robots.txt names. Gives it back, and whether it is queued now.
    pub(super) fn enqueue_outright(
        &mut self,
        url: &Url,
        entry: &Enqueue,
        now: Timestamp,
    ) -> Result<(ResourceId, bool), StoreError> {
        let key = url.key();
        let known = self.resource(url, key, None, now)?;
        let is_queued = self.enqueue(url, key, known, None, entry, now)?;
        Ok((known.resource, is_queued))
    }

    /// How it answered when it was last asked for.
    pub(super) fn last_status(&mut self, url: &Url) -> Result<Option<u16>, StoreError> {
        let status: Option<Option<u16>> = self
            .transaction
            .prepare_cached("SELECT status FROM resources WHERE key = ?1")?
            .query_row([&url.key().0], |row| row.get(0))
            .optional()?;
        Ok(status.flatten())
    }

    /// Queues it unless this run met it before; whether it did.
    pub(super) fn enqueue(
        &mut self,
        url: &Url,
        key: UrlKey,
        known: Known,
        source: Option<ResourceId>,
        entry: &Enqueue,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        if !entry.legs.is_empty() {
            return self.enqueue_for_steps(url, key, known, entry, now);
        }
        if known.is_taken && !entry.again {
            return Ok(false);
        }
        let taken = Known {
            is_taken: true,
            ..known
        };
        self.seen.put(key, taken);
        if let Some(listed) = &entry.listed
            && let Some(document) = self.as_it_was(known.resource, listed)?
        {
            return self.keep_listed(known.resource, document, entry.depth, now);
        }
        let resource = known.resource.0;
        let is_new = self.sql.take_up.execute((self.run.0, resource, entry.depth))? == 1;
        if !is_new && !entry.again {
            return Ok(false);
        }
        // Listings name what is there: nobody was asked about it.
        if is_new
            && entry.listed.is_none()
            && let Some(&reason) = self.refused.get(&key)
        {
            self.leave_out(known.resource, reason, now)?;
            return Ok(false);
        }
        let host = self.host(url)?;
        self.insert_row(host, known.resource, entry)?;
        if let (Purpose::Sitemap | Purpose::GuessedSitemap | Purpose::FoundSitemap, Some(from)) =
            (entry.purpose, source)
        {
            self.wait_for_next(known.resource, from)?;
        }
        Ok(true)
    }

    /// It was taken up and is not asked for; the visit is there already.
    pub(super) fn leave_out(
        &mut self,
        resource: ResourceId,
        reason: Reason,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let none: Option<&str> = None;
        let row = (self.run.0, resource.0, now.0, None::<u16>, reason.code(), none, 0);
        self.sql.visit.execute(row)?;
        Ok(())
    }

    /// A row of the frontier; the visit is there already.
    pub(super) fn insert_row(
        &mut self,
        host: HostId,
        resource: ResourceId,
        entry: &Enqueue,
    ) -> Result<(), StoreError> {
        let chain = if entry.chain.is_empty() {
            None
        } else {
            serde_json::to_string(&entry.chain).ok()
        };
        let added = self.sql.insert_frontier.execute((
            self.run.0,
            host.0,
            entry.priority,
            resource.0,
            entry.depth,
            entry.purpose.column(),
            entry.hops,
            chain,
            entry.listed.as_ref().and_then(|listed| listed.stamp.as_deref()),
            entry.score,
        ))?;
        self.count_queued(host, added);
        Ok(())
    }

    /// A row that was there already is not one more.
    pub(super) fn count_queued(&mut self, host: HostId, added: usize) {
        if added > 0 {
            *self.kept.queued.entry(host).or_default() += added as u64;
        }
    }

    pub(super) fn note_cuts(&mut self, cuts: &[Cut]) {
        for cut in cuts {
            self.cuts
                .entry((cut.reason, cut.shape.clone()))
                .and_modify(|sum| sum.count += cut.count)
                .or_insert_with(|| cut.clone());
        }
    }

    /// Writes what was gathered and gives what the scheduler wants to know.
    pub(super) fn finish(self) -> Result<Kept, StoreError> {
        for cut in self.cuts.values() {
            add_cut(self.transaction, self.run, cut)?;
        }
        Ok(self.kept)
    }
}

/// For what comes as a sum.
pub(super) fn set_cut(db: &Connection, run: RunId, cut: &Cut) -> Result<(), StoreError> {
    let sql = "INSERT INTO cuts(run, reason, shape, count, example) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET count = excluded.count";
    write_cut(db, sql, run, cut)
}

/// For what comes bit by bit.
pub(super) fn add_cut(db: &Connection, run: RunId, cut: &Cut) -> Result<(), StoreError> {
    let sql = "INSERT INTO cuts(run, reason, shape, count, example) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET count = count + excluded.count";
    write_cut(db, sql, run, cut)
}

fn write_cut(db: &Connection, sql: &str, run: RunId, cut: &Cut) -> Result<(), StoreError> {
    db.prepare_cached(sql)?.execute((
        run.0,
        cut.reason.code(),
        &cut.shape,
        cut.count as i64,
        &cut.example,
    ))?;
    Ok(())
}
