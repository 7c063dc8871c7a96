//! Open connections that wait for their next request, by origin.
//!
//! The newest is taken first: it is the least likely to have been closed by the server. What is older than the
//! keep-alive limit is dropped when anything is looked up or given back, so no task of its own is needed.
//!
//! Bytes that came before a request was sent are never its answer: such a connection is dropped when it is looked up
//! (HC009). Bytes that come an instant later no client can tell from an answer, so an origin that was caught once
//! gets a new connection for every request.

use super::h1::Connection;
use crate::net::stream::Silence;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Idle connections over all origins together: open files are a limited good.
const IDLE_MAX: usize = 256;
/// Origins remembered for talking out of turn; there are hardly ever any.
const TALKATIVE_MAX: usize = 1024;

#[derive(Debug)]
pub(crate) struct Pool {
    keep_alive: Duration,
    inner: Mutex<Idle>,
}

#[derive(Debug)]
struct Idle {
    by_origin: HashMap<Box<str>, Vec<(Connection, Instant)>>,
    count: usize,
    swept: Instant,
    /// Origins that sent an answer nobody had asked for.
    talkative: HashSet<Box<str>>,
}

impl Pool {
    pub(crate) fn new(keep_alive: Duration) -> Pool {
        let inner = Idle {
            by_origin: HashMap::new(),
            count: 0,
            swept: Instant::now(),
            talkative: HashSet::new(),
        };
        Pool {
            keep_alive,
            inner: Mutex::new(inner),
        }
    }

    /// A connection to `origin` that is still open and silent. The request is to be sent at once.
    pub(crate) fn take(&self, origin: &str) -> Option<Connection> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        loop {
            let (mut connection, since) = inner.by_origin.get_mut(origin)?.pop()?;
            inner.count -= 1;
            if now - since >= self.keep_alive {
                continue;
            }
            match connection.silence() {
                Silence::Kept => return Some(connection),
                Silence::Closed => {}
                Silence::Broken => inner.distrust(origin),
            }
        }
    }

    pub(crate) fn give_back(&self, origin: &str, mut connection: Connection) {
        connection.used = true;
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if now - inner.swept >= self.keep_alive || inner.count >= IDLE_MAX {
            inner.sweep(now, self.keep_alive);
        }
        if inner.count >= IDLE_MAX || inner.talkative.contains(origin) {
            return;
        }
        inner.count += 1;
        match inner.by_origin.get_mut(origin) {
            Some(idle) => idle.push((connection, now)),
            None => drop(inner.by_origin.insert(origin.into(), vec![(connection, now)])),
        }
    }

    /// The origin sent more than it was asked for: none of its connections is used again.
    pub(crate) fn distrust(&self, origin: &str) {
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .distrust(origin);
    }

    /// Closes every idle connection.
    pub(crate) fn clear(&self) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.by_origin.clear();
        inner.count = 0;
    }
}

impl Idle {
    fn distrust(&mut self, origin: &str) {
        if self.talkative.len() < TALKATIVE_MAX {
            self.talkative.insert(origin.into());
        }
        let idle = self.by_origin.remove(origin).map_or(0, |idle| idle.len());
        self.count -= idle;
    }

    fn sweep(&mut self, now: Instant, keep_alive: Duration) {
        self.swept = now;
        self.by_origin.retain(|_, idle| {
            idle.retain(|(_, since)| now - *since < keep_alive);
            !idle.is_empty()
        });
        self.count = self.by_origin.values().map(Vec::len).sum();
    }
}
