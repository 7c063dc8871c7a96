//! How does a host become an open connection? Name, guard, address race, TLS.
//!
//! The guard (I4) stands between the name's addresses and the sockets: what it refuses is never connected to, whoever
//! named it, at whichever hop.

use super::failure::{Failure, words};
use super::guard;
use super::resolve::Resolve;
use super::settings::NetSettings;
use super::tls::{Offer, Tls};
use crate::UnitError;
use crate::error::is_exhausted;
use gleaner_model::{Reason, Url};
use std::collections::{HashMap, HashSet};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::client::TlsStream;
use tracing::debug;

/// How long a name's addresses are remembered here, whatever their TTL: a page's fetch asks more than once.
const NAMES_REMEMBERED_FOR: Duration = Duration::from_secs(30);
const NAMES_REMEMBERED_MAX: usize = 10_000;
/// Addresses of one name that are tried.
const ADDRESSES_TRIED_MAX: usize = 8;

pub(crate) struct Connector {
    settings: Arc<NetSettings>,
    resolver: Arc<dyn Resolve>,
    tls: Tls,
    allowed_hosts: HashSet<String>,
    overrides: HashMap<String, Vec<IpAddr>>,
    names: Mutex<HashMap<String, Remembered>>,
}

struct Remembered {
    addresses: Arc<[IpAddr]>,
    until: Instant,
}

impl Connector {
    pub(crate) fn new(settings: Arc<NetSettings>, resolver: Arc<dyn Resolve>, tls: Tls) -> Connector {
        let allowed_hosts = settings
            .private_hosts_allowed
            .iter()
            .map(|host| plain(host))
            .collect();
        let overrides = settings
            .resolve_overrides
            .iter()
            .map(|(host, to)| (plain(host), to.clone()))
            .collect();
        Connector {
            settings,
            resolver,
            tls,
            allowed_hosts,
            overrides,
            names: Mutex::default(),
        }
    }

    /// Whether a connection to a host of this name may lead to a private address.
    pub(crate) fn is_private_allowed(&self, name: &str) -> bool {
        self.settings.allow_private || self.allowed_hosts.contains(name)
    }

    /// Opens a connection to the host of `url`, at its port, in the clear.
    pub(crate) async fn open(&self, url: &Url, end: Instant) -> Result<TcpStream, Failure> {
        let addresses = self.addresses(&host_of(url)?, end).await?;
        self.connect(&addresses, url.port(), end).await
    }

    /// Shakes hands on an open connection to the host of `url`.
    pub(crate) async fn secure(
        &self,
        tcp: TcpStream,
        url: &Url,
        offer: Offer,
        end: Instant,
    ) -> Result<TlsStream<TcpStream>, Failure> {
        let limit = end.min(Instant::now() + self.settings.timeouts.tls);
        timeout_at(limit, self.tls.handshake(tcp, url, offer))
            .await
            .map_err(|_| Failure::from(Reason::TlsTimeout))?
    }

    /// The addresses of `host` that may be connected to, in the order to try them.
    pub(crate) async fn addresses(
        &self,
        host: &url::Host<&str>,
        end: Instant,
    ) -> Result<Vec<IpAddr>, Failure> {
        let (name, found): (String, Arc<[IpAddr]>) = match host {
            url::Host::Ipv4(v4) => (v4.to_string(), Arc::from([IpAddr::V4(*v4)])),
            url::Host::Ipv6(v6) => (v6.to_string(), Arc::from([IpAddr::V6(*v6)])),
            url::Host::Domain(domain) => {
                let name = plain(domain);
                let found = self.resolve(&name, end).await?;
                (name, found)
            }
        };
        let allowed = self.is_private_allowed(&name);
        let open: Vec<IpAddr> = found
            .iter()
            .copied()
            .filter(|address| allowed || guard::is_public(*address))
            .collect();
        if open.is_empty() {
            debug!(name, "the host is at a private address and is not asked");
            return Err(private_address());
        }
        Ok(in_turn(&open))
    }

