//! How much may a server send that nobody asked for? The TCP connection under SSH, counted (HC106).
//!
//! Banners without end, key exchange after key exchange, floods of messages to be ignored: all of them are bytes on
//! the wire without bytes of SFTP. So the connection has an allowance, which grows with what SFTP takes out of it; past
//! the allowance the connection breaks. One rule holds for all of these tricks, known and unknown.

use crate::net::failure::Failure;
use gleaner_model::Reason;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Enough for any key exchange, banner and login.
const BEFORE_SFTP_BYTES_MAX: u64 = 1024 * 1024;

/// What is known of a connection outside the task that reads it.
#[derive(Debug)]
pub(super) struct LineState {
    received: AtomicU64,
    allowance: AtomicU64,
    end: Mutex<Option<(Reason, String)>>,
}

impl LineState {
    pub(super) fn new() -> LineState {
        LineState {
            received: AtomicU64::new(0),
            allowance: AtomicU64::new(BEFORE_SFTP_BYTES_MAX),
            end: Mutex::new(None),
        }
    }

    /// Allows as many bytes again, and as many beside them.
    pub(super) fn allow(&self, bytes: usize) {
        self.allowance.fetch_add(2 * bytes as u64, Ordering::Relaxed);
    }

    /// Notes why the connection ended; the first reason is the true one.
    pub(super) fn end(&self, failure: &Failure) {
        if let Failure::Theirs { reason, detail } = failure {
            let mut end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
            end.get_or_insert_with(|| (*reason, detail.clone()));
        }
    }

    /// Why the connection ended, as far as that was noted.
    pub(super) fn failure(&self) -> Failure {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        match &*end {
            Some((reason, detail)) => Failure::new(*reason, detail.as_str()),
            None => Failure::from(Reason::Closed),
        }
    }
}

/// The connection as SSH reads and writes it.
pub(super) struct Line {
    tcp: TcpStream,
    state: Arc<LineState>,
}

impl Line {
    pub(super) fn new(tcp: TcpStream, state: Arc<LineState>) -> Line {
        Line { tcp, state }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let polled = Pin::new(&mut self.tcp).poll_read(cx, buf);
        let came = (buf.filled().len() - before) as u64;
        let received = self.state.received.fetch_add(came, Ordering::Relaxed) + came;
        if received > self.state.allowance.load(Ordering::Relaxed) {
            let failure = Failure::new(Reason::BadReply, "the server sends more than was asked for");
            self.state.end(&failure);
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        polled
    }
}

impl AsyncWrite for Line {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// Reads to the end of what a server sends without end.
    async fn flood(state: &Arc<LineState>) -> usize {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            while stream.write_all(&[0; 8 * 1024]).await.is_ok() {}
        });
        let mut line = Line::new(TcpStream::connect(address).await.unwrap(), Arc::clone(state));
        let mut buffer = vec![0; 10_000];
        let mut received = 0;
        while let Ok(came @ 1..) = line.read(&mut buffer).await {
            received += came;
        }
        received
    }

    #[tokio::test]
    async fn hc106_what_nobody_asked_for_ends_the_connection() {
        let state = Arc::new(LineState::new());
        let received = flood(&state).await;
        assert!(
            (1_000_000..=BEFORE_SFTP_BYTES_MAX as usize).contains(&received),
            "{received}"
        );
        match state.failure() {
            Failure::Theirs { reason, .. } => assert_eq!(reason, Reason::BadReply),
            Failure::Ours(error) => panic!("{error}"),
        }

        let state = Arc::new(LineState::new());
        state.allow(1_000_000);
        assert!(flood(&state).await > 3_000_000);
    }
}
