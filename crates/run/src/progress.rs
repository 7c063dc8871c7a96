//! How a run is doing, readable from any thread at any time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters of this process's part of a run. The report counts rows instead: these are for watching.
#[derive(Debug, Default)]
pub struct Progress {
    pub fetched: AtomicU64,
    pub kept: AtomicU64,
    pub errors: AtomicU64,
    pub bytes: AtomicU64,
    pub queued: AtomicU64,
    pub in_flight: AtomicU64,
    pub hosts: AtomicU64,
    /// The disk is full and the run waits.
    pub is_waiting_for_disk: AtomicBool,
    /// One line about something a watcher should know.
    message: Mutex<Option<String>>,
}

impl Progress {
    pub(crate) fn add(counter: &AtomicU64, amount: u64) {
        counter.fetch_add(amount, Ordering::Relaxed);
    }

    pub(crate) fn set(counter: &AtomicU64, value: u64) {
        counter.store(value, Ordering::Relaxed);
    }

    pub fn read(counter: &AtomicU64) -> u64 {
        counter.load(Ordering::Relaxed)
    }

    pub(crate) fn say(&self, text: String) {
        *self
            .message
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(text);
    }

    /// The newest message, once.
    pub fn take_message(&self) -> Option<String> {
        self.message
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take()
    }
}
