//! What may the run spend, and what has it spent? Pages, bytes and time (A12), those of its earlier parts included.

use gleaner_frontier::{Limits, Spent};
use gleaner_model::{Instant, Reason};
use std::time::Duration;

/// How long fetches may go on when the time of the run is up.
const TIME_GRACE: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(crate) struct Budget {
    pub(crate) limits: Limits,
    /// Documents of the run so far.
    pub(crate) pages: u64,
    /// Of earlier parts of the run.
    pub(crate) bytes_before: u64,
    pub(crate) time_before: Duration,
    /// Of this part.
    pub(crate) bytes: u64,
    /// When this part began, by the clock that counts from any moment.
    pub(crate) begun_at: Instant,
}

impl Budget {
    fn time(&self, now: Instant) -> Duration {
        self.time_before + now.since(self.begun_at)
    }

    /// The limit that is reached, if one is; `pages` more may be on their way.
    pub(crate) fn reached_with(&self, pages: u64, now: Instant) -> Option<Reason> {
        self.limits.reached(&Spent {
            pages: self.pages + pages,
            bytes: self.bytes_before + self.bytes,
            time: self.time(now),
        })
    }

    pub(crate) fn reached(&self, now: Instant) -> Option<Reason> {
        self.reached_with(0, now)
    }

    /// Whether the time has been up for so long that what is still on its way is broken off: a body or a listing may have no
    /// end.
    pub(crate) fn is_overdrawn(&self, now: Instant) -> bool {
        (self.limits.time).is_some_and(|max| self.time(now) >= max + TIME_GRACE)
    }

    /// How long until the next moment at which the time is up, or up for too long; none where there is no such moment.
    pub(crate) fn left(&self, now: Instant) -> Option<Duration> {
        let (limit, spent) = (self.limits.time?, self.time(now));
        let end = if spent < limit { limit } else { limit + TIME_GRACE };
        let left = end.saturating_sub(spent);
        (!left.is_zero()).then(|| left + Duration::from_millis(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a12_a_resumed_run_has_what_is_left() {
        let budget = Budget {
            limits: Limits {
                pages: Some(10),
                time: Some(seconds(60)),
                ..Limits::default()
            },
            pages: 7,
            bytes_before: 0,
            time_before: seconds(50),
            bytes: 0,
            begun_at: Instant(seconds(100)),
        };
        let at = |second| Instant(seconds(second));
        assert_eq!(budget.reached(at(101)), None);
        assert_eq!(budget.reached_with(3, at(101)), Some(Reason::LimitPages));
        assert_eq!(budget.left(at(105)), Some(seconds(5) + Duration::from_millis(1)));
        assert_eq!(budget.reached(at(110)), Some(Reason::LimitTime));
        assert!(!budget.is_overdrawn(at(112)) && budget.is_overdrawn(at(113)));
        assert_eq!(budget.left(at(111)), Some(seconds(2) + Duration::from_millis(1)));
        assert_eq!(budget.left(at(113)), None);
    }
}
