//! One file per thing a user does.

pub(crate) mod content;
pub(crate) mod crawl;
pub(crate) mod explain;
pub(crate) mod listings;
mod nothing;
pub(crate) mod prune;
pub(crate) mod verify;
