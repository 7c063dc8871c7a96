//! At which addresses is a host? Names in, addresses or one of three distinct reasons out (HC024).

use super::settings::NetSettings;
use async_trait::async_trait;
use gleaner_model::Reason;
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ProtocolConfig, ResolveHosts, ResolverConfig,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::Name;
use std::net::{IpAddr, SocketAddr};

/// Finds the addresses of a host name. Tests bring their own.
#[async_trait]
pub trait Resolve: Send + Sync {
    /// `Err` is [`Reason::DnsNotFound`], [`Reason::DnsTimeout`] or [`Reason::DnsFailed`].
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, Reason>;
}

/// The system's name servers and hosts file, or one server given in the settings.
pub(crate) struct Dns {
    /// `None` where the system has no name servers configured: addresses and localhost still work.
    resolver: Option<TokioResolver>,
}

impl Dns {
    pub(crate) fn new(settings: &NetSettings) -> Dns {
        let builder = match settings.dns_server {
            Some(server) => Some(TokioResolver::builder_with_config(
                ResolverConfig::from_name_servers(vec![name_server(server)]),
                TokioRuntimeProvider::default(),
            )),
            None => TokioResolver::builder_tokio().ok(),
        };
        let resolver = builder.and_then(|mut builder| {
            let options = builder.options_mut();
            options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
            options.use_hosts_file = ResolveHosts::Always;
            // Two tries share the limit that the caller holds over both.
            options.timeout = settings.timeouts.resolve.mul_f64(0.45);
            options.attempts = 1;
            builder.build().ok()
        });
        Dns { resolver }
    }
}

fn name_server(server: SocketAddr) -> NameServerConfig {
    let connections = [ProtocolConfig::Udp, ProtocolConfig::Tcp].map(|protocol| {
        let mut connection = ConnectionConfig::new(protocol);
        connection.port = server.port();
        connection
    });
    NameServerConfig::new(server.ip(), true, connections.into())
}

#[async_trait]
impl Resolve for Dns {
    async fn resolve(&self, host: &str) -> Result<Vec<IpAddr>, Reason> {
        let Some(resolver) = &self.resolver else {
            return Err(Reason::DnsFailed);
        };
        // A final dot keeps a full name out of the search list; a single label may need that list.
        let name = if host.contains('.') {
            format!("{host}.")
        } else {
            host.to_owned()
        };
        // As it is: read as text it would have to keep rules for host names that `_` breaks and real names do not care for.
        let Ok(name) = Name::from_ascii(name) else {
            return Err(Reason::DnsNotFound);
        };
        match resolver.lookup_ip(name).await {
            Ok(found) => {
                let addresses: Vec<IpAddr> = found.iter().collect();
                if addresses.is_empty() {
                    Err(Reason::DnsNotFound)
                } else {
                    Ok(addresses)
                }
            }
            Err(NetError::Timeout) => Err(Reason::DnsTimeout),
            Err(NetError::Dns(DnsError::NoRecordsFound(none)))
                if matches!(none.response_code, ResponseCode::NXDomain | ResponseCode::NoError) =>
            {
                Err(Reason::DnsNotFound)
            }
            Err(_) => Err(Reason::DnsFailed),
        }
    }
}
