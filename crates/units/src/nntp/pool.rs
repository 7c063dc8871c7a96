//! Open connections that wait for their next command, by origin; each remembers which group is selected on it.
//!
//! The newest is taken first. What is older than [`KEPT_FOR`] is dropped when anything is taken or given back. A server
//! that spoke out of turn (mostly its goodbye after a long silence) is not asked on that connection again.

use super::wire::Connection;
use crate::net::stream::Silence;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Longer than for HTTP: setting up a session takes four round trips, and news servers wait for minutes.
const KEPT_FOR: Duration = Duration::from_secs(30);
/// Idle connections over all origins together: open files are a limited good, and servers allow few readers.
const IDLE_MAX: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<Idle>>,
}

#[derive(Debug)]
struct Idle {
    origin: Box<str>,
    connection: Connection,
    since: Instant,
}

impl Pool {
    /// A connection to `origin` that is still open and silent, if possible one on which `group` is selected.
    pub(super) fn take(&self, origin: &str, group: Option<&[u8]>) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        drop_old(&mut idle);
        loop {
            let selected = group.and_then(|group| {
                idle.iter()
                    .rposition(|i| *i.origin == *origin && i.connection.group.as_deref() == Some(group))
            });
            let at = selected.or_else(|| idle.iter().rposition(|i| *i.origin == *origin))?;
            let mut connection = idle.remove(at).connection;
            if connection.silence() == Silence::Kept {
                return Some(connection);
            }
        }
    }

    pub(super) fn give_back(&self, origin: &str, mut connection: Connection) {
        if !connection.is_settled() {
            return;
        }
        connection.used = true;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        drop_old(&mut idle);
        if idle.len() >= IDLE_MAX {
            idle.remove(0);
        }
        idle.push(Idle {
            origin: origin.into(),
            connection,
            since: Instant::now(),
        });
    }

    /// Closes every idle connection.
    pub(super) fn clear(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

fn drop_old(idle: &mut Vec<Idle>) {
    let now = Instant::now();
    idle.retain(|idle| now - idle.since < KEPT_FOR);
}
