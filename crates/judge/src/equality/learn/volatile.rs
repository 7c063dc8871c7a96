//! Is this place noise? In: for each pair of fetches made seconds apart, whether it differed. Out: suspect, volatile,
//! or released.
//!
//! ```text
//!            differs               differs again
//!  unknown ──────────► suspect ──────────────────► volatile
//!                         │                           │
//!                         └── four clean pairs ───────┴──► released (and may become suspect again)
//! ```
//!
//! Volatile is when Beta(0.2 + a, 1.8 + m − a) puts 0.9 or more above a rate of 0.1, with a of m pairs differing.

use super::beta::upper_tail;
use super::leaf::{CALENDAR, Leaf, NUMBER, OPAQUE, Slot, TIME, WORDS};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// What is held of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It differed once: shown folded, but it counts.
    Suspect,
    /// Its differences do not count.
    Volatile,
    /// It was noise and is so no more.
    Released,
}

const SURE: f64 = 0.9;
const RATE: f64 = 0.1;
/// So many clean pairs in a row release a place.
const CLEAN_RUN: u8 = 4;
/// Earlier pairs that count as clean for a place that was never seen to differ.
const CLEAN_BEFORE_MAX: u32 = 2;
/// Slots kept for one place.
const SLOTS_MAX: usize = 24;
/// How much more alike than ever before two texts may be and still be the usual noise, and how much less, in percent points.
const LIKENESS_SLACK: u8 = 20;
const OTHERNESS_SLACK: u8 = 40;
/// Texts that are less alike than this are no one text with other words in it.
const LIKENESS_ONE: u8 = 50;
/// Texts that are more alike than this are one text with other words in it, and those must stand where they stood before.
pub(super) const LIKENESS_OTHER: u8 = 70;

/// The state of one place in a template.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Volatile {
    /// Pairs that differed (a).
    #[serde(rename = "a")]
    differed: u32,
    /// Pairs seen (m).
    #[serde(rename = "m")]
    seen: u32,
    #[serde(rename = "r", default, skip_serializing_if = "is_zero")]
    clean_run: u8,
    /// Ordinary words differed: the place holds other text each time.
    #[serde(rename = "t", default, skip_serializing_if = "is_false")]
    is_text: bool,
    /// How alike its texts were at most, in percent.
    #[serde(rename = "l", default, skip_serializing_if = "is_zero")]
    likeness_max: u8,
    /// How alike they were at least.
    #[serde(rename = "n", default, skip_serializing_if = "is_zero")]
    likeness_min: u8,
    #[serde(rename = "s", default, skip_serializing_if = "Vec::is_empty")]
    slots: Vec<Slot>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &u8) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

impl Volatile {
    /// A place not seen to differ in `clean` earlier pairs.
    pub(super) fn after_clean(clean: u32) -> Volatile {
        // Whether it was there in all of them is not known; a few count, but never so many that three looks at one page,
        // each with another text in this place, would not be enough.
        Volatile {
            seen: clean.min(CLEAN_BEFORE_MAX),
            ..Volatile::default()
        }
    }

    pub(super) fn differs(&mut self, leaf: &Leaf) {
        if leaf.is_text {
            let is_first = !self.is_text;
            self.likeness_min = if is_first {
                leaf.likeness
            } else {
                self.likeness_min.min(leaf.likeness)
            };
        }
        self.differed += 1;
        self.seen += 1;
        self.clean_run = 0;
        self.is_text |= leaf.is_text;
        self.likeness_max = self.likeness_max.max(leaf.likeness);
        // Two texts that have little in common have no slots either.
        let slots = leaf
            .slots
            .iter()
            .filter(|_| !leaf.is_text || leaf.likeness >= LIKENESS_ONE);
        for slot in slots {
            if let Some(known) = self.slots.iter_mut().find(|known| known.context == slot.context) {
                known.sorts |= slot.sorts;
            } else if self.slots.len() < SLOTS_MAX {
                self.slots.push(*slot);
            }
        }
    }

    pub(super) fn stays(&mut self) {
        self.seen += 1;
        self.clean_run = self.clean_run.saturating_add(1);
        if self.clean_run >= CLEAN_RUN {
            *self = Volatile {
                seen: u32::from(CLEAN_RUN),
                clean_run: CLEAN_RUN,
                ..Volatile::default()
            };
        }
    }

    pub fn standing(&self) -> Standing {
        if self.differed == 0 {
            return Standing::Released;
        }
        if is_sure(self.differed, self.seen - self.differed) {
            Standing::Volatile
        } else {
            Standing::Suspect
        }
    }

