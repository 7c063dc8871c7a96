//! Texts, kept or made: the only ones who know how a kept text looks.

use crate::TextError;
use crate::processors::on_all;
use crate::read::{EXTRACTOR, Text, read_among};
use crate::sites::Sites;
use gleaner_history::side::open;
use gleaner_model::{DocumentId, Reason, VersionId};
use gleaner_parse::content::Repeats;
use gleaner_readers::Pool;
use gleaner_store::{Digest, KeptText, Ledger, StoreError, Texts};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Quick rather than small: texts are read as often as they are written.
const ZSTD_LEVEL: i32 = 3;
/// No text is larger: the reader stops before.
const TEXT_BYTES_MAX: usize = 256 * 1024 * 1024;
/// Where there is no text, the reason stands behind this byte; no frame of zstd begins with it.
const SILENT: u8 = 0;
/// A reason is no longer.
const SILENT_BYTES_MAX: u32 = 64;

/// What a version says, or why nothing.
pub type Said = Result<Text, Reason>;

/// A version whose text is wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted {
    pub(crate) document: DocumentId,
    pub(crate) version: VersionId,
    pub(crate) digest: Digest,
}

/// Gives the text of any version, and keeps what it had to make.
pub struct Maker<'a> {
    reader: &'a dyn Ledger,
    readers: &'a Pool,
    texts: Texts,
    sites: Sites,
    /// What could not be read before and may be readable now is tried again.
    tries_again: bool,
}

