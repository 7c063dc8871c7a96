//! The line itself: how many pages are kept and wait, how fast they come, how long those that wait will take.
//!
//! The rate is counted over the last half minute, so that one slow answer does not change it by much, and the estimate is
//! told in steps and follows slowly: a number that jumps is worse than none.

use gleaner_publish::time;
use gleaner_run::Progress;
use std::collections::VecDeque;
use std::time::Duration;

/// What the rate is counted over.
const WINDOW: Duration = Duration::from_secs(30);
/// Before this nothing is estimated.
const EARLY: Duration = Duration::from_secs(5);
/// How slowly the estimate follows: after so long it has made up two thirds of the way.
const FOLLOWS: f64 = 10.0;

/// The counters at one moment.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Seen {
    pub(super) fetched: u64,
    pub(super) kept: u64,
    pub(super) queued: u64,
    pub(super) in_flight: u64,
    pub(super) hosts: u64,
    pub(super) errors: u64,
    pub(super) bytes: u64,
}

impl Seen {
    pub(super) fn of(progress: &Progress) -> Seen {
        Seen {
            fetched: Progress::read(&progress.fetched),
            kept: Progress::read(&progress.kept),
            queued: Progress::read(&progress.queued),
            in_flight: Progress::read(&progress.in_flight),
            hosts: Progress::read(&progress.hosts),
            errors: Progress::read(&progress.errors),
            bytes: Progress::read(&progress.bytes),
        }
    }
}

pub(super) struct Line {
    pages_max: Option<u64>,
    /// When how many were fetched, the oldest first.
    counts: VecDeque<(Duration, u64)>,
    /// When the estimate was made, and the seconds that it says.
    estimate: Option<(Duration, f64)>,
}

impl Line {
    pub(super) fn new(pages_max: Option<u64>) -> Line {
        Line {
            pages_max,
            counts: VecDeque::from([(Duration::ZERO, 0)]),
            estimate: None,
        }
    }

    /// At most `width` characters, all of them ASCII.
    pub(super) fn text(&mut self, now: Duration, seen: Seen, width: usize) -> String {
        let rate = self.rate(now, seen.fetched);
        let left = self.left(now, seen, rate);
        let mut parts = vec![
            format!("{} kept", seen.kept),
            format!("{} queued", seen.queued),
            format!("{rate:.1} pages/s"),
        ];
        if seen.errors > 0 {
            parts.push(time::count(seen.errors, "error"));
        }
        parts.extend(left);
        parts.push(time::size(seen.bytes));
        if seen.hosts > 1 {
            parts.push(time::count(seen.hosts, "host"));
        }
        parts.push(format!("{} in flight", seen.in_flight));
        // What matters less stands behind and is left out first.
        let mut text = parts.join(", ");
        while text.len() > width && parts.pop().is_some() {
            text = parts.join(", ");
        }
        text
    }

    /// Pages a second.
    fn rate(&mut self, now: Duration, fetched: u64) -> f64 {
        self.counts.push_back((now, fetched));
        while let Some((second, _)) = self.counts.get(1)
            && now.saturating_sub(*second) >= WINDOW
        {
            self.counts.pop_front();
        }
        let (since, before) = self.counts.front().copied().unwrap_or_default();
        let seconds = now.saturating_sub(since).as_secs_f64();
        if seconds <= 0.0 {
            return 0.0;
        }
        fetched.saturating_sub(before) as f64 / seconds
    }

    /// How long those that wait will take. More may come; so it is said of these.
    fn left(&mut self, now: Duration, seen: Seen, rate: f64) -> Option<String> {
        let waiting = self
            .pages_max
            .map_or(seen.queued, |max| seen.queued.min(max.saturating_sub(seen.kept)));
        if waiting == 0 || rate < 0.05 || now < EARLY {
            self.estimate = None;
            return None;
        }
        let fresh = waiting as f64 / rate;
        let seconds = match self.estimate {
            None => fresh,
            Some((at, before)) => {
                let passed = now.saturating_sub(at).as_secs_f64();
                let share = 1.0 - (-passed / FOLLOWS).exp();
                let expected = (before - passed).max(0.0);
                expected + (fresh - expected) * share
            }
        };
        self.estimate = Some((now, seconds));
        Some(format!("about {} for these", roughly(seconds)))
    }
}

