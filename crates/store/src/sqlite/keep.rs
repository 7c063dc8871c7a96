//! The order of durability: bytes safe, then one transaction, then done.
//!
//! A batch of finished pages is kept whole or not at all. When this returns `Ok`, everything is on the disk; when it
//! returns `Err`, nothing happened and the same batch may be given again (a full disk is waited out this way).

use crate::keep::{Cut, Enqueue, Keep, Kept, Refused};
use crate::work::Purpose;
use crate::folder::recover::Recovered;
use crate::folder::writer::Writer;
use crate::warc::{Digest, FirstSeen, Packer};
use crate::sqlite::runs::run_fields;
use crate::sqlite::seen::{Hosts, Seen};
use crate::sqlite::compact::put_right;
use crate::{Catalog, DataFolder, StoreError};
use batch::{Batch, add_cut, set_cut};
use bodies::{BodyOf, Placed, stored_body, url_of};
use gleaner_model::{HostId, ProjectId, Reason, ResourceId, RunId, State, Timestamp, Url, defaults};
use links::OpenLists;
use meet::in_order;
use rusqlite::Transaction;
use statements::Statements;
use tracing::{trace, warn};

use std::collections::{BTreeMap, HashMap};

mod batch;
mod before;
mod bodies;
mod legs;
mod links;
mod listed;
mod orphans;
mod page;
mod rules;
mod statements;
#[cfg(test)]
mod tests;




/// Catalog and archive together, on one thread.
pub struct Keeper {
    pub catalog: Catalog,
    writer: Writer,
    packer: Packer,
    seen: Seen,
    hosts: Hosts,
    open_lists: OpenLists,
    worker: i64,
    run: RunId,
    project: ProjectId,
    commit: u64,
    /// What lists say of pages is noted.
    notes_dates: bool,
    /// The last commit failed in a way that does not tell whether it happened.
    is_in_doubt: bool,
    folder: DataFolder,
    pub recovered: Recovered,
}

/// What a transaction of the keeper works with. A macro, because the transaction borrows one field and this the others.
macro_rules! batch {
    ($keeper:ident, $transaction:expr, $refused:expr) => {{
        let transaction: &Transaction<'_> = $transaction;
        Batch {
            transaction,
            sql: Statements::prepare(transaction)?,
            seen: &mut $keeper.seen,
            hosts: &mut $keeper.hosts,
            notes_dates: $keeper.notes_dates,
            worker: $keeper.worker,
            run: $keeper.run,
            project: $keeper.project,
            refused: $refused,
            kept: $crate::keep::Kept::default(),
            cuts: BTreeMap::new(),
            list: Vec::new(),
            open_lists: &mut $keeper.open_lists,
        }
    }};
}

mod adopt;
mod hosts;
mod lists;
mod meet;
mod robots;
mod settle;
mod track;
mod weigh;
pub use adopt::{Earlier, Lying, own_archives};

impl Keeper {
    /// Opens the store, putting right what a kill left half-done. An archive whose catalog is not there is left alone: a new
    /// one would know nothing of it.
    pub fn open(folder: DataFolder, worker_name: &str, software: &str) -> Result<Keeper, StoreError> {
        if !folder.catalog().exists() && !adopt::own_archives(folder.root()).is_empty() {
            return Err(StoreError::CatalogGone {
                folder: folder.root().to_owned(),
            });
        }
        let catalog = Catalog::open(&folder.catalog())?;
        let commit = catalog.last_commit()?;
        let recovered = put_right(&catalog, &folder.archive())?;
        if recovered.bytes_cut > 0 || recovered.files_removed > 0 {
            warn!(
                bytes = recovered.bytes_cut,
                files = recovered.files_removed,
                "what a kill left behind was removed"
            );
        }
        let unsealed = catalog.unsealed_archives()?.pop();
        if let Some(file) = &unsealed {
            let path = folder.archive().join(&file.name);
            let found = std::fs::metadata(&path).map_or(0, |meta| meta.len());
            if found < file.committed_bytes {
                return Err(StoreError::ArchiveShort {
                    path,
                    expected: file.committed_bytes,
                    found,
                });
            }
        }
        let next_id = catalog
            .db
            .query_row("SELECT coalesce(max(id), 0) + 1 FROM archives", [], |row| {
                row.get::<_, i64>(0)
            })?;
        let writer = Writer::new(
            &folder.archive(),
            software,
            defaults::ARCHIVE_FILE_BYTES_MAX,
            unsealed,
            next_id,
        )?;
        let worker = catalog.worker(worker_name)?;
        Ok(Keeper {
            catalog,
            writer,
            packer: Packer::default(),
            seen: Seen::default(),
            hosts: Hosts::default(),
            open_lists: OpenLists::default(),
            notes_dates: false,
            worker,
            run: RunId(0),
            project: ProjectId(0),
            commit,
            is_in_doubt: false,
            folder,
            recovered,
        })
    }

