//! The records of chosen versions, for a WARC file of their own.
//!
//! Records are copied as they are, with the request and the metadata that came with them. One that only refers to an earlier
//! record (a revisit) is copied where that one was taken before; otherwise the payload is put into it, so that what is taken
//! can be read without the rest of the archive.

use super::Reader;
use super::content::Place;
use crate::warc::gzip::set_commit;
use crate::warc::reader::Walker;
use crate::warc::{Packer, Record};
use crate::{Digest, StoreError, folder};
use gleaner_model::{DocumentId, Timestamp, VersionId};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Remembers which records were taken.
#[derive(Default)]
pub struct Extract {
    packer: Packer,
    /// By archive file and offset.
    taken: HashSet<(String, u64)>,
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
        reader: &Reader,
        document: DocumentId,
        version: VersionId,
    ) -> Result<Extracted, StoreError> {
        // Held until the bytes are read: a compaction removes no file while someone looks at the catalog from before.
        let _snapshot = reader.db.unchecked_transaction()?;
        let place = reader
            .place_of(document, Some(version))?
            .ok_or_else(|| StoreError::NotFound {
                what: "stored document",
                given: document.to_string().into(),
            })?;
        if place.is_lost {
            return Err(StoreError::Lost { given: place.url });
        }
        // Its own was lost, and the one with the same bytes stands for it.
        let own = place.own.as_ref().unwrap_or(&place.body);
        let is_whole = *own == place.body;
        let has_payload = !is_whole && self.taken.contains(&place.body);
        let record = reader.checked_record(own, &place.url, &place)?;
        if is_whole {
            check(reader, &record, &place)?;
        }
        let (mut bytes, mut main_bytes) = members(&folder::archive(&reader.root).join(&own.0), own.1)?;
        if is_whole {
            self.taken.insert(place.body.clone());
        } else if !has_payload {
            let body = reader.checked_record(&place.body, &place.body_url, &place)?;
            check(reader, &body, &place)?;
            let mut whole = self.packer.whole(&record, body.http().1);
            set_commit(&mut whole, 0);
            let context = bytes.split_off(main_bytes);
            main_bytes = whole.len();
            bytes = [whole, context].concat();
        }
        let (head, _) = record.http();
        let header = |name: &str| record.header(name).unwrap_or_default().to_owned();
        Ok(Extracted {
            main_bytes: main_bytes as u64,
            bytes,
            date: header("WARC-Date"),
            digest: header("WARC-Payload-Digest"),
            url: header("WARC-Target-URI"),
            media_type: place.media_type,
            status: status(head),
            is_revisit: has_payload,
        })
    }
}

/// The payload is the one that the catalog remembers.
fn check(reader: &Reader, record: &Record, place: &Place) -> Result<(), StoreError> {
    if Digest::of(record.http().1) == place.digest {
        return Ok(());
    }
    Err(reader.not_as_remembered(&place.body, "the payload's digest"))
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

/// `HTTP/1.1 200 OK`.
fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|&byte| byte == b'\n').next()?;
    let text = std::str::from_utf8(line).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}
