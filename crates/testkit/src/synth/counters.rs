//! What has been asked for so far? The counters behind the control port, and bitmaps for "distinct".

use std::time::Instant;

/// Everything counted since the start or the last reset.
#[derive(Default)]
pub(super) struct Stats {
    pub(super) requests: u64,
    pub(super) head: u64,
    pub(super) pages_200: u64,
    pub(super) distinct: u64,
    pub(super) hubs_200: u64,
    pub(super) not_modified: u64,
    pub(super) redirects: u64,
    pub(super) not_found: u64,
    pub(super) robots: u64,
    pub(super) sitemaps: u64,
    pub(super) private_hits: u64,
    pub(super) session_requests: u64,
    pub(super) session_distinct: u64,
    pub(super) assets: u64,
    pub(super) bytes_out: u64,
    pub(super) connections: u64,
    pub(super) open: u64,
    pub(super) max_open: u64,
    pub(super) inflight: u64,
    pub(super) max_inflight: u64,
    pub(super) max_host_inflight: u64,
    pub(super) first: Option<Instant>,
    pub(super) last: Option<Instant>,
    pub(super) seen: Vec<u64>,
    pub(super) session_seen: Vec<u64>,
    pub(super) host_inflight: Vec<u32>,
    pub(super) hosts_seen: Vec<u64>,
    pub(super) hosts_distinct: u64,
}

/// Sets bit `i`; true when it was not set before.
pub(super) fn set_bit(v: &mut Vec<u64>, i: u64) -> bool {
    let w = (i / 64) as usize;
    if v.len() <= w {
        v.resize(w + 1, 0);
    }
    let m = 1u64 << (i % 64);
    let new = v[w] & m == 0;
    v[w] |= m;
    new
}
