//! A version's bytes, as the server sent them.

use super::SqliteLedger;
use crate::ledger::{CapturedVersion, ContentLedger, Stored, StoredContent, no_version};
use crate::warc::reader::{Record, Walker, read_record};
use crate::{Digest, StoreError, folder};
use gleaner_model::{DocumentId, VersionId};
use rusqlite::OptionalExtension;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Where a version lies in the archive.
struct Place {
    version: i64,
    document: i64,
    /// As asked for.
    url: String,
    media_type: String,
    charset: Option<String>,
    /// The version's own record; none if it was lost.
    own: Option<(String, u64)>,
    body: (String, u64),
    body_url: String,
    digest: Digest,
    is_lost: bool,
}

impl ContentLedger for SqliteLedger {
    fn content(&self, document: DocumentId, version: Option<VersionId>) -> Result<StoredContent, StoreError> {
        // Held until the bytes are read: a compaction removes no file while someone looks at the catalog from before.
        let _snapshot = self.snapshot()?;
        let place = self.place_with_bytes(document, version)?;
        let record = self.checked_record(&place.body, &place.body_url, &place)?;
        let (head, body) = record.http();
        if Digest::of(body) != place.digest {
            return Err(self.not_as_remembered(&place.body, "the payload's digest"));
        }
        let asked_for = |record: &Record| record.header("WARC-Target-URI").map(str::to_owned);
        let (head, url) = match &place.own {
            Some(own) if *own != place.body => {
                let record = self.checked_record(own, &place.url, &place)?;
                (record.http().0.to_vec(), asked_for(&record))
            }
            Some(_) => (head.to_vec(), asked_for(&record)),
            // Its own was lost, and the one with the same bytes stands for it.
            None => (head.to_vec(), None),
        };
        Ok(StoredContent {
            head,
            body: body.to_vec(),
            url: url.unwrap_or(place.url),
            media_type: place.media_type,
            charset: place.charset,
            digest: place.digest,
        })
    }

    fn stored(&self, version: VersionId) -> Result<Option<Stored>, StoreError> {
        self.stored_version(version)
    }

    fn captured(&self, document: DocumentId, version: VersionId) -> Result<CapturedVersion, StoreError> {
        // Held until the bytes are read: a compaction removes no file while someone looks at the catalog from before.
        let _snapshot = self.snapshot()?;
        let place = self.place_with_bytes(document, Some(version))?;
        // Its own was lost, and the one with the same bytes stands for it.
        let own = place.own.as_ref().unwrap_or(&place.body);
        let is_whole = *own == place.body;
        let main = self.checked_record(own, &place.url, &place)?;
        if is_whole && Digest::of(main.http().1) != place.digest {
            return Err(self.not_as_remembered(&place.body, "the payload's digest"));
        }
        let (members, main_bytes) = members(&folder::archive(&self.root).join(&own.0), own.1)?;
        Ok(CapturedVersion {
            members,
            main_bytes,
            main,
            media_type: place.media_type,
            digest: place.digest,
            is_whole,
        })
    }
}

impl SqliteLedger {
    /// Where a version lies whose bytes are there.
    fn place_with_bytes(
        &self,
        document: DocumentId,
        version: Option<VersionId>,
    ) -> Result<Place, StoreError> {
        let place = self
            .place_of(document, version)?
            .ok_or_else(|| no_version(document))?;
        if place.is_lost {
            return Err(StoreError::Lost { given: place.url });
        }
        Ok(place)
    }

