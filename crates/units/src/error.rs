//! What keeps this room from doing its job. What a server says or fails to say is an `Answer`, never one of these.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    #[error("no unit speaks this scheme: {scheme}")]
    Scheme { scheme: String },
    #[error("a body cannot be spooled; free space or choose another folder: {folder}")]
    Spool {
        folder: PathBuf,
        #[source]
        cause: std::io::Error,
    },
    #[error("an extra root certificate cannot be used (number {number} of those given)")]
    RootCertificate {
        number: usize,
        #[source]
        cause: rustls::Error,
    },
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
    #[error("the saved cookies cannot be read")]
    Cookies(#[source] serde_json::Error),
}
