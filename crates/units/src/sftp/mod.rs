//! How do I speak to an SFTP server? SSH by russh, SFTP version 3 by our own hand (A1, B2, HC102–HC106).
//!
//! ```text
//! ask ─► pool ─┬─► client ─┬─► list ───────────────► listed
//!          ssh ┘ (packet)  └─► fetch ─► transfer ──► answer
//!   line, known_hosts, login
//! ```
//!
//! An address is a path from the server's root, whatever the login's own folder is. Folders are listed, files are fetched;
//! a link is named by a listing and followed only if its own address is asked for.

mod client;
mod fetch;
mod known_hosts;
mod line;
mod list;
mod login;
mod packet;
mod pool;
mod settings;
mod ssh;
mod transfer;

pub use fetch::SFTP;
pub use settings::{SftpSettings, UnknownKey};

use crate::UnitError;
use crate::listing::{ListingEnd, TakeEntry};
use crate::net::Net;
use crate::net::failure::{self, Failure};
use crate::net::patience::Patience;
use crate::registry::{Around, Plug};
use crate::unit::{Answer, Ask, Unit};
use async_trait::async_trait;
use client::{Client, Wire};
use gleaner_model::Url;
use pool::Pool;
use ssh::{HostKeys, Ssh};
use std::path::PathBuf;
use std::sync::Arc;

/// The SFTP unit: one per run, shared by all its asks.
pub struct Sftp {
    net: Arc<Net>,
    keys: Arc<HostKeys>,
    pool: Arc<Pool>,
}

impl Sftp {
    /// On connections that are shared with other units.
    pub fn on(net: Arc<Net>, settings: SftpSettings) -> Sftp {
        Sftp {
            net,
            keys: Arc::new(HostKeys::new(settings)),
            pool: Arc::default(),
        }
    }

    /// Closes the connections that wait for another ask.
    pub fn close_idle(&self) {
        self.pool.clear();
    }

    /// A connection to the host of `url`, one that waits if there is one.
    async fn client(&self, url: &Url, patience: &mut Patience) -> Result<Client, Failure> {
        match self.pool.take(url.origin()) {
            Some(client) => {
                patience.request_sent(&self.net.settings.timeouts);
                Ok(client)
            }
            None => self.new_client(url, patience).await,
        }
    }

    async fn new_client(&self, url: &Url, patience: &mut Patience) -> Result<Client, Failure> {
        let ssh = Ssh::open(&self.net, &self.keys, url, patience.end()).await?;
        let mut client = Client::new(ssh);
        patience.request_sent(&self.net.settings.timeouts);
        self.wire(&mut client, patience).greet().await?;
        Ok(client)
    }

    fn wire<'a>(&'a self, client: &'a mut Client, patience: &'a mut Patience) -> Wire<'a> {
        Wire {
            client,
            patience,
            bandwidth: self.net.bandwidth.as_ref(),
        }
    }
}

#[async_trait]
impl Unit for Sftp {
    fn schemes(&self) -> &'static [&'static str] {
        &["sftp"]
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

impl Plug for Sftp {
    const SCHEMES: &'static [(&'static str, u16)] = &[("sftp", 22)];

    /// `sftp.known_hosts=FILE`, `sftp.unknown=pin|refuse`.
    fn plug(around: &Around) -> Result<Arc<dyn Unit>, UnitError> {
        let known_hosts = around.options.get("sftp.known_hosts");
        let settings = SftpSettings {
            known_hosts: known_hosts.map_or_else(|| around.data.join("known_hosts"), PathBuf::from),
            unknown: match around.options.get("sftp.unknown") {
                Some("refuse") => UnknownKey::Refuse,
                _ => UnknownKey::Pin,
            },
        };
        Ok(Arc::new(Sftp::on(Arc::clone(&around.net), settings)))
    }
}
