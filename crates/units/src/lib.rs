//! How do I speak to a source? (A1)
//!
//! In goes an [`Ask`]: a URL, what we already know of it, and how much we are willing to read. Out comes an
//! [`Answer`]: what the server said, also when it said no or nothing at all. A unit answers; it does not judge,
//! store, follow or retry by policy. Only this room opens connections, so only this room holds the guard
//! against private addresses (I4) and the limits on what is read from the wire.
//!
//! One folder per protocol; [`http`] is the first. Adding one is a folder and a line in [`registry`].

mod body;
mod error;
pub mod folder;
pub mod ftp;
mod headers;
pub mod http;
pub mod listing;
pub mod net;
pub mod nntp;
pub mod oai;
mod pieces;
pub mod registry;
pub mod sftp;
mod unit;

pub use body::{Body, SpoolFile};
pub use error::{UnitError, is_exhausted};
pub use folder::Folder;
pub use ftp::{Ftp, FtpSettings, FtpTls};
pub use headers::Headers;
pub use http::{Http, HttpSettings};
pub use listing::{EntryKind, FileTime, ListingEnd, ListingEntry, Meta, TakeEntry};
pub use net::{Net, NetSettings, Timeouts};
pub use nntp::{Expired, Nntp, NntpSettings, PlainLogin};
pub use oai::{Oai, OaiSettings};
pub use registry::Units;
pub use sftp::{Sftp, SftpSettings, UnknownKey};
pub use unit::{
    Answer, Ask, BoundHeader, Exchange, FilterVerdict, HeadFilter, Listing, ListingPiece, Posted, Pulse,
    Redirect, Refusal, TakePiece, Unclear, Unit, Visitor,
};
