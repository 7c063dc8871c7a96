//! One connection to a news server: commands out, replies and blocks of lines in, within limits (RFC 3977 §3.1).
//!
//! Lines end with CRLF and with nothing else: a server that lets a bare LF through in an article must not be able to end a
//! block in the middle and pass the rest of the article off as its next reply. A connection is given back for another
//! command only if the last one was answered to its end.

use super::reply::{self, Reply};
use crate::net::Net;
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::net::stream::{Silence, Stream};
use bytes::{Buf, Bytes, BytesMut};
use gleaner_model::Reason;
use memchr::memmem;
use std::io;
use std::net::IpAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const READ_BYTES: usize = 32 * 1024;
/// A reply is 512 bytes by the standard; servers that say more say it in words.
const REPLY_BYTES_MAX: usize = 8 * 1024;

/// How the server gives overviews, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overviews {
    /// `OVER`, RFC 3977 §8.3.
    Over,
    /// `XOVER`, RFC 2980: what servers had before, and mostly still have.
    Xover,
    Unknown,
}

/// An open connection with what was read ahead from it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: Stream,
    pub(super) address: IpAddr,
    /// It has carried a command of an earlier ask, so the server may be about to close it.
    pub(super) used: bool,
    /// The group that is selected on the server's side.
    pub(super) group: Option<Vec<u8>>,
    pub(super) overviews: Overviews,
    /// A reply or a block has not been read to its end.
    busy: bool,
    buffer: BytesMut,
}

impl Connection {
    pub(super) fn new(stream: Stream, address: IpAddr) -> Connection {
        Connection {
            stream,
            address,
            used: false,
            group: None,
            overviews: Overviews::Xover,
            busy: false,
            buffer: BytesMut::new(),
        }
    }

    /// Nothing is left to be read, as far as anybody knows.
    pub(super) fn is_settled(&self) -> bool {
        !self.busy && self.buffer.is_empty()
    }

    /// Whether it can carry another command; to be asked right before that is sent.
    pub(super) fn silence(&mut self) -> Silence {
        if self.is_settled() {
            self.stream.silence()
        } else {
            Silence::Broken
        }
    }
}

/// One line of a block.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Its dot is unstuffed and its end taken off.
    Text(Bytes),
    /// Longer than the limit; it was passed over.
    TooLong,
    End,
}

/// One connection in use by one ask.
pub(super) struct Wire<'a> {
    pub(super) connection: &'a mut Connection,
    pub(super) patience: &'a mut Patience,
    net: &'a Net,
    /// Bytes that came for this ask.
    pub(super) received: u64,
}

