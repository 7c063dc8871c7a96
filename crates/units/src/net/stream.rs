//! A connection's bytes, in the clear or through TLS.

use socket2::SockRef;
use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

#[derive(Debug)]
pub(crate) enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

/// What an idle connection has to say before it is asked anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Silence {
    /// Open and silent: good for another request.
    Kept,
    /// The peer closed it (HC019).
    Closed,
    /// An answer came that nobody asked for: it would be taken for that of the next request (HC009).
    Broken,
}

impl Stream {
    /// Asks the socket itself, at the price of one system call: the runtime knows only what it saw when it last looked,
    /// and bytes that came since then would pass for the next answer.
    pub(crate) fn silence(&mut self) -> Silence {
        match self {
            Stream::Plain(tcp) => raw_silence(tcp),
            Stream::Tls(tls) => {
                // What is unpacked already is not in the socket any more.
                let mut byte = [0u8; 1];
                let mut buffer = ReadBuf::new(&mut byte);
                let mut cx = Context::from_waker(Waker::noop());
                match Pin::new(&mut *tls).poll_read(&mut cx, &mut buffer) {
                    Poll::Pending => {}
                    Poll::Ready(Ok(())) if !buffer.filled().is_empty() => return Silence::Broken,
                    Poll::Ready(_) => return Silence::Closed,
                }
                match raw_silence(tls.get_ref().0) {
                    Silence::Kept => Silence::Kept,
                    // Most likely the goodbye of TLS.
                    Silence::Closed | Silence::Broken => Silence::Closed,
                }
            }
        }
    }
}

/// A byte that comes is lost, and so is the connection.
fn raw_silence(tcp: &TcpStream) -> Silence {
    match (&*SockRef::from(tcp)).read(&mut [0u8; 1]) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Silence::Kept,
        Ok(1..) => Silence::Broken,
        Ok(0) | Err(_) => Silence::Closed,
    }
}

impl AsyncRead for Stream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(tcp) => Pin::new(tcp).poll_read(cx, buf),
            Stream::Tls(tls) => Pin::new(tls).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(tcp) => Pin::new(tcp).poll_write(cx, buf),
            Stream::Tls(tls) => Pin::new(tls).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(tcp) => Pin::new(tcp).poll_flush(cx),
            Stream::Tls(tls) => Pin::new(tls).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(tcp) => Pin::new(tcp).poll_shutdown(cx),
            Stream::Tls(tls) => Pin::new(tls).poll_shutdown(cx),
        }
    }
}
