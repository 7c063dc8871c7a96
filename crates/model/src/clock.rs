//! Time comes in through this door, so that tests can hold it still or let it fly.

use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970, UTC: what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    #[must_use]
    pub fn after(self, wait: Duration) -> Timestamp {
        Timestamp(
            self.0
                .saturating_add(i64::try_from(wait.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// How long since `earlier`; zero if `earlier` lies ahead.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0).max(0) as u64)
    }
}

/// A monotonic reading: time since the clock was made. What pace and limits count in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(pub Duration);

impl Instant {
    #[must_use]
    pub fn after(self, wait: Duration) -> Instant {
        Instant(self.0.saturating_add(wait))
    }

    /// How long since `earlier`; zero if `earlier` lies ahead.
    pub fn since(self, earlier: Instant) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

pub trait Clock: Send + Sync {
    fn wall(&self) -> Timestamp;
    fn monotonic(&self) -> Instant;
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    start: std::time::Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock {
            start: std::time::Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn wall(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn monotonic(&self) -> Instant {
        Instant(self.start.elapsed())
    }
}
