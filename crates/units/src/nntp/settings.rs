//! What may be chosen about news servers.

use crate::listing::ListingEnd;

/// Everything the NNTP unit can be told beside what all units share.
#[derive(Debug, Clone, Copy, Default)]
pub struct NntpSettings {
    pub expired: Expired,
    pub plain_login: PlainLogin,
}

/// Whether a login is sent to a server that offers no encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PlainLogin {
    /// Only to this machine itself.
    #[default]
    Never,
    /// Everybody on the way may read it: for servers that know no other way, in a net of one's own.
    Allowed,
}

/// What articles are that the server dropped because of their age (HC107).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expired {
    /// As they were: nobody took them back.
    #[default]
    Kept,
    /// Gone, like those that were cancelled: for those who want to know what the server has.
    Gone,
}

impl Expired {
    /// What the end of a listing means under this setting.
    pub(super) fn read(self, listed: ListingEnd) -> ListingEnd {
        match (self, listed) {
            (Expired::Gone, ListingEnd::WholeFrom { .. }) => ListingEnd::Whole,
            (_, listed) => listed,
        }
    }
}
