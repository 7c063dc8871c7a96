//! What may this process use? Open files, sizes of files, memory: where too little is allowed, one sentence says so, and
//! nothing hangs or dies without a word.

/// Open files that a run needs beside its connections: the catalog and its log, the archive, the lock, the sources of random
/// numbers and names, the way signals come in.
#[cfg(unix)]
const FILES_BESIDE: u64 = 32;
/// A connection, and a large body that lies in a file on its way.
#[cfg(unix)]
const FILES_PER_CONNECTION: u64 = 2;
/// Address space below which a run cannot begin: code, caches and a stack for each thread. One that meets large documents
/// needs more.
#[cfg(unix)]
const MEMORY_BYTES_MIN: u64 = 256 * 1024 * 1024;

/// Called first. More open files are allowed than most shells give by themselves; a file that may not grow is an error of
/// that write instead of the end of the process; and where memory is refused, the end has the exit code of a failure.
#[cfg(unix)]
pub(crate) fn prepare() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    use signal_hook::consts::{SIGABRT, SIGXFSZ};
    use signal_hook::flag;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    let _as_many_as_there_are = setrlimit(Resource::Nofile, files);
    let nobody_asks = Arc::new(AtomicBool::new(false));
    let _then_it_ends_as_before = flag::register(SIGXFSZ, nobody_asks);
    let always = Arc::new(AtomicBool::new(true));
    // The standard library says what it could not get, and aborts.
    let _then_it_ends_as_before = flag::register_conditional_shutdown(SIGABRT, 3, always);
}

#[cfg(not(unix))]
pub(crate) fn prepare() {}

/// What a run with so many connections lacks, as one sentence.
#[cfg(unix)]
pub(crate) fn lacking(connections: usize) -> Option<String> {
    use rustix::process::{Resource, getrlimit};
    let needed = FILES_BESIDE + FILES_PER_CONNECTION * connections as u64;
    if let Some(allowed) = getrlimit(Resource::Nofile).current
        && allowed < needed
    {
        return Some(format!(
            "too few open files are allowed: {allowed}, and {needed} are needed for {connections} connections; \
             allow more (ulimit -n), or use fewer connections (--concurrency)"
        ));
    }
    for resource in [Resource::As, Resource::Data] {
        if let Some(allowed) = getrlimit(resource).current
            && allowed < MEMORY_BYTES_MIN
        {
            let (option, mebibytes) = match resource {
                Resource::As => ("-v", allowed >> 20),
                _ => ("-d", allowed >> 20),
            };
            return Some(format!(
                "too little memory is allowed: {mebibytes} MiB, and at least {} are needed (ulimit {option})",
                MEMORY_BYTES_MIN >> 20
            ));
        }
    }
    None
}

#[cfg(not(unix))]
pub(crate) fn lacking(_: usize) -> Option<String> {
    None
}
