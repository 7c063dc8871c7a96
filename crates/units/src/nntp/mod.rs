//! How do I speak to a news server? NNTP as in RFC 3977, addresses as in RFC 5538 (A1, B2).
//!
//! ```text
//! ask ─► address ─► pool ──┬─► wire ─► list     GROUP, OVER: entries with size, date and message id
//!                 session ─┘      └──► article  GROUP, ARTICLE: one article, raw
//! ```
//!
//! `nntps` is the same in TLS from the first byte. `nntp://host/` is the folder of all groups, `nntp://host/group/` that of a group's articles, `nntp://host/group/7` an
//! article. What an article says belongs to `parse`; whether it changed, to `judge`.
//!
//! One thing is tried again here: a command on a kept connection that the server was just closing.

mod address;
mod article;
mod date;
mod list;
mod pool;
mod reply;
mod session;
mod settings;
mod threads;
mod wire;

pub use settings::{Expired, NntpSettings, PlainLogin};

use crate::net::Net;
use crate::net::failure::{self, Failure};
use crate::net::patience::Patience;
use crate::registry::{Around, Plug};
use crate::unit::{Answer, Ask, Exchange, Redirect, Refusal, Unit};
use crate::{Body, Headers, ListingEnd, TakeEntry, UnitError};
use address::{Place, place_of};
use article::Got;
use async_trait::async_trait;
use gleaner_model::{Reason, Timestamp, Url};
use pool::Pool;
use std::net::IpAddr;
use std::sync::Arc;
use threads::Threads;
use wire::{Connection, Wire};

/// The name of what is spoken, as in the `WARC-Protocol` field.
pub const NNTP: &str = "nntp";

/// The NNTP unit: one per run, shared by all its fetches.
pub struct Nntp {
    net: Arc<Net>,
    settings: NntpSettings,
    pool: Pool,
    threads: Threads,
}

/// One ask under way.
struct Errand {
    started: Timestamp,
    patience: Patience,
}

impl Nntp {
    /// On connections that are shared with other units.
    pub fn on(net: Arc<Net>, settings: NntpSettings) -> Nntp {
        Nntp {
            net,
            settings,
            pool: Pool::default(),
            threads: Threads::default(),
        }
    }

    /// Closes the connections that wait for another command.
    pub fn close_idle(&self) {
        self.pool.clear();
    }

    fn begin(&self, ask: &Ask) -> Errand {
        Errand {
            started: self.net.settings.clock.wall(),
            patience: Patience::of(ask, &self.net.settings.timeouts),
        }
    }

    /// A connection to the server of `url`: a kept one for the first try, then a new one.
    async fn connection(
        &self,
        url: &Url,
        group: Option<&[u8]>,
        is_first: bool,
        patience: &mut Patience,
    ) -> Result<Connection, Failure> {
        if is_first && let Some(connection) = self.pool.take(url.origin(), group) {
            return Ok(connection);
        }
        session::open(&self.net, &self.settings, url, patience).await
    }

    async fn try_fetch(&self, ask: &Ask) -> Result<Answer, Failure> {
        let mut errand = self.begin(ask);
        let (group, number) = match place_of(&ask.url) {
            Place::Article { group, number } => (group, Some(number)),
            Place::Group { group } => (group, None),
            Place::Groups | Place::Articles { .. } => {
                return Err(Failure::new(
                    Reason::NoSuchFile,
                    "a folder is listed, not fetched",
                ));
            }
            Place::Nowhere => return Err(nowhere()),
        };
        let mut is_first = true;
        loop {
            let patience = &mut errand.patience;
            let mut connection = self
                .connection(&ask.url, Some(&group), is_first, patience)
                .await?;
            let mut wire = Wire::on(&mut connection, patience, &self.net);
            let got = match number {
                Some(number) => {
                    let spool_folder = &self.net.spool_folder;
                    article::read(&mut wire, &group, number, ask, spool_folder, &self.threads)
                        .await
                        .map(answer_of)
                }
                None => article::select(&mut wire, &group)
                    .await
                    .and_then(|reply| match reply.code {
                        211 => Ok(moved(&ask.url)),
                        411 => Ok(Said::gone(reply.code)),
                        _ => Err(reply.refusal()),
                    }),
            };
            let wire_bytes = wire.received;
            match got {
                Ok(said) => {
                    let address = connection.address;
                    self.pool.give_back(ask.url.origin(), connection);
                    return Ok(said.into_answer(&errand, address, wire_bytes));
                }
                Err(failure) if connection.used && wire_bytes == 0 && went_away(&failure) => is_first = false,
                Err(failure) => return Err(failure),
            }
        }
    }

