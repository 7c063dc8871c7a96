//! The way of a file's bytes into their sink: the limit and the filter are asked before more is read, and the last bytes
//! are remembered, so that a resumed transfer can show that it goes on with the same file (HC100).

use crate::body::BodySink;
use crate::net::failure::Failure;
use crate::{Ask, Body, FilterVerdict, HeadFilter, Headers, Refusal};
use gleaner_model::Reason;
use std::path::Path;
use std::sync::Arc;

/// The code of a transfer that came whole.
pub(super) const DONE: u16 = 226;
/// What the filter sees of a file.
const OPENING_BYTES: usize = 1024;
/// What is asked for twice when a transfer is resumed.
pub(super) const OVERLAP_BYTES: usize = 4096;

pub(super) struct Intake<'a> {
    sink: BodySink,
    tail: Vec<u8>,
    limit: u64,
    /// Still to be asked about the opening.
    filter: Option<&'a dyn HeadFilter>,
    headers: &'a Headers,
}

impl<'a> Intake<'a> {
    /// `Err` holds the filter's word if it wants nothing of the file.
    pub(super) fn new(
        ask: &'a Ask,
        headers: &'a Headers,
        spool_folder: &Arc<Path>,
        size: Option<u64>,
    ) -> Result<Intake<'a>, Refusal> {
        let filter = ask.filter.as_deref();
        if let Some(FilterVerdict::Stop(refusal)) = filter.map(|filter| filter.head(DONE, headers)) {
            return Err(refusal);
        }
        Ok(Intake {
            sink: BodySink::new(spool_folder, size.map(|size| size.min(ask.body_bytes_max))),
            tail: Vec::new(),
            limit: ask.body_bytes_max,
            filter,
            headers,
        })
    }

    pub(super) fn len(&self) -> u64 {
        self.sink.len()
    }

    /// The last bytes, at most [`OVERLAP_BYTES`] of them.
    pub(super) fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Takes more; the filter's word if it wants no more.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Option<Refusal>, Failure> {
        let mut rest = bytes;
        // The filter sees its opening before anything goes to the disk.
        if self.filter.is_some() {
            let missing = OPENING_BYTES.saturating_sub(self.sink.len() as usize);
            let (opening, after) = rest.split_at(missing.min(rest.len()));
            self.sink.memory().extend_from_slice(opening);
            rest = after;
            if self.sink.len() >= OPENING_BYTES as u64
                && let Some(refusal) = self.ask_filter()
            {
                return Ok(Some(refusal));
            }
        }
        if self.sink.len() + rest.len() as u64 > self.limit {
            return Err(too_large(self.limit));
        }
        self.sink.push(rest)?;
        self.remember(bytes);
        Ok(None)
    }

    fn remember(&mut self, bytes: &[u8]) {
        let newest = &bytes[bytes.len().saturating_sub(OVERLAP_BYTES)..];
        let surplus = (self.tail.len() + newest.len()).saturating_sub(OVERLAP_BYTES);
        self.tail.drain(..surplus);
        self.tail.extend_from_slice(newest);
    }

    fn ask_filter(&mut self) -> Option<Refusal> {
        let filter = self.filter.take()?;
        let opening = self.sink.opening();
        match filter.opening(DONE, self.headers, &opening[..opening.len().min(OPENING_BYTES)]) {
            FilterVerdict::Go => None,
            FilterVerdict::Stop(refusal) => Some(refusal),
        }
    }

    /// The file came whole.
    pub(super) fn finish(mut self) -> Result<Result<Body, Refusal>, Failure> {
        match self.ask_filter() {
            Some(refusal) => Ok(Err(refusal)),
            None => Ok(Ok(self.sink.finish()?)),
        }
    }
}

pub(super) fn too_large(limit: u64) -> Failure {
    Failure::new(
        Reason::BodyTooLarge,
        format!("the file is larger than {limit} bytes"),
    )
}
