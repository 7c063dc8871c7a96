//! Which connections wait for another ask? Logins cost a second; a connection is kept for a while after its last use.

use super::client::Client;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Servers mostly hang up after a minute or more.
pub(super) const IDLE_FOR: Duration = Duration::from_secs(30);
const IDLE_MAX: usize = 64;

#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Vec<Idle>>,
}

struct Idle {
    origin: Box<str>,
    client: Client,
    since: Instant,
}

impl Pool {
    /// The connection to `origin` that was used last.
    pub(super) fn take(&self, origin: &str) -> Option<Client> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|idle| idle.since.elapsed() < IDLE_FOR && idle.client.is_free());
        let at = idle.iter().rposition(|idle| *idle.origin == *origin)?;
        Some(idle.remove(at).client)
    }

    pub(super) fn give_back(&self, origin: &str, client: Client) {
        if !client.is_free() {
            return;
        }
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= IDLE_MAX {
            idle.remove(0);
        }
        idle.push(Idle {
            origin: origin.into(),
            client,
            since: Instant::now(),
        });
    }

    pub(super) fn clear(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
