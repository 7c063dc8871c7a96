//! What looks at one document found: how long each interval was, and whether the document had changed in it.
//!
//! 64 bytes a document, whatever it lived through. Without a change only the sum of the intervals counts. With one, the length
//! matters by itself (a change within an hour says more than one within a year), so these are counted by half octaves of
//! length. Lengths are in days of the site's own activity ([`super::activity`]).

use serde::{Deserialize, Serialize};

/// Half octaves, from an hour and a half to two and a half years; what is shorter or longer counts at the ends.
pub const BUCKETS: usize = 28;
const SHORTEST_DAYS: f64 = 1.0 / 16.0;
/// Counts stand in 64ths, so that old ones can be forgotten by and by.
const ONE: f64 = 64.0;

/// The intervals between looks at one document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LookCounts {
    changed: [u16; BUCKETS],
    /// Days without a change.
    unchanged_days: f32,
    /// Looks that found none.
    unchanged: f32,
}

impl Default for LookCounts {
    fn default() -> LookCounts {
        LookCounts {
            changed: [0; BUCKETS],
            unchanged_days: 0.0,
            unchanged: 0.0,
        }
    }
}

impl LookCounts {
    /// One more look, so many days after the one before it.
    pub fn add(&mut self, days: f64, has_changed: bool) {
        let days = if days.is_finite() { days.max(0.0) } else { 0.0 };
        if has_changed {
            let bucket = &mut self.changed[bucket_of(days)];
            *bucket = bucket.saturating_add(ONE as u16);
        } else {
            self.unchanged_days += days as f32;
            self.unchanged += 1.0;
        }
    }

    /// Forgets a part of everything: what is left is multiplied by `share`, 0 to 1.
    pub fn fade(&mut self, share: f64) {
        let share = share.clamp(0.0, 1.0);
        for count in &mut self.changed {
            *count = (f64::from(*count) * share).round() as u16;
        }
        self.unchanged_days *= share as f32;
        self.unchanged *= share as f32;
    }

    /// How often a change was found, and in intervals of about how many days.
    pub fn changed(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let filled = self.changed.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(at, count)| (middle_of(at), f64::from(*count) / ONE))
    }

    pub fn unchanged_days(&self) -> f64 {
        f64::from(self.unchanged_days)
    }

    /// All looks, and those that found a change.
    pub fn counts(&self) -> (f64, f64) {
        let changed = self.changed().map(|(_, count)| count).sum::<f64>();
        (f64::from(self.unchanged) + changed, changed)
    }
}

fn bucket_of(days: f64) -> usize {
    let at = (days.max(SHORTEST_DAYS) / SHORTEST_DAYS).log2() * 2.0;
    (at as usize).min(BUCKETS - 1)
}

fn middle_of(bucket: usize) -> f64 {
    SHORTEST_DAYS * 2f64.powf(bucket as f64 * 0.5 + 0.25)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn b10_looks_take_64_bytes() {
        assert_eq!(size_of::<LookCounts>(), 64);
    }

    proptest! {
        #[test]
        fn b10_nothing_is_lost_and_lengths_are_nearly_kept(looks in prop::collection::vec((0.07f64..700.0, any::<bool>()), 0..200)) {
            let mut kept = LookCounts::default();
            for (days, has_changed) in &looks {
                kept.add(*days, *has_changed);
            }
            let changed: Vec<f64> = looks.iter().filter(|look| look.1).map(|look| look.0).collect();
            let (all, found) = kept.counts();
            prop_assert!((all - looks.len() as f64).abs() < 1e-6);
            prop_assert!((found - changed.len() as f64).abs() < 1e-6);
            let days: f64 = kept.changed().map(|(days, count)| days * count).sum();
            let told: f64 = changed.iter().sum();
            prop_assert!(days >= told / 1.2 && days <= told * 1.2, "{days} {told}");
        }

        #[test]
        fn b10_odd_lengths_do_no_harm(days in prop::num::f64::ANY, has_changed: bool) {
            let mut looks = LookCounts::default();
            for _ in 0..2000 {
                looks.add(days, has_changed);
            }
            looks.fade(0.5);
            prop_assert!(looks.counts().0 > 0.0);
        }
    }
}
