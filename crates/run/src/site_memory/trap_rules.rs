//! The trap rules of a run, for all its threads. Whoever asks holds them for one question: never while a page is read, and
//! never while anything is waited for.

use gleaner_frontier::Traps;
use gleaner_frontier::traps::Slashes;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub struct TrapRules(Mutex<Traps>);

impl TrapRules {
    pub fn new(traps: Traps) -> TrapRules {
        TrapRules(Mutex::new(traps))
    }

    /// The rules hold no half-made state across a panic, so a poisoned lock is as good as any.
    pub fn lock(&self) -> MutexGuard<'_, Traps> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a doubled slash is on this host, if it is known.
    pub fn slashes(&self, host: &str) -> Option<Slashes> {
        self.lock().slashes(host)
    }
}
