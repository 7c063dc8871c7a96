//! The way through a proxy: CONNECT for https, absolute-form requests for http (RFC 9110 §9.3.6).
//!
//! The guard of `connect` looks at the proxy's address like at any other (HC029). Credentials are the proxy's own: they
//! are sent to it, never to a server behind it, and never kept.

use super::head;
use super::settings::ProxySettings;
use crate::net::failure::{Failure, words};
use gleaner_model::{Reason, Url};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// More than any proxy has to say before the tunnel opens.
const ANSWER_BYTES_MAX: usize = 16 * 1024;

/// Opens a tunnel to the host of `url` over a connection to the proxy. The caller holds the time limit.
pub(crate) async fn tunnel(tcp: &mut TcpStream, url: &Url, proxy: &ProxySettings) -> Result<(), Failure> {
    let target = format!("{}:{}", url.host(), url.port());
    let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
    if let Some(authorization) = &proxy.authorization {
        request.push_str("Proxy-Authorization: ");
        request.push_str(authorization);
        request.push_str("\r\n");
    }
    request.push_str("\r\n");
    let broken = |error: std::io::Error| Failure::new(Reason::ProxyFailed, words(&error));
    tcp.write_all(request.as_bytes()).await.map_err(broken)?;
    let mut answer = Vec::new();
    let mut scanned = 0;
    loop {
        // Byte by byte: what follows the head belongs to the tunnel. A new connection pays this once.
        let byte = tcp.read_u8().await.map_err(broken)?;
        answer.push(byte);
        if let Some(length) = head::head_length(&answer, &mut scanned) {
            let status = head::parse(&answer[..length]).map(|head| head.status);
            return match status {
                Ok(200..=299) => Ok(()),
                Ok(status) => Err(Failure::new(
                    Reason::ProxyFailed,
                    format!("the proxy answered {status}"),
                )),
                Err(_) => Err(Failure::new(Reason::ProxyFailed, "the proxy does not speak HTTP")),
            };
        }
        if answer.len() > ANSWER_BYTES_MAX {
            return Err(Failure::new(Reason::ProxyFailed, "the proxy's answer has no end"));
        }
    }
}
