//! The order of durability: bytes safe, then one transaction, then done.
//!
//! A batch of finished pages is kept whole or not at all. When this returns `Ok`, everything is on the disk; when it
//! returns `Err`, nothing happened and the same batch may be given again (a full disk is waited out this way).

use crate::archive::record::FirstSeen;
use crate::archive::recover::{Recovered, recover};
use crate::archive::{Digest, Packed, Packer, Writer};
use crate::catalog::queue::{Purpose, StoredRobots};
use crate::catalog::seen::{Hosts, Known, Seen};
use crate::{Catalog, DataFolder, StoreError};
use gleaner_model::{
    DocumentId, HostId, Link, ProjectId, Reason, ResourceId, RunId, State, Timestamp, Url, UrlKey, VersionId,
    defaults,
};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Transaction};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One URL that was taken up and is now done with, or to be tried again.
pub struct Keep {
    pub host: HostId,
    pub resource: ResourceId,
    pub priority: i64,
    pub depth: u32,
    pub at: Timestamp,
    pub status: Option<u16>,
    pub wire_bytes: u64,
    /// The records of the exchange, if there was one.
    pub packed: Option<Packed>,
    pub outcome: Outcome,
    /// What the run found about the document; `None` for what is no document (a redirect, a dead link).
    pub state: Option<State>,
    pub reason: Option<Reason>,
    pub detail: Option<String>,
    /// Links of the page, decided on.
    pub follows: Vec<Follow>,
    /// The links stored from the last version are still right: nothing to write.
    pub links_unchanged: bool,
    pub cuts: Vec<Cut>,
}

pub enum Outcome {
    /// There is a document; the page's facts.
    Document(Page),
    /// No document came of it.
    Nothing,
    /// Stays in the frontier, to be asked again.
    Again { tries: u32, due_at: Timestamp },
}

/// The facts of a page that was kept.
pub struct Page {
    pub document: Option<DocumentId>,
    pub media_type: String,
    pub charset: Option<String>,
    pub title: String,
    pub size: u64,
    pub etag: Option<String>,
    pub last_modified: Option<String>,
}

/// A link with the frontier's decision about it.
pub struct Follow {
    pub link: Link,
    pub key: UrlKey,
    pub queue: Option<Enqueue>,
}

pub struct Enqueue {
    pub priority: i64,
    pub depth: u32,
    pub purpose: Purpose,
    pub hops: u32,
    pub chain: Vec<String>,
    /// Ask again though this run took it up already: a redirect that sets a cookie and leads back (HC062).
    pub again: bool,
}

/// Something left out, for the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    pub reason: Reason,
    pub shape: String,
    pub count: u64,
    pub example: String,
}

/// What a batch brought for the scheduler.
#[derive(Debug, Default, Clone)]
pub struct Kept {
    /// Hosts that got new rows in the frontier, with how many.
    pub queued: BTreeMap<HostId, u64>,
    /// Pages whose payload was stored already.
    pub copies: BTreeSet<ResourceId>,
}

/// May a URL that nobody took up before enter the frontier? The trap rules, asked once per URL.
pub type Gate<'a> = dyn FnMut(&Url) -> Result<(), Reason> + 'a;

/// Catalog and archive together, on one thread.
pub struct Keeper {
    pub catalog: Catalog,
    writer: Writer,
    packer: Packer,
    seen: Seen,
    hosts: Hosts,
    worker: i64,
    run: RunId,
    project: ProjectId,
    commit: u64,
    /// The last commit failed in a way that does not tell whether it happened.
    is_in_doubt: bool,
    folder: DataFolder,
    pub recovered: Recovered,
}

