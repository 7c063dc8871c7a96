//! What may be chosen about connections, whatever is spoken on them, with the defaults of the model.

use super::identity::Identity;
use super::login::Logins;
use gleaner_model::clock::SystemClock;
use gleaner_model::{Clock, defaults};
use std::collections::HashSet;
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

/// What every unit that opens connections is told.
#[derive(Clone)]
pub struct NetSettings {
    /// Lets every private address through the guard (I4).
    pub allow_private: bool,
    /// Hosts whose private addresses are allowed: names or addresses that the user gave as seeds.
    pub private_hosts_allowed: HashSet<String>,
    /// Certificates trusted beside those of the system: each one DER certificate, or the text of a PEM file.
    pub extra_root_certificates: Vec<Vec<u8>>,
    /// Bytes per second over all connections together (A7).
    pub bandwidth_bytes_per_s: Option<u64>,
    pub timeouts: Timeouts,
    /// Where large bodies lie while they are worked on.
    pub spool_folder: PathBuf,
    /// Names that are answered from here instead of from DNS.
    pub resolve_overrides: Vec<(String, Vec<IpAddr>)>,
    /// Asked instead of the system's name servers.
    pub dns_server: Option<SocketAddr>,
    pub logins: Logins,
    /// The certificate that is shown to servers that ask for one.
    pub identity: Option<Identity>,
    pub clock: Arc<dyn Clock>,
}

impl Default for NetSettings {
    fn default() -> Self {
        NetSettings {
            allow_private: false,
            private_hosts_allowed: HashSet::new(),
            extra_root_certificates: Vec::new(),
            bandwidth_bytes_per_s: None,
            timeouts: Timeouts::default(),
            spool_folder: std::env::temp_dir(),
            resolve_overrides: Vec::new(),
            dns_server: None,
            logins: Logins::default(),
            identity: None,
            clock: Arc::new(SystemClock::default()),
        }
    }
}
