//! What happens on one connection? Requests are read, scripts are run, plain or inside TLS.

use std::sync::Arc;
use std::time::Instant;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::script::{Action, Script};
use super::server::{Request, Shared};

/// No test needs a larger request; a client that sends one is cut off.
const REQUEST_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Endless patterns go out in pieces of about this size.
const PIECE_BYTES: usize = 16 * 1024;

/// A connection, with or without TLS; the socket below stays reachable for RST.
enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

impl Wire {
    fn stream(&mut self) -> &mut dyn Stream {
        match self {
            Wire::Plain(stream) => stream,
            Wire::Tls(stream) => stream.as_mut(),
        }
    }

    fn socket(&self) -> &TcpStream {
        match self {
            Wire::Plain(stream) => stream,
            Wire::Tls(stream) => stream.get_ref().0,
        }
    }

    fn speaks_http2(&self) -> bool {
        matches!(self, Wire::Tls(stream) if stream.get_ref().1.alpn_protocol() == Some(b"h2"))
    }
}

/// Whether the connection can carry another request.
#[derive(PartialEq, Eq)]
enum After {
    Open,
    Ended,
}

/// Counts the connection as closed however its task ends, also when the server is dropped in the middle.
struct Counted(Arc<Shared>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.closed();
    }
}

pub(super) async fn serve(stream: TcpStream, shared: Arc<Shared>, tls: Option<TlsAcceptor>) {
    let _ = stream.set_nodelay(true);
    let (number, greeting) = shared.connected();
    let _counted = Counted(shared.clone());
    let mut wire = match tls {
        None => Wire::Plain(stream),
        Some(acceptor) => match acceptor.accept(stream).await {
            Ok(stream) => Wire::Tls(Box::new(stream)),
            // The client did not like the certificate: that is what such a test is about.
            Err(_) => return,
        },
    };
    if wire.speaks_http2() {
        run(&mut wire, shared.http2(), &shared).await;
        return;
    }
    if let Some(script) = greeting
        && run(&mut wire, script, &shared).await == After::Ended
    {
        return;
    }
    let mut buffer = Vec::new();
    while let Some(request) = read_request(&mut wire, &mut buffer, number).await {
        let script = shared.asked(&request);
        if run(&mut wire, script, &shared).await == After::Ended {
            return;
        }
    }
}

async fn run(wire: &mut Wire, script: Script, shared: &Shared) -> After {
    for action in script.0 {
        match act(wire, action, shared).await {
            Ok(After::Open) => {}
            Ok(After::Ended) | Err(_) => return After::Ended,
        }
    }
    After::Open
}

async fn act(wire: &mut Wire, action: Action, shared: &Shared) -> std::io::Result<After> {
    match action {
        Action::Send(bytes) => send(wire, &bytes, shared).await?,
        Action::Drip { bytes, every } => {
            for byte in bytes {
                tokio::time::sleep(every).await;
                send(wire, &[byte], shared).await?;
            }
        }
        Action::SendForever(pattern) => {
            let piece = pattern.repeat((PIECE_BYTES / pattern.len().max(1)).max(1));
            if piece.is_empty() {
                return Ok(After::Open);
            }
            loop {
                send(wire, &piece, shared).await?;
            }
        }
        Action::Wait(time) => tokio::time::sleep(time).await,
        Action::Hold(gate) => gate.passed().await,
        Action::Open(gate) => gate.open(),
        Action::WaitClose => {
            let mut ignored = vec![0; PIECE_BYTES];
            while wire.stream().read(&mut ignored).await? > 0 {}
            return Ok(After::Ended);
        }
        Action::Reset => {
            wire.socket().set_zero_linger()?;
            return Ok(After::Ended);
        }
        Action::Close => {
            wire.stream().shutdown().await?;
            return Ok(After::Ended);
        }
    }
    Ok(After::Open)
}

async fn send(wire: &mut Wire, bytes: &[u8], shared: &Shared) -> std::io::Result<()> {
    let stream = wire.stream();
    stream.write_all(bytes).await?;
    stream.flush().await?;
    shared.sent(bytes.len());
    Ok(())
}

async fn read_request(wire: &mut Wire, buffer: &mut Vec<u8>, connection: u64) -> Option<Request> {
    loop {
        let parsed = parse(buffer, wire.socket(), connection).ok()?;
        if let Some((mut request, head_bytes, body_bytes)) = parsed {
            let whole = head_bytes.checked_add(body_bytes)?;
            if buffer.len() >= whole {
                request.body = buffer[head_bytes..whole].to_vec();
                buffer.drain(..whole);
                return Some(request);
            }
        }
        if buffer.len() > REQUEST_BYTES_MAX {
            return None;
        }
        buffer.reserve(PIECE_BYTES);
        if wire.stream().read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

/// What a client sent that is no request.
struct NotHttp;

/// The request in `buffer` with the lengths of its head and body; `None` while the head is not whole.
fn parse(
    buffer: &[u8],
    socket: &TcpStream,
    connection: u64,
) -> Result<Option<(Request, usize, usize)>, NotHttp> {
    let mut fields = [httparse::EMPTY_HEADER; 128];
    let mut head = httparse::Request::new(&mut fields);
    let httparse::Status::Complete(head_bytes) = head.parse(buffer).map_err(|_| NotHttp)? else {
        return Ok(None);
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let request = Request {
        method: head.method.ok_or(NotHttp)?.to_owned(),
        target: head.path.ok_or(NotHttp)?.to_owned(),
        headers: head
            .headers
            .iter()
            .map(|field| (field.name.to_owned(), text(field.value)))
            .collect(),
        body: Vec::new(),
        at: Instant::now(),
        connection,
        local: socket.local_addr().map_err(|_| NotHttp)?,
    };
    let length = request
        .header("content-length")
        .and_then(|value| value.trim().parse().ok());
    Ok(Some((request, head_bytes, length.unwrap_or(0))))
}