    async fn try_list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, Failure> {
        let mut errand = self.begin(ask);
        let group = match place_of(&ask.url) {
            Place::Groups => None,
            Place::Articles { group } => Some(group),
            // Of a group without its slash, `fetch` tells where the folder is.
            Place::Article { .. } | Place::Group { .. } => return Ok(ListingEnd::File),
            Place::Nowhere => return Err(nowhere()),
        };
        let mut is_first = true;
        loop {
            let patience = &mut errand.patience;
            let mut connection = self
                .connection(&ask.url, group.as_deref(), is_first, patience)
                .await?;
            let mut wire = Wire::on(&mut connection, patience, &self.net);
            let listed = match &group {
                None => list::groups(&mut wire, &ask.url, take).await,
                Some(group) => {
                    let (now, threads) = (errand.started, &self.threads);
                    list::articles(&mut wire, &ask.url, group, now, threads, take).await
                }
            };
            let is_unanswered = wire.received == 0;
            match listed {
                Ok(listed) => {
                    self.pool.give_back(ask.url.origin(), connection);
                    return Ok(self.settings.expired.read(listed));
                }
                Err(failure) if connection.used && is_unanswered && went_away(&failure) => is_first = false,
                Err(failure) => return Err(failure),
            }
        }
    }
}

#[async_trait]
impl Unit for Nntp {
    fn schemes(&self) -> &'static [&'static str] {
        &["nntp", "nntps"]
    }

    async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        failure::answered(self.try_fetch(ask).await)
    }

    fn lists(&self) -> bool {
        true
    }

    async fn list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, UnitError> {
        failure::listed(self.try_list(ask, take).await)
    }
}

/// What the server said, before it is dressed as an exchange.
struct Said {
    status: u16,
    headers: Headers,
    body: Body,
    means: Means,
}

enum Means {
    Here,
    Gone,
    Moved(Redirect),
    Refused(Refusal),
}

impl Said {
    fn gone(status: u16) -> Said {
        Said {
            status,
            headers: Headers::default(),
            body: Body::empty(),
            means: Means::Gone,
        }
    }

    fn into_answer(self, errand: &Errand, address: IpAddr, wire_bytes: u64) -> Answer {
        let exchange = Exchange {
            // Not HTTP: the archive keeps the article as a resource, not as a response.
            request_head: Vec::new(),
            response_head: Vec::new(),
            status: self.status,
            headers: self.headers,
            body: self.body,
            protocol: NNTP,
            address: Some(address),
            started: errand.started,
            first_byte: errand.patience.first_byte(),
            elapsed: errand.patience.started().elapsed(),
            wire_bytes,
            cookies_set: false,
            truncated: matches!(self.means, Means::Refused(_)),
        };
        match self.means {
            Means::Here => Answer::Here(exchange),
            Means::Gone => Answer::Gone(exchange),
            Means::Moved(redirect) => Answer::Moved(exchange, redirect),
            Means::Refused(refusal) => Answer::Refused(exchange, refusal),
        }
    }
}

fn answer_of(got: Got) -> Said {
    match got {
        Got::Article { headers, body } => Said {
            status: 220,
            headers,
            body,
            means: Means::Here,
        },
        Got::Refused { headers, refusal } => Said {
            status: 220,
            headers,
            body: Body::empty(),
            means: Means::Refused(refusal),
        },
        Got::None(reply) => Said::gone(reply.code),
    }
}

/// A group's address without its slash leads to that with one.
fn moved(url: &Url) -> Said {
    let location = format!("{}/", url.path());
    let target = url.join(&location);
    Said {
        status: 211,
        headers: Headers::default(),
        body: Body::empty(),
        means: Means::Moved(Redirect {
            status: 211,
            location,
            target,
        }),
    }
}

fn nowhere() -> Failure {
    Failure::new(
        Reason::NoSuchFile,
        "the address names no group and no article by its number",
    )
}

/// The peer closed the connection, as opposed to keeping silent or talking nonsense.
fn went_away(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Theirs {
            reason: Reason::Closed | Reason::Reset,
            ..
        }
    )
}

impl Plug for Nntp {
    const SCHEMES: &'static [(&'static str, u16)] = &[("nntp", 119), ("nntps", 563)];

    /// `nntp.expired=gone`, `nntp.plain_login=yes`.
    fn plug(around: &Around) -> Result<Arc<dyn Unit>, UnitError> {
        let settings = NntpSettings {
            expired: match around.options.get("nntp.expired") {
                Some("gone") => Expired::Gone,
                _ => Expired::Kept,
            },
            plain_login: match around.options.get("nntp.plain_login") {
                Some("yes") => PlainLogin::Allowed,
                _ => PlainLogin::Never,
            },
        };
        Ok(Arc::new(Nntp::on(Arc::clone(&around.net), settings)))
    }
}
