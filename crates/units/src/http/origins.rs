//! What is known of each https origin: a shared HTTP/2 connection, or that it is better asked by HTTP/1.1.

use super::h2::Shared;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Origins known to fail over HTTP/2; past this many the list starts anew, which costs a retry each.
const HTTP11_ONLY_MAX: usize = 10_000;
const SHARED_MAX: usize = 256;

pub(crate) struct Origins {
    keep_alive: Duration,
    inner: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    shared: HashMap<Box<str>, (Shared, Instant)>,
    http11_only: HashSet<Box<str>>,
}

impl Origins {
    pub(crate) fn new(keep_alive: Duration) -> Origins {
        Origins {
            keep_alive,
            inner: Mutex::default(),
        }
    }

    pub(crate) fn is_http11_only(&self, origin: &str) -> bool {
        let known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        !known.http11_only.is_empty() && known.http11_only.contains(origin)
    }

    /// HTTP/2 has failed there: for the rest of the run HTTP/1.1 is spoken (HC020).
    pub(crate) fn prefer_http11(&self, origin: &str) {
        let mut known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if known.http11_only.len() >= HTTP11_ONLY_MAX {
            known.http11_only.clear();
        }
        known.shared.remove(origin);
        known.http11_only.insert(origin.into());
    }

    pub(crate) fn shared(&self, origin: &str) -> Option<Shared> {
        let now = Instant::now();
        let mut known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let (shared, used) = known.shared.get_mut(origin)?;
        if shared.is_open() && now - *used < self.keep_alive {
            *used = now;
            return Some(shared.clone());
        }
        known.shared.remove(origin);
        None
    }

    /// Offers a new connection to later asks.
    pub(crate) fn share(&self, origin: &str, shared: &Shared) {
        let now = Instant::now();
        let mut known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .shared
            .retain(|_, (shared, used)| shared.is_open() && now - *used < self.keep_alive);
        if known.shared.len() < SHARED_MAX {
            known.shared.insert(origin.into(), (shared.clone(), now));
        }
    }

    /// An ask on `shared` has ended well: it stays fresh.
    pub(crate) fn touch(&self, origin: &str, shared: &Shared) {
        let mut known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, used)) = known.shared.get_mut(origin)
            && known.is_same(shared)
        {
            *used = Instant::now();
        }
    }

    pub(crate) fn forget(&self, origin: &str, shared: &Shared) {
        let mut known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if known
            .shared
            .get(origin)
            .is_some_and(|(known, _)| known.is_same(shared))
        {
            known.shared.remove(origin);
        }
    }

    pub(crate) fn clear(&self) {
        self.inner
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .shared
            .clear();
    }
}
