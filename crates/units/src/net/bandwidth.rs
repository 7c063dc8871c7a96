//! The cap on bytes per second over all connections together (A7): one bucket, filled by time, emptied by reads.
//!
//! A read takes what it got even if the bucket runs into debt, and then waits until the debt is paid; so reads stay
//! large and the average holds.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

#[derive(Debug)]
pub(crate) struct Bandwidth {
    bytes_per_s: f64,
    /// The moment at which everything taken so far is paid for.
    paid_until: Mutex<Instant>,
}

/// How much may be saved up while nothing is read.
const BURST: Duration = Duration::from_millis(250);

impl Bandwidth {
    pub(crate) fn new(bytes_per_s: u64) -> Bandwidth {
        Bandwidth {
            bytes_per_s: bytes_per_s.max(1) as f64,
            paid_until: Mutex::new(Instant::now()),
        }
    }

    /// Takes `bytes` and says how long to wait for them.
    pub(crate) fn take(&self, bytes: usize) -> Duration {
        let now = Instant::now();
        let cost = Duration::from_secs_f64(bytes as f64 / self.bytes_per_s);
        let mut paid_until = self.paid_until.lock().unwrap_or_else(PoisonError::into_inner);
        let earliest = now.checked_sub(BURST).unwrap_or(now);
        *paid_until = (*paid_until).max(earliest) + cost;
        paid_until.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_average_holds() {
        let bandwidth = Bandwidth::new(1_000_000);
        let start = Instant::now();
        for _ in 0..100 {
            tokio::time::sleep(bandwidth.take(100_000)).await;
        }
        let seconds = start.elapsed().as_secs_f64();
        assert!((9.7..=10.1).contains(&seconds), "{seconds}");
    }
}
