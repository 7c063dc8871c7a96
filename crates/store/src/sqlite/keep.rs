//! The order of durability: bytes safe, then one transaction, then done.
//!
//! Batches of finished pages are kept whole or not at all, those of several runs together. When this returns `Ok`, everything
//! is on the disk; when it returns `Err`, nothing happened and the same batches may be given again.

use super::catalog::Catalog;
use super::runs::run_fields;
use super::writer::{OfRun, RunWriter, Writer};
use crate::folder::writer::{ArchiveFile, ArchiveWriter};
use crate::keep::{Cut, Enqueue, Keep, KeepWith, Kept, Refused};
use crate::runs::RunRef;
use crate::warc::{Digest, FirstSeen, Packer};
use crate::{DataFolder, StoreError};
use batch::{Batch, add_cut, set_cut};
use bodies::{BodyOf, Placed, stored_body, url_of};
use gleaner_model::{ProjectId, ResourceId, RunId, Timestamp, Url};
use meet::in_order;
use rusqlite::Transaction;
use statements::Statements;
use std::collections::{BTreeMap, HashMap};
use tracing::{trace, warn};

pub(super) mod adopt;
mod batch;
mod before;
mod bodies;
mod give_up;
mod hosts;
mod legs;
pub(super) mod links;
mod listed;
mod lists;
mod meet;
mod orphans;
mod page;
mod robots;
mod rules;
mod settle;
mod statements;
#[cfg(test)]
mod tests;
mod track;
mod weigh;

/// Pages of one run that are kept together.
pub(crate) struct RunBatch {
    pub(crate) of: RunRef,
    pub(crate) pages: Vec<Keep>,
    pub(crate) with: KeepWith,
}

impl RunWriter<'_> {
    /// A transaction's worth of work for this run.
    fn batch<'a>(
        &'a mut self,
        transaction: &'a Transaction<'a>,
        refused: &'a Refused,
    ) -> Result<Batch<'a>, StoreError> {
        Ok(Batch {
            transaction,
            sql: Statements::prepare(transaction)?,
            seen: &mut *self.seen,
            hosts: &mut *self.hosts,
            open_lists: &mut *self.open_lists,
            notes_dates: *self.notes_dates,
            worker: self.worker,
            run: self.run,
            project: self.project,
            refused,
            kept: Kept::default(),
            wire_bytes: 0,
            cuts: BTreeMap::new(),
            list: Vec::new(),
        })
    }

    /// Works in one transaction; nothing happened where it fails.
    fn in_one_go<T>(
        &mut self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError>,
    ) -> Result<(T, Kept), StoreError> {
        let result = self.try_in_one_go(work);
        if result.is_err() {
            self.forget_rows();
        }
        result
    }

    fn try_in_one_go<T>(
        &mut self,
        work: impl FnOnce(&mut Batch<'_>) -> Result<T, StoreError>,
    ) -> Result<(T, Kept), StoreError> {
        let catalog = self.catalog;
        let transaction = catalog.db.unchecked_transaction()?;
        let none = Refused::new();
        let mut batch = self.batch(&transaction, &none)?;
        let done = work(&mut batch)?;
        let kept = batch.finish()?;
        transaction.commit()?;
        for host in kept.queued.keys() {
            self.leases.has_rows(*host);
        }
        Ok((done, kept))
    }

    /// Puts where a run begins into the frontier; harmless to repeat.
    pub(crate) fn enqueue_starts(
        &mut self,
        starts: &[(Url, Enqueue)],
        now: Timestamp,
    ) -> Result<Kept, StoreError> {
        let ((), kept) = self.in_one_go(|batch| {
            for (url, entry) in starts {
                batch.enqueue_outright(url, entry, now)?;
            }
            Ok(())
        })?;
        Ok(kept)
    }

    /// Adds lines to what the report says was left out.
    pub(crate) fn keep_cuts(&mut self, cuts: &[Cut]) -> Result<(), StoreError> {
        let transaction = self.catalog.db.unchecked_transaction()?;
        for cut in cuts {
            add_cut(&transaction, self.run, cut)?;
        }
        transaction.commit()?;
        Ok(())
    }
}

impl Writer {
    /// Keeps batches whole, without asking for what is refused, but for pages whose lease is lost. On an error nothing happened.
    pub(crate) fn keep(&mut self, batches: &mut [RunBatch]) -> Result<Vec<Kept>, StoreError> {
        let take_late = |batch: &mut RunBatch| {
            let run = self.runs.entry(batch.of).or_default();
            run.leases.take_late(&mut batch.pages)
        };
        let late: Vec<Vec<Keep>> = batches.iter_mut().map(take_late).collect();
        let mut result = self.try_keep(batches);
        for (at, (batch, late)) in batches.iter_mut().zip(late).enumerate() {
            if let Some(run) = self.runs.get_mut(&batch.of) {
                run.open_lists.settle(result.is_ok());
            }
            if let Ok(kept) = &mut result {
                kept[at].lost = late.iter().map(Keep::fenced_host).collect();
            }
            batch.pages.extend(late);
        }
        if let Err(error) = &result {
            let pages: usize = batches.iter().map(|batch| batch.pages.len()).sum();
            warn!(%error, pages, "the batch was not kept");
            self.forget_rows();
            if !self.is_in_doubt {
                self.archive.step_back()?;
            }
        }
        result
    }

