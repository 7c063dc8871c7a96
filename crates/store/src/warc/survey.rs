//! What does an archive hold, where no catalog tells? Every record of every file is looked at; damaged ones are named and passed over.

use super::reader::{Walked, Walker};
use super::record::Digest;
use crate::StoreError;
use crate::sqlite::verify::hashes::Hashes;
use data_encoding::BASE32;
use gleaner_model::Timestamp;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Blocks of fields that are kept; longer ones are none of ours.
const FIELDS_BYTES_MAX: usize = 1024 * 1024;
/// How every gzip member begins.
const MEMBER: &[u8] = &[0x1f, 0x8b, 0x08];

/// One exchange with a server, as its records tell.
#[derive(Debug, Clone)]
pub struct Captured {
    /// The place of the file in the list that was given.
    pub file: usize,
    pub offset: u64,
    pub kind: CapturedAs,
    pub url: String,
    pub at: Timestamp,
    /// Of the payload; of a revisit as it says itself.
    pub digest: Digest,
    /// What the metadata record behind it says.
    pub facts: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapturedAs {
    Response,
    Resource,
    /// Its payload lies in an earlier record.
    Revisit,
}

/// A record that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedRecord {
    pub path: PathBuf,
    pub offset: u64,
    pub what: String,
}

/// What some files hold.
#[derive(Debug, Default)]
pub struct Surveyed {
    /// In the order of time.
    pub captures: Vec<Captured>,
    /// The fields of the records that begin runs, by the number of the run.
    pub runs: BTreeMap<i64, BTreeMap<String, String>>,
    /// Of each file.
    pub lengths: Vec<u64>,
    pub damages: Vec<(usize, DamagedRecord)>,
    /// The highest number of a commit.
    pub last_commit: u64,
}

pub fn survey(files: &[PathBuf]) -> Result<Surveyed, StoreError> {
    let mut surveyed = Surveyed::default();
    for (file, path) in files.iter().enumerate() {
        let failed = |cause| StoreError::ArchiveRead {
            path: path.clone(),
            cause,
        };
        surveyed
            .lengths
            .push(std::fs::metadata(path).map_err(failed)?.len());
        surveyed.walk(file, path).map_err(failed)?;
    }
    // Files that were rewritten come last and hold old records.
    surveyed.captures.sort_by_key(|capture| capture.at);
    Ok(surveyed)
}

impl Surveyed {
    fn walk(&mut self, file: usize, path: &Path) -> io::Result<()> {
        let mut walker = Walker::open(path, 0)?;
        // Where the last capture stands, and its id: its metadata names it.
        let mut last: Option<(usize, String)> = None;
        loop {
            let offset = walker.position();
            let (mut hashes, mut fields) = (Hashes::default(), Vec::new());
            let walked = walker.next(|headers, piece| {
                hashes.add(headers, piece);
                if is_fields(headers) && fields.len() < FIELDS_BYTES_MAX {
                    fields.extend_from_slice(piece);
                }
            });
            let mut is_over = false;
            let what = match walked {
                Ok(None) => return Ok(()),
                Ok(Some(record)) => {
                    self.last_commit = self.last_commit.max(record.commit.unwrap_or(0));
                    match hashes.judge(&record) {
                        Ok(payload) => {
                            self.take(file, &record, Digest(payload), &fields, &mut last);
                            continue;
                        }
                        Err(what) => what,
                    }
                }
                Err(cause) => {
                    match next_record(path, offset + 1)? {
                        Some(next) => walker = Walker::open(path, next)?,
                        None => is_over = true,
                    }
                    cause.to_string()
                }
            };
            last = None;
            let damaged = DamagedRecord {
                path: path.to_owned(),
                offset,
                what,
            };
            self.damages.push((file, damaged));
            if is_over {
                return Ok(());
            }
        }
    }

    fn take(
        &mut self,
        file: usize,
        record: &Walked,
        payload: Digest,
        fields: &[u8],
        last: &mut Option<(usize, String)>,
    ) {
        let kind = match record.header("WARC-Type").unwrap_or("") {
            "response" => CapturedAs::Response,
            "resource" => CapturedAs::Resource,
            "revisit" => CapturedAs::Revisit,
            "metadata" => {
                if let Some((place, id)) = last
                    && record.header("WARC-Refers-To") == Some(id)
                {
                    self.captures[*place].facts = read_fields(fields);
                }
                return;
            }
            "warcinfo" => {
                let told = read_fields(fields);
                if let Some(run) = told.get("run").and_then(|run| run.parse().ok()) {
                    self.runs.insert(run, told);
                }
                return;
            }
            _ => return,
        };
        let (Some(url), Some(at)) = (
            record.header("WARC-Target-URI"),
            record.header("WARC-Date").and_then(moment),
        ) else {
            return;
        };
        let digest = match kind {
            CapturedAs::Revisit => record.header("WARC-Payload-Digest").and_then(read_digest),
            _ => Some(payload),
        };
        let Some(digest) = digest else { return };
        let id = record.header("WARC-Record-ID").unwrap_or("").to_owned();
        *last = Some((self.captures.len(), id));
        self.captures.push(Captured {
            file,
            offset: record.offset,
            kind,
            url: url.trim_start_matches('<').trim_end_matches('>').to_owned(),
            at,
            digest,
            facts: BTreeMap::new(),
        });
    }
}

fn is_fields(headers: &[(String, String)]) -> bool {
    headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("Content-Type") && value.starts_with("application/warc-fields")
    })
}

/// `name: value`, a line each.
pub(crate) fn read_fields(block: &[u8]) -> BTreeMap<String, String> {
    let text = String::from_utf8_lossy(block);
    let pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs
        .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
        .collect()
}

pub(crate) fn read_digest(text: &str) -> Option<Digest> {
    let bytes = BASE32.decode(text.strip_prefix("sha256:")?.as_bytes()).ok()?;
    Some(Digest(bytes.try_into().ok()?))
}

/// A date as WARC headers spell it.
pub fn moment(text: &str) -> Option<Timestamp> {
    let at: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp(at.as_millisecond()))
}

/// Where the next record begins that can be read, looking from `from` on.
fn next_record(path: &Path, from: u64) -> io::Result<Option<u64>> {
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1024 * 1024];
    let mut at = from;
    loop {
        file.seek(SeekFrom::Start(at))?;
        let read = fill(&mut file, &mut buffer)?;
        for found in memchr::memmem::find_iter(&buffer[..read], MEMBER) {
            let candidate = at + found as u64;
            if matches!(Walker::open(path, candidate)?.next(|_, _| {}), Ok(Some(_))) {
                return Ok(Some(candidate));
            }
        }
        if read < buffer.len() {
            return Ok(None);
        }
        // A beginning may lie across the border.
        at += (read - (MEMBER.len() - 1)) as u64;
    }
}

/// Fills a buffer as far as there are bytes.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}