    async fn resolve(&self, name: &str, end: Instant) -> Result<Arc<[IpAddr]>, Failure> {
        if let Some(addresses) = self.overrides.get(name) {
            return Ok(Arc::from(addresses.as_slice()));
        }
        // RFC 6761 §6.3: these names never leave the machine.
        if is_localhost(name) {
            return Ok(Arc::from([
                IpAddr::from([127, 0, 0, 1]),
                IpAddr::V6(std::net::Ipv6Addr::LOCALHOST),
            ]));
        }
        let now = Instant::now();
        if let Some(known) = self
            .names
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
            && known.until > now
        {
            return Ok(Arc::clone(&known.addresses));
        }
        let limit = end.min(now + self.settings.timeouts.resolve);
        let answer = timeout_at(limit, self.resolver.resolve(name))
            .await
            .unwrap_or(Err(Reason::DnsTimeout));
        match &answer {
            Ok(found) => debug!(name, addresses = found.len(), "the name was looked up"),
            Err(reason) => debug!(name, reason = reason.code(), "the name was not found"),
        }
        let addresses: Arc<[IpAddr]> = Arc::from(answer.map_err(Failure::from)?);
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= NAMES_REMEMBERED_MAX {
            names.retain(|_, known| known.until > now);
        }
        if names.len() >= NAMES_REMEMBERED_MAX {
            names.clear();
        }
        let until = Instant::now() + NAMES_REMEMBERED_FOR;
        names.insert(
            name.to_owned(),
            Remembered {
                addresses: Arc::clone(&addresses),
                until,
            },
        );
        Ok(addresses)
    }

    /// Connects to the first address that answers, the next being tried when one fails or takes long (RFC 8305).
    pub(crate) async fn connect(
        &self,
        addresses: &[IpAddr],
        port: u16,
        end: Instant,
    ) -> Result<TcpStream, Failure> {
        let limit = end.min(Instant::now() + self.settings.timeouts.connect);
        let tcp = match addresses {
            [only] => timeout_at(limit, TcpStream::connect(SocketAddr::new(*only, port)))
                .await
                .map_err(|_| Failure::from(Reason::ConnectTimeout))?
                .map_err(connect_failure)?,
            several => timeout_at(limit, self.race(several, port))
                .await
                .map_err(|_| Failure::from(Reason::ConnectTimeout))??,
        };
        // Requests are one small write each; waiting to fill a packet would only delay them.
        tcp.set_nodelay(true).map_err(|error| Failure::of_io(&error))?;
        if let Ok(address) = tcp.peer_addr() {
            debug!(%address, "connected");
        }
        Ok(tcp)
    }

    async fn race(&self, addresses: &[IpAddr], port: u16) -> Result<TcpStream, Failure> {
        let mut waiting = addresses.iter().take(ADDRESSES_TRIED_MAX);
        let mut attempts: JoinSet<io::Result<TcpStream>> = JoinSet::new();
        let mut errors: Vec<io::Error> = Vec::new();
        loop {
            let more = match waiting.next() {
                Some(&address) => {
                    attempts.spawn(TcpStream::connect(SocketAddr::new(address, port)));
                    waiting.len() > 0
                }
                None => false,
            };
            let next = Instant::now() + self.settings.timeouts.next_address;
            let ended = if more {
                match timeout_at(next, attempts.join_next()).await {
                    Ok(ended) => ended,
                    Err(_) => continue,
                }
            } else {
                attempts.join_next().await
            };
            match ended {
                Some(Ok(Ok(tcp))) => return Ok(tcp),
                Some(Ok(Err(error))) => errors.push(error),
                Some(Err(_)) => {}
                None => return Err(worst(errors)),
            }
        }
    }
}

/// The failure to tell when every address failed: a refusal says most, silence least.
fn worst(errors: Vec<io::Error>) -> Failure {
    let rank = |error: &io::Error| match connect_reason(error) {
        _ if is_exhausted(error) => 0,
        Reason::ConnectRefused => 1,
        Reason::Reset => 2,
        Reason::Unreachable => 3,
        _ => 4,
    };
    match errors.into_iter().min_by_key(rank) {
        Some(error) => connect_failure(error),
        None => Failure::from(Reason::Unreachable),
    }
}

/// That we may open no further connection says nothing about the server.
fn connect_failure(cause: io::Error) -> Failure {
    if is_exhausted(&cause) {
        return Failure::Ours(UnitError::Exhausted { cause });
    }
    Failure::new(connect_reason(&cause), words(&cause))
}

fn connect_reason(error: &io::Error) -> Reason {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Reason::ConnectRefused,
        io::ErrorKind::TimedOut => Reason::ConnectTimeout,
        io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted => Reason::Reset,
        _ => Reason::Unreachable,
    }
}

pub(crate) fn host_of(url: &Url) -> Result<url::Host<&str>, Failure> {
    url.parsed_host()
        .ok_or_else(|| Failure::new(Reason::DnsNotFound, "the URL names no host"))
}

