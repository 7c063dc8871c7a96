//! HTTP/2, where the handshake agreed on it: many asks share one connection to an origin.
//!
//! The protocol itself is the `h2` crate's; here are the limits, the reasons, and the head that the archive keeps. Replay
//! tools read HTTP/1.1, so that head is written as one: status line, then the fields in the order and spelling
//! they came in. That it came over HTTP/2 is told by `Exchange::protocol`.

use super::h1::{Broken, Reply};
use super::intake::{Appetite, Intake, Taken, Terms};
use super::request::Fields;
use crate::Headers;
use crate::net::Timeouts;
use crate::net::bandwidth::Bandwidth;
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::net::stream::Stream;
use bytes::Bytes;
use gleaner_model::{Reason, Url, defaults};
use h2::client::SendRequest;
use http::header::{HeaderMap, HeaderName, HeaderValue};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::task::AbortHandle;

/// What a server may send ahead on one stream and on one connection before we have read it.
const STREAM_WINDOW_BYTES: u32 = 512 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 2 * 1024 * 1024;
const FRAME_BYTES_MAX: u32 = 64 * 1024;

/// A handle on a shared connection. It is closed when the last handle goes.
#[derive(Clone)]
pub(crate) struct Shared {
    send: SendRequest<Bytes>,
    pub(crate) address: IpAddr,
    driver: Arc<Driver>,
}

/// The task that moves the connection's frames.
struct Driver(AbortHandle);

impl Drop for Driver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Shared {
    pub(crate) async fn open(stream: Stream, address: IpAddr) -> Result<Shared, Failure> {
        let (send, connection) = h2::client::Builder::new()
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_frame_size(FRAME_BYTES_MAX)
            .max_header_list_size(defaults::HEADERS_BYTES_MAX as u32)
            .handshake::<_, Bytes>(stream)
            .await
            .map_err(|error| failure_of(&error))?;
        // How it ends is told to every stream on it, so the task's own result says nothing new.
        let task = tokio::spawn(async move {
            let _ = connection.await;
        });
        Ok(Shared {
            send,
            address,
            driver: Arc::new(Driver(task.abort_handle())),
        })
    }

    pub(crate) fn is_same(&self, other: &Shared) -> bool {
        Arc::ptr_eq(&self.driver, &other.driver)
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.driver.0.is_finished()
    }
}

/// The URL as HTTP/2 carries it; `None` for one that the `http` crate will not take, which then goes by HTTP/1.1.
pub(crate) fn target(url: &Url) -> Option<http::Uri> {
    http::Uri::builder()
        .scheme("https")
        .authority(url.authority())
        .path_and_query(url.request_target())
        .build()
        .ok()
}

/// Asks on a shared connection and reads the answer.
pub(crate) async fn exchange(
    shared: &Shared,
    target: &http::Uri,
    fields: &Fields<'_>,
    terms: &Terms<'_>,
    timeouts: &Timeouts,
    patience: &mut Patience,
    bandwidth: Option<&Bandwidth>,
) -> Result<Reply, Broken> {
    let mut answered = false;
    let reply = async {
        let request = request(target, fields)?;
        patience.request_sent(timeouts);
        // Waits while the server allows no further stream.
        let ready = patience.watch(shared.send.clone().ready()).await?;
        let mut send = ready.map_err(|error| failure_of(&error))?;
        let (response, _) = send
            .send_request(request, true)
            .map_err(|error| failure_of(&error))?;
        let response = patience
            .watch(response)
            .await?
            .map_err(|error| failure_of(&error))?;
        answered = true;
        let (parts, body) = response.into_parts();
        read(parts.status, &parts.headers, body, terms, patience, bandwidth).await
    }
    .await;
    reply.map_err(|failure| Broken { failure, answered })
}

fn request(target: &http::Uri, fields: &Fields<'_>) -> Result<http::Request<()>, Failure> {
    let unsendable = |_| Failure::new(Reason::Http2Failed, "a field that HTTP/2 cannot carry");
    let mut request = http::Request::new(());
    *request.uri_mut() = target.clone();
    *request.version_mut() = http::Version::HTTP_2;
    for (name, value) in fields.iter() {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|error| unsendable(error.into()))?;
        let value = HeaderValue::from_str(value)
            .or_else(|_| HeaderValue::from_bytes(value.as_bytes()))
            .map_err(|error| unsendable(http::Error::from(error)))?;
        request.headers_mut().append(name, value);
    }
    Ok(request)
}

async fn read(
    status: http::StatusCode,
    fields: &HeaderMap,
    mut body: h2::RecvStream,
    terms: &Terms<'_>,
    patience: &mut Patience,
    bandwidth: Option<&Bandwidth>,
) -> Result<Reply, Failure> {
    let head = head_of(status, fields);
    patience.progress(head.len());
    let status = status.as_u16();
    if status > 599 {
        return Err(Failure::new(Reason::BadStatus, format!("status {status}")));
    }
    if fields.len() > defaults::HEADER_FIELDS_MAX {
        let detail = format!("more than {} fields", defaults::HEADER_FIELDS_MAX);
        return Err(Failure::new(Reason::HeadersTooLarge, detail));
    }
    let mut headers = Headers::with_capacity(fields.len(), head.len());
    for (name, value) in fields {
        headers.push(name.as_str(), value.as_bytes());
    }
    let expected = headers
        .get("content-length")
        .and_then(|text| text.parse::<u64>().ok());
    let mut wire_bytes = head.len() as u64;
    let taken = match Intake::new(terms, status, &headers, expected) {
        Err(refusal) => Taken::stopped(refusal),
        Ok(mut intake) => {
            let read = read_body(&mut body, &mut intake, expected, patience, bandwidth).await;
            wire_bytes += intake.len();
            match read {
                Ok(Appetite::More) => intake.finish()?,
                Ok(Appetite::Enough(refusal)) => Taken::stopped(refusal),
                Err(failure) => intake.give_up(failure)?,
            }
        }
    };
    Ok(Reply {
        status,
        headers,
        head,
        taken,
        wire_bytes,
        reusable: true,
        overran: false,
    })
}

async fn read_body(
    body: &mut h2::RecvStream,
    intake: &mut Intake<'_>,
    expected: Option<u64>,
    patience: &mut Patience,
    bandwidth: Option<&Bandwidth>,
) -> Result<Appetite, Failure> {
    if expected.is_some_and(|bytes| bytes > intake.limit()) {
        return Err(intake.too_large());
    }
    while let Some(piece) = patience.watch(body.data()).await? {
        let piece = piece.map_err(|error| failure_of(&error))?;
        patience.progress(piece.len());
        let appetite = intake.push(&piece)?;
        if appetite != Appetite::More {
            return Ok(appetite);
        }
        if let Some(bandwidth) = bandwidth {
            let wait = bandwidth.take(piece.len());
            tokio::time::sleep(wait).await;
            patience.excuse(wait);
        }
        // The window opens again only for what has been taken in.
        body.flow_control()
            .release_capacity(piece.len())
            .map_err(|error| failure_of(&error))?;
    }
    Ok(Appetite::More)
}

fn head_of(status: http::StatusCode, fields: &HeaderMap) -> Vec<u8> {
    let mut head = format!(
        "HTTP/1.1 {} {}\r\n",
        status.as_str(),
        status.canonical_reason().unwrap_or("")
    )
    .into_bytes();
    for (name, value) in fields {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

/// Everything that goes wrong in the protocol itself has one reason: the caller then tries HTTP/1.1.
fn failure_of(error: &h2::Error) -> Failure {
    Failure::new(Reason::Http2Failed, error.to_string())
}
