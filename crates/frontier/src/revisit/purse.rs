//! What may a look cost? The price that all documents are measured with follows the budget: it falls while looks are saved and
//! rises while they are spent.
//!
//! Looks that nothing deserved are saved, some weeks' worth: sites change in bursts, and after a burst many looks pay at once.
//! A full purse spends what comes in on the best there is, so that nothing is lost.

use serde::{Deserialize, Serialize};

/// How strongly the price follows what is in the purse, and how fast its middle does, a day.
const LEAN: f64 = 0.5;
const DRIFT_A_DAY: f64 = 0.01;

/// Looks that may be spent, and what one has to be worth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Purse {
    per_day: f64,
    saved_days: f64,
    looks: f64,
    /// ln of the price at a half full purse; none before anything had to be chosen.
    middle: Option<f64>,
}

impl Purse {
    pub fn new(per_day: f64, saved_days: f64) -> Purse {
        Purse {
            per_day: per_day.max(0.0),
            saved_days: saved_days.max(1.0),
            looks: 0.0,
            middle: None,
        }
    }

    /// The budget changed, by hand or with the number of documents.
    pub fn set_budget(&mut self, per_day: f64) {
        self.per_day = per_day.max(0.0);
    }

    fn holds_most(&self) -> f64 {
        (self.per_day * self.saved_days).max(1.0)
    }

    fn fill(&self) -> f64 {
        (self.looks / self.holds_most()).clamp(0.0, 1.0)
    }

    /// Time passed: looks come in, and the middle of the price moves towards where the purse stays half full.
    pub fn earn(&mut self, days: f64) {
        self.looks = (self.looks + self.per_day * days.max(0.0)).min(self.holds_most());
        let lean = (0.5 - self.fill()) * 2.0;
        if let Some(middle) = &mut self.middle {
            *middle += DRIFT_A_DAY * days.max(0.0) * lean;
        }
    }

    /// Whole looks that can be spent now.
    pub fn can_spend(&self) -> usize {
        self.looks.max(0.0) as usize
    }

    pub fn spend(&mut self) {
        self.looks -= 1.0;
    }

    /// What a look has to be worth now; `None` where nothing was chosen yet.
    pub fn price(&self) -> Option<f64> {
        let lean = (0.5 - self.fill()) * 2.0;
        self.middle.map(|middle| (middle + LEAN * lean).exp())
    }

    /// How many of these worths, best first, are paid for. `days` is what was earned for since the last time.
    pub fn take(&mut self, worths: &[f64], days: f64) -> usize {
        let room = self.can_spend().min(worths.len());
        let earned = (self.per_day * days).ceil() as usize;
        let Some(price) = self.price() else {
            // The first price is that of what the budget just reaches.
            let marginal = worths.get(earned.min(worths.len().saturating_sub(1)));
            if let Some(worth) = marginal.filter(|worth| **worth > 0.0) {
                self.middle = Some(worth.ln());
            }
            return room.min(earned);
        };
        let worthy = worths[..room].iter().take_while(|worth| **worth >= price).count();
        let is_full = self.looks >= self.holds_most() - self.per_day * days;
        if is_full {
            worthy.max(room.min(earned))
        } else {
            worthy
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn b10_never_more_is_spent_than_came_in(
            per_day in 0.0f64..50.0, days in prop::collection::vec(prop::collection::vec(0.0f64..10.0, 0..80), 1..200)
        ) {
            let mut purse = Purse::new(per_day, 30.0);
            let mut spent = 0.0;
            for (at, mut worths) in days.into_iter().enumerate() {
                purse.earn(1.0);
                worths.sort_by(|a, b| b.total_cmp(a));
                let taken = purse.take(&worths, 1.0);
                for _ in 0..taken {
                    purse.spend();
                }
                spent += taken as f64;
                prop_assert!(spent <= per_day * (at + 1) as f64 + 1e-6);
            }
        }

        #[test]
        fn b10_what_is_left_unspent_is_at_most_what_may_be_saved(per_day in 0.5f64..50.0) {
            let mut purse = Purse::new(per_day, 30.0);
            let mut spent = 0.0;
            for _ in 0..1000 {
                purse.earn(1.0);
                let taken = purse.take(&[1.0; 100], 1.0);
                for _ in 0..taken {
                    purse.spend();
                }
                spent += taken as f64;
            }
            prop_assert!(spent >= per_day * 1000.0 - per_day.max(1.0) * 31.0 - 1.0, "{spent} {per_day}");
        }
    }
}
