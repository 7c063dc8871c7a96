//! The way to a server, whatever is spoken there: names, the guard, addresses, TLS, patience and the cap on bandwidth.
//!
//! Units that open connections share one [`Net`], so that the guard (I4) and the cap (A7) hold for all of them together.

pub(crate) mod bandwidth;
pub(crate) mod connect;
pub(crate) mod failure;
pub mod guard;
mod identity;
mod login;
pub(crate) mod patience;
mod resolve;
mod settings;
pub(crate) mod stream;
pub(crate) mod tls;

pub use identity::Identity;
pub use login::{Logins, ServerLogin};
pub use resolve::Resolve;
pub use settings::{NetSettings, Timeouts};

use crate::UnitError;
use bandwidth::Bandwidth;
use connect::Connector;
use std::path::Path;
use std::sync::Arc;
use tls::Tls;

/// What all units of a run share.
pub struct Net {
    pub(crate) settings: Arc<NetSettings>,
    pub(crate) connector: Connector,
    pub(crate) bandwidth: Option<Bandwidth>,
    pub(crate) spool_folder: Arc<Path>,
}

impl Net {
    pub fn new(settings: NetSettings) -> Result<Net, UnitError> {
        let resolver = Arc::new(resolve::Dns::new(&settings));
        Net::with_resolver(settings, resolver)
    }

    /// As [`Net::new`], with a resolver of the caller's.
    pub fn with_resolver(mut settings: NetSettings, resolver: Arc<dyn Resolve>) -> Result<Net, UnitError> {
        settings.timeouts.clamp();
        let settings = Arc::new(settings);
        let tls = Tls::new(&settings.extra_root_certificates, settings.identity.clone())?;
        Ok(Net {
            connector: Connector::new(Arc::clone(&settings), resolver, tls),
            bandwidth: settings.bandwidth_bytes_per_s.map(Bandwidth::new),
            spool_folder: Arc::from(settings.spool_folder.as_path()),
            settings,
        })
    }
}
