//! A catalog made from the archive: rows for records that lie there already.
//!
//! The catalog grows beside its place and takes it at the end, whole: a rebuilding that is killed leaves the folder as it was.

use super::RunBatch;
use super::bodies::{BodyOf, Placed, stored_body};
use crate::folder::writer::{ArchiveFile, is_ours, sync_folder};
use crate::keep::{Enqueue, Keep, KeepWith};
use crate::runs::{RunKind, RunRef};
use crate::sqlite::followers::note_finished;
use crate::sqlite::runs::to_json;
use crate::sqlite::writer::Writer;
use crate::warc::{Digest, read_record};
use crate::{Catalog, DataFolder, StoreError, folder};
use gleaner_model::{DocumentId, HostId, Project, ProjectId, ResourceId, RunId, Timestamp, Url, VersionId};
use rusqlite::OptionalExtension;
use std::path::{Path, PathBuf};

/// A record that lies in the archive.
#[derive(Debug, Clone, Copy)]
pub struct Lying {
    pub archive: i64,
    pub offset: u64,
    /// Of the payload.
    pub digest: Digest,
    pub size: u64,
    /// The payload is in it; otherwise in an earlier record.
    pub has_payload: bool,
}

/// What is known of a document that came before.
#[derive(Debug, Clone, Copy)]
pub struct Earlier {
    pub document: DocumentId,
    pub digest: Digest,
    /// The last version that says something of its own.
    pub base: VersionId,
    pub base_digest: Digest,
    pub is_gone: bool,
}

