//! What may be chosen about FTP.

/// Whether `ftp` URLs are spoken in the clear. `ftps` URLs never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FtpTls {
    #[default]
    Plain,
    /// `AUTH TLS` before anything else; a server that refuses is not spoken to (RFC 4217, HC101).
    Explicit,
}

/// Everything the FTP unit can be told beside what all units share.
#[derive(Debug, Clone, Default)]
pub struct FtpSettings {
    pub tls: FtpTls,
    /// The server connects to us for its data, for the few that cannot be connected to.
    pub active: bool,
}