impl Keeper {
    /// Opens the store, putting right what a kill left half-done.
    pub fn open(folder: DataFolder, worker_name: &str, software: &str) -> Result<Keeper, StoreError> {
        let catalog = Catalog::open(&folder.catalog())?;
        let commit = catalog.last_commit()?;
        let recovered = recover(&folder.archive(), &catalog.archives()?, commit)?;
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
            worker,
            run: RunId(0),
            project: ProjectId(0),
            commit,
            is_in_doubt: false,
            folder,
            recovered,
        })
    }

    pub fn folder(&self) -> &DataFolder {
        &self.folder
    }

    /// Everything kept from now on belongs to this run.
    pub fn work_on(&mut self, project: ProjectId, run: RunId) {
        self.project = project;
        self.run = run;
        self.seen.forget_all();
    }

    /// Puts the seeds into the frontier; harmless to repeat.
    pub fn enqueue_seeds(&mut self, seeds: &[Url], now: Timestamp) -> Result<Kept, StoreError> {
        let result = self.try_enqueue_seeds(seeds, now);
        if result.is_err() {
            self.forget_rows();
        }
        result
    }

    fn try_enqueue_seeds(&mut self, seeds: &[Url], now: Timestamp) -> Result<Kept, StoreError> {
        let mut kept = Kept::default();
        let transaction = self.catalog.db.unchecked_transaction()?;
        {
            let mut sql = Statements::prepare(&transaction)?;
            let mut place = Places {
                seen: &mut self.seen,
                hosts: &mut self.hosts,
                worker: self.worker,
                now,
            };
            for url in seeds {
                let key = url.key();
                let known = place.resource(&mut sql, url, key, None)?;
                let seed = Enqueue {
                    priority: 0,
                    depth: 0,
                    purpose: Purpose::Page,
                    hops: 0,
                    chain: Vec::new(),
                    again: false,
                };
                enqueue(
                    &mut sql,
                    &mut place,
                    self.run,
                    url,
                    key,
                    known,
                    &seed,
                    &mut |_| Ok(()),
                    &mut kept,
                )?;
            }
        }
        transaction.commit()?;
        Ok(kept)
    }

    /// Keeps a batch whole. On an error nothing happened.
    pub fn keep(
        &mut self,
        batch: &mut [Keep],
        active_ms: u64,
        cookies: Option<&[u8]>,
        gate: &mut Gate<'_>,
    ) -> Result<Kept, StoreError> {
        let result = self.try_keep(batch, active_ms, cookies, gate);
        if result.is_err() {
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
        gate: &mut Gate<'_>,
    ) -> Result<Kept, StoreError> {
        // In the order of discovery: rows of one table then land side by side.
        batch.sort_unstable_by_key(|keep| keep.resource);
        let commit = self.commit + 1;

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

        // 2. One transaction.
        let mut kept = Kept::default();
        let transaction = self.catalog.db.unchecked_transaction()?;
        {
            let mut sql = Statements::prepare(&transaction)?;
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
                        BodyOf::New => sql.insert_body.query_row(
                            (
                                placed.digest.0,
                                placed.size as i64,
                                placed.archive,
                                placed.offset as i64,
                                keep.resource.0,
                                keep.at.0,
                            ),
                            |row| row.get(0),
                        )?,
                    }),
                };
                bodies.push(body);
                if placed
                    .as_ref()
                    .is_some_and(|placed| !matches!(placed.body, BodyOf::New))
                {
                    kept.copies.insert(keep.resource);
                }
                wire_bytes += keep.wire_bytes;
                let mut place = Places {
                    seen: &mut self.seen,
                    hosts: &mut self.hosts,
                    worker: self.worker,
                    now: keep.at,
                };
                keep_one(
                    &mut sql,
                    &mut place,
                    self.run,
                    self.project,
                    keep,
                    placed.as_ref(),
                    body,
                    gate,
                    &mut kept,
                )?;
            }
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

    /// Stores a host's robots.txt as read, and queues the sitemaps it names.
    pub fn keep_robots(
        &mut self,
        host: HostId,
        robots: &StoredRobots,
        sitemaps: &[(Url, Enqueue)],
    ) -> Result<Kept, StoreError> {
        let result = self.try_keep_robots(host, robots, sitemaps);
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
    ) -> Result<Kept, StoreError> {
        let mut kept = Kept::default();
        let transaction = self.catalog.db.unchecked_transaction()?;
        {
            transaction.execute(
                "UPDATE hosts SET robots_status = ?2, robots_reason = ?3, robots_body = ?4, robots_at = ?5 WHERE id = ?1",
                (host.0, robots.status, &robots.reason, &robots.body, robots.at.0),
            )?;
            let mut sql = Statements::prepare(&transaction)?;
            let mut place = Places {
                seen: &mut self.seen,
                hosts: &mut self.hosts,
                worker: self.worker,
                now: robots.at,
            };
            for (url, entry) in sitemaps {
                let key = url.key();
                let known = place.resource(&mut sql, url, key, None)?;
                enqueue(
                    &mut sql,
                    &mut place,
                    self.run,
                    url,
                    key,
                    known,
                    entry,
                    &mut |_| Ok(()),
                    &mut kept,
                )?;
            }
        }
        transaction.commit()?;
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
        if let Some(state) = state {
            transaction.execute(
                "INSERT INTO changes(run, resource, document, state, reason, detail)
                 SELECT f.run, f.resource, d.id, ?3, ?4, ?6
                 FROM frontier f LEFT JOIN documents d ON d.resource = f.resource AND d.project = ?5
                 WHERE f.run = ?1 AND (?2 IS NULL OR f.host = ?2) AND f.purpose IS NULL
                 ON CONFLICT DO NOTHING",
                (self.run.0, host, state.as_str(), reason.code(), self.project.0, detail),
            )?;
        }
        transaction.execute(
            "UPDATE visits SET at = ?3, reason = ?4, detail = ?5 WHERE run = ?1 AND at IS NULL AND resource IN
                 (SELECT resource FROM frontier WHERE run = ?1 AND (?2 IS NULL OR host = ?2))",
            (self.run.0, host, now.0, reason.code(), detail),
        )?;
        let count = transaction.execute(
            "DELETE FROM frontier WHERE run = ?1 AND (?2 IS NULL OR host = ?2)",
            (self.run.0, host),
        )?;
        transaction.commit()?;
        Ok(count as u64)
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

struct Placed {
    archive: i64,
    offset: u64,
    digest: Digest,
    size: u64,
    body: BodyOf,
}

enum BodyOf {
    New,
    Stored(i64),
    /// The body of an earlier page of the same batch.
    SameAs(usize),
}

struct StoredBody {
    id: i64,
    resource: ResourceId,
    stored_at: Timestamp,
}

fn stored_body(db: &Connection, digest: &Digest) -> Result<Option<StoredBody>, StoreError> {
    let mut statement =
        db.prepare_cached("SELECT id, resource, stored_at FROM bodies WHERE digest = ?1 AND NOT is_lost")?;
    Ok(statement
        .query_row([&digest.0], |row| {
            Ok(StoredBody {
                id: row.get(0)?,
                resource: ResourceId(row.get(1)?),
                stored_at: Timestamp(row.get(2)?),
            })
        })
        .optional()?)
}

fn url_of(db: &Connection, resource: ResourceId) -> Result<String, StoreError> {
    Ok(db
        .prepare_cached("SELECT url FROM resources WHERE id = ?1")?
        .query_row([resource.0], |row| row.get(0))?)
}

/// The statements of a batch, looked up once.
struct Statements<'t> {
    find_resource: CachedStatement<'t>,
    insert_resource: CachedStatement<'t>,
    insert_host: CachedStatement<'t>,
    find_host: CachedStatement<'t>,
    take_up: CachedStatement<'t>,
    insert_frontier: CachedStatement<'t>,
    delete_frontier: CachedStatement<'t>,
    retry: CachedStatement<'t>,
    visit: CachedStatement<'t>,
    processed: CachedStatement<'t>,
    insert_body: CachedStatement<'t>,
    insert_document: CachedStatement<'t>,
    insert_version: CachedStatement<'t>,
    newest: CachedStatement<'t>,
    move_record: CachedStatement<'t>,
    insert_change: CachedStatement<'t>,
    insert_link: CachedStatement<'t>,
    insert_links: CachedStatement<'t>,
    stored_links: CachedStatement<'t>,
    lose_link: CachedStatement<'t>,
    transaction: &'t Transaction<'t>,
}

