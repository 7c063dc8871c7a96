//! How many answers are waited for at once, and who keeps us waiting? (A7, C3)
//!
//! A run has few places for what comes in time: bytes that come cost memory and work. An answer that does not come costs
//! a socket and nothing else, so it does not hold a place: it is moved *aside*, where there is room for many.
//!
//! ```text
//!  place ── silent, while others are answered ──► aside
//!    ▲                                              │
//!    └─────────────── bytes come ───────────────────┘
//! ```
//!
//! A host that was never heard is asked after those that do answer, and moved aside after an instant, for nobody knows
//! whether it is there; when there is no more room aside, such hosts get half of the places at most. Each answer that is
//! aside lets one more of them be asked: where many are slow, finding the others takes more sockets. A host that kept us
//! waiting is asked aside from the start, last and fewer at once, until it answers in time again.

use gleaner_model::{Instant, defaults};

/// How a host has answered so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Manner {
    InTime,
    /// It never did.
    #[default]
    New,
    /// The last thing known is that it kept us waiting.
    Slow,
}

impl Manner {
    /// In the order in which they are asked.
    pub const ALL: [Manner; 3] = [Manner::InTime, Manner::New, Manner::Slow];
}

/// Where a fetch that is under way is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FetchSlot {
    /// A place, of a host that answers in time.
    Place,
    /// A place, of a host that was never heard, or not in time.
    First,
    Aside,
}

#[derive(Debug, Clone)]
pub struct FetchSlots {
    places: usize,
    aside_max: usize,
    taken: usize,
    first: usize,
    aside: usize,
}

impl FetchSlots {
    /// `sockets_max` is what may be open at once, whatever it waits for.
    pub fn new(places: usize, sockets_max: usize) -> FetchSlots {
        let places = places.max(1);
        let left = sockets_max.saturating_sub(places.saturating_mul(2));
        FetchSlots {
            places,
            aside_max: left.min(defaults::ASIDE_MAX),
            taken: 0,
            first: 0,
            aside: 0,
        }
    }

    /// Whether a host of this manner may be asked now.
    pub fn has(&self, manner: Manner) -> bool {
        let more = self.aside.min(self.aside_max / 4);
        let first = self.first.saturating_sub(more);
        let first_max = if self.aside + self.places < self.aside_max {
            self.places
        } else {
            self.places.div_ceil(2)
        };
        let has_place = self.taken + first < self.places;
        match manner {
            Manner::InTime => has_place,
            Manner::New => self.first < more || has_place && first < first_max,
            Manner::Slow => self.has_slow_slot() || has_place && self.in_places() < self.places.div_ceil(2),
        }
    }

    /// Half of the room aside is for those that turn out to be slow.
    fn has_slow_slot(&self) -> bool {
        self.aside < self.aside_max / 2
    }

    pub fn has_any(&self) -> bool {
        Manner::ALL.iter().any(|manner| self.has(*manner))
    }

    pub fn take(&mut self, manner: Manner) -> FetchSlot {
        let slot = match manner {
            Manner::InTime => FetchSlot::Place,
            Manner::Slow if self.has_slow_slot() => FetchSlot::Aside,
            Manner::New | Manner::Slow => FetchSlot::First,
        };
        *self.count(slot) += 1;
        slot
    }

    pub fn leave(&mut self, slot: FetchSlot) {
        let count = self.count(slot);
        *count = count.saturating_sub(1);
    }

    /// Where a fetch in `slot` is counted from now on.
    pub fn moved(&mut self, slot: FetchSlot, silence: Silence) -> FetchSlot {
        let has_room = self.aside < self.aside_max;
        let to = match (slot, silence) {
            (FetchSlot::Place, Silence::Long) | (FetchSlot::First, Silence::Short | Silence::Long)
                if has_room =>
            {
                FetchSlot::Aside
            }
            (FetchSlot::Aside, Silence::None) => FetchSlot::Place,
            _ => return slot,
        };
        self.leave(slot);
        *self.count(to) += 1;
        to
    }

    /// Fetches that hold a place.
    pub fn in_places(&self) -> usize {
        self.taken + self.first
    }

    pub fn aside(&self) -> usize {
        self.aside
    }

    pub fn are_all_free(&self) -> bool {
        self.in_places() + self.aside == 0
    }

    /// So many answers came to others while one was silent: it is not the line that is slow.
    pub fn is_overtaken(&self, answers: u64) -> bool {
        answers >= 2 * (self.in_places() + self.aside).max(self.places) as u64
    }

    fn count(&mut self, slot: FetchSlot) -> &mut usize {
        match slot {
            FetchSlot::Place => &mut self.taken,
            FetchSlot::First => &mut self.first,
            FetchSlot::Aside => &mut self.aside,
        }
    }
}

/// How long hardly anything has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    None,
    Short,
    /// For too long, or while others got their answers.
    Long,
}

/// What is known of one fetch that is under way.
#[derive(Debug, Clone, Copy)]
pub struct Watch {
    looked_at: Instant,
    /// Received until then.
    bytes: u64,
    /// Since when hardly anything comes, and how many answers others had got by then.
    silent_since: Instant,
    answers: u64,
}

