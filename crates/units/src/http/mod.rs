//! How do I speak to a web server? HTTP/1.1 and HTTP/2, in the clear and through TLS (A1, B3, I4).
//!
//! ```text
//! ask ─► request ─► pool ─┬─► h1 ─► head, intake ─► answer
//!                 connect ┘      (patience and bandwidth watch every read)
//!          resolve, guard, tls
//! ```
//!
//! One ask is one hop: redirects are answers, retries by policy are the caller's. Three things are tried again here,
//! because only here it is known that the first try proves nothing: a request on a kept connection that the server
//! was just closing (HC019), a 304 that nobody asked for (HC014), and HTTP/2 that breaks (HC020: once more, then
//! HTTP/1.1 for the rest of the run). And a 401 is answered, where the user gave us a name and a password.

mod answer;
mod authorization;
mod connect;
pub mod cookies;
mod h1;
mod h2;
mod head;
mod intake;
mod origins;
mod pool;
mod proxy;
mod request;
mod settings;

pub use cookies::{CookiesTaken, Jar};
pub use settings::{HttpSettings, ProxySettings};

use crate::net::failure::Failure;
use crate::net::patience::Patience;
use crate::net::tls::Offer;
use crate::net::{Net, Resolve};
use crate::registry::{Around, Plug};
use crate::unit::{Answer, Ask, BoundHeader, Unclear, Unit, Visitor};
use crate::{Headers, UnitError};
use answer::Got;
use async_trait::async_trait;
use authorization::Authorization;
use connect::Connector;
use gleaner_model::{Reason, Url};
use h1::{Broken, Connection};
use h2::Shared;
use intake::Terms;
use origins::Origins;
use pool::Pool;
use request::{Condition, Fields};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::{Instant, timeout_at};
use tracing::{debug, trace};

/// The names of what is spoken, as in ALPN and in the `WARC-Protocol` field.
pub const HTTP11: &str = "http/1.1";
pub const HTTP2: &str = "h2";

/// The HTTP unit: one per run, shared by all its fetches.
pub struct Http {
    net: Arc<Net>,
    settings: HttpSettings,
    connector: Connector,
    pool: Pool,
    origins: Origins,
    jar: Mutex<Jar>,
    authorization: Authorization,
}

/// The first try takes a connection that is there, the second makes a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Round {
    First,
    Again,
}

impl Http {
    pub fn new(settings: HttpSettings) -> Result<Http, UnitError> {
        let net = Net::new(settings.net.clone())?;
        Ok(Http::on(Arc::new(net), settings))
    }

    /// As [`Http::new`], with a resolver of the caller's.
    pub fn with_resolver(settings: HttpSettings, resolver: Arc<dyn Resolve>) -> Result<Http, UnitError> {
        let net = Net::with_resolver(settings.net.clone(), resolver)?;
        Ok(Http::on(Arc::new(net), settings))
    }

    /// On connections that are shared with other units.
    pub fn on(net: Arc<Net>, settings: HttpSettings) -> Http {
        let keep_alive = net.settings.timeouts.keep_alive;
        Http {
            connector: Connector {
                net: Arc::clone(&net),
                proxy: settings.proxy.clone(),
            },
            pool: Pool::new(keep_alive),
            origins: Origins::new(keep_alive),
            jar: Mutex::default(),
            authorization: Authorization::default(),
            net,
            settings,
        }
    }

    /// The address that a fetch of `url` would first connect to (the proxy's, where there is one), so that pace can be
    /// held per address. Cheap when the host was asked for lately.
    pub async fn locate(&self, url: &Url) -> Result<IpAddr, Unclear> {
        let end = Instant::now() + self.net.settings.timeouts.resolve;
        let found = self.connector.next_hop(url, end).await;
        match found {
            Ok(hop) => Ok(hop.addresses[0]),
            Err(Failure::Theirs { reason, detail }) => Err(Unclear {
                reason,
                detail,
                retry_after: None,
                exchange: None,
            }),
            Err(Failure::Ours(error)) => Err(Unclear {
                reason: Reason::DnsFailed,
                detail: error.to_string(),
                retry_after: None,
                exchange: None,
            }),
        }
    }

    /// The run's cookies, to be saved with it. They are secrets.
    pub fn export_cookies(&self) -> Vec<u8> {
        self.jar.lock().unwrap_or_else(PoisonError::into_inner).export()
    }

    /// Takes up the cookies of an earlier part of the run, in place of those in the jar.
    pub fn import_cookies(&self, bytes: &[u8]) -> Result<(), UnitError> {
        let jar = Jar::import(bytes)?;
        *self.jar.lock().unwrap_or_else(PoisonError::into_inner) = jar;
        Ok(())
    }

    /// Takes what a `cookies.txt` file holds for the sites of `homes`; says how many cookies that are.
    pub fn take_cookies_file(&self, text: &str, homes: &[Url]) -> Result<CookiesTaken, UnitError> {
        let now = self.net.settings.clock.wall();
        let mut jar = self.jar.lock().unwrap_or_else(PoisonError::into_inner);
        jar.take_file(text, homes, now)
    }

