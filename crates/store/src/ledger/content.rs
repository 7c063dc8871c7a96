//! A version's bytes, as the server sent them.

use crate::warc::Record;
use crate::{Digest, StoreError};
use gleaner_model::{DocumentId, VersionId};
use std::fs::File;

/// A stored version with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredContent {
    /// As asked for.
    pub url: String,
    pub media_type: String,
    pub charset: Option<String>,
    /// The HTTP head as sent.
    pub head: Vec<u8>,
    /// The body as sent: still content-encoded.
    pub body: Vec<u8>,
    /// Of the body as sent.
    pub digest: Digest,
}

/// What was kept of one version, for whoever compares versions.
#[derive(Debug)]
pub struct Stored {
    /// The HTTP head as sent.
    pub head: Vec<u8>,
    pub body: StoredBody,
    pub digest: Digest,
    /// The digests that were made of it before.
    pub ladder: Option<Vec<u8>>,
    /// What was asked for, where that was not the document's own address.
    pub asked: Option<String>,
}

/// A body as sent: still content-encoded.
#[derive(Debug)]
pub enum StoredBody {
    Memory(Vec<u8>),
    /// In a file without a name, because it is more than is held in memory for a comparison.
    File {
        file: File,
        len: u64,
    },
}

/// The records of a version as they lie in the archive.
#[derive(Debug, Clone)]
pub struct CapturedVersion {
    /// The main record (response, resource or revisit) and what came with it: a gzip member each.
    pub members: Vec<u8>,
    /// Of the main record.
    pub main_bytes: usize,
    /// The main record, read.
    pub main: Record,
    /// As the server named it.
    pub media_type: String,
    /// Of the payload.
    pub digest: Digest,
    /// The payload is in the main record, and was checked.
    pub is_whole: bool,
}

pub trait ContentLedger {
    /// A version of a document: the newest, or the one that is named.
    fn content(&self, document: DocumentId, version: Option<VersionId>) -> Result<StoredContent, StoreError>;

    /// `None` where the bytes are known to be lost, or the version is not there (any more).
    fn stored(&self, version: VersionId) -> Result<Option<Stored>, StoreError>;

    /// The records of a version.
    fn captured(&self, document: DocumentId, version: VersionId) -> Result<CapturedVersion, StoreError>;
}

pub(crate) fn no_version(document: DocumentId) -> StoreError {
    StoreError::NotFound {
        what: "stored document",
        given: document.to_string().into(),
    }
}