impl<'t> Statements<'t> {
    fn prepare(transaction: &'t Transaction<'t>) -> Result<Statements<'t>, StoreError> {
        let sql = |text: &str| transaction.prepare_cached(text);
        Ok(Statements {
            find_resource: sql("SELECT id FROM resources WHERE key = ?1")?,
            insert_resource: sql(
                "INSERT INTO resources(key, host, url, source, discovered_at, discovered_by) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?,
            insert_host: sql("INSERT INTO hosts(scheme, name, port) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?,
            find_host: sql("SELECT id FROM hosts WHERE scheme = ?1 AND name = ?2 AND port = ?3")?,
            take_up: sql("INSERT INTO visits(run, resource, depth) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING")?,
            insert_frontier: sql(
                "INSERT INTO frontier(run, host, priority, resource, depth, purpose, hops, chain)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT DO NOTHING",
            )?,
            delete_frontier: sql("DELETE FROM frontier WHERE run = ?1 AND host = ?2 AND priority = ?3 AND resource = ?4")?,
            retry: sql(
                "UPDATE frontier SET tries = ?5, due_at = ?6
                 WHERE run = ?1 AND host = ?2 AND priority = ?3 AND resource = ?4",
            )?,
            visit: sql(
                "UPDATE visits SET at = ?3, status = ?4, reason = ?5, detail = ?6, bytes = ?7
                 WHERE run = ?1 AND resource = ?2",
            )?,
            processed: sql(
                "UPDATE resources SET processed_at = ?2, processed_by = ?3, status = ?4, type = coalesce(?5, type),
                     charset = coalesce(?6, charset), title = coalesce(?7, title) WHERE id = ?1",
            )?,
            insert_body: sql(
                "INSERT INTO bodies(digest, size, archive, offset, resource, stored_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT(digest) DO UPDATE SET size = excluded.size, archive = excluded.archive,
                     offset = excluded.offset, resource = excluded.resource, stored_at = excluded.stored_at,
                     is_lost = 0 RETURNING id",
            )?,
            insert_document: sql("INSERT INTO documents(project, resource, depth) VALUES (?1, ?2, ?3)")?,
            insert_version: sql(
                "INSERT INTO versions(document, run, fetched_at, status, type, charset, title, size, etag, last_modified,
                     body, archive, offset) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            )?,
            newest: sql("UPDATE documents SET version = ?2 WHERE id = ?1")?,
            move_record: sql(
                "UPDATE versions SET archive = ?2, offset = ?3
                 WHERE id = (SELECT version FROM documents WHERE id = ?1)
                   AND (offset >= (SELECT bytes FROM archives a WHERE a.id = versions.archive) OR EXISTS
                        (SELECT 1 FROM damages d WHERE d.archive = versions.archive AND d.offset = versions.offset))",
            )?,
            insert_change: sql(
                "INSERT INTO changes(run, resource, document, version, state, reason, detail)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING",
            )?,
            insert_link: sql(&insert_links(1))?,
            insert_links: sql(&insert_links(LINKS_AT_ONCE))?,
            stored_links: sql("SELECT target, kind FROM links WHERE source = ?1 AND gone_run IS NULL")?,
            lose_link: sql("UPDATE links SET gone_run = ?4 WHERE source = ?1 AND target = ?2 AND kind = ?3")?,
            transaction,
        })
    }
}

