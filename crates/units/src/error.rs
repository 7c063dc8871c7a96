//! What keeps this room from doing its job. What a server says or fails to say is an `Answer`, never one of these.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    #[error("this kind of address is not supported: {scheme}")]
    Scheme { scheme: String },
    #[error("a body cannot be spooled; free space or choose another folder: {folder}")]
    Spool {
        folder: PathBuf,
        /// What the body takes, as far as known.
        bytes: u64,
        #[source]
        cause: std::io::Error,
    },
    #[error("the system refuses this program further files, memory or threads (see `ulimit -a`)")]
    Exhausted {
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
        "no root certificates found on this system; install the ca-certificates package or name a file with some"
    )]
    NoRoots(#[source] rustls::Error),
    #[error("the name resolver cannot be set up")]
    Resolver {
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("not a header that can be sent (a line break or control byte inside): {name}")]
    Header { name: String },
    #[error("this proxy cannot be used; write it as http://HOST:PORT: {proxy}")]
    Proxy { proxy: String },
    #[error("line {line} does not belong in a cookies.txt file (seven fields separated by tabs)")]
    CookiesFile { line: usize },
    #[error("the saved cookies cannot be read")]
    Cookies(#[source] serde_json::Error),
}

impl UnitError {
    /// Nothing more can be asked for until this process is allowed more.
    pub fn is_exhausted(&self) -> bool {
        match self {
            UnitError::Spool { cause, .. } | UnitError::Exhausted { cause } => is_exhausted(cause),
            _ => false,
        }
    }

    /// The bytes that found no room on our own disk; free space would help, and nothing else needs doing.
    pub fn no_room(&self) -> Option<u64> {
        match self {
            UnitError::Spool { bytes, cause, .. } if is_full(cause) => Some(*bytes),
            _ => None,
        }
    }
}

/// Whether the system refused us open files, memory or longer files: our own trouble, whoever was to be asked.
pub fn is_exhausted(cause: &std::io::Error) -> bool {
    matches!(
        cause.raw_os_error(),
        Some(libc::EMFILE | libc::ENFILE | libc::ENOBUFS)
    ) || matches!(
        cause.kind(),
        std::io::ErrorKind::OutOfMemory | std::io::ErrorKind::FileTooLarge
    )
}

fn is_full(cause: &std::io::Error) -> bool {
    matches!(
        cause.kind(),
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
    )
}
