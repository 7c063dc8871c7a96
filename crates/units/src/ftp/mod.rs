//! How do I speak to an FTP server? In the clear, or through TLS from the first byte (`ftps`) or after `AUTH TLS` (A1, B2).
//!
//! ```text
//! ask ─► pool ─┬─► control ─► reply          fetch: SIZE, MDTM, RETR ─► intake ─► answer
//!         open ┘      └─► data ─► visit      list:  MLSD, LIST or NLST ─► folder ─► entries
//! ```
//!
//! The one idea: FTP proves little. A reply code is the same for what is missing and what is forbidden, a closed connection
//! may be an end or a break, and a listing is prose. So nothing is called gone, whole or complete because of one of them
//! alone; each file of this folder says what its evidence is. Names are bytes and one argument, always.

mod control;
mod data;
mod dates;
mod fetch;
mod folder;
mod intake;
mod lessons;
mod list;
mod mlsd;
mod path;
mod pool;
mod reply;
mod settings;
mod sizes;
mod visit;

pub use settings::{FtpSettings, FtpTls};

use crate::listing::{ListingEnd, ListingEntry, TakeEntry, child};
use crate::net::Net;
use crate::net::failure::{self, Failure};
use crate::registry::{Around, Plug};
use crate::unit::{Answer, Ask, Unclear, Unit};
use crate::{EntryKind, UnitError};
use async_trait::async_trait;
use control::Control;
use folder::Walked;
use gleaner_model::{Reason, Url};
use lessons::Lessons;
use pool::Pool;
use sizes::Sizes;
use std::sync::Arc;
use std::time::Duration;
use visit::Visit;

/// A connection that waited longer is asked whether it still lives.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// The FTP unit: one per run, shared by all its fetches.
pub struct Ftp {
    net: Arc<Net>,
    settings: FtpSettings,
    pool: Pool,
    lessons: Lessons,
    sizes: Sizes,
}

impl Ftp {
    /// On connections that are shared with other units.
    pub fn on(net: Arc<Net>, settings: FtpSettings) -> Ftp {
        Ftp {
            net,
            settings,
            pool: Pool::default(),
            lessons: Lessons::default(),
            sizes: Sizes::default(),
        }
    }

    /// Closes the connections that wait for another command.
    pub fn close_idle(&self) {
        self.pool.clear();
    }

    /// A logged-in connection: one that waited, or a new one.
    async fn control(&self, visit: &mut Visit<'_>) -> Result<Control, Failure> {
        while let Some((mut control, waited)) = self.pool.take(visit.url.origin()) {
            if waited < TRUSTED_FOR || control.ask(visit, "NOOP", b"").await.is_ok() {
                return Ok(control);
            }
        }
        Control::open(visit).await
    }

    async fn try_list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, Failure> {
        let mut visit = Visit::new(self, ask);
        let names = path::names(&ask.url).ok_or_else(unaskable)?;
        let folder = as_folder(&ask.url)?;
        let mut control = self.control(&mut visit).await?;
        let mut unnamed = 0_u64;
        let mut give = |line: list::Line| {
            let Some(url) = child(&folder, &line.name, line.kind == EntryKind::Folder) else {
                unnamed += 1;
                return true;
            };
            take(ListingEntry {
                url,
                kind: line.kind,
                meta: line.meta,
            })
        };
        let walked = match folder::walk(&mut control, &mut visit, &names, &mut give).await {
            // The server had just ended it; nothing was given yet.
            Err(failure) if control.is_kept || is_break(&failure) => {
                control = Control::open(&mut visit).await?;
                folder::walk(&mut control, &mut visit, &names, &mut give).await?
            }
            other => other?,
        };
        let listed = match walked {
            Walked::Whole if unnamed == 0 => ListingEnd::Whole,
            Walked::Whole => ListingEnd::Part {
                detail: format!("names too long for an address: {unnamed}"),
            },
            Walked::Part(detail) => ListingEnd::Part { detail },
            Walked::Refused(reply) => {
                let failure = reply.failure();
                let is_about_the_folder = matches!(reply.code, 226 | 250 | 450 | 501 | 550..=559);
                if !is_about_the_folder {
                    return Err(failure);
                }
                self.explain(&mut control, &mut visit, &names, &reply).await?
            }
        };
        self.pool.give_back(ask.url.origin(), control);
        Ok(listed)
    }

    /// The server will not list it. Is it a file, is it gone, or may we not see it?
    async fn explain(
        &self,
        control: &mut Control,
        visit: &mut Visit<'_>,
        names: &[Vec<u8>],
        reply: &reply::Reply,
    ) -> Result<ListingEnd, Failure> {
        let is_file = !names.is_empty() && control.facts(visit, &path::written(names)).await?.size.is_some();
        if is_file {
            return Ok(ListingEnd::File);
        }
        if folder::is_gone(control, visit, names).await? {
            return Ok(ListingEnd::Gone);
        }
        Ok(ListingEnd::Unclear(Box::new(Unclear {
            reason: Reason::AccessDenied,
            detail: reply.shown(),
            retry_after: None,
            exchange: None,
        })))
    }
}

/// The connection went away, as opposed to saying no or keeping silent.
fn is_break(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Theirs {
            reason: Reason::Reset | Reason::Closed | Reason::Truncated,
            ..
        }
    )
}

/// The URL of a folder, its slash added if it has none.
fn as_folder(url: &Url) -> Result<Url, Failure> {
    let slash = if url.path().ends_with('/') { "" } else { "/" };
    let text = format!("{}{}{slash}", url.origin(), url.path());
    Url::parse(&text).map_err(|error| Failure::new(Reason::UrlTooLong, error.to_string()))
}

fn unaskable() -> Failure {
    Failure::new(
        Reason::AccessDenied,
        "a name with a slash or a line break in it cannot be asked for",
    )
}

#[async_trait]
impl Unit for Ftp {
    fn schemes(&self) -> &'static [&'static str] {
        &["ftp", "ftps"]
    }

    async fn fetch(&self, ask: &Ask) -> Result<Answer, UnitError> {
        failure::answered(fetch::fetch(self, ask).await)
    }

    fn lists(&self) -> bool {
        true
    }

    async fn list(&self, ask: &Ask, take: &mut TakeEntry<'_>) -> Result<ListingEnd, UnitError> {
        failure::listed(self.try_list(ask, take).await)
    }
}

impl Plug for Ftp {
    const SCHEMES: &'static [(&'static str, u16)] = &[("ftp", 21), ("ftps", 990)];

    /// `ftp.tls=explicit`, `ftp.active=yes`.
    fn plug(around: &Around) -> Result<Arc<dyn Unit>, UnitError> {
        let settings = FtpSettings {
            tls: match around.options.get("ftp.tls") {
                Some("explicit") => FtpTls::Explicit,
                _ => FtpTls::Plain,
            },
            active: around.options.get("ftp.active") == Some("yes"),
        };
        Ok(Arc::new(Ftp::on(Arc::clone(&around.net), settings)))
    }
}