/// Finds or makes the rows of URLs and hosts.
struct Places<'a> {
    seen: &'a mut Seen,
    hosts: &'a mut Hosts,
    worker: i64,
    now: Timestamp,
}

impl Places<'_> {
    fn resource(
        &mut self,
        sql: &mut Statements<'_>,
        url: &Url,
        key: UrlKey,
        source: Option<ResourceId>,
    ) -> Result<Known, StoreError> {
        if let Some(known) = self.seen.get(&key) {
            return Ok(known);
        }
        let found = sql
            .find_resource
            .query_row([&key.0], |row| row.get(0))
            .optional()?;
        let resource = if let Some(id) = found {
            ResourceId(id)
        } else {
            let host = self.host(sql, url)?;
            let source = source.map(|s| s.0);
            let row = (&key.0, host.0, url.as_str(), source, self.now.0, self.worker);
            ResourceId(sql.insert_resource.insert(row)?)
        };
        let known = Known {
            resource,
            is_taken: false,
        };
        self.seen.put(key, known);
        Ok(known)
    }

    fn host(&mut self, sql: &mut Statements<'_>, url: &Url) -> Result<HostId, StoreError> {
        let origin = url.origin();
        if let Some(host) = self.hosts.get(origin) {
            return Ok(host);
        }
        let row = (url.scheme(), url.host(), url.port());
        sql.insert_host.execute(row)?;
        let host = HostId(sql.find_host.query_row(row, |row| row.get(0))?);
        self.hosts.put(origin, host);
        Ok(host)
    }
}

