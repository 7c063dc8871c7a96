//! HTTP/1.1 by our own hand (docs/decisions/0002): one request out, one response in, within limits.
//!
//! The head stays as it was sent. The body loses its transfer coding and nothing else. Each way to fail has its own
//! reason, and a connection is given back for another request only if the message ended exactly where its framing
//! said it would (HC009).

use super::head::{self, Framing, Head};
use super::intake::{Appetite, Intake, Taken, Terms};
use crate::Headers;
use crate::net::Timeouts;
use crate::net::bandwidth::Bandwidth;
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::net::stream::{Silence, Stream};
use bytes::{Buf, BufMut, BytesMut};
use gleaner_model::{Reason, defaults};
use std::io;
use std::net::IpAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// Read ahead at most this much: most pages come in one or two reads.
const READ_BYTES: usize = 32 * 1024;
/// Interim answers (1xx) before the real one.
const INTERIM_MAX: usize = 16;
/// A chunk-size line with its extensions.
const CHUNK_LINE_BYTES_MAX: usize = 4 * 1024;
/// Chunk framing may cost this much beside the body before we call it nonsense.
const FRAMING_BYTES_FREE: u64 = 1024 * 1024;

/// An open connection with what was read ahead from it.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) stream: Stream,
    pub(crate) address: IpAddr,
    /// It has carried a request before, so the server may be about to close it.
    pub(crate) used: bool,
    buffer: BytesMut,
}

impl Connection {
    pub(crate) fn new(stream: Stream, address: IpAddr) -> Connection {
        Connection {
            stream,
            address,
            used: false,
            buffer: BytesMut::new(),
        }
    }

    /// Whether it can carry another request; to be asked right before that is sent.
    pub(crate) fn silence(&mut self) -> Silence {
        if self.buffer.is_empty() {
            self.stream.silence()
        } else {
            Silence::Broken
        }
    }
}

/// A response as it came.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Headers,
    /// For the archive.
    pub(crate) head: Vec<u8>,
    pub(crate) taken: Taken,
    pub(crate) wire_bytes: u64,
    /// Another request may go over the same connection.
    pub(crate) reusable: bool,
    /// More came than its framing says (HC009).
    pub(crate) overran: bool,
}

/// An attempt that gave no reply.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) failure: Failure,
    /// Something of an answer had come, so the request was seen.
    pub(crate) answered: bool,
}

impl Broken {
    /// The peer closed the connection, as opposed to keeping silent or talking nonsense.
    pub(crate) fn went_away(&self) -> bool {
        matches!(
            self.failure,
            Failure::Theirs {
                reason: Reason::Closed | Reason::Reset,
                ..
            }
        )
    }
}

/// Sends `request` (a whole head, and a body where there is one) and reads the answer.
pub(crate) async fn exchange(
    connection: &mut Connection,
    request: &[u8],
    terms: &Terms<'_>,
    timeouts: &Timeouts,
    patience: &mut Patience,
    bandwidth: Option<&Bandwidth>,
) -> Result<Reply, Broken> {
    let mut wire = Wire {
        connection,
        patience,
        bandwidth,
        received: 0,
        is_torn: false,
    };
    match wire.exchange(request, terms, timeouts).await {
        Ok(reply) => Ok(reply),
        Err(failure) => Err(Broken {
            failure,
            answered: wire.received > 0,
        }),
    }
}

/// One connection in use by one fetch.
struct Wire<'a> {
    connection: &'a mut Connection,
    patience: &'a mut Patience,
    bandwidth: Option<&'a Bandwidth>,
    received: u64,
    /// TLS ended without its goodbye: somebody may have cut it short.
    is_torn: bool,
}

