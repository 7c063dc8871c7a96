//! What keeps this room from doing its job. What a server says or fails to say is an `Answer`, never one of these.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    #[error("no unit speaks this scheme: {scheme}")]
    Scheme { scheme: String },
    #[error("a body cannot be spooled; free space or choose another folder: {folder}")]
    Spool {
        folder: PathBuf,
        /// What the body takes, as far as known.
        bytes: u64,
        #[source]
        cause: std::io::Error,
    },
    #[error("an extra root certificate cannot be used (number {number} of those given)")]
    RootCertificate {
        number: usize,
        #[source]
        cause: rustls::Error,
    },
    #[error("the client certificate cannot be used: {why}")]
    ClientCertificate { why: String },
    #[error(
        "no root certificates found on this system; install the ca-certificates package or give a file of them"
    )]
    NoRoots(#[source] rustls::Error),
    #[error("the name resolver cannot be set up")]
    Resolver {
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("not a header that can be sent (a line break or control byte inside): {name}")]
    Header { name: String },
    #[error("not a proxy that can be used (http://host:port is): {proxy}")]
    Proxy { proxy: String },
    #[error("line {line} is no line of a cookies.txt file (seven fields with tabs between them)")]
    CookiesFile { line: usize },
    #[error("the saved cookies cannot be read")]
    Cookies(#[source] serde_json::Error),
}

impl UnitError {
    /// The bytes that found no room on our own disk; free space would help, and nothing else needs doing.
    pub fn no_room(&self) -> Option<u64> {
        match self {
            UnitError::Spool { bytes, cause, .. } if is_full(cause) => Some(*bytes),
            _ => None,
        }
    }
}

fn is_full(cause: &std::io::Error) -> bool {
    matches!(
        cause.kind(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
    )
}