impl Watch {
    /// `answers` counts those of the whole run.
    pub fn new(now: Instant, answers: u64) -> Watch {
        Watch {
            looked_at: now,
            bytes: 0,
            silent_since: now,
            answers,
        }
    }

    /// How long it has been silent, `bytes` having come in all.
    pub fn look(&mut self, now: Instant, bytes: u64, answers: u64, slots: &FetchSlots) -> Silence {
        let elapsed = now.since(self.looked_at).as_secs_f64();
        let came = bytes.saturating_sub(self.bytes);
        if came as f64 >= elapsed * defaults::SLOW_BYTES_PER_S as f64 && came > 0 {
            (self.silent_since, self.answers) = (now, answers);
        }
        (self.looked_at, self.bytes) = (now, bytes);
        let silent = now.since(self.silent_since);
        let overtaken = answers.saturating_sub(self.answers);
        let is_long = silent >= defaults::SLOW_LOOK && slots.is_overtaken(overtaken);
        if is_long || silent >= defaults::SLOW_AFTER {
            Silence::Long
        } else if silent >= defaults::FIRST_LOOK {
            Silence::Short
        } else {
            Silence::None
        }
    }
}

/// When a fetch that has just begun is looked at.
pub fn first_look(slot: FetchSlot, now: Instant) -> Instant {
    match slot {
        FetchSlot::First => now.after(defaults::FIRST_LOOK),
        FetchSlot::Place | FetchSlot::Aside => next_look(now),
    }
}

/// When a fetch is looked at again.
pub fn next_look(now: Instant) -> Instant {
    now.after(defaults::SLOW_LOOK)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(milliseconds: u64) -> Instant {
        Instant(Duration::from_millis(milliseconds))
    }

    #[test]
    fn case22_hosts_that_answer_keep_half_of_the_places_whatever_the_others_do() {
        for places in [1, 2, 7, 16, 64] {
            let mut slots = FetchSlots::new(places, 2 * places); // No room aside.
            while slots.has(Manner::New) {
                slots.take(Manner::New);
            }
            let mut kept = 0;
            while slots.has(Manner::InTime) {
                slots.take(Manner::InTime);
                kept += 1;
            }
            assert_eq!(kept, places - places.div_ceil(2), "{places}");
            assert_eq!(slots.in_places(), places);
        }
    }

    #[test]
    fn case22_what_is_aside_takes_no_place_and_is_bounded() {
        let mut slots = FetchSlots::new(4, 108);
        let mut begun = 0;
        while slots.has(Manner::New) {
            let slot = slots.take(Manner::New);
            assert_eq!(slots.moved(slot, Silence::Long), FetchSlot::Aside);
            begun += 1;
            if begun == 100 {
                break;
            }
        }
        assert_eq!((begun, slots.aside(), slots.in_places()), (100, 100, 0));
        let slot = slots.take(Manner::InTime);
        assert_eq!(slots.moved(slot, Silence::Long), slot, "there is no more room");
        assert!(slots.has(Manner::Slow), "in a place that nobody wants");
        slots.take(Manner::InTime);
        assert!(!slots.has(Manner::Slow) && slots.has(Manner::InTime));
        assert_eq!(slots.moved(FetchSlot::Aside, Silence::None), FetchSlot::Place);
        assert_eq!((slots.aside(), slots.in_places()), (99, 3));
    }

    #[test]
    fn case22_no_more_than_its_places_where_all_answer_in_time() {
        let mut slots = FetchSlots::new(8, 1000);
        while let Some(manner) = [Manner::New, Manner::InTime].into_iter().find(|m| slots.has(*m)) {
            slots.take(manner);
        }
        assert_eq!(slots.in_places(), 8);
    }

    #[test]
    fn case22_silence_counts_when_others_are_answered_or_when_it_is_long() {
        let slots = FetchSlots::new(4, 100);
        let mut watch = Watch::new(at(0), 10);
        let mut look = |ms, bytes, answers| watch.look(at(ms), bytes, answers, &slots);
        assert_eq!(look(49, 0, 1000), Silence::None, "an instant is no silence");
        assert_eq!(look(99, 0, 1000), Silence::Short, "whoever overtakes it");
        assert_eq!(look(100, 0, 17), Silence::Short, "nobody else is answered much");
        assert_eq!(
            look(200, 0, 18),
            Silence::Long,
            "two rounds of places have passed"
        );
        assert_eq!(look(300, 50_000, 90), Silence::None);
        assert_eq!(look(2200, 50_000, 90), Silence::Short);
        assert_eq!(look(2300, 50_000, 90), Silence::Long);
        // A drop now and then is silence, a stream is none.
        assert_eq!(look(2400, 50_001, 90), Silence::Long);
        assert_eq!(look(2500, 100_000, 90), Silence::None);
        assert_eq!(look(2600, 150_000, 1000), Silence::None);
    }
}