impl Wire<'_> {
    async fn exchange(
        &mut self,
        request: &[u8],
        terms: &Terms<'_>,
        timeouts: &Timeouts,
    ) -> Result<Reply, Failure> {
        self.patience.request_sent(timeouts);
        let stream = &mut self.connection.stream;
        let sent = async {
            stream.write_all(request).await?;
            // A no-op in the clear; TLS may still hold the last record.
            stream.flush().await
        };
        self.patience
            .watch(sent)
            .await?
            .map_err(|error| Failure::of_io(&error))?;

        let (length, head) = self.read_head().await?;
        let archived = head::for_archive(&self.connection.buffer[..length], &head.headers);
        self.connection.buffer.advance(length);
        let framing = head.framing()?;
        let (taken, ended) = self.read_body(&head, framing, terms).await?;
        let overran = ended && !self.connection.buffer.is_empty();
        let reusable = ended && head.keeps_alive() && !overran;
        Ok(Reply {
            status: head.status,
            headers: head.headers,
            head: archived,
            taken,
            wire_bytes: self.received,
            reusable,
            overran,
        })
    }

    /// Reads up to and including the final head, which stays in the buffer; returns its length there.
    async fn read_head(&mut self) -> Result<(usize, Head), Failure> {
        let mut scanned = 0;
        let mut interim_count = 0;
        loop {
            let buffer = &self.connection.buffer;
            if !head::may_be_http(buffer) {
                return Err(Failure::new(Reason::NotHttp, head::status_line(buffer)));
            }
            let Some(length) = head::head_length(buffer, &mut scanned) else {
                if buffer.len() >= defaults::HEADERS_BYTES_MAX {
                    return Err(too_large_head());
                }
                if self.fill().await? == 0 {
                    return Err(match self.connection.buffer.len() {
                        0 => Reason::Closed.into(),
                        n => Failure::new(Reason::Truncated, format!("the head ended after {n} bytes")),
                    });
                }
                continue;
            };
            if length > defaults::HEADERS_BYTES_MAX {
                return Err(too_large_head());
            }
            let head = head::parse(&buffer[..length])?;
            match head.status {
                100 | 102..=199 => {
                    interim_count += 1;
                    if interim_count > INTERIM_MAX {
                        return Err(Failure::new(Reason::BadFraming, "interim answers without end"));
                    }
                    self.connection.buffer.advance(length);
                    scanned = 0;
                }
                200..=599 => return Ok((length, head)),
                status => return Err(Failure::new(Reason::BadStatus, format!("status {status}"))),
            }
        }
    }

    /// Reads the body; says whether the message ended where its framing says, so that another can follow.
    async fn read_body(
        &mut self,
        head: &Head,
        framing: Framing,
        terms: &Terms<'_>,
    ) -> Result<(Taken, bool), Failure> {
        let expected = match framing {
            Framing::Empty => Some(0),
            Framing::Length(bytes) => Some(bytes),
            Framing::Chunked | Framing::UntilClose => None,
        };
        let mut intake = match Intake::new(terms, head.status, &head.headers, expected) {
            Ok(intake) => intake,
            Err(refusal) => return Ok((Taken::stopped(refusal), framing == Framing::Empty)),
        };
        let read = match framing {
            Framing::Empty => Ok(Appetite::More),
            Framing::Length(bytes) => self.read_length(bytes, &mut intake).await,
            Framing::Chunked => self.read_chunks(&mut intake).await,
            Framing::UntilClose => self.read_until_close(&mut intake).await,
        };
        match read {
            Ok(Appetite::More) => Ok((intake.finish()?, framing != Framing::UntilClose)),
            Ok(Appetite::Enough(refusal)) => Ok((Taken::stopped(refusal), false)),
            Err(failure) => Ok((intake.give_up(failure)?, false)),
        }
    }

    async fn read_length(&mut self, length: u64, intake: &mut Intake<'_>) -> Result<Appetite, Failure> {
        if length > intake.limit() {
            return Err(intake.too_large());
        }
        let ahead = (self.connection.buffer.len() as u64).min(length) as usize;
        let appetite = intake.push(&self.connection.buffer[..ahead])?;
        self.connection.buffer.advance(ahead);
        if appetite != Appetite::More {
            return Ok(appetite);
        }
        while intake.len() < length {
            let missing = length - intake.len();
            let (memory, room) = intake.memory();
            let want = missing.min(room as u64) as usize;
            let stream = &mut self.connection.stream;
            let mut target = memory.limit(want);
            let read = self.patience.watch(stream.read_buf(&mut target)).await?;
            if self.note(read).await? == 0 {
                let detail = format!("{} of {length} bytes came", intake.len());
                return Err(Failure::new(Reason::Truncated, detail));
            }
            let appetite = intake.after_read()?;
            if appetite != Appetite::More {
                return Ok(appetite);
            }
        }
        Ok(Appetite::More)
    }

    async fn read_until_close(&mut self, intake: &mut Intake<'_>) -> Result<Appetite, Failure> {
        loop {
            let appetite = intake.push(&self.connection.buffer)?;
            self.connection.buffer.clear();
            if appetite != Appetite::More {
                return Ok(appetite);
            }
            if self.fill().await? == 0 {
                // RFC 9112 §9.8: only the goodbye of TLS proves that such a body is whole.
                return if self.is_torn {
                    Err(Failure::new(
                        Reason::Truncated,
                        format!(
                            "TLS was cut after {} bytes, and no length tells the end",
                            intake.len()
                        ),
                    ))
                } else {
                    Ok(Appetite::More)
                };
            }
        }
    }

    /// RFC 9112 §7.1.
    async fn read_chunks(&mut self, intake: &mut Intake<'_>) -> Result<Appetite, Failure> {
        let began = self.received;
        loop {
            let line = self.read_line(CHUNK_LINE_BYTES_MAX, Reason::BadFraming).await?;
            let mut missing = chunk_size(&self.connection.buffer[..line])?;
            self.connection.buffer.advance(line);
            if missing == 0 {
                self.read_trailers().await?;
                return Ok(Appetite::More);
            }
            if missing > intake.limit().saturating_sub(intake.len()) {
                return Err(intake.too_large());
            }
            while missing > 0 {
                if self.connection.buffer.is_empty() && self.fill().await? == 0 {
                    return Err(Failure::new(Reason::Truncated, "the last chunk is missing"));
                }
                let ahead = (self.connection.buffer.len() as u64).min(missing) as usize;
                let appetite = intake.push(&self.connection.buffer[..ahead])?;
                self.connection.buffer.advance(ahead);
                missing -= ahead as u64;
                if appetite != Appetite::More {
                    return Ok(appetite);
                }
            }
            let line = self.read_line(2, Reason::BadFraming).await?;
            if !self.connection.buffer[..line].trim_ascii().is_empty() {
                return Err(Failure::new(
                    Reason::BadFraming,
                    "a chunk is longer than its size",
                ));
            }
            self.connection.buffer.advance(line);
            if (self.received - began) / 2 > intake.len() + FRAMING_BYTES_FREE + READ_BYTES as u64 {
                return Err(Failure::new(Reason::BadFraming, "more framing than body"));
            }
        }
    }

    /// Trailer fields are read to find the end of the message, within the limit of headers, and not kept.
    async fn read_trailers(&mut self) -> Result<(), Failure> {
        let mut total = 0;
        loop {
            let line = self
                .read_line(defaults::HEADERS_BYTES_MAX, Reason::HeadersTooLarge)
                .await?;
            let empty = self.connection.buffer[..line].trim_ascii().is_empty();
            self.connection.buffer.advance(line);
            total += line;
            if empty {
                return Ok(());
            }
            if total > defaults::HEADERS_BYTES_MAX {
                return Err(too_large_head());
            }
        }
    }

    /// The length of the next line in the buffer, its end included.
    async fn read_line(&mut self, limit: usize, too_long: Reason) -> Result<usize, Failure> {
        let mut scanned = 0;
        loop {
            let buffer = &self.connection.buffer;
            let within = buffer.len().min(limit);
            if let Some(found) = memchr::memchr(b'\n', &buffer[scanned..within]) {
                return Ok(scanned + found + 1);
            }
            if within == limit {
                return Err(Failure::new(
                    too_long,
                    format!("a line of more than {limit} bytes"),
                ));
            }
            scanned = within;
            if self.fill().await? == 0 {
                return Err(Failure::new(Reason::Truncated, "the last chunk is missing"));
            }
        }
    }

    /// Reads more into the buffer; 0 is the end.
    async fn fill(&mut self) -> Result<usize, Failure> {
        let Connection { stream, buffer, .. } = &mut *self.connection;
        buffer.reserve(READ_BYTES.saturating_sub(buffer.len()).max(READ_BYTES / 4));
        let read = self.patience.watch(stream.read_buf(buffer)).await?;
        self.note(read).await
    }

    async fn note(&mut self, read: io::Result<usize>) -> Result<usize, Failure> {
        let bytes = match read {
            Ok(bytes) => bytes,
            // Where the framing tells the end, that is proof enough; many servers leave without a goodbye.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.is_torn = true;
                0
            }
            Err(error) => return Err(Failure::of_io(&error)),
        };
        self.received += bytes as u64;
        if bytes > 0 {
            self.patience.progress(bytes);
            if let Some(bandwidth) = self.bandwidth {
                let wait = bandwidth.take(bytes);
                if !wait.is_zero() {
                    tokio::time::sleep(wait).await;
                    self.patience.excuse(wait);
                }
            }
        }
        Ok(bytes)
    }
}

