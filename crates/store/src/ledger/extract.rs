//! The records of chosen versions, for a WARC file of their own.
//!
//! Records are copied as they are, with the request and the metadata that came with them. One that only refers to an earlier
//! record (a revisit) is copied where that one was taken before; otherwise the payload is put into it, so that what is taken
//! can be read without the rest of the archive.

use super::{CapturedVersion, Ledger};
use crate::warc::Packer;
use crate::warc::gzip::set_commit;
use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, Timestamp, VersionId};
use std::collections::HashSet;

/// Remembers which records were taken.
#[derive(Default)]
pub struct Extract {
    packer: Packer,
    /// The payloads of records that were taken whole.
    taken: HashSet<Digest>,
}

/// The records of a version.
#[derive(Debug, Clone)]
pub struct Extracted {
    /// The main record (response, resource or revisit) and what came with it: a gzip member each.
    pub bytes: Vec<u8>,
    /// Of the main record.
    pub main_bytes: u64,
    /// As asked for.
    pub url: String,
    /// As the record spells it: `2026-11-16T03:04:05.678Z`.
    pub date: String,
    /// As the server named it.
    pub media_type: String,
    /// None: it was not asked for over HTTP.
    pub status: Option<u16>,
    /// Of the payload, as the record spells it.
    pub digest: String,
    /// It refers to a record that was taken before.
    pub is_revisit: bool,
}

impl Extract {
    /// The record that begins a file.
    pub fn warcinfo(&mut self, file_name: &str, at: Timestamp, software: &str) -> Vec<u8> {
        self.packer.warcinfo(file_name, at, software)
    }

    /// Takes the records of a version.
    pub fn records(
        &mut self,
        ledger: &dyn Ledger,
        document: DocumentId,
        version: VersionId,
    ) -> Result<Extracted, StoreError> {
        let CapturedVersion {
            members: mut bytes,
            mut main_bytes,
            main,
            media_type,
            digest,
            is_whole,
        } = ledger.captured(document, version)?;
        let has_payload = !is_whole && self.taken.contains(&digest);
        if is_whole {
            self.taken.insert(digest);
        } else if !has_payload {
            let content = ledger.content(document, Some(version))?;
            let mut whole = self.packer.whole(&main, &content.body);
            set_commit(&mut whole, 0);
            let context = bytes.split_off(main_bytes);
            main_bytes = whole.len();
            bytes = [whole, context].concat();
        }
        let header = |name: &str| main.header(name).unwrap_or_default().to_owned();
        Ok(Extracted {
            main_bytes: main_bytes as u64,
            bytes,
            date: header("WARC-Date"),
            digest: header("WARC-Payload-Digest"),
            url: header("WARC-Target-URI"),
            status: status(main.http().0),
            media_type,
            is_revisit: has_payload,
        })
    }
}

/// `HTTP/1.1 200 OK`.
fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|&byte| byte == b'\n').next()?;
    let text = std::str::from_utf8(line).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}
