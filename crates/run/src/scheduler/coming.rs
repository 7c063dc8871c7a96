//! How many pages come in a second at present? Counted over a fifth of a second, so that it follows the site.

use gleaner_model::Instant;
use std::time::Duration;

const WINDOW: Duration = Duration::from_millis(200);

#[derive(Default)]
pub(crate) struct Coming {
    since: Instant,
    count: usize,
    per_second: usize,
}

impl Coming {
    /// One more.
    pub(crate) fn note(&mut self) {
        self.count += 1;
    }

    pub(crate) fn per_second(&mut self, now: Instant) -> usize {
        let elapsed = now.since(self.since);
        if elapsed >= WINDOW {
            self.per_second = (self.count as f64 / elapsed.as_secs_f64()) as usize;
            (self.since, self.count) = (now, 0);
        }
        self.per_second
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case24_the_rate_is_that_of_the_last_moment() {
        let at = |milliseconds| Instant(Duration::from_millis(milliseconds));
        let mut coming = Coming::default();
        for _ in 0..500 {
            coming.note();
        }
        assert_eq!(coming.per_second(at(100)), 0, "not yet known");
        assert_eq!(coming.per_second(at(250)), 2000);
        coming.note();
        assert_eq!(coming.per_second(at(300)), 2000);
        assert_eq!(coming.per_second(at(1250)), 1, "a site that answers no more");
    }
}