fn too_large_head() -> Failure {
    Failure::new(
        Reason::HeadersTooLarge,
        format!("more than {} bytes", defaults::HEADERS_BYTES_MAX),
    )
}

/// Reads `1a2b[blanks][;extension]`; anything else is bad framing (HC007).
fn chunk_size(line: &[u8]) -> Result<u64, Failure> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    let rest = line[digits..].trim_ascii();
    let text = std::str::from_utf8(&line[..digits]).unwrap_or("");
    match u64::from_str_radix(text, 16) {
        Ok(size) if rest.is_empty() || rest.starts_with(b";") => Ok(size),
        _ => Err(Failure::new(
            Reason::BadFraming,
            "a chunk size is not a hexadecimal number below 2^64",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc007_chunk_sizes() {
        for (line, size) in [
            ("0\r\n", 0),
            ("1a\r\n", 26),
            ("FF;name=value\r\n", 255),
            ("10  \r\n", 16),
            ("000000000000000000010\n", 16),
            ("ffffffffffffffff\r\n", u64::MAX),
        ] {
            assert_eq!(chunk_size(line.as_bytes()).ok(), Some(size), "{line:?}");
        }
        for line in [
            "-1\r\n",
            "\r\n",
            "g\r\n",
            "0x10\r\n",
            "10000000000000000\r\n",
            "1 2\r\n",
            "+1\r\n",
            " 5\r\n",
        ] {
            assert!(chunk_size(line.as_bytes()).is_err(), "{line:?}");
        }
    }
}
