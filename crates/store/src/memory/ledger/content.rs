//! A version's bytes, read from its record.

use super::MemoryLedger;
use crate::StoreError;
use crate::ledger::{CapturedVersion, ContentLedger, Stored, StoredBody, StoredContent, no_version};
use crate::memory::rows::{HeldVersion, Rows};
use crate::warc::Record;
use crate::warc::reader::first_record;
use gleaner_model::{DocumentId, VersionId};
use std::path::PathBuf;

impl Rows {
    fn version_of(&self, document: DocumentId, version: Option<VersionId>) -> Option<&HeldVersion> {
        let newest = self.documents.get(&document)?.version;
        let version = self.versions.get(&version.or(newest)?)?;
        (version.document == document).then_some(version)
    }

    fn record(&self, at: usize) -> Result<(Record, usize), StoreError> {
        let read = |bytes: &Vec<u8>| first_record(bytes).ok();
        let found = self.records.get(at).and_then(read);
        found.ok_or_else(|| StoreError::ArchiveDamaged {
            path: PathBuf::from("memory"),
            offset: at as u64,
            what: "this is no record".to_owned(),
        })
    }

    /// The payload of a version, from the record that has it.
    fn payload(&self, version: &HeldVersion) -> Result<Vec<u8>, StoreError> {
        let (record, _) = self.record(self.bodies[&version.digest].record)?;
        Ok(record.http().1.to_vec())
    }
}

impl ContentLedger for MemoryLedger {
    fn content(&self, document: DocumentId, version: Option<VersionId>) -> Result<StoredContent, StoreError> {
        self.look(|rows| {
            let row = rows
                .version_of(document, version)
                .ok_or_else(|| no_version(document))?;
            let (own, _) = rows.record(row.record)?;
            Ok(StoredContent {
                url: own.header("WARC-Target-URI").unwrap_or_default().to_owned(),
                media_type: row.media_type.clone(),
                charset: row.charset.clone(),
                head: own.http().0.to_vec(),
                body: rows.payload(row)?,
                digest: row.digest,
            })
        })
    }

    fn stored(&self, version: VersionId) -> Result<Option<Stored>, StoreError> {
        self.look(|rows| {
            let Some(row) = rows.versions.get(&version) else {
                return Ok(None);
            };
            Ok(Some(Stored {
                head: rows.record(row.record)?.0.http().0.to_vec(),
                body: StoredBody::Memory(rows.payload(row)?),
                digest: row.digest,
                ladder: rows.ladders.get(&version).cloned(),
                asked: row.asked.clone(),
            }))
        })
    }

    fn captured(&self, document: DocumentId, version: VersionId) -> Result<CapturedVersion, StoreError> {
        self.look(|rows| {
            let row = rows
                .version_of(document, Some(version))
                .ok_or_else(|| no_version(document))?;
            let (main, main_bytes) = rows.record(row.record)?;
            Ok(CapturedVersion {
                members: rows.records[row.record].clone(),
                main_bytes,
                main,
                media_type: row.media_type.clone(),
                digest: row.digest,
                is_whole: rows.bodies[&row.digest].record == row.record,
            })
        })
    }
}
