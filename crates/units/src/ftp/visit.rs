//! One fetch or one listing on its way: whom it asks, how long it waits, what came.

use super::Ftp;
use super::lessons::Lessons;
use super::settings::FtpSettings;
use crate::net::Net;
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::net::stream::Stream;
use crate::unit::Ask;
use bytes::BytesMut;
use gleaner_model::{Timestamp, Url};
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const READ_BYTES: usize = 16 * 1024;

pub(super) struct Visit<'a> {
    pub(super) net: &'a Net,
    pub(super) settings: &'a FtpSettings,
    pub(super) lessons: &'a Lessons,
    pub(super) url: &'a Url,
    pub(super) patience: Patience,
    pub(super) started: Timestamp,
    /// From the start to the first byte of a file or listing.
    pub(super) first_byte: Option<Duration>,
    pub(super) received: u64,
}

/// What a read found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    Bytes,
    End,
    /// The end of TLS without its goodbye: somebody may have cut it short.
    Torn,
}

impl<'a> Visit<'a> {
    pub(super) fn new(ftp: &'a Ftp, ask: &'a Ask) -> Visit<'a> {
        let net = &*ftp.net;
        Visit {
            net,
            settings: &ftp.settings,
            lessons: &ftp.lessons,
            url: &ask.url,
            patience: Patience::of(ask, &net.settings.timeouts),
            started: net.settings.clock.wall(),
            first_byte: None,
            received: 0,
        }
    }

    /// A wait for an answer begins.
    pub(super) fn asked(&mut self) {
        self.patience.request_sent(&self.net.settings.timeouts);
    }

    pub(super) async fn send(&mut self, stream: &mut Stream, bytes: &[u8]) -> Result<(), Failure> {
        let sent = async {
            stream.write_all(bytes).await?;
            stream.flush().await
        };
        self.patience
            .watch(sent)
            .await?
            .map_err(|error| Failure::of_io(&error))
    }

    /// Reads more behind what is in `buffer`.
    pub(super) async fn read(&mut self, stream: &mut Stream, buffer: &mut BytesMut) -> Result<Came, Failure> {
        buffer.reserve(READ_BYTES);
        let read = self.patience.watch(stream.read_buf(buffer)).await?;
        let bytes = match read {
            Ok(0) => return Ok(Came::End),
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Came::Torn),
            Err(error) => return Err(Failure::of_io(&error)),
        };
        self.received += bytes as u64;
        self.patience.progress(bytes);
        if let Some(bandwidth) = &self.net.bandwidth {
            let wait = bandwidth.take(bytes);
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
                self.patience.excuse(wait);
            }
        }
        Ok(Came::Bytes)
    }
}