/// The archive files of a folder that we wrote, in the order of their names.
pub fn own_archives(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder::archive(root))
        .into_iter()
        .flatten()
        .flatten();
    let mut names: Vec<PathBuf> = entries
        .filter(|entry| is_ours(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .collect();
    names.sort();
    names
}

/// Where a catalog is while it is being made.
fn unfinished(root: &Path) -> PathBuf {
    root.join("gleaner.db-rebuild")
}

fn remove_unfinished(root: &Path) {
    let path = unfinished(root);
    for end in ["", "-wal", "-shm", "-sums"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let _mostly_there_is_none = std::fs::remove_file(name);
    }
}

/// A store whose catalog is being made.
pub struct Rebuilding {
    writer: Writer,
    /// The run that everything belongs to now.
    of: RunRef,
}

impl Rebuilding {
    /// A store whose catalog is to be made. `files` are those of the archive, `damages` places in them that cannot be read.
    pub fn begin(
        folder: DataFolder,
        files: &[ArchiveFile],
        damages: &[(i64, u64)],
        last_commit: u64,
        worker_name: &str,
        software: &str,
    ) -> Result<Rebuilding, StoreError> {
        if folder.catalog().exists() {
            return Err(StoreError::CatalogThere {
                path: folder.catalog(),
            });
        }
        remove_unfinished(folder.root());
        let catalog = Catalog::open(&unfinished(folder.root()))?;
        // Nobody sees it before it is whole and synced.
        catalog.db.execute_batch("PRAGMA synchronous = OFF")?;
        for file in files {
            catalog.db.execute(
                "INSERT INTO archives(id, name, bytes, is_sealed) VALUES (?1, ?2, ?3, 1)",
                (file.id, &file.name, file.committed_bytes as i64),
            )?;
        }
        for (archive, offset) in damages {
            catalog
                .db
                .execute("INSERT INTO damages VALUES (?1, ?2)", (archive, *offset as i64))?;
        }
        catalog
            .db
            .execute("UPDATE commits SET last = ?1", [last_commit as i64])?;
        let next_id = files.iter().map(|file| file.id).max().unwrap_or(0) + 1;
        let writer = Writer::on(catalog, folder, None, next_id, last_commit, worker_name, software)?;
        let of = RunRef {
            project: ProjectId(0),
            run: RunId(0),
        };
        Ok(Rebuilding { writer, of })
    }

    /// A run as it was, under its own number; everything that follows belongs to it.
    pub fn restore_run(
        &mut self,
        project: &Project,
        run: RunId,
        kind: RunKind,
        started_at: Timestamp,
    ) -> Result<ProjectId, StoreError> {
        let id = self.writer.catalog.project(project, started_at)?;
        self.writer.catalog.db.execute(
            "INSERT INTO runs(id, project, settings, status, started_at, kind) VALUES (?1, ?2, ?3, 'running', ?4, ?5)
             ON CONFLICT DO NOTHING",
            (run.0, id.0, to_json(project)?, started_at.0, kind.as_str()),
        )?;
        self.of = RunRef { project: id, run };
        Ok(id)
    }

    /// A restored run is over.
    pub fn end_restored(&mut self, run: RunId, ended_at: Timestamp, note: &str) -> Result<(), StoreError> {
        self.writer.catalog.db.execute(
            "UPDATE runs SET status = 'finished', ended_at = max(started_at, ?2), settled_at = max(started_at, ?2), note = ?3,
                 active_ms = max(0, ?2 - started_at),
                 wire_bytes = coalesce((SELECT sum(bytes) FROM visits WHERE run = ?1), 0)
             WHERE id = ?1",
            (run.0, ended_at.0, note),
        )?;
        note_finished(&self.writer.catalog.db, run)
    }

    /// The document at an address, as far as the runs restored so far know it.
    pub fn earlier(&self, url: &Url) -> Result<Option<Earlier>, StoreError> {
        let mut statement = self.writer.catalog.db.prepare_cached(
            "SELECT d.id, b.digest, s.id, o.digest, d.gone_run IS NOT NULL
             FROM resources r JOIN documents d ON d.resource = r.id AND d.project = ?2
             JOIN versions v ON v.id = d.version JOIN bodies b ON b.id = v.body
             JOIN versions s ON s.id = coalesce(v.same_as, v.id) JOIN bodies o ON o.id = s.body
             WHERE r.key = ?1",
        )?;
        let found = statement.query_row((&url.key().0, self.of.project.0), |row| {
            Ok(Earlier {
                document: DocumentId(row.get(0)?),
                digest: Digest(row.get(1)?),
                base: VersionId(row.get(2)?),
                base_digest: Digest(row.get(3)?),
                is_gone: row.get(4)?,
            })
        });
        Ok(found.optional()?)
    }

    /// The payload with this digest and the head that came with it, if it is stored.
    pub fn stored_payload(&self, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
        let mut statement = self.writer.catalog.db.prepare_cached(
            "SELECT a.name, b.offset FROM bodies b JOIN archives a ON a.id = b.archive WHERE b.digest = ?1",
        )?;
        let found: Option<(String, i64)> = statement
            .query_row([&digest.0], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((name, offset)) = found else {
            return Ok(None);
        };
        let record = read_record(&self.writer.folder.archive().join(name), offset as u64)?;
        Ok(Some(record.http().1.to_vec()))
    }

    /// An address that the run took up; none where it did so before.
    pub fn take_up(
        &mut self,
        url: &Url,
        entry: &Enqueue,
        at: Timestamp,
    ) -> Result<Option<(ResourceId, HostId)>, StoreError> {
        let (taken, _) = self.writer.of(self.of, |run| {
            run.in_one_go(|batch| {
                let (resource, is_queued) = batch.enqueue_outright(url, entry, at)?;
                let host = batch.host(url)?;
                Ok(is_queued.then_some((resource, host)))
            })
        })?;
        Ok(taken)
    }

    /// Keeps a page whose records are not in the archive yet.
    pub fn keep(&mut self, page: Keep) -> Result<(), StoreError> {
        let of = self.of;
        let with = KeepWith::default();
        let pages = vec![page];
        self.writer.keep(&mut [RunBatch { of, pages, with }])?;
        Ok(())
    }

    /// Keeps what a record in the archive tells. False where its payload is nowhere.
    pub fn adopt(&mut self, keep: &Keep, lying: &Lying) -> Result<bool, StoreError> {
        let (is_kept, _) = self.writer.of(self.of, |run| {
            run.in_one_go(|batch| {
                let stored = stored_body(batch.transaction, &lying.digest)?;
                let body = match stored {
                    Some(body) => BodyOf::Stored(body.id),
                    None if lying.has_payload => BodyOf::New,
                    None => return Ok(false),
                };
                let placed = Placed {
                    archive: lying.archive,
                    offset: lying.offset,
                    digest: lying.digest,
                    size: lying.size,
                    body,
                };
                let id = match placed.body {
                    BodyOf::Stored(id) => id,
                    _ => batch.new_body(keep, &placed)?,
                };
                batch.keep(keep, Some(&placed), Some(id))?;
                Ok(true)
            })
        })?;
        Ok(is_kept)
    }

    /// The catalog is whole: it takes its place.
    pub fn finish(self) -> Result<(), StoreError> {
        let Writer { catalog, folder, .. } = self.writer;
        // What was taken up and never answered for is not waited for.
        catalog.db.execute_batch(
            "DELETE FROM frontier; DELETE FROM visits WHERE at IS NULL; PRAGMA synchronous = FULL",
        )?;
        catalog.tidy()?;
        drop(catalog);
        let (from, to) = (unfinished(folder.root()), folder.catalog());
        let failed = |cause| StoreError::SyncFailed {
            path: from.clone(),
            cause,
        };
        std::fs::File::open(&from)
            .and_then(|file| file.sync_all())
            .map_err(failed)?;
        std::fs::rename(&from, &to).map_err(|cause| StoreError::writing(&to, cause))?;
        remove_unfinished(folder.root());
        sync_folder(folder.root())?;
        Catalog::open(&to)?.tidy()
    }
}
