//! The records of one capture, compressed and waiting to be appended.

use super::gzip::set_commit;
use super::record::{Digest, Packer};
use gleaner_model::Timestamp;
use std::io::{self, Read, Write};

/// The compressed records of one capture, ready to be appended.
pub struct Packed {
    pub payload_digest: Digest,
    pub payload_bytes: u64,
    pub(super) response: Response,
    /// The request member; empty where there was none.
    pub(super) request: Vec<u8>,
    pub(super) metadata: Metadata,
    /// What a revisit record would need, should the payload turn out to be stored already.
    pub(super) revisit: RevisitSeed,
}

/// The metadata record: open until everything is said that it should say.
pub(super) enum Metadata {
    /// The header up to the type, and the lines said so far.
    Open {
        head: String,
        facts: String,
    },
    Packed(Vec<u8>),
}

pub(super) enum Response {
    Memory(Vec<u8>),
    File { file: std::fs::File, len: u64 },
}

/// What a revisit record says that the response would have said too.
pub(super) struct RevisitSeed {
    pub(super) record_id: String,
    pub(super) common: String,
    pub(super) head: Vec<u8>,
    pub(super) media_type: String,
}

/// Where a payload was stored first.
pub struct FirstSeen {
    pub url: String,
    pub at: Timestamp,
}

/// Where the main record (response or revisit) of a capture stands, relative to the start of what was appended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    pub record_bytes: u64,
    pub total_bytes: u64,
}

impl Packed {
    /// Appends all records to `to`, the payload itself only if it was not stored before.
    pub fn append(
        &mut self,
        to: &mut dyn Write,
        commit: u64,
        first: Option<&FirstSeen>,
        packer: &mut Packer,
    ) -> io::Result<Appended> {
        let record_bytes = match (first, &mut self.response) {
            (Some(first), _) => {
                let mut record = packer.revisit(&self.revisit, &self.payload_digest, first);
                set_commit(&mut record, commit);
                to.write_all(&record)?;
                record.len() as u64
            }
            (None, Response::Memory(record)) => {
                set_commit(record, commit);
                to.write_all(record)?;
                record.len() as u64
            }
            (None, Response::File { file, len }) => {
                let mut buffer = vec![0u8; 256 * 1024];
                let mut at_start = true;
                each_piece(file, *len, &mut buffer, |piece| {
                    if std::mem::take(&mut at_start) {
                        let mut first = piece.to_vec();
                        set_commit(&mut first, commit);
                        return to.write_all(&first);
                    }
                    to.write_all(piece)
                })?;
                *len
            }
        };
        packer.close(self);
        let mut total_bytes = record_bytes;
        let metadata = match &mut self.metadata {
            Metadata::Packed(member) => member.as_mut_slice(),
            Metadata::Open { .. } => &mut [],
        };
        for member in [self.request.as_mut_slice(), metadata] {
            if !member.is_empty() {
                set_commit(member, commit);
                to.write_all(member)?;
                total_bytes += member.len() as u64;
            }
        }
        Ok(Appended {
            record_bytes,
            total_bytes,
        })
    }

    /// Memory held, for the limit on what waits to be committed.
    pub fn memory_bytes(&self) -> usize {
        let response = match &self.response {
            Response::Memory(record) => record.len(),
            Response::File { .. } => 0,
        };
        let metadata = match &self.metadata {
            Metadata::Packed(member) => member.len(),
            Metadata::Open { head, facts } => head.len() + facts.len(),
        };
        response + self.request.len() + metadata
    }

    /// Adds a line to the metadata record, while it is open.
    pub fn say(&mut self, name: &str, value: &str) {
        if let Metadata::Open { facts, .. } = &mut self.metadata {
            push_fact(facts, name, value);
        }
    }
}

pub(super) fn push_fact(facts: &mut String, name: &str, value: &str) {
    facts.push_str(name);
    facts.push_str(": ");
    // Nearly no value has line ends; those that have must not begin another field.
    let mut lines = value.split(['\r', '\n']);
    facts.push_str(lines.next().unwrap_or(""));
    for line in lines {
        facts.push(' ');
        facts.push_str(line);
    }
    facts.push_str("\r\n");
}

/// Reads `len` bytes from the start of `file` in pieces.
pub(super) fn each_piece(
    file: &mut std::fs::File,
    len: u64,
    buffer: &mut [u8],
    mut f: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    use std::io::Seek as _;
    file.rewind()?;
    let mut left = len;
    while left > 0 {
        let want = buffer.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        file.read_exact(&mut buffer[..want])?;
        f(&buffer[..want])?;
        left -= want as u64;
    }
    Ok(())
}
