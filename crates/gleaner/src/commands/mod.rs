//! One file per thing a user does.

pub(crate) mod content;
pub(crate) mod crawl;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod find_sid;
pub(crate) mod listings;
mod nothing;
pub(crate) mod prune;
pub(crate) mod reconsider;
pub(crate) mod rules;
pub(crate) mod verify;
pub(crate) mod versions;
