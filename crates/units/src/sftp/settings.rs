//! What may be chosen about SFTP: which server keys are believed.

use std::path::PathBuf;

/// Everything the SFTP unit can be told.
#[derive(Debug, Clone)]
pub struct SftpSettings {
    /// The keys of servers, in the format of OpenSSH. It need not be there yet.
    pub known_hosts: PathBuf,
    pub unknown: UnknownKey,
}

/// What to do with the key of a server that was never seen (HC102).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownKey {
    /// It is written down and must be the same from then on.
    #[default]
    Pin,
    /// Only servers that the user wrote down are spoken to.
    Refuse,
}
