//! A stored version with its bytes, by its number: for whoever compares versions.

use super::SqliteLedger;
use crate::ledger::{Stored, StoredBody};
use crate::warc::read_record;
use crate::warc::reader::{Walker, head_end, holds_http};
use crate::{Digest, StoreError, folder};
use gleaner_model::{VersionId, defaults};
use rusqlite::OptionalExtension;
use sha2::{Digest as _, Sha256};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

type Row = (
    String,
    i64,
    String,
    i64,
    [u8; 32],
    Option<Vec<u8>>,
    bool,
    i64,
    Option<String>,
);

impl SqliteLedger {
    /// `None` where the bytes are known to be lost, or the version is not there (any more).
    pub(super) fn stored_version(&self, version: VersionId) -> Result<Option<Stored>, StoreError> {
        // Held until the bytes are read: a compaction removes no file while someone looks at the catalog from before.
        let _snapshot = self.snapshot()?;
        let mut statement = self.db.prepare_cached(
            "SELECT own.name, v.offset, a.name, b.offset, b.digest, l.ladder, v.offset < own.bytes AND NOT EXISTS
                 (SELECT 1 FROM damages g WHERE g.archive = v.archive AND g.offset = v.offset), b.size, v.url
             FROM versions v JOIN bodies b ON b.id = v.body
             JOIN archives a ON a.id = b.archive JOIN archives own ON own.id = v.archive
             LEFT JOIN ladders l ON l.version = v.id
             WHERE v.id = ?1 AND NOT b.is_lost",
        )?;
        let row: Option<Row> = statement
            .query_row([version.0], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get(5)?,
                    row.get(6)?,
                    row.get(7)?,
                    row.get(8)?,
                ))
            })
            .optional()?;
        let Some((own, own_offset, name, offset, digest, ladder, is_own_there, size, asked)) = row else {
            return Ok(None);
        };
        let archive = folder::archive(&self.root);
        let (path, spool) = (archive.join(&name), folder::spool(&self.root));
        let digest = Digest(digest);
        let is_large = size as u64 > defaults::COMPARE_BYTES_MAX as u64;
        let (head, body, found) = if is_large {
            spooled(&path, offset as u64, &spool)?
        } else {
            let record = read_record(&path, offset as u64)?;
            let (head, body) = record.http();
            (head.to_vec(), StoredBody::Memory(body.to_vec()), Digest::of(body))
        };
        if found != digest {
            return Err(StoreError::ArchiveDamaged {
                path,
                offset: offset as u64,
                what: "the payload's digest is not the one the catalog remembers".to_owned(),
            });
        }
        let head = if is_own_there && (&own, own_offset) != (&name, offset) {
            let (own, from) = (archive.join(&own), own_offset as u64);
            // Its own record holds no body, or the same one again.
            if is_large {
                spooled(&own, from, &spool)?.0
            } else {
                read_record(&own, from)?.http().0.to_vec()
            }
        } else {
            head
        };
        Ok(Some(Stored {
            head,
            body,
            digest,
            ladder,
            asked,
        }))
    }
}

/// No head is longer; what has none within these bytes is all body.
const HEAD_BYTES_MAX: usize = 1024 * 1024;

/// A record's HTTP head, and its payload in a file, with the payload's digest. Little of it is in memory at any time.
fn spooled(path: &Path, offset: u64, spool: &Path) -> Result<(Vec<u8>, StoredBody, Digest), StoreError> {
    let unreadable = |cause| StoreError::ArchiveRead {
        path: path.to_owned(),
        cause,
    };
    let damaged = |what: String| StoreError::ArchiveDamaged {
        path: path.to_owned(),
        offset,
        what,
    };
    let full = |cause: std::io::Error| match cause.kind() {
        std::io::ErrorKind::StorageFull => StoreError::DiskFull {
            path: spool.to_owned(),
        },
        _ => StoreError::Folder {
            folder: spool.to_owned(),
            cause,
        },
    };
    let mut file = tempfile::tempfile_in(spool).map_err(full)?;
    let mut walker = Walker::open(path, offset).map_err(unreadable)?;
    let (mut head, mut is_body, mut len) = (Vec::new(), false, 0);
    let mut hasher = Sha256::new();
    let mut written = Ok(());
    let walked = walker.next(|headers, piece| {
        let content_type = headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let mut rest = piece;
        let whole;
        if !is_body {
            let has_head = holds_http(content_type.map(|(_, value)| value.as_str()));
            head.extend_from_slice(piece);
            let end = match head_end(&head) {
                _ if !has_head => 0,
                Some(end) => end,
                None if head.len() > HEAD_BYTES_MAX => 0,
                None => return,
            };
            whole = head.split_off(end);
            rest = &whole;
            is_body = true;
        }
        hasher.update(rest);
        len += rest.len() as u64;
        if written.is_ok() {
            written = file.write_all(rest);
        }
    });
    match walked {
        Ok(Some(_)) => {}
        Ok(None) => return Err(damaged("the file ends before it".to_owned())),
        Err(cause) => return Err(damaged(cause.to_string())),
    }
    written.map_err(full)?;
    file.seek(SeekFrom::Start(0)).map_err(full)?;
    Ok((
        head,
        StoredBody::File { file, len },
        Digest(hasher.finalize().into()),
    ))
}
