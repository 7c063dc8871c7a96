//! Texts, kept or made: the only ones who know how a kept text looks.

use crate::TextError;
use crate::read::{EXTRACTOR, Text, read};
use gleaner_model::{DocumentId, VersionId};
use gleaner_run::side::open;
use gleaner_store::{Digest, KeptText, Reader, StoreError, Texts};

/// Quick rather than small: texts are read as often as they are written.
const ZSTD_LEVEL: i32 = 3;
/// No text is larger: the reader stops before.
const TEXT_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Gives the text of any version, and keeps what it had to make.
pub struct Maker<'a> {
    reader: &'a Reader,
    texts: Texts,
}

impl<'a> Maker<'a> {
    pub fn open(reader: &'a Reader, root: &std::path::Path) -> Result<Maker<'a>, TextError> {
        Ok(Maker {
            reader,
            texts: Texts::open(root)?,
        })
    }

    /// What a version says; nothing where it says nothing or its bytes are gone.
    pub fn text(
        &mut self,
        document: DocumentId,
        version: VersionId,
        digest: &Digest,
    ) -> Result<Option<Text>, TextError> {
        if let Some(kept) = self.texts.get(version, EXTRACTOR, digest)? {
            return Ok(unpacked(&kept));
        }
        let text = made(self.reader, document, version)?;
        self.keep(&[(version, *digest, packed(text.as_ref()))])?;
        Ok(text)
    }

    pub(crate) fn keep(&mut self, made: &[(VersionId, Digest, Vec<u8>)]) -> Result<(), TextError> {
        let kept: Vec<KeptText> = made
            .iter()
            .map(|(version, digest, text)| KeptText {
                version: *version,
                digest: *digest,
                text: text.clone(),
            })
            .collect();
        Ok(self.texts.put(EXTRACTOR, &kept)?)
    }

    pub(crate) fn kept(&self, version: VersionId, digest: &Digest) -> Result<Option<Vec<u8>>, TextError> {
        Ok(self.texts.get(version, EXTRACTOR, digest)?)
    }

    /// Drops the texts of versions that left.
    pub(crate) fn retain(&mut self, versions: &[i64]) -> Result<(), TextError> {
        self.texts.retain(versions)?;
        Ok(())
    }
}

/// Makes the text of a version from its bytes.
pub(crate) fn made(
    reader: &Reader,
    document: DocumentId,
    version: VersionId,
) -> Result<Option<Text>, TextError> {
    let stored = match reader.content(document, Some(version)) {
        Ok(stored) => stored,
        // It left meanwhile, or its bytes are gone: it says nothing, and that is told elsewhere.
        Err(error) if error.is_of_one_version() || matches!(error, StoreError::NotFound { .. }) => {
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let Ok(opened) = open(stored) else {
        return Ok(None);
    };
    Ok(read(&opened))
}

/// A text as it is kept; one byte where there is none.
pub(crate) fn packed(text: Option<&Text>) -> Vec<u8> {
    let Some(text) = text else {
        return vec![0];
    };
    let json = serde_json::to_vec(text).expect("text is JSON");
    zstd::bulk::compress(&json, ZSTD_LEVEL).unwrap_or_else(|_| vec![0])
}

pub(crate) fn unpacked(kept: &[u8]) -> Option<Text> {
    if kept == [0] {
        return None;
    }
    let json = zstd::bulk::decompress(
        kept,
        zstd::bulk::Decompressor::upper_bound(kept).unwrap_or(TEXT_BYTES_MAX),
    )
    .ok()?;
    serde_json::from_slice(&json).ok()
}