    pub fn run(&self) -> RunId {
        self.run
    }

    pub fn folder(&self) -> &DataFolder {
        &self.folder
    }

    /// Everything kept from now on belongs to this run.
    pub fn work_on(&mut self, project: ProjectId, run: RunId) {
        self.project = project;
        self.run = run;
        self.seen.forget_all();
        self.open_lists = OpenLists::default();
        self.notes_dates = false;
    }

    /// Puts the seeds into the frontier; harmless to repeat.
    pub fn enqueue_seeds(&mut self, seeds: &[Url], now: Timestamp) -> Result<Kept, StoreError> {
        let seeds: Vec<(Url, Enqueue)> = seeds
            .iter()
            .map(|seed| (seed.clone(), Enqueue::page(0, 0)))
            .collect();
        self.enqueue_starts(&seeds, now)
    }

    /// Puts where steps begin into the frontier; harmless to repeat.
    pub fn enqueue_starts(&mut self, starts: &[(Url, Enqueue)], now: Timestamp) -> Result<Kept, StoreError> {
        let result = self.try_enqueue_starts(starts, now);
        if result.is_err() {
            self.forget_rows();
        }
        result
    }

    fn try_enqueue_starts(&mut self, starts: &[(Url, Enqueue)], now: Timestamp) -> Result<Kept, StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        let none = Refused::new();
        let mut batch = batch!(self, &transaction, &none);
        for (url, entry) in starts {
            batch.enqueue_outright(url, entry, now)?;
        }
        let kept = batch.finish()?;
        transaction.commit()?;
        Ok(kept)
    }

    /// Keeps a batch whole, without asking for what is refused. On an error nothing happened.
    pub fn keep(
        &mut self,
        batch: &mut [Keep],
        active_ms: u64,
        cookies: Option<&[u8]>,
        refused: &Refused,
    ) -> Result<Kept, StoreError> {
        let result = self.try_keep(batch, active_ms, cookies, refused);
        self.open_lists.settle(result.is_ok());
        if let Err(error) = &result {
            warn!(%error, pages = batch.len(), "the batch was not kept");
            self.forget_rows();
            if !self.is_in_doubt {
                self.writer.step_back()?;
            }
        }
        result
    }

    /// A rolled-back transaction took rows with it that the caches still name.
    fn forget_rows(&mut self) {
        self.seen.forget_all();
        self.hosts.forget_all();
    }

    fn try_keep(
        &mut self,
        batch: &mut [Keep],
        active_ms: u64,
        cookies: Option<&[u8]>,
        refused: &Refused,
    ) -> Result<Kept, StoreError> {
        in_order(batch);
        let commit = self.commit + 1;
        // Begun here, because a look at a stored body outside of it would take locks of its own, page by page. It
        // writes nothing before the bytes are safe.
        let transaction = self.catalog.db.unchecked_transaction()?;

        // 1. The bytes. A payload that is stored already becomes a revisit record.
        let mut placed: Vec<Option<Placed>> = Vec::with_capacity(batch.len());
        if batch.iter().any(|keep| keep.packed.is_some()) {
            if !self.writer.is_in_place() {
                return Err(StoreError::FolderGone {
                    folder: self.folder.root().to_owned(),
                });
            }
            let at = batch.iter().map(|keep| keep.at).max().unwrap_or_default();
            self.writer.rotate(at, commit, &mut self.packer)?;
            if !self.writer.tells_of(self.run) {
                let fields = run_fields(&transaction, self.run)?;
                self.writer.tell_of(self.run, commit, &fields, &mut self.packer);
            }
        }
        let mut in_batch: HashMap<Digest, (Timestamp, ResourceId, usize)> = HashMap::new();
        for index in 0..batch.len() {
            let (before, rest) = batch.split_at_mut(index);
            let keep = &mut rest[0];
            let Some(packed) = &mut keep.packed else {
                placed.push(None);
                continue;
            };
            let digest = packed.payload_digest;
            let stored = stored_body(&self.catalog.db, &digest)?;
            let first = match (&stored, in_batch.get(&digest)) {
                (Some(body), _) => Some(FirstSeen {
                    url: url_of(&self.catalog.db, body.resource)?,
                    at: body.stored_at,
                }),
                (None, Some((at, resource, _))) => Some(FirstSeen {
                    url: url_of(&self.catalog.db, *resource)?,
                    at: *at,
                }),
                (None, None) => None,
            };
            let (archive, offset) = self.writer.position();
            let path = self.folder.archive();
            let appended = packed
                .append(&mut self.writer.sink(), commit, first.as_ref(), &mut self.packer)
                .map_err(|e| StoreError::writing(&path, e))?;
            self.writer.advance(appended.total_bytes);
            let body = match (stored, in_batch.get(&digest)) {
                (Some(body), _) => BodyOf::Stored(body.id),
                (None, Some((_, _, index))) => BodyOf::SameAs(*index),
                (None, None) => BodyOf::New,
            };
            if matches!(body, BodyOf::New) {
                in_batch.insert(digest, (keep.at, keep.resource, before.len()));
            }
            placed.push(Some(Placed {
                archive,
                offset,
                digest,
                size: packed.payload_bytes,
                body,
            }));
        }
        let archive_row = self.writer.sync()?;
        trace!(commit, "the bytes are safe");

        // 2. One transaction.
        let kept;
        {
            if self.writer.is_new() {
                transaction.execute("UPDATE archives SET is_sealed = 1 WHERE NOT is_sealed", [])?;
            }
            if let Some(row) = &archive_row {
                transaction
                    .prepare_cached(
                        "INSERT INTO archives(id, name, bytes) VALUES (?1, ?2, ?3)
                     ON CONFLICT(id) DO UPDATE SET bytes = excluded.bytes",
                    )?
                    .execute((row.id, &row.name, row.committed_bytes as i64))?;
                transaction
                    .prepare_cached("UPDATE commits SET last = ?1")?
                    .execute([commit as i64])?;
            }
            let mut rows = batch!(self, &transaction, refused);
            let mut bodies: Vec<Option<i64>> = Vec::with_capacity(batch.len());
            let mut wire_bytes = 0u64;
            for (keep, placed) in batch.iter().zip(&placed) {
                let body = match placed {
                    None => None,
                    Some(placed) => Some(match placed.body {
                        BodyOf::Stored(id) => id,
                        BodyOf::SameAs(index) => {
                            bodies[index].expect("the earlier page of the batch has its body")
                        }
                        BodyOf::New => rows.new_body(keep, placed)?,
                    }),
                };
                bodies.push(body);
                if placed
                    .as_ref()
                    .is_some_and(|placed| !matches!(placed.body, BodyOf::New))
                {
                    rows.kept.copies.insert(keep.resource);
                }
                wire_bytes += keep.wire_bytes;
                rows.keep(keep, placed.as_ref(), body)?;
            }
            kept = rows.finish()?;
            transaction.prepare_cached(
                "UPDATE runs SET active_ms = ?2, wire_bytes = wire_bytes + ?3, cookies = coalesce(?4, cookies)
                 WHERE id = ?1",
            )?
            .execute((self.run.0, active_ms as i64, wire_bytes as i64, cookies))?;
        }
        if let Err(error) = transaction.commit().map_err(StoreError::from) {
            // No room means not written. After any other failure the commit may yet turn up in the log at the next
            // start, so its bytes must stay; if it does not, they are cut off then.
            self.is_in_doubt = !error.is_disk_full();
            return Err(error);
        }

        // 3. Done.
        if archive_row.is_some() {
            self.commit = commit;
            self.writer.committed();
        }
        self.catalog.checkpoint_if_due()?;
        Ok(kept)
    }

    /// Ends what is still queued for `host` (or for all, if `None`) with one reason: the run could not ask.
    pub fn give_up(
        &mut self,
        host: Option<HostId>,
        reason: Reason,
        detail: Option<&str>,
        state: Option<State>,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        let host = host.map(|h| h.0);
        // A document that was not asked for is ERR in any case; other URLs only where that was for want of an answer.
        transaction.execute(
            "INSERT INTO changes(run, resource, document, state, reason, detail)
             SELECT f.run, f.resource, d.id, coalesce(?3, 'ERR'), ?4, ?6
             FROM frontier f LEFT JOIN documents d
                 ON d.resource = f.resource AND d.project = ?5 AND d.gone_run IS NULL
             WHERE f.run = ?1 AND (?2 IS NULL OR f.host = ?2) AND f.purpose IS NULL
               AND (?3 IS NOT NULL OR d.id IS NOT NULL)
             ON CONFLICT DO NOTHING",
            (
                self.run.0,
                host,
                state.map(State::as_str),
                reason.code(),
                self.project.0,
                detail,
            ),
        )?;
        transaction.execute(
            "UPDATE visits SET at = ?3, reason = ?4, detail = ?5 WHERE run = ?1 AND at IS NULL AND resource IN
                 (SELECT resource FROM frontier WHERE run = ?1 AND (?2 IS NULL OR host = ?2))",
            (self.run.0, host, now.0, reason.code(), detail),
        )?;
        // Nobody promised what is a guess, so nobody misses it.
        let guesses: i64 = transaction.query_row(
            "SELECT count(*) FROM frontier WHERE run = ?1 AND (?2 IS NULL OR host = ?2) AND purpose IN (?3, ?4)",
            (
                self.run.0,
                host,
                Purpose::Guess.column(),
                Purpose::GuessedSitemap.column(),
            ),
            |row| row.get(0),
        )?;
        let count = transaction.execute(
            "DELETE FROM frontier WHERE run = ?1 AND (?2 IS NULL OR host = ?2)",
            (self.run.0, host),
        )?;
        transaction.commit()?;
        Ok((count as u64).saturating_sub(guesses as u64))
    }

    /// What the trap rules know, and all they cut in this run so far.
    pub fn keep_traps(&mut self, saved: &[u8], cuts: &[Cut]) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        transaction.execute(
            "INSERT INTO trap_memories(run, memory) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET memory = excluded.memory",
            (self.run.0, saved),
        )?;
        for cut in cuts {
            set_cut(&transaction, self.run, cut)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// What was learned about the noise of sites.
    pub fn keep_noises(&mut self, noises: &[(String, String)]) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        for (site, memory) in noises {
            transaction
                .prepare_cached(
                    "INSERT INTO noises(project, site, memory) VALUES (?1, ?2, ?3)
                     ON CONFLICT DO UPDATE SET memory = excluded.memory",
                )?
                .execute((self.project.0, site, memory))?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Adds lines to what the report says was left out.
    pub fn keep_cuts(&mut self, cuts: &[Cut]) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        for cut in cuts {
            add_cut(&transaction, self.run, cut)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// A finished run leaves one tidy file.
    pub fn tidy(&self) -> Result<(), StoreError> {
        self.catalog.tidy()
    }
}