/// `20 s`, `5 min`, `2 h 30 min`: in steps that do not flicker.
fn roughly(seconds: f64) -> String {
    let up_to = |step: f64| ((seconds / step).ceil() * step) as u64;
    match seconds {
        s if s < 55.0 => format!("{} s", up_to(5.0).max(5)),
        s if s < 595.0 => format!("{} min", up_to(60.0) / 60),
        s if s < 3300.0 => format!("{} min", up_to(300.0) / 60),
        _ => {
            let minutes = up_to(600.0) / 60;
            match minutes % 60 {
                0 => format!("{} h", minutes / 60),
                rest => format!("{} h {rest} min", minutes / 60),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(tenths: u64) -> Duration {
        Duration::from_millis(tenths * 100)
    }

    /// Minutes and seconds of an estimate.
    fn estimate(text: &str) -> Option<f64> {
        let about = text.split("about ").nth(1)?;
        let (number, unit) = about.split_once(' ')?;
        let number: f64 = number.parse().ok()?;
        Some(if unit.starts_with('s') {
            number
        } else {
            number * 60.0
        })
    }

    #[test]
    fn row4_rate_and_estimate_do_not_jump() {
        let mut line = Line::new(None);
        let (mut rates, mut estimates) = (Vec::new(), Vec::new());
        // Ten pages a second on average, in gusts: twenty come at once every two seconds.
        for tenths in 1..=900 {
            let fetched = tenths / 20 * 20;
            let seen = Seen {
                fetched,
                queued: 2000 - fetched,
                kept: fetched,
                ..Seen::default()
            };
            let text = line.text(at(tenths), seen, 78);
            if tenths > 300 {
                let rate = text.split(", ").find_map(|part| part.strip_suffix(" pages/s"));
                rates.push(rate.and_then(|rate| rate.parse::<f64>().ok()).expect("a rate"));
                estimates.push(estimate(&text).expect("an estimate"));
            }
        }
        assert!(rates.iter().all(|rate| (9.0..=11.0).contains(rate)), "{rates:?}");
        let jumps = estimates.windows(2).filter(|pair| pair[1] > pair[0]).count();
        assert!(jumps <= 3, "the estimate went up {jumps} times: {estimates:?}");
        assert!(
            estimates.windows(2).all(|pair| (pair[1] - pair[0]).abs() <= 60.0),
            "{estimates:?}"
        );
    }

    #[test]
    fn row4_a_line_fits_into_eighty_columns() {
        let mut line = Line::new(None);
        let seen = Seen {
            fetched: 9_999_999,
            kept: 9_999_999,
            queued: 99_999_999,
            in_flight: 512,
            hosts: 10_000,
            errors: 123_456,
            bytes: 999_900_000_000,
        };
        let text = line.text(at(600), seen, 78);
        assert!(text.len() <= 78 && text.is_ascii(), "{text}");
        assert!(text.contains("123456 errors"), "{text}");
        let few = Seen {
            hosts: 1,
            errors: 1,
            ..Seen::default()
        };
        let text = Line::new(None).text(at(1), few, 78);
        assert!(text.contains("1 error,") && !text.contains("host"), "{text}");
    }

    #[test]
    fn estimates_are_told_in_steps() {
        for (seconds, text) in [
            (0.2, "5 s"),
            (41.0, "45 s"),
            (61.0, "2 min"),
            (700.0, "15 min"),
            (3600.0, "1 h"),
            (9000.0, "2 h 30 min"),
        ] {
            assert_eq!(roughly(seconds), text);
        }
    }
}
