//! WARC files of others: plain or in gzip members, one record in each or many, WARC/1.0 as well; and WACZ, which holds such files.
//!
//! Ours are read by [`super::reader`], which demands what we write. Here much is forgiven, and what cannot be read is named.

use super::survey::DamagedRecord;
use crate::StoreError;
use flate2::bufread::GzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A larger block is not taken.
const BLOCK_BYTES_MAX: u64 = 1024 * 1024 * 1024;
const LINE_BYTES_MAX: u64 = 64 * 1024;
const MEMBER: &[u8] = &[0x1f, 0x8b, 0x08];
const VERSION: &[u8] = b"WARC/";

pub use super::reader::Record;

/// What comes out of a file, in its order.
pub type EachForeign<'a> = dyn FnMut(Result<Record, DamagedRecord>) -> Result<(), StoreError> + 'a;

/// Reads every record of a WARC or WACZ file. Members of a WACZ file are put into `spool` on the way.
pub fn read_foreign(path: &Path, spool: &Path, each: &mut EachForeign<'_>) -> Result<(), StoreError> {
    let failed = |cause| StoreError::ArchiveRead {
        path: path.to_owned(),
        cause,
    };
    let mut begin = [0; 4];
    let mut file = File::open(path).map_err(failed)?;
    let read = file.read(&mut begin).map_err(failed)?;
    match &begin[..read] {
        [b'P', b'K', 3, 4] => read_package(path, spool, each),
        [0x1f, 0x8b, ..] => read_members(path, each),
        b"file" => Err(failed(io::Error::new(
            io::ErrorKind::Unsupported,
            "this is an ARC file, the form before WARC, which is not read; warcio recompress makes a WARC file of it",
        ))),
        _ => read_plain(path, each),
    }
}

/// The WARC files in a WACZ file, one after the other.
fn read_package(path: &Path, spool: &Path, each: &mut EachForeign<'_>) -> Result<(), StoreError> {
    let failed = |cause| StoreError::ArchiveRead {
        path: path.to_owned(),
        cause,
    };
    let file = File::open(path).map_err(failed)?;
    let mut package =
        zip::ZipArchive::new(BufReader::new(file)).map_err(|error| failed(io::Error::other(error)))?;
    let is_warc = |name: &str| [".warc", ".warc.gz"].iter().any(|end| name.ends_with(end));
    let names: Vec<String> = package
        .file_names()
        .filter_map(|name| Some(name.ok()?.into_owned()))
        .filter(|name| name.starts_with("archive/") && is_warc(name))
        .collect();
    for name in names {
        let mut member = package
            .by_name(&name)
            .map_err(|error| failed(io::Error::other(error)))?;
        let mut copy = tempfile::NamedTempFile::new_in(spool).map_err(failed)?;
        io::copy(&mut member, &mut copy).map_err(failed)?;
        let named = path.join(&name);
        read_foreign(copy.path(), spool, &mut |found| {
            each(found.map_err(|damaged| DamagedRecord {
                path: named.clone(),
                ..damaged
            }))
        })?;
    }
    Ok(())
}

fn read_plain(path: &Path, each: &mut EachForeign<'_>) -> Result<(), StoreError> {
    let failed = |cause| StoreError::ArchiveRead {
        path: path.to_owned(),
        cause,
    };
    let mut input = Counting::at(path, 0).map_err(failed)?;
    loop {
        let offset = input.at;
        match read_one(&mut input) {
            Ok(None) => return Ok(()),
            Ok(Some(record)) => each(Ok(record))?,
            Err(cause) => {
                each(Err(damaged(path, offset, &cause)))?;
                match find(path, offset + 1, VERSION, |_| true).map_err(failed)? {
                    Some(next) => input = Counting::at(path, next).map_err(failed)?,
                    None => return Ok(()),
                }
            }
        }
    }
}

