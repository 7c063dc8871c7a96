//! Who are we at this server? Logins by origin, given by the user and shown to nobody (I3).

use gleaner_model::Url;
use std::fmt;
use std::path::PathBuf;

/// A name with what proves it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ServerLogin {
    pub user: String,
    pub password: Option<String>,
    /// A private key in a file (SFTP).
    pub key_file: Option<PathBuf>,
}

impl fmt::Debug for ServerLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerLogin({}, [hidden])", self.user)
    }
}

/// The logins of a run. Each goes to its own origin and to no other (HC064).
#[derive(Debug, Clone, Default)]
pub struct Logins {
    by_origin: Vec<(String, ServerLogin)>,
}

impl Logins {
    /// `origin` as [`Url::origin`] writes it.
    pub fn add(&mut self, origin: &str, login: ServerLogin) {
        self.by_origin.retain(|(known, _)| known != origin);
        self.by_origin.push((origin.to_owned(), login));
    }

    pub fn of(&self, url: &Url) -> Option<&ServerLogin> {
        let found = self.by_origin.iter().find(|(origin, _)| origin == url.origin());
        found.map(|(_, login)| login)
    }
}
