//! Reading records back: one at a known place, or all of a file in order.

use crate::StoreError;
use flate2::bufread::GzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// A WARC header is small; a larger one is damage.
const HEADER_BYTES_MAX: usize = 64 * 1024;
/// Read from the file in one go: by a walk through all of it, and for a single record.
const WALK_BYTES: usize = 256 * 1024;
const ONE_RECORD_BYTES: usize = 16 * 1024;
/// A length is believed only so far before the bytes have come.
const RESERVE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// A record whose block has been read whole.
#[derive(Debug, Clone)]
pub struct Record {
    pub headers: Vec<(String, String)>,
    pub block: Vec<u8>,
}

impl Record {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
    }

    pub fn kind(&self) -> &str {
        self.header("WARC-Type").unwrap_or("")
    }

    /// The HTTP head and the payload behind it; of a block that holds no HTTP all is payload.
    pub fn http(&self) -> (&[u8], &[u8]) {
        if !holds_http(self.header("Content-Type")) {
            return self.block.split_at(0);
        }
        let end = head_end(&self.block).unwrap_or(self.block.len());
        self.block.split_at(end)
    }
}

/// Whether a record of this type holds HTTP: others hold the bytes of a file.
pub(crate) fn holds_http(content_type: Option<&str>) -> bool {
    content_type.is_some_and(|text| text.starts_with("application/http"))
}

/// The end of the HTTP head: behind the first empty line.
pub(crate) fn head_end(block: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = block[at..].iter().position(|&b| b == b'\n') {
        at += next + 1;
        match block.get(at..) {
            Some([b'\r', b'\n', ..]) => return Some(at + 2),
            Some([b'\n', ..]) => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// Reads the record that begins at `offset`, to its very end: its checksum is checked too.
pub fn read_record(path: &Path, offset: u64) -> Result<Record, StoreError> {
    let mut walker =
        Walker::with_buffer(path, offset, ONE_RECORD_BYTES).map_err(|cause| StoreError::ArchiveRead {
            path: path.to_owned(),
            cause,
        })?;
    let mut block = Vec::new();
    let walked = walker.next(|headers, piece| {
        if block.is_empty() {
            let length = content_length(headers).unwrap_or(0);
            block.reserve(usize::try_from(length.min(RESERVE_BYTES_MAX)).unwrap_or(0));
        }
        block.extend_from_slice(piece);
    });
    let what = match walked {
        Ok(Some(Walked { headers, .. })) => return Ok(Record { headers, block }),
        Ok(None) => "the file ends before it".to_owned(),
        Err(cause) => cause.to_string(),
    };
    Err(StoreError::ArchiveDamaged {
        path: path.to_owned(),
        offset,
        what,
    })
}

/// The record at the beginning of some bytes, and how long its member is.
pub(crate) fn first_record(bytes: &[u8]) -> io::Result<(Record, usize)> {
    let mut walker = Walker {
        input: Counted {
            inner: BufReader::new(bytes),
            at: 0,
        },
        piece: vec![0; ONE_RECORD_BYTES],
    };
    let mut block = Vec::new();
    let walked = walker.next(|_, piece| block.extend_from_slice(piece))?;
    let walked = walked.ok_or(io::ErrorKind::UnexpectedEof)?;
    let record = Record {
        headers: walked.headers,
        block,
    };
    Ok((record, walked.member_bytes as usize))
}

/// Walks through the records of a file. The one way of reading them: what is good for `verify` is good for all.
pub struct Walker<R = File> {
    input: Counted<BufReader<R>>,
    /// A piece of a block.
    piece: Vec<u8>,
}

/// One record of a walk. The block went to the visitor piece by piece.
#[derive(Debug)]
pub struct Walked {
    pub offset: u64,
    pub member_bytes: u64,
    pub commit: Option<u64>,
    pub headers: Vec<(String, String)>,
}

impl Walked {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(n, _)| n.eq_ignore_ascii_case(name))
            .map(|(_, v)| v.as_str())
    }
}

impl Walker {
    pub fn open(path: &Path, from: u64) -> io::Result<Walker> {
        Walker::with_buffer(path, from, WALK_BYTES)
    }

    fn with_buffer(path: &Path, from: u64, bytes: usize) -> io::Result<Walker> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(from))?;
        Ok(Walker {
            input: Counted {
                inner: BufReader::with_capacity(bytes, file),
                at: from,
            },
            piece: vec![0; bytes],
        })
    }
}

impl<R: Read> Walker<R> {
    /// Where the next record begins, or where the damage is when the last call failed.
    pub fn position(&self) -> u64 {
        self.input.at
    }

    /// The next record; `visit` sees its block in pieces. `None` at a clean end of file.
    pub fn next(&mut self, mut visit: impl FnMut(&[(String, String)], &[u8])) -> io::Result<Option<Walked>> {
        let offset = self.input.at;
        if self.input.fill_buf()?.is_empty() {
            return Ok(None);
        }
        let mut member = GzDecoder::new(&mut self.input);
        let headers = read_headers(&mut member)?;
        let commit = member
            .header()
            .and_then(|header| header.extra())
            .and_then(super::gzip::commit_in_extra);
        let mut left = content_length(&headers)?;
        while left > 0 {
            let want = self.piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let read = member.read(&mut self.piece[..want])?;
            if read == 0 {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "block is cut off"));
            }
            visit(&headers, &self.piece[..read]);
            left -= read as u64;
        }
        // A decoder may give less than it is asked for at any time; only the end of the member is an end, and there
        // the checksum is checked.
        let mut tail = Vec::new();
        (&mut member).take(5).read_to_end(&mut tail)?;
        if tail != b"\r\n\r\n" {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "record does not end with an empty line",
            ));
        }
        drop(member);
        Ok(Some(Walked {
            offset,
            member_bytes: self.input.at - offset,
            commit,
            headers,
        }))
    }
}

fn read_headers(member: &mut impl Read) -> io::Result<Vec<(String, String)>> {
    // Byte by byte is fine: the decoder has a buffer, and headers are some hundred bytes.
    let mut text = Vec::with_capacity(512);
    let mut byte = [0u8; 1];
    while !text.ends_with(b"\r\n\r\n") {
        if member.read(&mut byte)? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "header is cut off"));
        }
        text.push(byte[0]);
        if text.len() > HEADER_BYTES_MAX {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "header is too long"));
        }
    }
    let text = String::from_utf8_lossy(&text);
    let mut lines = text.split("\r\n");
    if !lines.next().is_some_and(|version| version.starts_with("WARC/1.")) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a WARC record"));
    }
    Ok(lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect())
}

fn content_length(headers: &[(String, String)]) -> io::Result<u64> {
    headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.parse().ok())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "record has no length"))
}

/// Knows how far it has read, so that a member's end is a place in the file.
struct Counted<R> {
    inner: R,
    at: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let n = available.len().min(out.len());
        out[..n].copy_from_slice(&available[..n]);
        self.consume(n);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        self.at += n as u64;
        self.inner.consume(n);
    }
}
