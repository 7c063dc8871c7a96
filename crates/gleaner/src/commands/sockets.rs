//! How many connections may be open at once? As many as the system lets us have files, less those that we need otherwise.
//! The limit was raised as far as it goes when the program began (`limits.rs`).

/// More than a run ever waits for at once; also where nobody tells a limit.
#[cfg(unix)]
const WANTED: u64 = 4096;
/// The archive, the catalog, spool files, and connections that are kept for another request.
const OTHERS: usize = 320;

#[cfg(unix)]
pub(super) fn max() -> usize {
    use rustix::process::{Resource, getrlimit};
    let allowed = getrlimit(Resource::Nofile).current.unwrap_or(WANTED);
    (allowed.min(WANTED) as usize).saturating_sub(OTHERS)
}

#[cfg(not(unix))]
pub(super) fn max() -> usize {
    2048 - OTHERS
}