impl<'a> Wire<'a> {
    pub(super) fn on(connection: &'a mut Connection, patience: &'a mut Patience, net: &'a Net) -> Wire<'a> {
        Wire {
            connection,
            patience,
            net,
            received: 0,
        }
    }

    /// The next command may take as long as a whole fetch: a long listing is many of them.
    pub(super) fn begin_anew(&mut self) {
        self.patience.begin_anew(&self.net.settings.timeouts);
    }

    /// Sends a command whose reply is one line.
    pub(super) async fn ask(&mut self, words: &[&[u8]]) -> Result<Reply, Failure> {
        self.send(words).await?;
        self.reply().await
    }

    /// Sends a command to which `code` is the answer that a block follows; its lines are to be read until the end. `Err`
    /// holds any other reply.
    pub(super) async fn ask_for_block(
        &mut self,
        words: &[&[u8]],
        code: u16,
    ) -> Result<Result<(), Reply>, Failure> {
        let reply = self.ask(words).await?;
        if reply.code != code {
            return Ok(Err(reply));
        }
        self.connection.busy = true;
        Ok(Ok(()))
    }

    async fn send(&mut self, words: &[&[u8]]) -> Result<(), Failure> {
        let mut line = words.join(&b' ');
        // Names and numbers are checked where they come in; this is the last door before the wire.
        if line.iter().any(u8::is_ascii_control) {
            return Err(Failure::new(
                Reason::NoSuchFile,
                "a name with control bytes is not sent",
            ));
        }
        line.extend_from_slice(b"\r\n");
        self.connection.busy = true;
        self.patience.request_sent(&self.net.settings.timeouts);
        let stream = &mut self.connection.stream;
        let sent = async {
            stream.write_all(&line).await?;
            stream.flush().await
        };
        let sent = self.patience.watch(sent).await?;
        sent.map_err(|error| Failure::of_io(&error))
    }

    /// Reads one line of reply: the greeting, or the answer to what was sent.
    pub(super) async fn reply(&mut self) -> Result<Reply, Failure> {
        let mut scanned = 0;
        loop {
            let buffer = &self.connection.buffer;
            if let Some(found) = memchr::memchr(b'\n', &buffer[scanned..]) {
                let line = self.connection.buffer.split_to(scanned + found + 1);
                self.connection.busy = false;
                return match line.strip_suffix(b"\r\n") {
                    Some(line) if line.len() <= REPLY_BYTES_MAX => reply::read(line),
                    Some(_) => Err(too_long()),
                    None => Err(Failure::new(
                        Reason::BadReply,
                        "a reply that does not end with CR LF",
                    )),
                };
            }
            if buffer.len() > REPLY_BYTES_MAX {
                return Err(too_long());
            }
            scanned = buffer.len();
            if self.fill().await? == 0 {
                return Err(match scanned {
                    0 => Reason::Closed.into(),
                    n => Failure::new(Reason::Truncated, format!("the reply ended after {n} bytes")),
                });
            }
        }
    }

    /// The next line of a block; one of more than `limit` bytes is read but not held.
    pub(super) async fn line(&mut self, limit: usize) -> Result<Line, Failure> {
        let mut scanned = 0;
        let mut skipped = false;
        loop {
            let buffer = &mut self.connection.buffer;
            if let Some(found) = memmem::find(&buffer[scanned..], b"\r\n") {
                let mut line = buffer.split_to(scanned + found + 2);
                line.truncate(line.len() - 2);
                if skipped || line.len() > limit {
                    return Ok(Line::TooLong);
                }
                if line.as_ref() == b"." {
                    self.connection.busy = false;
                    return Ok(Line::End);
                }
                if line.starts_with(b".") {
                    line.advance(1);
                }
                return Ok(Line::Text(line.freeze()));
            }
            if buffer.len() > limit + 2 {
                skipped = true;
            }
            // The last byte may be the CR of the end.
            scanned = buffer.len().saturating_sub(1);
            if skipped {
                buffer.advance(scanned);
                scanned = 0;
            }
            if self.fill().await? == 0 {
                return Err(no_end_mark());
            }
        }
    }

    /// Reads a block as text: gives its bytes, dots unstuffed and line ends kept, to `take` until the end mark or until
    /// `take` wants no more. A CR or LF by itself is a byte like any other.
    pub(super) async fn text<T>(
        &mut self,
        mut take: impl FnMut(&[u8]) -> Result<Option<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        let mut at_line_start = true;
        loop {
            let buffer = &mut self.connection.buffer;
            if at_line_start && buffer.first().is_none_or(|first| *first == b'.') && buffer.len() < 3 {
                if self.fill().await? == 0 {
                    return Err(no_end_mark());
                }
                continue;
            }
            if at_line_start && buffer[0] == b'.' {
                if buffer.starts_with(b".\r\n") {
                    buffer.advance(3);
                    self.connection.busy = false;
                    return Ok(None);
                }
                buffer.advance(1);
            }
            let end = memmem::find(buffer, b"\r\n");
            at_line_start = end.is_some();
            let length = match end {
                Some(end) => end + 2,
                // The CR stays until it is known what follows it.
                None if buffer.ends_with(b"\r") => buffer.len() - 1,
                None => buffer.len(),
            };
            if let Some(word) = take(&buffer[..length])? {
                return Ok(Some(word));
            }
            buffer.advance(length);
            if !at_line_start && self.fill().await? == 0 {
                return Err(no_end_mark());
            }
        }
    }

    /// Reads more into the buffer; 0 is the end.
    async fn fill(&mut self) -> Result<usize, Failure> {
        let Connection { stream, buffer, .. } = &mut *self.connection;
        buffer.reserve(READ_BYTES);
        let bytes = match self.patience.watch(stream.read_buf(buffer)).await? {
            Ok(bytes) => bytes,
            // TLS without a proper goodbye: an end like any other, the end mark tells whether it came too early.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => 0,
            Err(error) => return Err(Failure::of_io(&error)),
        };
        self.received += bytes as u64;
        if bytes > 0 {
            self.patience.progress(bytes);
            if let Some(bandwidth) = &self.net.bandwidth {
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

fn too_long() -> Failure {
    Failure::new(
        Reason::BadReply,
        format!("a reply of more than {REPLY_BYTES_MAX} bytes"),
    )
}

fn no_end_mark() -> Failure {
    Failure::new(Reason::Truncated, "the end mark is missing")
}