    fn cookie_field(&self, url: &Url) -> Option<String> {
        let jar = self.jar.lock().unwrap_or_else(PoisonError::into_inner);
        if jar.is_empty() {
            None
        } else {
            jar.field_for(url, self.net.settings.clock.wall())
        }
    }

    fn take_cookies(&self, url: &Url, headers: &Headers) -> bool {
        if !self.settings.accept_cookies || headers.get("set-cookie").is_none() {
            return false;
        }
        let now = self.net.settings.clock.wall();
        self.jar
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take(url, headers, now)
    }

    /// Closes the connections that wait for another request.
    pub fn close_idle(&self) {
        self.pool.clear();
        self.origins.clear();
    }

    /// One request and its reply: over HTTP/2 where that works, else over HTTP/1.1.
    async fn get(&self, ask: &Ask, fields: &Fields<'_>, patience: &mut Patience) -> Result<Got, Failure> {
        let terms = Terms {
            body_bytes_max: ask.body_bytes_max,
            filter: ask.filter.as_deref(),
            spool_folder: &self.net.spool_folder,
        };
        let origin = ask.url.origin();
        // A question that may change something goes its way once, over a connection that nobody is about to close.
        let may_be_http2 = self.settings.accept_http2
            && ask.posted.is_none()
            && ask.url.scheme() == "https"
            && !self.origins.is_http11_only(origin);
        let Some(target) = may_be_http2.then(|| h2::target(&ask.url)).flatten() else {
            return self.get_by_http11(ask, fields, &terms, patience, None).await;
        };
        let mut http2_failure = String::new();
        for round in [Round::First, Round::Again] {
            let shared = match self.shared(ask, round, patience).await {
                Ok(Ok(shared)) => shared,
                // The server chose HTTP/1.1, or an idle connection shows that it did before.
                Ok(Err(connection)) => {
                    return self
                        .get_by_http11(ask, fields, &terms, patience, Some(connection))
                        .await;
                }
                Err(failure) => return Err(failure),
            };
            let timeouts = &self.net.settings.timeouts;
            let bandwidth = self.net.bandwidth.as_ref();
            match h2::exchange(&shared, &target, fields, &terms, timeouts, patience, bandwidth).await {
                Ok(reply) => {
                    self.origins.touch(origin, &shared);
                    return Ok(Got {
                        reply,
                        protocol: HTTP2,
                        address: shared.address,
                    });
                }
                Err(Broken {
                    failure:
                        Failure::Theirs {
                            reason: Reason::Http2Failed,
                            detail,
                        },
                    ..
                }) => {
                    self.origins.forget(origin, &shared);
                    http2_failure = detail;
                }
                // No stream was granted, or none was answered: another try on HTTP/2 would only wait as long again.
                Err(Broken {
                    failure:
                        Failure::Theirs {
                            reason: reason @ Reason::FirstByteTimeout,
                            ..
                        },
                    answered: false,
                }) => {
                    reason.meaning().clone_into(&mut http2_failure);
                    break;
                }
                Err(broken) => return Err(broken.failure),
            }
        }
        debug!(
            origin,
            why = http2_failure,
            "HTTP/2 fails here; HTTP/1.1 from now on"
        );
        self.origins.prefer_http11(origin);
        match self.get_by_http11(ask, fields, &terms, patience, None).await {
            Err(Failure::Theirs { reason, detail }) => Err(Failure::new(
                Reason::Http2Failed,
                format!("HTTP/2: {http2_failure}; HTTP/1.1: {reason} {detail}").trim_end(),
            )),
            other => other,
        }
    }

    /// A shared HTTP/2 connection to the ask's origin, or else (`Ok(Err)`) one that speaks HTTP/1.1.
    async fn shared(
        &self,
        ask: &Ask,
        round: Round,
        patience: &Patience,
    ) -> Result<Result<Shared, Connection>, Failure> {
        let origin = ask.url.origin();
        if round == Round::First {
            if let Some(shared) = self.origins.shared(origin) {
                return Ok(Ok(shared));
            }
            if let Some(connection) = self.pool.take(origin) {
                return Ok(Err(connection));
            }
        }
        let opened = self
            .connector
            .open(&ask.url, Offer::Http2AndHttp11, patience)
            .await?;
        if !opened.http2 {
            return Ok(Err(Connection::new(opened.stream, opened.address)));
        }
        let shared = timeout_at(patience.end(), Shared::open(opened.stream, opened.address))
            .await
            .map_err(|_| Failure::from(Reason::FetchTimeout))??;
        self.origins.share(origin, &shared);
        Ok(Ok(shared))
    }

