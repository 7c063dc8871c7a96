//! How often does a document change? Looks tell only that it did, not how often, and they come at irregular times.
//!
//! The rate λ (changes a day) is the one that explains the looks best, with a prior: Gamma with shape a and the mean of the
//! document's group. It solves Σ τ/(e^(λτ) − 1) − Σ τ + a/λ − a/mean = 0 (the
//! first sum over the looks that found a change, the second over the others), whose left side falls with λ, so
//! that halving finds it (Cho and Garcia-Molina 2003 for irregular looks; the prior keeps it from 0 and ∞).

use super::looks::LookCounts;
use serde::{Deserialize, Serialize};

/// The bounds of what is believed: once in 300 years, and 48 times a day.
const SLOWEST: f64 = 1e-5;
const FASTEST: f64 = 48.0;

/// What is believed of a document before it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Prior {
    /// How many changes the belief weighs as much as.
    pub shape: f64,
    /// Changes a day.
    pub mean: f64,
}

/// A rate, and between which bounds it lies in nine of ten cases.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    /// Changes a day.
    pub best: f64,
    pub low: f64,
    pub high: f64,
}

impl Rate {
    /// How little is known: the factor between the bounds.
    pub fn width(&self) -> f64 {
        self.high / self.low
    }
}

/// The likeliest rate alone, changes a day.
pub fn best(looks: &LookCounts, prior: Prior) -> f64 {
    let unchanged = looks.unchanged_days() + prior.shape / prior.mean.clamp(SLOWEST, FASTEST);
    let mut found = [(0.0, 0.0); super::looks::BUCKETS];
    let mut filled = 0;
    for look in looks.changed() {
        found[filled] = look;
        filled += 1;
    }
    let (mut low, mut high) = (SLOWEST.ln(), FASTEST.ln());
    for _ in 0..32 {
        let middle = f64::midpoint(low, high);
        let rate = middle.exp();
        let pull: f64 = found[..filled]
            .iter()
            .map(|(days, count)| count * days / (rate * days).exp_m1())
            .sum();
        if pull + prior.shape / rate > unchanged {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high).exp()
}

/// The likeliest rate with its bounds, by the curvature of the likelihood in ln λ (about ± 1.64 standard deviations).
pub fn rate(looks: &LookCounts, prior: Prior) -> Rate {
    let best = best(looks, prior);
    let curve = |rate: f64| -> f64 {
        let found: f64 = looks
            .changed()
            .map(|(days, count)| {
                let x = rate * days;
                // d²/d(ln λ)² of ln(1 − e^(−x)), with its sign turned.
                let grown = x.exp_m1().max(1e-12);
                count * (x * x * (grown + 1.0) / (grown * grown) - x / grown)
            })
            .sum();
        found + rate * looks.unchanged_days() + rate * prior.shape / prior.mean.clamp(SLOWEST, FASTEST)
    };
    let spread = 1.64 / curve(best).max(0.05).sqrt();
    Rate {
        best,
        low: best * (-spread).exp(),
        high: best * spread.exp(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRIOR: Prior = Prior {
        shape: 1.0,
        mean: 0.02,
    };

    #[test]
    fn b10_without_looks_it_is_the_groups_mean() {
        assert!((best(&LookCounts::default(), PRIOR) / 0.02 - 1.0).abs() < 1e-3);
    }

    /// Cho and Garcia-Molina: with regular looks the rate is −ln(share unchanged)/τ.
    #[test]
    fn b10_regular_looks_give_the_rate_of_the_textbook() {
        let mut looks = LookCounts::default();
        for at in 0..1000 {
            looks.add(8.0, at % 4 == 0);
        }
        let textbook = -(0.75f64.ln()) / 8.0;
        let told = rate(&looks, PRIOR);
        // Half octaves are wide by ± 19 %; what is not known better is said to be so.
        assert!((told.best / textbook - 1.0).abs() < 0.1, "{told:?} {textbook}");
        assert!(told.low < textbook && textbook < told.high, "{told:?}");
    }

    proptest! {
        #[test]
        fn b10_a_change_never_lowers_the_rate_and_a_quiet_look_never_raises_it(
            looks in prop::collection::vec((0.1f64..300.0, any::<bool>()), 0..40), days in 0.1f64..300.0
        ) {
            let mut kept = LookCounts::default();
            for (days, has_changed) in looks {
                kept.add(days, has_changed);
            }
            let before = best(&kept, PRIOR);
            let (mut changed, mut same) = (kept, kept);
            changed.add(days, true);
            same.add(days, false);
            prop_assert!(best(&changed, PRIOR) >= before * 0.999_999);
            prop_assert!(best(&same, PRIOR) <= before * 1.000_001);
        }
    }
}
