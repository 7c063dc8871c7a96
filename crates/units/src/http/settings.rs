//! What may be chosen about HTTP, with the defaults of the model.

use crate::UnitError;
use gleaner_model::clock::SystemClock;
use gleaner_model::{Clock, defaults};
use std::collections::HashSet;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How long each part of a fetch may take. All are settings, so that tests need not wait.
#[derive(Debug, Clone)]
pub struct Timeouts {
    pub resolve: Duration,
    pub connect: Duration,
    pub tls: Duration,
    pub first_byte: Duration,
    pub silence: Duration,
    pub fetch: Duration,
    pub rate_min_bytes_per_s: u64,
    pub rate_window: Duration,
    /// How long an idle connection is kept for the next request.
    pub keep_alive: Duration,
    /// How long the next address waits for the one before it to connect (RFC 8305 §5).
    pub next_address: Duration,
}

impl Timeouts {
    /// Longer than any fetch makes sense, and short enough that no sum of times overflows.
    pub(crate) fn clamp(&mut self) {
        const LONGEST: Duration = Duration::from_hours(24 * 365);
        for limit in [
            &mut self.resolve,
            &mut self.connect,
            &mut self.tls,
            &mut self.first_byte,
            &mut self.silence,
            &mut self.fetch,
            &mut self.rate_window,
            &mut self.keep_alive,
            &mut self.next_address,
        ] {
            *limit = (*limit).min(LONGEST);
        }
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            resolve: defaults::RESOLVE_TIMEOUT,
            connect: defaults::CONNECT_TIMEOUT,
            tls: defaults::TLS_TIMEOUT,
            first_byte: defaults::FIRST_BYTE_TIMEOUT,
            silence: defaults::SILENCE_TIMEOUT,
            fetch: defaults::FETCH_TIMEOUT,
            rate_min_bytes_per_s: defaults::RATE_MIN_BYTES_PER_S,
            rate_window: defaults::RATE_WINDOW,
            keep_alive: defaults::KEEP_ALIVE,
            next_address: Duration::from_millis(250),
        }
    }
}

/// Everything the HTTP unit can be told.
#[derive(Clone)]
pub struct HttpSettings {
    pub user_agent: String,
    /// Lets every private address through the guard (I4).
    pub allow_private: bool,
    /// Hosts whose private addresses are allowed: names or addresses that the user gave as seeds.
    pub private_hosts_allowed: HashSet<String>,
    /// Certificates trusted beside those of the system: each one DER certificate, or the text of a PEM file.
    pub extra_root_certificates: Vec<Vec<u8>>,
    /// Bytes per second over all connections together (A7).
    pub bandwidth_bytes_per_s: Option<u64>,
    pub timeouts: Timeouts,
    pub accept_http2: bool,
    /// Whether a jar keeps cookies for the run.
    pub accept_cookies: bool,
    /// Where large bodies lie while they are worked on.
    pub spool_folder: PathBuf,
    /// Names that are answered from here instead of from DNS.
    pub resolve_overrides: Vec<(String, Vec<IpAddr>)>,
    /// Asked instead of the system's name servers.
    pub dns_server: Option<SocketAddr>,
    pub proxy: Option<ProxySettings>,
    pub clock: Arc<dyn Clock>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        HttpSettings {
            user_agent: format!("{}/{}", defaults::AGENT_TOKEN, env!("CARGO_PKG_VERSION")),
            allow_private: false,
            private_hosts_allowed: HashSet::new(),
            extra_root_certificates: Vec::new(),
            bandwidth_bytes_per_s: None,
            timeouts: Timeouts::default(),
            accept_http2: true,
            accept_cookies: true,
            spool_folder: std::env::temp_dir(),
            resolve_overrides: Vec::new(),
            dns_server: None,
            proxy: None,
            clock: Arc::new(SystemClock::default()),
        }
    }
}

/// An HTTP proxy; its credentials go to it and to nobody else (HC029).
#[derive(Clone, PartialEq, Eq)]
pub struct ProxySettings {
    pub host: String,
    pub port: u16,
    /// The whole value of `Proxy-Authorization`, made by [`ProxySettings::parse`].
    pub(crate) authorization: Option<String>,
}

impl ProxySettings {
    /// Reads `http://[user:password@]host[:port]`.
    pub fn parse(text: &str) -> Result<ProxySettings, UnitError> {
        let refuse = || UnitError::Proxy { proxy: hidden(text) };
        let url = url::Url::parse(text).map_err(|_| refuse())?;
        let host = url
            .host_str()
            .filter(|_| url.scheme() == "http")
            .ok_or_else(refuse)?;
        let authorization = (!url.username().is_empty()).then(|| {
            let user = percent_decoded(url.username());
            let password = percent_decoded(url.password().unwrap_or(""));
            let pair = [user.as_slice(), b":", password.as_slice()].concat();
            format!("Basic {}", data_encoding::BASE64.encode(&pair))
        });
        Ok(ProxySettings {
            host: host.to_owned(),
            port: url.port_or_known_default().unwrap_or(80),
            authorization,
        })
    }
}

impl fmt::Debug for ProxySettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProxySettings({}:{})", self.host, self.port)
    }
}

/// The proxy as written, without its credentials.
fn hidden(text: &str) -> String {
    match text.rsplit_once('@') {
        Some((_, host)) => format!("[hidden]@{host}"),
        None => text.to_owned(),
    }
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes
            .get(at + 1..at + 3)
            .and_then(|hex| std::str::from_utf8(hex).ok());
        match pair.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if bytes[at] == b'%' => {
                decoded.push(byte);
                at += 3;
            }
            _ => {
                decoded.push(bytes[at]);
                at += 1;
            }
        }
    }
    decoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_credentials_are_read_and_never_shown() {
        let proxy = ProxySettings::parse("http://ann:p%40ss@proxy.test:3128").unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.test", 3128));
        assert_eq!(proxy.authorization.as_deref(), Some("Basic YW5uOnBAc3M="));
        assert!(!format!("{proxy:?}").contains("YW5u"));
        let error = ProxySettings::parse("socks5://ann:secret@proxy.test").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