    /// Whether a difference is of the kind that was learned here.
    pub(super) fn covers(&self, leaf: &Leaf) -> bool {
        if self.standing() != Standing::Volatile {
            return false;
        }
        let in_slots = !leaf.slots.is_empty()
            && leaf.slots.iter().all(|slot| {
                let known = self.slots.iter().find(|known| known.context == slot.context);
                known.is_some_and(|known| slot.sorts & !widened(known.sorts) == 0)
            });
        // A place that holds other text each time may also hold the same text with another number; but where a price
        // was never seen to move, a price that moves is news.
        let is_usual = self.is_text
            && leaf.likeness
                <= LIKENESS_OTHER.min(self.likeness_max.saturating_add(LIKENESS_SLACK).max(LIKENESS_ONE))
            && leaf.likeness.saturating_add(OTHERNESS_SLACK) >= self.likeness_min;
        in_slots || is_usual
    }

    /// Takes in what was held of the same place under another name.
    pub(super) fn join(&mut self, other: Volatile) {
        if other.is_surer(self) {
            *self = other;
        }
    }

    pub(super) fn is_surer(&self, other: &Volatile) -> bool {
        self.differed > other.differed
    }

    /// Why a difference here does not count.
    pub(super) fn why(&self, leaf: &Leaf) -> String {
        let what = if leaf.is_text {
            "text"
        } else {
            Leaf::name(&leaf.slots)
        };
        format!(
            "volatile {what}: differed in {} of {} pairs of fetches",
            self.differed, self.seen
        )
    }
}

/// Whether a place that differed and did not so often is noise. The sum is asked for thousands of times for each page, and
/// always with small counts: those are worked out once.
fn is_sure(differed: u32, clean: u32) -> bool {
    const COUNTS: usize = 24;
    static KNOWN: [[OnceLock<bool>; COUNTS]; COUNTS] =
        [const { [const { OnceLock::new() }; COUNTS] }; COUNTS];
    let sum = || upper_tail(0.2 + f64::from(differed), 1.8 + f64::from(clean), RATE) >= SURE;
    match KNOWN
        .get(differed as usize)
        .and_then(|row| row.get(clean as usize))
    {
        Some(known) => *known.get_or_init(sum),
        None => sum(),
    }
}

/// What a slot may show beside what it was seen to show. A clock shows a date when it turns midnight, and one nonce in
/// some happens to have no letter (one in 43 of eight hexadecimal digits): it then reads as a number.
fn widened(sorts: u8) -> u8 {
    let mut wide = sorts;
    if sorts & (TIME | CALENDAR) != 0 {
        wide |= TIME | CALENDAR | NUMBER;
    }
    if sorts & OPAQUE != 0 {
        wide |= NUMBER;
    }
    // Where names stand, a number may stand.
    if sorts & WORDS != 0 {
        wide |= NUMBER | TIME | CALENDAR | OPAQUE;
    }
    wide
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(number: u32) -> Leaf {
        Leaf::between(
            &format!("Read {number} times"),
            &format!("Read {} times", number + 7),
        )
    }

    #[test]
    fn once_is_suspect_twice_is_volatile_four_clean_release() {
        let mut place = Volatile::after_clean(0);
        place.differs(&counter(1));
        assert_eq!(place.standing(), Standing::Suspect);
        place.differs(&counter(2));
        assert_eq!(place.standing(), Standing::Volatile);
        for _ in 0..3 {
            place.stays();
            assert_eq!(place.standing(), Standing::Volatile);
        }
        place.stays();
        assert_eq!(place.standing(), Standing::Released);
        place.differs(&counter(3));
        assert_eq!(place.standing(), Standing::Suspect);
    }

    #[test]
    fn three_looks_at_one_page_are_enough_whatever_other_pages_showed() {
        let mut place = Volatile::after_clean(1000);
        place.differs(&counter(1));
        assert_eq!(place.standing(), Standing::Suspect);
        place.differs(&counter(2));
        assert_eq!(place.standing(), Standing::Volatile);
    }

    #[test]
    fn hc088_a_true_change_inside_noise_is_still_found() {
        let mut place = Volatile::after_clean(0);
        place.differs(&counter(1));
        place.differs(&counter(2));
        assert!(place.covers(&counter(30)));
        assert!(!place.covers(&Leaf::between("Read 3 times", "Sold 3 times")));
    }

    #[test]
    fn a_nonce_without_letters_is_a_nonce() {
        let shows = |one: &str, other: &str| {
            Leaf::between(
                &format!("Made fast, token {one}"),
                &format!("Made fast, token {other}"),
            )
        };
        let mut place = Volatile::after_clean(0);
        place.differs(&shows("8f3a90bc", "77ab01ce"));
        place.differs(&shows("0a1b2c3d", "99e0f1a2"));
        for (one, other) in [
            ("48159023", "7bc01a92"),
            ("7bc01a92", "1234567d"),
            ("48159023", "60411735"),
        ] {
            assert!(place.covers(&shows(one, other)), "{one} {other}");
        }
        let price = Leaf::between("Made fast, token $48", "Made fast, token $49");
        assert!(!place.covers(&price), "a price that moves is news");
    }
}
