//! How often was a value how large? Fixed bounds, so that recording is a few additions and two histograms can be added up.

use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Values up to each bound, in microseconds where times are counted; what is larger than the last is counted behind it.
pub const BOUNDS: [u64; 28] = [
    1,
    2,
    5,
    10,
    20,
    50,
    100,
    200,
    500,
    1_000,
    2_000,
    5_000,
    10_000,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
    20_000_000,
    50_000_000,
    100_000_000,
    200_000_000,
    500_000_000,
    1_000_000_000,
];

/// Values as they come, from any thread: no lock, and nobody waits.
#[derive(Debug, Default)]
pub struct Histogram {
    counts: [AtomicU64; BOUNDS.len() + 1],
    sum: AtomicU64,
    max: AtomicU64,
}

impl Histogram {
    pub fn record(&self, value: u64) {
        let at = BOUNDS.partition_point(|bound| *bound < value);
        self.counts[at].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
        self.max.fetch_max(value, Ordering::Relaxed);
    }

    /// A time, in microseconds.
    pub fn record_time(&self, time: Duration) {
        self.record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    /// What was recorded so far, as plain values.
    pub fn read(&self) -> Distribution {
        let counts: Vec<u64> = (self.counts.iter())
            .map(|count| count.load(Ordering::Relaxed))
            .collect();
        Distribution {
            count: counts.iter().sum(),
            sum: self.sum.load(Ordering::Relaxed),
            max: self.max.load(Ordering::Relaxed),
            buckets: (BOUNDS.iter().copied().map(Some).chain([None]))
                .zip(counts)
                .filter(|(_, count)| *count > 0)
                .map(|(up_to, count)| Bucket { up_to, count })
                .collect(),
        }
    }
}

/// How values were distributed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Distribution {
    pub count: u64,
    pub sum: u64,
    pub max: u64,
    /// Those that are not empty, from small to large.
    pub buckets: Vec<Bucket>,
}

/// So many values were above the bound before it and not above this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// None: above all bounds.
    pub up_to: Option<u64>,
    pub count: u64,
}

impl Distribution {
    pub fn mean(&self) -> f64 {
        if self.count == 0 {
            0.0
        } else {
            self.sum as f64 / self.count as f64
        }
    }

    /// What this share of the values (0.5: half of them) does not exceed: a bound, or the largest value where that is less.
    pub fn not_above(&self, share: f64) -> u64 {
        let wanted = (self.count as f64 * share).ceil() as u64;
        let mut seen = 0;
        for bucket in &self.buckets {
            seen += bucket.count;
            if seen >= wanted {
                return bucket.up_to.unwrap_or(self.max).min(self.max);
            }
        }
        self.max
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_one_bucket() {
        let histogram = Histogram::default();
        for value in [0, 1, 2, 3, 5, 6, 10, 999, 1000, 1001, 2_000_000_000, u64::MAX / 4] {
            histogram.record(value);
        }
        let read = histogram.read();
        assert_eq!((read.count, read.max), (12, u64::MAX / 4));
        let buckets: Vec<(Option<u64>, u64)> = (read.buckets.iter())
            .map(|bucket| (bucket.up_to, bucket.count))
            .collect();
        assert_eq!(
            buckets,
            [
                (Some(1), 2),
                (Some(2), 1),
                (Some(5), 2),
                (Some(10), 2),
                (Some(1000), 2),
                (Some(2000), 1),
                (None, 2)
            ]
        );
        assert!(BOUNDS.is_sorted());
    }

    #[test]
    fn shares_are_told_by_bounds() {
        let histogram = Histogram::default();
        assert_eq!(histogram.read(), Distribution::default());
        assert_eq!(histogram.read().not_above(0.5), 0);
        for value in 1..=100 {
            histogram.record_time(Duration::from_micros(value));
        }
        let read = histogram.read();
        assert_eq!((read.count, read.sum, read.max), (100, 5050, 100));
        assert!((read.mean() - 50.5).abs() < 1e-9);
        assert_eq!([read.not_above(0.5), read.not_above(0.95)], [50, 100]);
        histogram.record(130);
        assert_eq!(histogram.read().not_above(1.0), 130, "no bound above what came");
    }

    #[test]
    fn threads_record_at_once() {
        let histogram = Histogram::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|value| histogram.record(value)));
            }
        });
        let read = histogram.read();
        assert_eq!((read.count, read.sum), (4000, 4 * 499_500));
    }
}
