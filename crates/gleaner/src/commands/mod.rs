//! One file per thing a user does.

pub(crate) mod chunks;
pub(crate) mod concepts;
pub(crate) mod content;
pub(crate) mod convert;
pub(crate) mod crawl;
pub(crate) mod diff;
mod engine;
pub(crate) mod explain;
pub(crate) mod export;
pub(crate) mod find_sid;
pub(crate) mod given;
pub(crate) mod graph;
pub(crate) mod listings;
pub(crate) mod mirror;
pub(crate) mod naming;
mod network;
mod nothing;
pub(crate) mod project;
pub(crate) mod prune;
pub(crate) mod reconsider;
pub(crate) mod rules;
pub(crate) mod search;
pub(crate) mod secrets;
mod session;
mod sockets;
pub(crate) mod verify;
pub(crate) mod versions;