    fn place_of(
        &self,
        document: DocumentId,
        version: Option<VersionId>,
    ) -> Result<Option<Place>, StoreError> {
        let mut statement = self.db.prepare_cached(
            "SELECT coalesce(v.url, r.url), v.type, v.charset, own.name, v.offset, a.name, b.offset, b.is_lost,
                 b.digest, first.url,
                 v.offset >= own.bytes OR EXISTS
                     (SELECT 1 FROM damages g WHERE g.archive = v.archive AND g.offset = v.offset), v.id, d.id
             FROM documents d JOIN resources r ON r.id = d.resource
             JOIN versions v ON v.id = coalesce(?2, d.version) AND v.document = d.id
             JOIN bodies b ON b.id = v.body JOIN resources first ON first.id = b.resource
             JOIN archives a ON a.id = b.archive JOIN archives own ON own.id = v.archive
             WHERE d.id = ?1",
        )?;
        let found = statement.query_row((document.0, version.map(|v| v.0)), |row| {
            let own: (String, i64) = (row.get(3)?, row.get(4)?);
            let is_own_lost: bool = row.get(10)?;
            Ok(Place {
                url: row.get(0)?,
                media_type: row.get(1)?,
                charset: row.get(2)?,
                own: (!is_own_lost).then_some((own.0, own.1 as u64)),
                body: (row.get(5)?, row.get::<_, i64>(6)? as u64),
                is_lost: row.get(7)?,
                digest: Digest(row.get(8)?),
                body_url: row.get(9)?,
                version: row.get(11)?,
                document: row.get(12)?,
            })
        });
        Ok(found.optional()?)
    }

    /// The record at a place, if it is the one the catalog means: no wrong content is served (HC122).
    fn checked_record(&self, at: &(String, u64), url: &str, place: &Place) -> Result<Record, StoreError> {
        let record = read_record(&folder::archive(&self.root).join(&at.0), at.1)?;
        let found = record.header("WARC-Target-URI").unwrap_or_default();
        if found != url && found != place.url && !self.was_asked_for(found, place)? {
            return Err(self.not_as_remembered(at, "the URL"));
        }
        if record.header("WARC-Payload-Digest") != Some(place.digest.warc().as_str()) {
            return Err(self.not_as_remembered(at, "the payload's digest"));
        }
        Ok(record)
    }

    /// Whether the version, or another with the same bytes, is known to have come from this address: a document that has
    /// moved since, or one whose URL carried a session's id that day.
    fn was_asked_for(&self, url: &str, place: &Place) -> Result<bool, StoreError> {
        Ok(self.db.query_row(
            "SELECT EXISTS (SELECT 1 FROM changes c JOIN versions v ON v.id = ?1 AND v.run = c.run AND v.id = c.version
                            JOIN resources r ON r.id = c.resource WHERE r.url = ?3)
                 OR EXISTS (SELECT 1 FROM changes c JOIN resources r ON r.id = c.moved_from
                            WHERE c.document = ?2 AND r.url = ?3)
                 OR EXISTS (SELECT 1 FROM versions v JOIN versions o ON o.body = v.body WHERE v.id = ?1 AND o.url = ?3)",
            (place.version, place.document, url),
            |row| row.get(0),
        )?)
    }

    fn not_as_remembered(&self, at: &(String, u64), what: &str) -> StoreError {
        StoreError::ArchiveDamaged {
            path: folder::archive(&self.root).join(&at.0),
            offset: at.1,
            what: format!("{what} is not the one the catalog remembers"),
        }
    }
}

/// The members of a capture as they lie in the archive, and how long the first is.
fn members(path: &Path, offset: u64) -> Result<(Vec<u8>, usize), StoreError> {
    let reading = |cause: io::Error| StoreError::ArchiveRead {
        path: path.to_owned(),
        cause,
    };
    let mut walker = Walker::open(path, offset).map_err(reading)?;
    let main = walker.next(|_, _| {}).map_err(reading)?;
    let main = main.ok_or_else(|| reading(io::ErrorKind::UnexpectedEof.into()))?;
    let id = main.header("WARC-Record-ID").unwrap_or_default();
    let mut end = walker.position();
    // What follows is damaged, or somebody else's: then the main record is all there is.
    while let Ok(Some(next)) = walker.next(|_, _| {}) {
        let belongs = [next.header("WARC-Concurrent-To"), next.header("WARC-Refers-To")]
            .into_iter()
            .any(|refers| refers == Some(id));
        if !belongs {
            break;
        }
        end = walker.position();
        if next.header("WARC-Type") == Some("metadata") {
            break;
        }
    }
    let mut file = File::open(path).map_err(reading)?;
    file.seek(SeekFrom::Start(offset)).map_err(reading)?;
    let mut bytes = Vec::new();
    file.take(end - offset).read_to_end(&mut bytes).map_err(reading)?;
    if bytes.len() as u64 != end - offset {
        return Err(reading(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok((bytes, main.member_bytes as usize))
}
