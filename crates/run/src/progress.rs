//! How a run is doing, readable from any thread at any time.

use crate::metrics::Metrics;
use gleaner_model::{Reason, State, Url};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, OnceLock};

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
    /// What is counted and measured beside, for statistics.
    pub metrics: Metrics,
    /// One line about something a watcher should know.
    message: Mutex<Option<String>>,
    /// Where each URL is told, as it is done; most runs are not watched that closely.
    urls: OnceLock<Sender<Told>>,
}

/// What became of one URL.
#[derive(Debug, Clone)]
pub struct Told {
    pub url: Url,
    /// None for what is no document: a redirect, a dead link, a sitemap.
    pub state: Option<State>,
    pub status: Option<u16>,
    pub reason: Option<Reason>,
    pub detail: Option<String>,
    pub bytes: u64,
    /// It is asked for once more.
    pub is_again: bool,
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

    /// Every URL is told from now on.
    pub fn tell_urls(&self, to: Sender<Told>) {
        let _only_the_first_counts = self.urls.set(to);
    }

    /// Made only where somebody listens.
    pub(crate) fn tell(&self, told: impl FnOnce() -> Option<Told>) {
        if let Some(to) = self.urls.get()
            && let Some(told) = told()
        {
            let _nobody_listens = to.send(told);
        }
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