pub(crate) fn private_address() -> Failure {
    // Not which one, nor whether anything answers there: that would be an answer to a port scan (HC026).
    Failure::new(Reason::PrivateAddress, "the host is at a private address")
}

pub(crate) fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

/// A host as it is compared: lower case, no final dot, no brackets.
pub(crate) fn plain(host: &str) -> String {
    host.trim_start_matches('[')
        .trim_end_matches([']', '.'])
        .to_ascii_lowercase()
}

/// IPv4 and IPv6 by turns, IPv4 first: a broken IPv6 route is far more common than a broken IPv4 one, and a
/// crawler gains nothing from going the other way round. Twice the same address is tried once.
fn in_turn(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let mut v4 = addresses.iter().filter(|address| address.is_ipv4());
    let mut v6 = addresses.iter().filter(|address| address.is_ipv6());
    let mut ordered = Vec::with_capacity(addresses.len());
    loop {
        let (four, six) = (v4.next(), v6.next());
        if four.is_none() && six.is_none() {
            return ordered;
        }
        for address in four.into_iter().chain(six) {
            if !ordered.contains(address) && ordered.len() < ADDRESSES_TRIED_MAX {
                ordered.push(*address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;

    /// Gives one answer after the other, and the last for ever.
    struct Changing(Mutex<Vec<Vec<IpAddr>>>);

    #[async_trait]
    impl Resolve for Changing {
        async fn resolve(&self, _: &str) -> Result<Vec<IpAddr>, Reason> {
            let mut answers = self.0.lock().unwrap();
            Ok(if answers.len() > 1 {
                answers.remove(0)
            } else {
                answers[0].clone()
            })
        }
    }

    fn addresses(list: &str) -> Vec<IpAddr> {
        list.split_whitespace()
            .map(|text| text.parse().unwrap())
            .collect()
    }

    fn connector(answers: &[&str]) -> Connector {
        let resolver = Changing(Mutex::new(answers.iter().map(|list| addresses(list)).collect()));
        Connector::new(
            Arc::new(NetSettings::default()),
            Arc::new(resolver),
            Tls::new(&[], None).unwrap(),
        )
    }

    async fn found(connector: &Connector) -> Result<Vec<IpAddr>, Reason> {
        let end = Instant::now() + Duration::from_secs(1);
        match connector.addresses(&url::Host::Domain("name.test"), end).await {
            Ok(found) => Ok(found),
            Err(Failure::Theirs { reason, .. }) => Err(reason),
            Err(Failure::Ours(error)) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn hc027_of_a_mixed_answer_only_the_public_part_is_left() {
        let connector = connector(&["10.0.0.1 8.8.8.8 ::1 127.0.0.1 2606:4700::1 169.254.169.254"]);
        assert_eq!(found(&connector).await, Ok(addresses("8.8.8.8 2606:4700::1")));
    }

    #[tokio::test(start_paused = true)]
    async fn hc027_an_answer_that_turns_private_is_refused() {
        let connector = connector(&["8.8.8.8", "127.0.0.1"]);
        assert_eq!(found(&connector).await, Ok(addresses("8.8.8.8")));
        // For a while the checked answer is remembered, so the very address that was checked is used …
        assert_eq!(found(&connector).await, Ok(addresses("8.8.8.8")));
        // … and the next answer is checked like the first.
        tokio::time::advance(NAMES_REMEMBERED_FOR).await;
        assert_eq!(found(&connector).await, Err(Reason::PrivateAddress));
    }

    #[test]
    fn case05_that_we_may_open_nothing_more_is_not_the_servers_fault() {
        let error = io::Error::from_raw_os_error;
        assert!(matches!(connect_failure(error(libc::EMFILE)), Failure::Ours(_)));
        let refused = || error(libc::ECONNREFUSED);
        assert!(matches!(
            worst(vec![refused(), error(libc::ENFILE)]),
            Failure::Ours(_)
        ));
        assert!(matches!(
            worst(vec![error(libc::ETIMEDOUT), refused()]),
            Failure::Theirs {
                reason: Reason::ConnectRefused,
                ..
            }
        ));
    }

    #[test]
    fn families_take_turns() {
        let mixed = addresses("2606:4700::1 2606:4700::2 8.8.8.8 2606:4700::1 9.9.9.9");
        assert_eq!(
            in_turn(&mixed),
            addresses("8.8.8.8 2606:4700::1 9.9.9.9 2606:4700::2")
        );
    }
}