#[expect(
    clippy::too_many_arguments,
    reason = "one page's life in the transaction, told once"
)]
fn keep_one(
    sql: &mut Statements<'_>,
    place: &mut Places<'_>,
    run: RunId,
    project: ProjectId,
    keep: &Keep,
    placed: Option<&Placed>,
    body: Option<i64>,
    gate: &mut Gate<'_>,
    kept: &mut Kept,
) -> Result<(), StoreError> {
    let row = (run.0, keep.host.0, keep.priority, keep.resource.0);
    if let Outcome::Again { tries, due_at } = keep.outcome {
        sql.retry.execute((row.0, row.1, row.2, row.3, tries, due_at.0))?;
        return Ok(());
    }
    if sql.delete_frontier.execute(row)? == 0 {
        // Kept before: a second answer for the same row changes nothing.
        return Ok(());
    }
    sql.visit.execute((
        run.0,
        keep.resource.0,
        keep.at.0,
        keep.status,
        keep.reason.map(Reason::code),
        &keep.detail,
        keep.wire_bytes as i64,
    ))?;
    let (mut document, mut version) = (None, None);
    match &keep.outcome {
        Outcome::Document(page) => {
            let id = match page.document {
                Some(id) => id.0,
                None => sql
                    .insert_document
                    .insert((project.0, keep.resource.0, keep.depth))?,
            };
            document = Some(DocumentId(id));
            let title = Some(page.title.as_str()).filter(|t| !t.is_empty());
            if keep.state != Some(State::Sam)
                && let (Some(placed), Some(body)) = (placed, body)
            {
                let new = sql.insert_version.insert((
                    id,
                    run.0,
                    keep.at.0,
                    keep.status,
                    &page.media_type,
                    &page.charset,
                    title,
                    page.size as i64,
                    &page.etag,
                    &page.last_modified,
                    body,
                    placed.archive,
                    placed.offset as i64,
                ))?;
                sql.newest.execute((id, new))?;
                version = Some(VersionId(new));
            } else if let Some(placed) = placed {
                // The same as before: if its record was lost, this one takes its place.
                sql.move_record
                    .execute((id, placed.archive, placed.offset as i64))?;
            }
            sql.processed.execute((
                keep.resource.0,
                keep.at.0,
                place.worker,
                keep.status,
                &page.media_type,
                &page.charset,
                title,
            ))?;
        }
        Outcome::Nothing | Outcome::Again { .. } => {
            if keep.state.is_some() {
                document = find_document(sql.transaction, project, keep.resource)?;
            }
            let none: Option<&str> = None;
            sql.processed.execute((
                keep.resource.0,
                keep.at.0,
                place.worker,
                keep.status,
                none,
                none,
                none,
            ))?;
        }
    }
    if let Some(state) = keep.state {
        sql.insert_change.execute((
            run.0,
            keep.resource.0,
            document.map(|d| d.0),
            version.map(|v| v.0),
            state.as_str(),
            keep.reason.map(Reason::code),
            &keep.detail,
        ))?;
    }
    keep_links(sql, place, run, keep, gate, kept)?;
    for cut in &keep.cuts {
        add_cut(sql.transaction, run, cut)?;
    }
    Ok(())
}

