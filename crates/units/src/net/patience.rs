//! How long do we wait for a server? One timer per fetch watches all limits of time and rate.
//!
//! Reads only note that something came; the timer is armed for the earliest moment at which a limit could be
//! passed, and when it fires the limits are looked at and it is armed again. So a body of a thousand reads costs
//! one timer, not a thousand.

use super::settings::Timeouts;
use crate::unit::{Ask, Pulse};
use gleaner_model::Reason;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing of the answer has come yet.
    Waiting,
    Reading,
}

#[derive(Debug)]
pub(crate) struct Patience {
    started: Instant,
    phase: Phase,
    first_byte_at: Option<Instant>,
    /// When the whole fetch is over.
    end: Instant,
    /// When the present silence is over.
    silent_until: Instant,
    silence: Duration,
    window: Duration,
    window_end: Instant,
    window_bytes: u64,
    window_bytes_min: u64,
    timer: Option<Pin<Box<Sleep>>>,
    pulse: Option<Arc<Pulse>>,
}

impl Patience {
    pub(crate) fn new(timeouts: &Timeouts) -> Patience {
        let now = Instant::now();
        let bytes_min = timeouts.rate_window.as_secs_f64() * timeouts.rate_min_bytes_per_s as f64;
        Patience {
            started: now,
            phase: Phase::Waiting,
            first_byte_at: None,
            end: now + timeouts.fetch,
            silent_until: now + timeouts.first_byte,
            silence: timeouts.silence,
            window: timeouts.rate_window,
            window_end: now + timeouts.fetch,
            window_bytes: 0,
            window_bytes_min: bytes_min as u64,
            timer: None,
            pulse: None,
        }
    }

    /// The same, with somebody who watches what comes.
    pub(crate) fn of(ask: &Ask, timeouts: &Timeouts) -> Patience {
        Patience {
            pulse: ask.pulse.clone(),
            ..Patience::new(timeouts)
        }
    }

    /// What follows may take as long as a whole fetch.
    pub(crate) fn begin_anew(&mut self, timeouts: &Timeouts) {
        *self = Patience {
            pulse: self.pulse.take(),
            ..Patience::new(timeouts)
        };
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    /// When the whole fetch is over: no part of it may wait longer.
    pub(crate) fn end(&self) -> Instant {
        self.end
    }

    pub(crate) fn first_byte(&self) -> Duration {
        self.first_byte_at.unwrap_or(self.started) - self.started
    }

    /// A request is about to be sent: the wait for its first byte begins.
    pub(crate) fn request_sent(&mut self, timeouts: &Timeouts) {
        self.phase = Phase::Waiting;
        self.first_byte_at = None;
        self.silent_until = Instant::now() + timeouts.first_byte;
        self.window_end = self.end;
    }

    /// Bytes came.
    pub(crate) fn progress(&mut self, bytes: usize) {
        let now = Instant::now();
        if self.phase == Phase::Waiting {
            self.phase = Phase::Reading;
            self.first_byte_at = Some(now);
            self.window_end = now + self.window;
            self.window_bytes = 0;
        }
        self.silent_until = now + self.silence;
        self.window_bytes += bytes as u64;
        if let Some(pulse) = &self.pulse {
            pulse.add(bytes);
        }
    }

    /// We ourselves held the reading back (bandwidth): the server is not to blame for that time.
    pub(crate) fn excuse(&mut self, waited: Duration) {
        self.end += waited;
        self.silent_until += waited;
        self.window_end += waited;
    }

    /// Runs `work` until it is done or a limit is passed.
    pub(crate) async fn watch<T>(&mut self, work: impl Future<Output = T>) -> Result<T, Reason> {
        let mut work = pin!(work);
        poll_fn(|cx| match work.as_mut().poll(cx) {
            Poll::Ready(done) => Poll::Ready(Ok(done)),
            Poll::Pending => self.poll_expired(cx).map(Err),
        })
        .await
    }

    fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Reason> {
        let mut due = self.due();
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
        // A limit that moved closer needs a new alarm; one that moved away is looked at when the old one rings.
        if due < timer.deadline() {
            timer.as_mut().reset(due);
        }
        while timer.as_mut().poll(cx).is_ready() {
            let now = Instant::now();
            if now >= self.end {
                return Poll::Ready(Reason::FetchTimeout);
            }
            if now >= self.silent_until {
                return Poll::Ready(match self.phase {
                    Phase::Waiting => Reason::FirstByteTimeout,
                    Phase::Reading => Reason::SilenceTimeout,
                });
            }
            if now >= self.window_end {
                if self.window_bytes < self.window_bytes_min {
                    return Poll::Ready(Reason::TooSlow);
                }
                self.window_end = now + self.window;
                self.window_bytes = 0;
            }
            due = self.end.min(self.silent_until).min(self.window_end);
            timer.as_mut().reset(due);
        }
        Poll::Pending
    }

    fn due(&self) -> Instant {
        self.end.min(self.silent_until).min(self.window_end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeouts() -> Timeouts {
        Timeouts {
            first_byte: Duration::from_secs(30),
            silence: Duration::from_secs(30),
            fetch: Duration::from_mins(10),
            rate_min_bytes_per_s: 1024,
            rate_window: Duration::from_mins(1),
            ..Timeouts::default()
        }
    }

    /// Feeds `bytes` every `every` until a limit is passed; returns it and the time it took.
    async fn feed(every: Duration, bytes: usize) -> (Reason, Duration) {
        let mut patience = Patience::new(&timeouts());
        loop {
            match patience.watch(tokio::time::sleep(every)).await {
                Ok(()) => patience.progress(bytes),
                Err(reason) => return (reason, patience.started().elapsed()),
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn each_limit_has_its_own_reason_and_moment() {
        let cases = [
            (Duration::from_secs(1000), 1, Reason::FirstByteTimeout, 30),
            (Duration::from_secs(10), 1, Reason::TooSlow, 70),
            (Duration::from_secs(1), 1, Reason::TooSlow, 61),
            (Duration::from_secs(1), 2048, Reason::FetchTimeout, 600),
            (Duration::from_millis(100), 120, Reason::FetchTimeout, 600),
        ];
        for (every, bytes, reason, seconds) in cases {
            let (found, after) = feed(every, bytes).await;
            assert_eq!(
                (found, after.as_secs()),
                (reason, seconds),
                "{bytes} bytes every {every:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn silence_in_the_middle_is_not_the_wait_for_the_first_byte() {
        let mut patience = Patience::new(&timeouts());
        patience.progress(100_000);
        let result = patience.watch(std::future::pending::<()>()).await;
        assert_eq!(result, Err(Reason::SilenceTimeout));
        assert_eq!(patience.started().elapsed().as_secs(), 30);
    }

    #[tokio::test(start_paused = true)]
    async fn our_own_waiting_is_not_held_against_the_server() {
        let mut patience = Patience::new(&timeouts());
        patience.progress(10);
        tokio::time::sleep(Duration::from_secs(500)).await;
        patience.excuse(Duration::from_secs(500));
        let result = patience.watch(tokio::time::sleep(Duration::from_secs(20))).await;
        assert_eq!(result, Ok(()));
    }
}
