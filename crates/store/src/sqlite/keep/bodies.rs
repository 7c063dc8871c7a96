//! Payloads, each stored once: is this one stored already, and where does it lie?

use super::batch::Batch;
use crate::StoreError;
use crate::keep::Keep;
use crate::warc::Digest;
use gleaner_model::{ResourceId, Timestamp};
use rusqlite::{Connection, OptionalExtension};

pub(super) struct Placed {
    pub(super) archive: i64,
    pub(super) offset: u64,
    pub(super) digest: Digest,
    pub(super) size: u64,
    pub(super) body: BodyOf,
}

pub(super) enum BodyOf {
    New,
    Stored(i64),
    /// The body of an earlier page of the same batch.
    SameAs(usize),
}

impl Batch<'_> {
    /// A payload that is nowhere in the archive; its row may be there, if its bytes were lost.
    pub(super) fn new_body(&mut self, keep: &Keep, placed: &Placed) -> Result<i64, StoreError> {
        let row = (
            placed.digest.0,
            placed.size as i64,
            placed.archive,
            placed.offset as i64,
            keep.resource.0,
            keep.at.0,
        );
        if self.sql.insert_body.execute(row)? == 1 {
            return Ok(self.transaction.last_insert_rowid());
        }
        Ok(self.sql.refind_body.query_row(row, |row| row.get(0))?)
    }
}

pub(super) struct StoredBody {
    pub(super) id: i64,
    pub(super) resource: ResourceId,
    pub(super) stored_at: Timestamp,
}

pub(super) fn stored_body(db: &Connection, digest: &Digest) -> Result<Option<StoredBody>, StoreError> {
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

pub(super) fn url_of(db: &Connection, resource: ResourceId) -> Result<String, StoreError> {
    Ok(db
        .prepare_cached("SELECT url FROM resources WHERE id = ?1")?
        .query_row([resource.0], |row| row.get(0))?)
}