fn keep_links(
    sql: &mut Statements<'_>,
    place: &mut Places<'_>,
    run: RunId,
    keep: &Keep,
    gate: &mut Gate<'_>,
    kept: &mut Kept,
) -> Result<(), StoreError> {
    let mut rows = Vec::with_capacity(keep.follows.len());
    for follow in &keep.follows {
        let known = place.resource(sql, &follow.link.url, follow.key, Some(keep.resource))?;
        if let Some(entry) = &follow.queue {
            enqueue(
                sql,
                place,
                run,
                &follow.link.url,
                follow.key,
                known,
                entry,
                gate,
                kept,
            )?;
        }
        rows.push((known.resource.0, follow.link.kind as u8, &follow.link));
    }
    if keep.links_unchanged {
        return Ok(());
    }
    rows.sort_unstable_by_key(|(target, kind, _)| (*target, *kind));
    if matches!(&keep.outcome, Outcome::Document(page) if page.document.is_some()) {
        // A page seen before: links that are no longer there end with this run.
        let now: BTreeSet<(i64, u8)> = rows.iter().map(|(target, kind, _)| (*target, *kind)).collect();
        let stored: Vec<(i64, u8)> = sql
            .stored_links
            .query_map([keep.resource.0], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<Result<_, _>>()?;
        for (target, kind) in stored.into_iter().filter(|pair| !now.contains(pair)) {
            sql.lose_link.execute((keep.resource.0, target, kind, run.0))?;
        }
    }
    for group in rows.chunks(LINKS_AT_ONCE) {
        if group.len() == LINKS_AT_ONCE {
            write_links(&mut sql.insert_links, run, keep.resource, group)?;
            continue;
        }
        for row in group {
            write_links(
                &mut sql.insert_link,
                run,
                keep.resource,
                std::slice::from_ref(row),
            )?;
        }
    }
    Ok(())
}

/// Links are most of what is written: eight to a statement save the statements' own cost.
const LINKS_AT_ONCE: usize = 8;

fn insert_links(count: usize) -> String {
    let rows: Vec<String> = (0..count)
        .map(|row| {
            let own: Vec<String> = (0..5)
                .map(|column| format!("?{}", 3 + row * 5 + column))
                .collect();
            format!("(?1, {}, ?2)", own.join(", "))
        })
        .collect();
    format!(
        "INSERT INTO links(source, target, kind, count, anchor, nofollow, first_run) VALUES {}
         ON CONFLICT DO UPDATE SET count = excluded.count, anchor = excluded.anchor,
             nofollow = excluded.nofollow, gone_run = NULL",
        rows.join(", ")
    )
}

fn write_links(
    statement: &mut CachedStatement<'_>,
    run: RunId,
    source: ResourceId,
    rows: &[(i64, u8, &Link)],
) -> Result<(), StoreError> {
    statement.raw_bind_parameter(1, source.0)?;
    statement.raw_bind_parameter(2, run.0)?;
    for (row, (target, kind, link)) in rows.iter().enumerate() {
        let first = 3 + row * 5;
        statement.raw_bind_parameter(first, target)?;
        statement.raw_bind_parameter(first + 1, kind)?;
        statement.raw_bind_parameter(first + 2, link.count)?;
        statement.raw_bind_parameter(first + 3, Some(link.anchor.as_str()).filter(|a| !a.is_empty()))?;
        statement.raw_bind_parameter(first + 4, link.nofollow.then_some(1))?;
    }
    statement.raw_execute()?;
    Ok(())
}

#[expect(clippy::too_many_arguments, reason = "the parts of one frontier row")]
fn enqueue(
    sql: &mut Statements<'_>,
    place: &mut Places<'_>,
    run: RunId,
    url: &Url,
    key: UrlKey,
    known: Known,
    entry: &Enqueue,
    gate: &mut Gate<'_>,
    kept: &mut Kept,
) -> Result<(), StoreError> {
    if known.is_taken && !entry.again {
        return Ok(());
    }
    let is_new = sql.take_up.execute((run.0, known.resource.0, entry.depth))? == 1;
    place.seen.put(
        key,
        Known {
            is_taken: true,
            ..known
        },
    );
    if !is_new && !entry.again {
        return Ok(());
    }
    if is_new && let Err(reason) = gate(url) {
        sql.visit.execute((
            run.0,
            known.resource.0,
            place.now.0,
            None::<u16>,
            reason.code(),
            None::<&str>,
            0,
        ))?;
        return Ok(());
    }
    let host = place.host(sql, url)?;
    let chain = if entry.chain.is_empty() {
        None
    } else {
        serde_json::to_string(&entry.chain).ok()
    };
    sql.insert_frontier.execute((
        run.0,
        host.0,
        entry.priority,
        known.resource.0,
        entry.depth,
        entry.purpose.column(),
        entry.hops,
        chain,
    ))?;
    *kept.queued.entry(host).or_default() += 1;
    Ok(())
}

fn find_document(
    db: &Connection,
    project: ProjectId,
    resource: ResourceId,
) -> Result<Option<DocumentId>, StoreError> {
    Ok(db
        .prepare_cached("SELECT id FROM documents WHERE resource = ?1 AND project = ?2")?
        .query_row((resource.0, project.0), |row| row.get(0).map(DocumentId))
        .optional()?)
}

fn add_cut(db: &Connection, run: RunId, cut: &Cut) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT INTO cuts(run, reason, shape, count, example) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT DO UPDATE SET count = count + excluded.count",
    )?
    .execute((
        run.0,
        cut.reason.code(),
        &cut.shape,
        cut.count as i64,
        &cut.example,
    ))?;
    Ok(())
}

#[cfg(test)]
mod tests;
