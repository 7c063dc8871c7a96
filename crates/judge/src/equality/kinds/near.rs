//! Same if nearly all of the main text is the same, numbers and dates masked (E6).
//!
//! Short texts have too few shingles for an estimate: they must agree wholly.

use super::{ChainError, Entry};
use crate::equality::{Equality, Side, Verdict};

pub(super) const ENTRY: Entry = Entry {
    name: "near",
    options: &["threshold"],
    make: |options| {
        let text = options.first("threshold").unwrap_or("0.9");
        let threshold: f64 = text.parse().unwrap_or(f64::NAN);
        if !(0.5..=1.0).contains(&threshold) {
            return Err(ChainError::BadValue {
                name: "near",
                why: "a threshold lies between 0.5 and 1".to_owned(),
                value: text.to_owned(),
            });
        }
        Ok(Box::new(Near { threshold }))
    },
};

/// Below this many shingles the estimate means nothing.
const SHINGLES_MIN: u32 = 50;

#[derive(Debug)]
struct Near {
    threshold: f64,
}

impl Equality for Near {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn same(&self, before: &Side, now: &Side) -> Verdict {
        let (old, new) = (&before.ladder().sketch, &now.ladder().sketch);
        if old.shingles == 0 && new.shingles == 0 {
            return if before.ladder().visible == now.ladder().visible {
                Verdict::same()
            } else {
                Verdict::different("near: no main text, and other visible text")
            };
        }
        let is_short = old.shingles.min(new.shingles) < SHINGLES_MIN;
        let needed = if is_short { 1.0 } else { self.threshold };
        let likeness = old.likeness(new);
        if likeness >= needed {
            return Verdict::same();
        }
        Verdict::different(format!(
            "near: {:.0} % alike, {:.0} % needed",
            likeness * 100.0,
            needed * 100.0
        ))
    }
}
