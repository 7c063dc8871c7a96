//! Logged-in connections that wait for their next command, by origin: a login costs more than a small file.

use super::control::Control;
use crate::net::stream::Silence;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Servers end idle sessions after minutes, but count them against their limit meanwhile.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
/// Idle connections over all origins together.
const IDLE_MAX: usize = 64;

/// Since when each waits.
type Idle = HashMap<Box<str>, Vec<(Control, Instant)>>;

#[derive(Debug, Default)]
pub(super) struct Pool {
    idle: Mutex<Idle>,
}

impl Pool {
    /// A connection that is still open and silent, and how long it has waited.
    pub(super) fn take(&self, origin: &str) -> Option<(Control, Duration)> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (mut control, since) = idle.get_mut(origin)?.pop()?;
            let waited = since.elapsed();
            // What came unasked is the news that it is over, or nothing that can be trusted.
            if waited < KEEP_ALIVE && control.silence() == Silence::Kept {
                return Some((control, waited));
            }
        }
    }

    pub(super) fn give_back(&self, origin: &str, mut control: Control) {
        if control.is_busy {
            return;
        }
        control.is_kept = true;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|_, waiting| {
            waiting.retain(|(_, since)| since.elapsed() < KEEP_ALIVE);
            !waiting.is_empty()
        });
        if idle.values().map(Vec::len).sum::<usize>() < IDLE_MAX {
            idle.entry(origin.into())
                .or_default()
                .push((control, Instant::now()));
        }
    }

    pub(super) fn clear(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