    fn try_keep(&mut self, batches: &mut [RunBatch]) -> Result<Vec<Kept>, StoreError> {
        for batch in batches.iter_mut() {
            in_order(&mut batch.pages);
        }
        let commit = self.commit + 1;
        let Writer {
            catalog,
            archive,
            packer,
            hosts,
            runs,
            worker,
            folder,
            ..
        } = self;
        // Begun here, because a look at a stored body outside of it would take locks of its own, page by page. It
        // writes nothing before the bytes are safe.
        let transaction = catalog.db.unchecked_transaction()?;

        // 1. The bytes.
        let mut bytes = Bytes {
            transaction: &transaction,
            archive,
            packer,
            folder,
            commit,
        };
        let places = bytes.append(batches)?;
        let archive_row = archive.sync()?;
        trace!(commit, "the bytes are safe");

        // 2. One transaction.
        note_archive(&transaction, archive, archive_row.as_ref(), commit)?;
        let mut kept = Vec::with_capacity(batches.len());
        let mut bodies: Vec<Option<i64>> = Vec::with_capacity(places.len());
        let mut placed = places.iter();
        for batch in batches.iter() {
            let OfRun {
                seen,
                open_lists,
                notes_dates,
                ..
            } = runs.get_mut(&batch.of).expect("its pages were looked at before");
            let mut rows = Batch {
                transaction: &transaction,
                sql: Statements::prepare(&transaction)?,
                seen,
                hosts,
                open_lists,
                notes_dates: *notes_dates,
                worker: *worker,
                run: batch.of.run,
                project: batch.of.project,
                refused: &batch.with.refused,
                kept: Kept::default(),
                wire_bytes: 0,
                cuts: BTreeMap::new(),
                list: Vec::new(),
            };
            for (keep, placed) in batch.pages.iter().zip(placed.by_ref()) {
                bodies.push(rows.keep_with_body(keep, placed.as_ref(), &bodies)?);
            }
            let wire_bytes = rows.wire_bytes;
            kept.push(rows.finish()?);
            transaction
                .prepare_cached(
                    "UPDATE runs SET active_ms = max(active_ms, ?2), wire_bytes = wire_bytes + ?3, cookies = coalesce(?4, cookies)
                     WHERE id = ?1",
                )?
                .execute((
                    batch.of.run.0,
                    batch.with.active_ms as i64,
                    wire_bytes as i64,
                    batch.with.cookies.as_deref(),
                ))?;
        }
        if let Err(error) = transaction.commit().map_err(StoreError::from) {
            // No room means not written. After any other failure the commit may yet turn up in the log at the next
            // start, so its bytes must stay; if it does not, they are cut off then.
            self.is_in_doubt = !error.is_disk_full();
            return Err(error);
        }

        // 3. Done.
        for (batch, kept) in batches.iter().zip(&kept) {
            if let Some(run) = runs.get_mut(&batch.of) {
                kept.queued.keys().for_each(|host| run.leases.has_rows(*host));
            }
        }
        if archive_row.is_some() {
            self.commit = commit;
            self.archive.committed();
        }
        self.catalog.checkpoint_if_due()?;
        Ok(kept)
    }
}

