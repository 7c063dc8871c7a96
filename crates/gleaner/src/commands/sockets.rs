//! How many connections may be open at once? As many as the system lets us have files, less those that we need otherwise.

/// More than a run ever waits for at once.
#[cfg(unix)]
const WANTED: u64 = 4096;
/// The archive, the catalog, spool files, and connections that are kept for another request.
const OTHERS: usize = 320;

/// Asks the system for more where it gives more, as every program may up to its hard limit.
#[cfg(unix)]
pub(super) fn max() -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(WANTED).min(WANTED);
    let mut now = limit.current.unwrap_or(WANTED);
    let raised = Rlimit {
        current: Some(most),
        maximum: limit.maximum,
    };
    if now < most && setrlimit(Resource::Nofile, raised).is_ok() {
        now = most;
    }
    usize::try_from(now).unwrap_or(usize::MAX).saturating_sub(OTHERS)
}

#[cfg(not(unix))]
pub(super) fn max() -> usize {
    2048 - OTHERS
}
