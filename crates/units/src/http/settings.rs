//! What may be chosen about HTTP, with the defaults of the model.

use crate::UnitError;
use crate::listing::unescaped;
use crate::net::NetSettings;
use gleaner_model::defaults;
use std::fmt;

/// Everything the HTTP unit can be told.
#[derive(Clone)]
pub struct HttpSettings {
    pub net: NetSettings,
    pub user_agent: String,
    pub accept_http2: bool,
    /// Whether a jar keeps cookies for the run.
    pub accept_cookies: bool,
    pub proxy: Option<ProxySettings>,
}

impl Default for HttpSettings {
    fn default() -> Self {
        HttpSettings {
            net: NetSettings::default(),
            user_agent: format!("{}/{}", defaults::AGENT_TOKEN, env!("CARGO_PKG_VERSION")),
            accept_http2: true,
            accept_cookies: true,
            proxy: None,
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
            let user = unescaped(url.username());
            let password = unescaped(url.password().unwrap_or(""));
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
