//! Which connections wait for another ask? Logins cost a second; a connection is kept for a while after its last use.

use super::client::Client;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// Servers mostly hang up after a minute or more.
const IDLE_FOR: Duration = Duration::from_secs(30);
const IDLE_MAX: usize = 64;

#[derive(Default)]
pub(super) struct Pool {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    idle: Vec<Idle>,
    /// Somebody closes what has waited too long.
    is_swept: bool,
}

struct Idle {
    origin: Box<str>,
    client: Client,
    since: Instant,
}

impl Pool {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection to `origin` that was used last.
    pub(super) fn take(&self, origin: &str) -> Option<Client> {
        let mut inner = self.inner();
        inner.sweep();
        let at = inner.idle.iter().rposition(|idle| *idle.origin == *origin)?;
        Some(inner.idle.remove(at).client)
    }

    pub(super) fn give_back(self: &Arc<Self>, origin: &str, client: Client) {
        if !client.is_free() {
            return;
        }
        let mut inner = self.inner();
        if inner.idle.len() >= IDLE_MAX {
            inner.idle.remove(0);
        }
        inner.idle.push(Idle {
            origin: origin.into(),
            client,
            since: Instant::now(),
        });
        if !std::mem::replace(&mut inner.is_swept, true) {
            tokio::spawn(keep_swept(Arc::downgrade(self)));
        }
    }

    pub(super) fn clear(&self) {
        self.inner().idle.clear();
    }
}

impl Inner {
    fn sweep(&mut self) {
        self.idle
            .retain(|idle| idle.since.elapsed() < IDLE_FOR && idle.client.is_free());
    }
}

/// A server should not be kept waiting because nobody asks any more; goes on as long as anything is in the pool.
async fn keep_swept(pool: Weak<Pool>) {
    loop {
        tokio::time::sleep(IDLE_FOR / 2).await;
        let Some(pool) = pool.upgrade() else { return };
        let mut inner = pool.inner();
        inner.sweep();
        if inner.idle.is_empty() {
            inner.is_swept = false;
            return;
        }
    }
}