impl<'a> Maker<'a> {
    /// `readers` are for documents that are no pages; none is started before one comes.
    pub fn open(reader: &'a dyn Ledger, root: &Path, readers: &'a Pool) -> Result<Maker<'a>, TextError> {
        Ok(Maker {
            reader,
            readers,
            texts: Texts::open(root)?,
            sites: Sites::new(Texts::open(root)?),
            tries_again: false,
        })
    }

    /// The same, who reads again what could not be read before, where that may end better now.
    pub(crate) fn trying_again(self) -> Maker<'a> {
        Maker {
            tries_again: true,
            ..self
        }
    }

    /// What a version says; nothing where it says nothing or its bytes are gone.
    pub fn text(
        &mut self,
        document: DocumentId,
        version: VersionId,
        digest: &Digest,
    ) -> Result<Option<Text>, TextError> {
        Ok(self.said(document, version, digest)?.ok())
    }

    /// As [`Maker::text`], with the reason where a version says nothing.
    pub fn said(
        &mut self,
        document: DocumentId,
        version: VersionId,
        digest: &Digest,
    ) -> Result<Said, TextError> {
        if let Some(kept) = self.kept(version, digest)? {
            return Ok(kept);
        }
        let said = made(self.reader, self.readers, &self.sites, document, version)?;
        if let Some(packed) = packed(&said) {
            self.keep(&[(version, *digest, packed)])?;
        }
        Ok(said)
    }

    /// What the site of a document says on many pages, as far as that counts for it.
    pub fn repeats(&self, document: DocumentId) -> Result<Arc<Repeats>, TextError> {
        self.sites.of(self.reader, document)
    }

    /// How many of the versions that were read say nothing, by reason.
    pub fn silent(&self) -> Result<BTreeMap<Reason, u64>, TextError> {
        let mut counts = BTreeMap::new();
        for kept in self.texts.shorter_than(EXTRACTOR, SILENT_BYTES_MAX)? {
            if let Some(Err(reason)) = unpacked(&kept) {
                *counts.entry(reason).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// The texts of many versions, read on all processors: what `take` makes of each, in their order. What is wanted of a
    /// version whose bytes are gone is `None`.
    pub(crate) fn texts<R: Send>(
        &mut self,
        wanted: &[Option<Wanted>],
        take: impl Fn(Option<Text>) -> R + Sync,
    ) -> Result<Vec<R>, TextError> {
        let mut kept = Vec::with_capacity(wanted.len());
        for one in wanted {
            kept.push(match one {
                Some(one) => (Some(one), self.texts.get(one.version, EXTRACTOR, &one.digest)?),
                None => (None, None),
            });
        }
        let (readers, sites, tries_again) = (self.readers, &self.sites, self.tries_again);
        let opener = self.reader.opener();
        let read = on_all(&kept, |reader: &mut Option<Box<dyn Ledger>>, (one, kept)| {
            let known = kept.as_deref().and_then(unpacked);
            let known = known.filter(|said| !(tries_again && may_pass(said)));
            let (Some(one), None) = (one, &known) else {
                return Ok((take(known.and_then(Result::ok)), None));
            };
            let reader = match reader {
                Some(reader) => reader,
                None => reader.insert(opener.ledger()?),
            };
            let said = made(&**reader, readers, sites, one.document, one.version)?;
            let fresh = packed(&said).map(|packed| (one.version, one.digest, packed));
            Ok::<_, TextError>((take(said.ok()), fresh))
        })?;
        let (taken, fresh): (Vec<R>, Vec<_>) = read.into_iter().unzip();
        let fresh: Vec<_> = fresh.into_iter().flatten().collect();
        if !fresh.is_empty() {
            self.keep(&fresh)?;
        }
        Ok(taken)
    }

    fn keep(&mut self, made: &[(VersionId, Digest, Vec<u8>)]) -> Result<(), TextError> {
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

    /// None also where it cannot be unpacked: it is then made again.
    fn kept(&self, version: VersionId, digest: &Digest) -> Result<Option<Said>, TextError> {
        let kept = self.texts.get(version, EXTRACTOR, digest)?;
        Ok(kept.and_then(|kept| unpacked(&kept)))
    }

    /// Drops the texts of versions that left.
    pub(crate) fn retain(&mut self, versions: &[i64]) -> Result<(), TextError> {
        self.texts.retain(versions)?;
        Ok(())
    }
}

/// Whether another try may end better: a program was installed since, or the machine is less busy.
fn may_pass(said: &Said) -> bool {
    matches!(
        said,
        Err(Reason::DocumentToolMissing | Reason::DocumentTimeout | Reason::DocumentCrashed)
    )
}

/// Makes the text of a version from its bytes.
fn made(
    reader: &dyn Ledger,
    readers: &Pool,
    sites: &Sites,
    document: DocumentId,
    version: VersionId,
) -> Result<Said, TextError> {
    let stored = match reader.content(document, Some(version)) {
        Ok(stored) => stored,
        // It left meanwhile, or its bytes are gone: it says nothing, and that is told elsewhere.
        Err(error) if error.is_of_one_version() || matches!(error, StoreError::NotFound { .. }) => {
            return Ok(Err(Reason::Lost));
        }
        Err(error) => return Err(error.into()),
    };
    match open(stored) {
        Ok(opened) => read_among(&opened, readers, &*sites.of(reader, document)?),
        Err(reason) => Ok(Err(reason)),
    }
}

/// A text as it is kept, or the code of the reason why there is none. Nothing is kept where the bytes are gone: they may
/// come back.
fn packed(said: &Said) -> Option<Vec<u8>> {
    match said {
        Ok(text) => {
            let json = serde_json::to_vec(text).expect("text is JSON");
            zstd::bulk::compress(&json, ZSTD_LEVEL).ok()
        }
        Err(Reason::Lost) => None,
        Err(reason) => Some([&[SILENT], reason.code().as_bytes()].concat()),
    }
}

fn unpacked(kept: &[u8]) -> Option<Said> {
    if let [SILENT, code @ ..] = kept {
        let code = std::str::from_utf8(code).ok()?;
        return Reason::parse(code).map(Err);
    }
    let json = zstd::bulk::decompress(
        kept,
        zstd::bulk::Decompressor::upper_bound(kept).unwrap_or(TEXT_BYTES_MAX),
    )
    .ok()?;
    serde_json::from_slice(&json).ok().map(Ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_kept_in_the_place_of_a_text() {
        let text = Text {
            title: "T".to_owned(),
            ..Text::default()
        };
        let locked = Err(Reason::DocumentLocked);
        for said in [Ok(text), locked] {
            let packed = packed(&said).expect("something to keep");
            assert_eq!(unpacked(&packed), Some(said));
        }
        assert_eq!(packed(&Err(Reason::Lost)), None);
        assert_eq!(unpacked(b"\0what-nobody-knows"), None);
        assert_eq!(unpacked(b"no frame"), None);
    }
}