impl Catalog {
    /// What the trap rules know, and all they cut in this run so far.
    pub(crate) fn keep_traps(&self, run: RunId, saved: &[u8], cuts: &[Cut]) -> Result<(), StoreError> {
        let transaction = self.db.unchecked_transaction()?;
        transaction.execute(
            "INSERT INTO trap_memories(run, memory) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET memory = excluded.memory",
            (run.0, saved),
        )?;
        for cut in cuts {
            set_cut(&transaction, run, cut)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// What was learned about the noise of sites.
    pub(crate) fn keep_noises(
        &self,
        project: ProjectId,
        noises: &[(String, String)],
    ) -> Result<(), StoreError> {
        let transaction = self.db.unchecked_transaction()?;
        for (site, memory) in noises {
            transaction
                .prepare_cached(
                    "INSERT INTO noises(project, site, memory) VALUES (?1, ?2, ?3)
                     ON CONFLICT DO UPDATE SET memory = excluded.memory",
                )?
                .execute((project.0, site, memory))?;
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Appends the records of a commit.
struct Bytes<'a> {
    transaction: &'a Transaction<'a>,
    archive: &'a mut ArchiveWriter,
    packer: &'a mut Packer,
    folder: &'a DataFolder,
    commit: u64,
}

impl Bytes<'_> {
    /// Where the records of each page lie now, none where there were none. A payload that is stored already becomes a revisit
    /// record.
    fn append(&mut self, batches: &mut [RunBatch]) -> Result<Vec<Option<Placed>>, StoreError> {
        let all = || batches.iter().flat_map(|batch| &batch.pages);
        let count = all().count();
        if all().any(|keep| keep.packed.is_some()) {
            if !self.archive.is_in_place() {
                return Err(StoreError::FolderGone {
                    folder: self.folder.root().to_owned(),
                });
            }
            let at = all().map(|keep| keep.at).max().unwrap_or_default();
            self.archive.rotate(at, self.commit, self.packer)?;
        }
        let mut placed: Vec<Option<Placed>> = Vec::with_capacity(count);
        let mut in_commit: HashMap<Digest, (Timestamp, ResourceId, usize)> = HashMap::new();
        for batch in batches {
            if batch.pages.iter().any(|keep| keep.packed.is_some()) {
                self.tell_of(batch.of.run)?;
            }
            for keep in &mut batch.pages {
                let place = self.append_one(keep, placed.len(), &mut in_commit)?;
                placed.push(place);
            }
        }
        Ok(placed)
    }

    /// Each file says of the runs in it what they were.
    fn tell_of(&mut self, run: RunId) -> Result<(), StoreError> {
        if !self.archive.tells_of(run) {
            let fields = run_fields(self.transaction, run)?;
            self.archive.tell_of(run, self.commit, &fields, self.packer);
        }
        Ok(())
    }

    fn append_one(
        &mut self,
        keep: &mut Keep,
        index: usize,
        in_commit: &mut HashMap<Digest, (Timestamp, ResourceId, usize)>,
    ) -> Result<Option<Placed>, StoreError> {
        let Some(packed) = &mut keep.packed else {
            return Ok(None);
        };
        let digest = packed.payload_digest;
        let stored = stored_body(self.transaction, &digest)?;
        let earlier = in_commit.get(&digest).copied();
        let first = match (&stored, earlier) {
            (Some(body), _) => Some((body.resource, body.stored_at)),
            (None, Some((at, resource, _))) => Some((resource, at)),
            (None, None) => None,
        };
        let first = match first {
            Some((resource, at)) => Some(FirstSeen {
                url: url_of(self.transaction, resource)?,
                at,
            }),
            None => None,
        };
        let (archive, offset) = self.archive.position();
        let path = self.folder.archive();
        let appended = packed
            .append(&mut self.archive.sink(), self.commit, first.as_ref(), self.packer)
            .map_err(|e| StoreError::writing(&path, e))?;
        self.archive.advance(appended.total_bytes);
        let body = match (stored, earlier) {
            (Some(body), _) => BodyOf::Stored(body.id),
            (None, Some((_, _, index))) => BodyOf::SameAs(index),
            (None, None) => BodyOf::New,
        };
        if matches!(body, BodyOf::New) {
            in_commit.insert(digest, (keep.at, keep.resource, index));
        }
        Ok(Some(Placed {
            archive,
            offset,
            digest,
            size: packed.payload_bytes,
            body,
        }))
    }
}

/// The archive's file as far as it is safe now.
fn note_archive(
    transaction: &Transaction<'_>,
    archive: &ArchiveWriter,
    row: Option<&ArchiveFile>,
    commit: u64,
) -> Result<(), StoreError> {
    if archive.is_new() {
        transaction.execute("UPDATE archives SET is_sealed = 1 WHERE NOT is_sealed", [])?;
    }
    if let Some(row) = row {
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
    Ok(())
}

impl Batch<'_> {
    /// A page with its body. `bodies` are those of the pages before it in the commit.
    fn keep_with_body(
        &mut self,
        keep: &Keep,
        placed: Option<&Placed>,
        bodies: &[Option<i64>],
    ) -> Result<Option<i64>, StoreError> {
        let body = match placed.map(|placed| (placed, &placed.body)) {
            None => None,
            Some((_, BodyOf::Stored(id))) => Some(*id),
            Some((_, BodyOf::SameAs(index))) => {
                Some(bodies[*index].expect("the earlier page of the commit has its body"))
            }
            Some((placed, BodyOf::New)) => Some(self.new_body(keep, placed)?),
        };
        if placed.is_some_and(|placed| !matches!(placed.body, BodyOf::New)) {
            self.kept.copies.insert(keep.resource);
        }
        self.keep(keep, placed, body)?;
        Ok(body)
    }
}
