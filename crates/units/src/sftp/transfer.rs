//! How do the bytes of a file come? Many small reads under way at once, taken in order.
//!
//! The window opens with the replies, so that a small file costs two requests and a file that the filter does not want
//! costs no more. What comes is counted: replies without bytes, or with ever fewer, do not go on for ever (HC105).

use super::client::Wire;
use super::packet::{Reply, Request, Status, bad};
use crate::body::BodySink;
use crate::net::failure::Failure;
use crate::unit::{FilterVerdict, HeadFilter, Refusal};
use crate::{Body, Headers};
use gleaner_model::Reason;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

/// Servers must allow reads of this size.
const PIECE_BYTES: u32 = 32 * 1024;
const UNDER_WAY_MAX: usize = 16;
const UNDER_WAY_FIRST: usize = 2;
/// What the filter sees of a body.
const OPENING_BYTES: usize = 1024;
/// Replies that may be small before the average counts.
const SMALL_REPLIES_MAX: u64 = 256;
const REPLY_BYTES_MIN: u64 = 1024;
const EMPTY_REPLIES_MAX: u32 = 3;

/// What the filter is told: a file that is there is a success.
const SUCCESS: u16 = 200;

/// A file's bytes as far as they came. It outlives the connection they came on.
pub(super) struct Taken<'a> {
    sink: BodySink,
    limit: u64,
    /// Still to be asked about the opening.
    filter: Option<&'a dyn HeadFilter>,
    pub(super) headers: Headers,
}

/// How the reading ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// At the announced size, or where the server says the end is.
    Whole,
    /// The end came before the announced size.
    Short,
    /// There is more than was announced.
    Long,
    Stopped(Refusal),
}

struct Piece {
    id: u32,
    offset: u64,
    bytes: u32,
}

impl<'a> Taken<'a> {
    /// `Err` holds the filter's word if the head alone is enough for it.
    pub(super) fn new(
        filter: Option<&'a dyn HeadFilter>,
        headers: Headers,
        folder: &Arc<Path>,
        expected: Option<u64>,
        limit: u64,
    ) -> Result<Taken<'a>, (Headers, Refusal)> {
        if let Some(filter) = filter
            && let FilterVerdict::Stop(refusal) = filter.head(SUCCESS, &headers)
        {
            return Err((headers, refusal));
        }
        Ok(Taken {
            sink: BodySink::new(folder, expected),
            limit,
            filter,
            headers,
        })
    }

    pub(super) fn len(&self) -> u64 {
        self.sink.len()
    }

    pub(super) fn finish(self) -> Result<(Headers, Body), Failure> {
        Ok((self.headers, self.sink.finish()?))
    }

    /// Asks the filter once there is enough to show it, or all there is.
    fn ask_filter(&mut self, is_all: bool) -> Option<Refusal> {
        if !is_all && self.sink.len() < OPENING_BYTES as u64 {
            return None;
        }
        let filter = self.filter.take()?;
        let opening = self.sink.opening();
        let opening = &opening[..opening.len().min(OPENING_BYTES)];
        match filter.opening(SUCCESS, &self.headers, opening) {
            FilterVerdict::Go => None,
            FilterVerdict::Stop(refusal) => Some(refusal),
        }
    }

    fn push(&mut self, bytes: &[u8]) -> Result<Option<Refusal>, Failure> {
        if self.sink.len() + bytes.len() as u64 > self.limit {
            return Err(too_large(self.limit));
        }
        // The first piece is far smaller than what goes to the disk, so the filter sees it in memory.
        self.sink.push(bytes)?;
        Ok(self.ask_filter(false))
    }
}

pub(super) fn too_large(limit: u64) -> Failure {
    Failure::new(
        Reason::BodyTooLarge,
        format!("the file is larger than {limit} bytes"),
    )
}

/// Reads on from where `taken` ends. `size` is what the server says; without it the end is where the server says it is.
/// Beside how it ended comes the question what the file is by now, where that was put behind the last read.
pub(super) async fn read_on(
    wire: &mut Wire<'_>,
    handle: &[u8],
    size: Option<u64>,
    taken: &mut Taken<'_>,
) -> Result<(Ended, Option<u32>), Failure> {
    let end = size.unwrap_or(u64::MAX);
    let mut next = taken.len();
    let mut is_probed = false;
    let mut asked: Option<u32> = None;
    let mut window = UNDER_WAY_FIRST;
    let mut under_way: VecDeque<Piece> = VecDeque::new();
    let mut progress = Progress::default();
    let ended = loop {
        while under_way.len() < window && !is_probed {
            // One byte past the end shows whether the end is there.
            is_probed = next >= end;
            let bytes = if is_probed {
                1
            } else {
                (end - next).min(u64::from(PIECE_BYTES)) as u32
            };
            let id = wire.begin_read(handle, next, bytes);
            under_way.push_back(Piece {
                id,
                offset: next,
                bytes,
            });
            next += u64::from(bytes);
            if is_probed {
                asked = Some(wire.begin(Request::Fstat, handle));
            }
        }
        let Some(piece) = under_way.pop_front() else {
            break Ended::Whole;
        };
        match wire.wait(piece.id).await? {
            Reply::Data(data) if data.len() > piece.bytes as usize => {
                return Err(bad("more bytes came than were asked for"));
            }
            Reply::Data(data) if piece.offset >= end => {
                if !data.is_empty() {
                    break Ended::Long;
                }
            }
            Reply::Data(data) => {
                progress.note(data.len(), taken.len())?;
                if let Some(refusal) = taken.push(&data)? {
                    break Ended::Stopped(refusal);
                }
                let missing = piece.bytes - data.len() as u32;
                if missing > 0 {
                    let offset = piece.offset + data.len() as u64;
                    let id = wire.begin_read(handle, offset, missing);
                    // Bytes that come after the answer are not vouched for by it.
                    if let Some(early) = asked.take() {
                        wire.forget(early);
                    }
                    under_way.push_front(Piece {
                        id,
                        offset,
                        bytes: missing,
                    });
                }
                window = (window * 2).min(UNDER_WAY_MAX);
            }
            Reply::Status(status) if status.code == Status::EOF => {
                break if size.is_some_and(|size| piece.offset < size) {
                    Ended::Short
                } else {
                    Ended::Whole
                };
            }
            Reply::Status(status) => return Err(status.failure()),
            other => return Err(other.misplaced()),
        }
    };
    // What is still under way belongs to nobody, but the connection is good for another ask after it.
    for piece in under_way {
        wire.forget(piece.id);
    }
    let ended = match ended {
        Ended::Whole => taken.ask_filter(true).map_or(Ended::Whole, Ended::Stopped),
        other => other,
    };
    if let (Ended::Stopped(_), Some(asked)) = (&ended, asked) {
        wire.forget(asked);
    }
    Ok((ended, asked))
}

/// Whether the reading gets anywhere.
#[derive(Default)]
struct Progress {
    replies: u64,
    bytes: u64,
    empty: u32,
}

impl Progress {
    fn note(&mut self, bytes: usize, so_far: u64) -> Result<(), Failure> {
        self.replies += 1;
        self.bytes += bytes as u64;
        self.empty = if bytes == 0 { self.empty + 1 } else { 0 };
        let is_trickle = self.replies > SMALL_REPLIES_MAX && self.bytes < self.replies * REPLY_BYTES_MIN;
        if self.empty > EMPTY_REPLIES_MAX || is_trickle {
            let detail = format!("the reads give no more bytes after {so_far}");
            return Err(Failure::new(Reason::Truncated, detail));
        }
        Ok(())
    }
}