/// Member by member, so that a damaged one does not hide those behind it.
fn read_members(path: &Path, each: &mut EachForeign<'_>) -> Result<(), StoreError> {
    let failed = |cause| StoreError::ArchiveRead {
        path: path.to_owned(),
        cause,
    };
    let mut input = Counting::at(path, 0).map_err(failed)?;
    loop {
        let offset = input.at;
        if input.fill_buf().map_err(failed)?.is_empty() {
            return Ok(());
        }
        let mut wrong = None;
        {
            let mut member = BufReader::new(GzDecoder::new(&mut input));
            loop {
                match read_one(&mut member) {
                    Ok(None) => break,
                    Ok(Some(record)) => each(Ok(record))?,
                    Err(cause) => {
                        wrong = Some(cause);
                        break;
                    }
                }
            }
        }
        if let Some(cause) = wrong {
            each(Err(damaged(path, offset, &cause)))?;
            let is_record = |at: u64| {
                let read = Counting::at(path, at)
                    .and_then(|mut input| read_one(&mut BufReader::new(GzDecoder::new(&mut input))));
                matches!(read, Ok(Some(_)))
            };
            match find(path, offset + 1, MEMBER, is_record).map_err(failed)? {
                Some(next) => input = Counting::at(path, next).map_err(failed)?,
                None => return Ok(()),
            }
        }
    }
}

fn damaged(path: &Path, offset: u64, cause: &io::Error) -> DamagedRecord {
    DamagedRecord {
        path: path.to_owned(),
        offset,
        what: cause.to_string(),
    }
}

/// The next place of `mark` that is a good one.
fn find(path: &Path, from: u64, mark: &[u8], is_good: impl Fn(u64) -> bool) -> io::Result<Option<u64>> {
    let mut file = File::open(path)?;
    let mut at = from;
    loop {
        file.seek(SeekFrom::Start(at))?;
        let mut piece = Vec::new();
        file.by_ref().take(1024 * 1024).read_to_end(&mut piece)?;
        for found in memchr::memmem::find_iter(&piece, mark) {
            let place = at + found as u64;
            if is_good(place) {
                return Ok(Some(place));
            }
        }
        if piece.len() < 1024 * 1024 {
            return Ok(None);
        }
        at += (piece.len() - (mark.len() - 1)) as u64;
    }
}

/// The next record; none at the end.
fn read_one(input: &mut impl BufRead) -> io::Result<Option<Record>> {
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let mut first = String::new();
    while first.trim().is_empty() {
        match read_line(input)? {
            Some(line) => first = line,
            None => return Ok(None),
        }
    }
    if !first.as_bytes().starts_with(VERSION) {
        return Err(wrong("not a WARC record"));
    }
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        let line = read_line(input)?
            .ok_or_else(|| io::Error::new(io::ErrorKind::UnexpectedEof, "header is cut off"))?;
        let text = line.trim_end_matches(['\r', '\n']);
        if text.is_empty() {
            break;
        }
        match (text.starts_with([' ', '\t']), headers.last_mut()) {
            (true, Some((_, value))) => {
                value.push(' ');
                value.push_str(text.trim());
            }
            _ => {
                if let Some((name, value)) = text.split_once(':') {
                    headers.push((name.trim().to_owned(), value.trim().to_owned()));
                }
            }
        }
    }
    let length: u64 = headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.parse().ok())
        .ok_or_else(|| wrong("record has no length"))?;
    if length > BLOCK_BYTES_MAX {
        return Err(wrong("record is larger than 1 GiB"));
    }
    let mut block = Vec::new();
    input.take(length).read_to_end(&mut block)?;
    if (block.len() as u64) < length {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "block is cut off"));
    }
    Ok(Some(Record { headers, block }))
}

fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    input.take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
    Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned()))
}

/// Knows how far it has read.
struct Counting {
    inner: BufReader<File>,
    at: u64,
}

impl Counting {
    fn at(path: &Path, at: u64) -> io::Result<Counting> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(at))?;
        Ok(Counting {
            inner: BufReader::with_capacity(256 * 1024, file),
            at,
        })
    }
}

impl Read for Counting {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(out.len());
        out[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Counting {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.at += count as u64;
        self.inner.consume(count);
    }
}

/// The WARC and WACZ files that a person means: a file, or those in a folder, in the order of their names.
pub fn foreign_files(given: &Path) -> io::Result<Vec<PathBuf>> {
    if !given.is_dir() {
        return Ok(vec![given.to_owned()]);
    }
    let mut found = Vec::new();
    let mut open = vec![given.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.to_string_lossy().to_ascii_lowercase();
            let is_ours = [".warc", ".warc.gz", ".wacz"]
                .iter()
                .any(|end| name.ends_with(end));
            if path.is_dir() {
                open.push(path);
            } else if is_ours {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
