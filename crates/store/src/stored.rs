//! A stored version with its bytes, by its number: for whoever compares versions.

use crate::archive::read_record;
use crate::catalog::runs::{SiteRules, site_rules};
use crate::{Digest, Reader, StoreError, folder};
use gleaner_model::{ProjectId, VersionId, defaults};
use rusqlite::OptionalExtension;

/// What was kept of one version.
#[derive(Debug, Clone)]
pub struct Stored {
    /// The HTTP head as sent.
    pub head: Vec<u8>,
    /// The body as sent: still content-encoded.
    pub body: Vec<u8>,
    pub digest: Digest,
    /// The digests that were made of it before.
    pub ladder: Option<Vec<u8>>,
}

type Row = (String, i64, String, i64, [u8; 32], Option<Vec<u8>>, bool);

impl Reader {
    /// What is known about the URLs of a project's sites.
    pub fn all_site_rules(&self, project: ProjectId) -> Result<Vec<SiteRules>, StoreError> {
        site_rules(&self.db, project)
    }

    /// `None` where the bytes were lost, are too many to be compared, or the version is not there (any more).
    pub fn stored(&self, version: VersionId) -> Result<Option<Stored>, StoreError> {
        // Held until the bytes are read: a compaction removes no file while someone looks at the catalog from before.
        let snapshot = self.db.unchecked_transaction()?;
        let mut statement = snapshot.prepare_cached(
            "SELECT own.name, v.offset, a.name, b.offset, b.digest, l.ladder, v.offset < own.bytes AND NOT EXISTS
                 (SELECT 1 FROM damages g WHERE g.archive = v.archive AND g.offset = v.offset)
             FROM versions v JOIN bodies b ON b.id = v.body
             JOIN archives a ON a.id = b.archive JOIN archives own ON own.id = v.archive
             LEFT JOIN ladders l ON l.version = v.id
             WHERE v.id = ?1 AND NOT b.is_lost AND b.size <= ?2",
        )?;
        let row: Option<Row> = statement
            .query_row((version.0, defaults::COMPARE_BYTES_MAX as i64), |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get(5)?,
                    row.get(6)?,
                ))
            })
            .optional()?;
        let Some((own, own_offset, name, offset, digest, ladder, is_own_there)) = row else {
            return Ok(None);
        };
        let archive = folder::archive(&self.root);
        let record = read_record(&archive.join(&name), offset as u64)?;
        let (head, body) = record.http();
        let digest = Digest(digest);
        if Digest::of(body) != digest {
            return Err(StoreError::ArchiveDamaged {
                path: archive.join(&name),
                offset: offset as u64,
                what: "the payload's digest is not the one the catalog remembers".to_owned(),
            });
        }
        let head = if is_own_there && (&own, own_offset) != (&name, offset) {
            read_record(&archive.join(&own), own_offset as u64)?
                .http()
                .0
                .to_vec()
        } else {
            head.to_vec()
        };
        Ok(Some(Stored {
            head,
            body: body.to_vec(),
            digest,
            ladder,
        }))
    }
}
