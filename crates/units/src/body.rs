//! Where does a body lie while it is worked on? Small ones in memory, large ones in a nameless file.
//!
//! [`BodySink`] takes the bytes as they come and changes over to a file once they pass `SPOOL_BYTES`, so that
//! many fetches at once stay within a known amount of memory. The file has no name (it is unlinked or never
//! linked), so nothing is left behind by a crash and nothing on disk is named by a remote side (C8).

use crate::UnitError;
use bytes::{Bytes, BytesMut};
use gleaner_model::defaults;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

/// A body as sent, transfer coding removed.
#[derive(Debug)]
pub enum Body {
    Memory(Bytes),
    Spool(SpoolFile),
}

/// A body in a file without a name; it goes when the value goes.
#[derive(Debug)]
pub struct SpoolFile {
    pub file: File,
    pub len: u64,
}

impl Body {
    pub fn empty() -> Body {
        Body::Memory(Bytes::new())
    }

    pub fn len(&self) -> u64 {
        match self {
            Body::Memory(bytes) => bytes.len() as u64,
            Body::Spool(spool) => spool.len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes, if they are in memory.
    pub fn as_slice(&self) -> Option<&[u8]> {
        match self {
            Body::Memory(bytes) => Some(bytes),
            Body::Spool(_) => None,
        }
    }

    /// A reader from the first byte on. One at a time: readers of a spooled body share its position.
    pub fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        match self {
            Body::Memory(bytes) => Ok(Box::new(Cursor::new(bytes.clone()))),
            Body::Spool(spool) => {
                let mut file = spool.file.try_clone()?;
                file.seek(SeekFrom::Start(0))?;
                Ok(Box::new(file.take(spool.len)))
            }
        }
    }

    /// The first `limit` bytes, wherever they lie.
    pub fn opening(&self, limit: usize) -> io::Result<Vec<u8>> {
        match self {
            Body::Memory(bytes) => Ok(bytes[..bytes.len().min(limit)].to_vec()),
            Body::Spool(_) => {
                let mut opening = Vec::new();
                self.reader()?.take(limit as u64).read_to_end(&mut opening)?;
                Ok(opening)
            }
        }
    }
}

/// Takes the bytes of one body as they come.
#[derive(Debug)]
pub(crate) struct BodySink {
    memory: BytesMut,
    spool: Option<SpoolFile>,
    folder: Arc<Path>,
    /// The announced length; 0 where there is none.
    expected: u64,
}

impl BodySink {
    /// `expected` is the announced length, if there is one; it is believed only as far as memory is at stake.
    pub(crate) fn new(folder: &Arc<Path>, expected: Option<u64>) -> BodySink {
        let room = expected.map_or(0, |n| n.min(defaults::SPOOL_BYTES as u64) as usize);
        BodySink {
            memory: BytesMut::with_capacity(room),
            spool: None,
            folder: Arc::clone(folder),
            expected: expected.unwrap_or(0),
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.spool.as_ref().map_or(0, |spool| spool.len) + self.memory.len() as u64
    }

    /// The memory that holds the newest bytes. A reader may append here up to [`room`](Self::room) bytes and then
    /// calls [`settle`](Self::settle).
    pub(crate) fn memory(&mut self) -> &mut BytesMut {
        &mut self.memory
    }

    pub(crate) fn room(&self) -> usize {
        defaults::SPOOL_BYTES.saturating_sub(self.memory.len()).max(1)
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), UnitError> {
        self.memory.extend_from_slice(bytes);
        self.settle()
    }

    /// Moves what has grown too large for memory to the file.
    pub(crate) fn settle(&mut self) -> Result<(), UnitError> {
        if self.memory.len() < defaults::SPOOL_BYTES {
            return Ok(());
        }
        self.spill()
    }

    fn spill(&mut self) -> Result<(), UnitError> {
        self.try_spill().map_err(|cause| UnitError::Spool {
            folder: self.folder.to_path_buf(),
            bytes: self.expected.max(self.len()),
            cause,
        })
    }

    fn try_spill(&mut self) -> io::Result<()> {
        if self.spool.is_none() {
            self.spool = Some(SpoolFile {
                file: tempfile::tempfile_in(&self.folder)?,
                len: 0,
            });
        }
        if let Some(spool) = &mut self.spool {
            spool.file.write_all(&self.memory)?;
            spool.len += self.memory.len() as u64;
            self.memory.clear();
        }
        Ok(())
    }

    /// The beginning of the body, as far as it is still in memory.
    pub(crate) fn opening(&self) -> &[u8] {
        &self.memory
    }

    pub(crate) fn finish(mut self) -> Result<Body, UnitError> {
        if self.spool.is_some() && !self.memory.is_empty() {
            self.spill()?;
        }
        Ok(match self.spool {
            Some(spool) => Body::Spool(spool),
            None => Body::Memory(self.memory.freeze()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_body_comes_back_from_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = BodySink::new(&Arc::from(folder.path()), None);
        let piece: Vec<u8> = (0..=255).cycle().take(70_001).collect();
        for _ in 0..40 {
            sink.push(&piece).unwrap();
        }
        assert_eq!(sink.len(), 40 * 70_001);
        let body = sink.finish().unwrap();
        assert!(matches!(body, Body::Spool(_)));
        assert_eq!(body.len(), 40 * 70_001);
        for _ in 0..2 {
            let mut all = Vec::new();
            body.reader().unwrap().read_to_end(&mut all).unwrap();
            assert_eq!(all, piece.repeat(40));
        }
        assert_eq!(body.opening(10).unwrap(), &piece[..10]);
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "the spool file has no name"
        );
    }

    #[test]
    fn a_small_body_stays_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let mut sink = BodySink::new(&Arc::from(folder.path()), Some(3));
        sink.push(b"abc").unwrap();
        let body = sink.finish().unwrap();
        assert_eq!(body.as_slice(), Some(b"abc".as_slice()));
        assert_eq!(body.opening(2).unwrap(), b"ab");
    }
}
