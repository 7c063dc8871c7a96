//! The way of a body from the wire into its sink: size limit and filter are asked before more is read.

use crate::body::BodySink;
use crate::net::failure::Failure;
use crate::{Body, FilterVerdict, HeadFilter, Headers, Refusal};
use bytes::BytesMut;
use gleaner_model::Reason;
use std::path::Path;
use std::sync::Arc;

/// What the filter sees of a body.
pub(crate) const OPENING_BYTES: usize = 1024;

/// What one fetch allows; the same for HTTP/1.1 and HTTP/2.
pub(crate) struct Terms<'a> {
    pub(crate) body_bytes_max: u64,
    pub(crate) filter: Option<&'a dyn HeadFilter>,
    pub(crate) spool_folder: &'a Arc<Path>,
}

/// A body as far as it came.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) body: Body,
    pub(crate) truncated: bool,
    /// The filter's word, if it stopped the reading.
    pub(crate) stopped: Option<Refusal>,
}

/// Whether to read on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Appetite {
    More,
    Enough(Refusal),
}

pub(crate) struct Intake<'a> {
    sink: BodySink,
    limit: u64,
    /// Still to be asked about the opening.
    filter: Option<&'a dyn HeadFilter>,
    status: u16,
    headers: &'a Headers,
}

impl<'a> Intake<'a> {
    /// `Err` holds the filter's word if the head alone is enough for it.
    pub(crate) fn new(
        terms: &Terms<'a>,
        status: u16,
        headers: &'a Headers,
        expected: Option<u64>,
    ) -> Result<Intake<'a>, Refusal> {
        let success = (200..300).contains(&status);
        let filter = terms.filter.filter(|_| success);
        if let Some(filter) = filter
            && let FilterVerdict::Stop(refusal) = filter.head(status, headers)
        {
            return Err(refusal);
        }
        let limit = body_limit(terms.body_bytes_max, status);
        let sink = BodySink::new(terms.spool_folder, expected.map(|bytes| bytes.min(limit)));
        Ok(Intake {
            sink,
            limit,
            filter,
            status,
            headers,
        })
    }

    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    pub(crate) fn len(&self) -> u64 {
        self.sink.len()
    }

    /// Memory to read into directly, and how much of it.
    pub(crate) fn memory(&mut self) -> (&mut BytesMut, usize) {
        let room = self.sink.room();
        (self.sink.memory(), room)
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Appetite, Failure> {
        let mut rest = bytes;
        // The filter sees its opening before anything of a large piece goes to the disk.
        if self.filter.is_some() {
            let missing = OPENING_BYTES.saturating_sub(self.sink.len() as usize);
            let (opening, after) = rest.split_at(missing.min(rest.len()));
            self.sink.memory().extend_from_slice(opening);
            rest = after;
            if let Appetite::Enough(refusal) = self.after_read()? {
                return Ok(Appetite::Enough(refusal));
            }
        }
        if self.sink.len() + rest.len() as u64 > self.limit {
            return Err(self.too_large());
        }
        self.sink.push(rest)?;
        Ok(Appetite::More)
    }

    /// To be called after bytes were read into [`memory`](Self::memory).
    pub(crate) fn after_read(&mut self) -> Result<Appetite, Failure> {
        if self.sink.len() >= OPENING_BYTES as u64
            && let Appetite::Enough(refusal) = self.ask_filter()
        {
            return Ok(Appetite::Enough(refusal));
        }
        if self.sink.len() > self.limit {
            return Err(self.too_large());
        }
        self.sink.settle()?;
        Ok(Appetite::More)
    }

    fn ask_filter(&mut self) -> Appetite {
        let Some(filter) = self.filter.take() else {
            return Appetite::More;
        };
        let opening = self.sink.opening();
        let opening = &opening[..opening.len().min(OPENING_BYTES)];
        match filter.opening(self.status, self.headers, opening) {
            FilterVerdict::Go => Appetite::More,
            FilterVerdict::Stop(refusal) => Appetite::Enough(refusal),
        }
    }

    pub(crate) fn too_large(&self) -> Failure {
        Failure::new(
            Reason::BodyTooLarge,
            format!("the body is larger than {} bytes", self.limit),
        )
    }

    /// The body came whole.
    pub(crate) fn finish(mut self) -> Result<Taken, Failure> {
        match self.ask_filter() {
            Appetite::More => Ok(Taken {
                body: self.sink.finish()?,
                truncated: false,
                stopped: None,
            }),
            Appetite::Enough(refusal) => Ok(Taken::stopped(refusal)),
        }
    }

    /// The body did not come whole. That spoils a success; an error page or a redirect says what it says in its head.
    pub(crate) fn give_up(self, failure: Failure) -> Result<Taken, Failure> {
        if (200..300).contains(&self.status) || matches!(failure, Failure::Ours(_)) {
            return Err(failure);
        }
        Ok(Taken {
            body: self.sink.finish()?,
            truncated: true,
            stopped: None,
        })
    }
}

impl Taken {
    pub(crate) fn stopped(refusal: Refusal) -> Taken {
        Taken {
            body: Body::empty(),
            truncated: true,
            stopped: Some(refusal),
        }
    }
}

/// Error pages and redirects are read for the record only: a mebibyte of one says enough.
fn body_limit(body_bytes_max: u64, status: u16) -> u64 {
    if (200..300).contains(&status) {
        body_bytes_max
    } else {
        body_bytes_max.min(gleaner_model::defaults::SPOOL_BYTES as u64)
    }
}
