//! How does a URL become a connection that carries HTTP? Directly, or through the proxy.

use super::proxy;
use super::settings::ProxySettings;
use crate::net::connect::{host_of, is_localhost, plain, private_address};
use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::net::stream::Stream;
use crate::net::tls::Offer;
use crate::net::{Net, guard};
use gleaner_model::{Reason, Url};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

pub(crate) struct Connector {
    pub(crate) net: Arc<Net>,
    pub(crate) proxy: Option<ProxySettings>,
}

/// What to connect to: at least one address, each past the guard.
pub(crate) struct Hop {
    pub(crate) addresses: Vec<IpAddr>,
    port: u16,
}

/// A fresh connection and what was agreed on it.
pub(crate) struct Opened {
    pub(crate) stream: Stream,
    pub(crate) address: IpAddr,
    pub(crate) http2: bool,
}

impl Connector {
    /// Opens a connection that can carry a request for `url`, through the proxy where there is one.
    pub(crate) async fn open(&self, url: &Url, offer: Offer, patience: &Patience) -> Result<Opened, Failure> {
        let end = patience.end();
        let secure = url.scheme() == "https";
        let hop = self.next_hop(url, end).await?;
        let connected = self.net.connector.connect(&hop.addresses, hop.port, end).await;
        let mut tcp = if self.proxy.is_some() {
            connected.map_err(Failure::at_proxy)?
        } else {
            connected?
        };
        // The socket tells which address won.
        let address = tcp.peer_addr().map_err(|error| Failure::of_io(&error))?.ip();
        if !secure {
            return Ok(Opened {
                stream: Stream::Plain(tcp),
                address,
                http2: false,
            });
        }
        if let Some(proxy) = &self.proxy {
            let limit = end.min(Instant::now() + self.net.settings.timeouts.connect);
            timeout_at(limit, proxy::tunnel(&mut tcp, url, proxy))
                .await
                .map_err(|_| Failure::new(Reason::ProxyFailed, "the proxy opened no tunnel in time"))??;
        }
        let tls = self.net.connector.secure(tcp, url, offer, end).await?;
        let http2 = tls.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok(Opened {
            stream: Stream::Tls(Box::new(tls)),
            address,
            http2,
        })
    }

    /// Where a connection for `url` goes: to its host, or to the proxy.
    pub(crate) async fn next_hop(&self, url: &Url, end: Instant) -> Result<Hop, Failure> {
        let host = host_of(url)?;
        let Some(proxy) = &self.proxy else {
            return Ok(Hop {
                addresses: self.net.connector.addresses(&host, end).await?,
                port: url.port(),
            });
        };
        self.refuse_private_literal(&host)?;
        let at_proxy = url::Host::parse(&proxy.host)
            .map_err(|_| Failure::new(Reason::ProxyFailed, "the proxy's name is no host name"))?;
        Ok(Hop {
            addresses: self.net.connector.addresses(&as_ref(&at_proxy), end).await?,
            port: proxy.port,
        })
    }

    /// Behind a proxy it is the proxy that looks names up, so only what is plainly private can be refused here.
    fn refuse_private_literal(&self, host: &url::Host<&str>) -> Result<(), Failure> {
        let (name, public) = match host {
            url::Host::Ipv4(v4) => (v4.to_string(), guard::is_public(IpAddr::V4(*v4))),
            url::Host::Ipv6(v6) => (v6.to_string(), guard::is_public(IpAddr::V6(*v6))),
            url::Host::Domain(domain) => {
                let name = plain(domain);
                let public = !is_localhost(&name);
                (name, public)
            }
        };
        if public || self.net.connector.is_private_allowed(&name) {
            return Ok(());
        }
        Err(private_address())
    }
}

fn as_ref(host: &url::Host) -> url::Host<&str> {
    match host {
        url::Host::Domain(name) => url::Host::Domain(name),
        url::Host::Ipv4(v4) => url::Host::Ipv4(*v4),
        url::Host::Ipv6(v6) => url::Host::Ipv6(*v6),
    }
}
