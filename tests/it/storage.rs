//! What if the disk is the enemy? Full, failing, read-only, removed, damaged, from another time (HC118–HC124); and stopping on
//! request, which leaves the same state behind as all of these (A13).

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

mod archive;
mod catalog;
mod folder;
mod formats;
mod full;
pub(crate) mod hands;
mod limits;
mod once;
mod queue;
mod records;
mod rights;
mod stopping;
mod syncs;