    /// One request and its reply over HTTP/1.1, on `connection` if there is one; a kept connection that the server
    /// was just closing is forgiven (HC019).
    async fn get_by_http11(
        &self,
        ask: &Ask,
        fields: &Fields<'_>,
        terms: &Terms<'_>,
        patience: &mut Patience,
        connection: Option<Connection>,
    ) -> Result<Got, Failure> {
        let url = &ask.url;
        let origin = url.origin();
        let proxy = self.settings.proxy.as_ref().filter(|_| url.scheme() == "http");
        let mut request = match proxy {
            None => fields.head(url.request_target(), &url.authority(), None),
            Some(proxy) => {
                let absolute = format!("http://{}{}", url.authority(), url.request_target());
                fields.head(&absolute, &url.authority(), proxy.authorization.as_deref())
            }
        };
        let mut kept = connection;
        match &ask.posted {
            Some(posted) => request.extend_from_slice(&posted.bytes),
            None => kept = kept.or_else(|| self.pool.take(origin)),
        }
        loop {
            let mut connection = if let Some(connection) = kept.take() {
                connection
            } else {
                let opened = self.connector.open(url, Offer::Http11, patience).await?;
                Connection::new(opened.stream, opened.address)
            };
            let timeouts = &self.net.settings.timeouts;
            let bandwidth = self.net.bandwidth.as_ref();
            match h1::exchange(&mut connection, &request, terms, timeouts, patience, bandwidth).await {
                Ok(reply) if proxy.is_some() && reply.status == 407 => {
                    return Err(Failure::new(Reason::ProxyFailed, "the proxy answered 407"));
                }
                Ok(reply) => {
                    let address = connection.address;
                    if reply.reusable {
                        self.pool.give_back(origin, connection);
                    } else if reply.overran {
                        self.pool.distrust(origin);
                    }
                    return Ok(Got {
                        reply,
                        protocol: HTTP11,
                        address,
                    });
                }
                Err(broken) if connection.used && !broken.answered && broken.went_away() => {
                    trace!(origin, "a kept connection was closed; a new one is opened");
                }
                Err(broken) => return Err(broken.failure),
            }
        }
    }

    async fn try_fetch(&self, ask: &Ask) -> Result<Answer, Failure> {
        let has_jar = ask.visitor == Visitor::Run;
        let started = self.net.settings.clock.wall();
        let mut patience = Patience::of(ask, &self.net.settings.timeouts);
        let mut condition = Condition::AsAsked;
        // What the user says in a header field of their own goes before.
        let says_it = |header: &BoundHeader| {
            header.origin == ask.url.origin() && header.name.eq_ignore_ascii_case("authorization")
        };
        let login =
            (self.net.settings.logins.of(&ask.url)).filter(|_| has_jar && !ask.headers.iter().any(says_it));
        let mut is_second = false;
        loop {
            let authorization = login.and_then(|login| self.authorization.field(ask, login));
            let was_told = authorization.is_some();
            let fields = Fields::of(
                ask,
                &self.settings.user_agent,
                condition,
                has_jar.then(|| self.cookie_field(&ask.url)).flatten(),
                authorization,
            )?;
            let got = self.get(ask, &fields, &mut patience).await?;
            let cookies_set = has_jar && self.take_cookies(&ask.url, &got.reply.headers);
            // The origin alone: an address that a form made may hold what was filled in.
            trace!(
                origin = ask.url.origin(),
                is_post = ask.posted.is_some(),
                is_conditional = fields.is_conditional(),
                status = got.reply.status,
                protocol = got.protocol,
                cookies_set,
                "one request and its answer"
            );
            if got.reply.status == 304 && !fields.is_conditional() && condition == Condition::AsAsked {
                condition = Condition::Plain;
                continue;
            }
            if got.reply.status == 401 && login.is_some() {
                let origin = ask.url.origin();
                if !is_second && self.authorization.learn(origin, &got.reply.headers, was_told) {
                    is_second = true;
                    debug!(origin, "the server asks who we are, and is told");
                    continue;
                }
                if was_told {
                    debug!(origin, "the server does not take our name and password");
                    self.authorization.give_up(origin);
                }
            }
            let conditional = fields.is_conditional();
            let mut request_head = fields.archived_head(ask.url.request_target(), &ask.url.authority());
            if let Some(posted) = &ask.posted {
                request_head.extend_from_slice(&posted.shown);
            }
            let exchange = got.into_exchange(request_head, started, &patience, cookies_set);
            return Ok(answer::of(&ask.url, exchange, conditional));
        }
    }
}

#[async_trait]
impl Unit for Http {
    fn schemes(&self) -> &'static [&'static str] {
        &["http", "https"]
    }

    async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        match self.try_fetch(ask).await {
            Ok(answer) => Ok(answer),
            Err(failure) => Ok(Answer::Unclear(failure.into_unclear()?)),
        }
    }
}

impl Plug for Http {
    const SCHEMES: &'static [(&'static str, u16)] = &[("http", 80), ("https", 443)];

    fn plug(around: &Around) -> Result<Arc<dyn Unit>, UnitError> {
        let http: Arc<dyn Unit> = Arc::<Http>::clone(&around.http);
        Ok(http)
    }
}
