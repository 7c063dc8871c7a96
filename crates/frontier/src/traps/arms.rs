//! What an arm gave so far, and the bounded memory that arms live in.

use gleaner_model::{Reason, defaults};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A closed arm lets one URL in this many through, then one in twice as many, and so on …
const PROBE_FIRST: u32 = 100;
/// … but never fewer than this.
const PROBE_RAREST: u32 = 10_000;
const GROWTH_QUOTA: u32 = 10;
/// An arm that never gave anything of its own is closed after this many fetches already.
const BARREN_FETCHES: u32 = 20;
const RECENT: usize = 4;

#[derive(Debug, Clone)]
pub(super) struct Arm {
    pub(super) discovered: u32,
    pub(super) fetches: u32,
    distinct: u32,
    /// The last fetches, newest in the lowest bit; 1 is a copy.
    window: u64,
    recent: [u64; RECENT],
    refused: u32,
    probe_every: u32,
    /// The first number in these URLs may be a year.
    pub(super) are_years: bool,
    /// The oldest year that held content of its own.
    pub(super) content_year_min: i32,
}

impl Default for Arm {
    fn default() -> Self {
        Arm {
            discovered: 0,
            fetches: 0,
            distinct: 0,
            window: 0,
            recent: [0; RECENT],
            refused: 0,
            probe_every: PROBE_FIRST,
            are_years: true,
            content_year_min: i32::MAX,
        }
    }
}

impl Arm {
    /// Notes a fetch and says whether it gave nothing new: a copy by the caller's knowledge or by the arm's own.
    pub(super) fn fetched(&mut self, signature: u64, is_copy: bool) -> bool {
        let is_copy = is_copy || (signature != 0 && self.recent.contains(&signature));
        if !is_copy {
            self.recent[self.distinct as usize % RECENT] = signature;
            self.distinct = self.distinct.saturating_add(1);
            self.probe_every = PROBE_FIRST;
        }
        self.fetches = self.fetches.saturating_add(1);
        self.window = (self.window << 1) | u64::from(is_copy);
        is_copy
    }

    /// Whether the next URL of this arm is left out. Counts, so that probes come through.
    pub(super) fn refuses(&mut self) -> Option<Reason> {
        let (reason, every) = if self.gives_copies() {
            (Reason::TrapCopies, self.probe_every)
        } else if self.outgrows_itself() {
            (Reason::TrapGrowth, GROWTH_QUOTA)
        } else {
            self.refused = 0;
            return None;
        };
        self.refused += 1;
        if self.refused < every {
            return Some(reason);
        }
        self.refused = 0;
        self.probe_every = (self.probe_every * 2).min(PROBE_RAREST);
        None
    }

    fn gives_copies(&self) -> bool {
        let looked_at = self.fetches.min(defaults::TRAP_WINDOW as u32);
        let copies = (self.window & ((1 << defaults::TRAP_WINDOW) - 1)).count_ones();
        if looked_at < defaults::TRAP_WINDOW as u32 {
            return looked_at >= BARREN_FETCHES && copies + 1 >= looked_at;
        }
        f64::from(copies) > defaults::TRAP_COPIES_SHARE * f64::from(looked_at)
    }

    /// Size alone is no fault: an arm whose fetches mostly give something new may be as large as it likes.
    fn outgrows_itself(&self) -> bool {
        u64::from(self.fetches) >= defaults::TRAP_GROWTH_AFTER
            && u64::from(self.distinct) * 2 < u64::from(self.fetches)
            && u64::from(self.discovered) > defaults::TRAP_GROWTH_FACTOR * u64::from(self.distinct)
    }
}

/// A map that forgets: what is asked for moves to the young half; when that is full the old half is dropped.
#[derive(Debug)]
pub(super) struct Generations<T> {
    young: ByShape<T>,
    old: ByShape<T>,
    half: usize,
}

type ByShape<T> = HashMap<u64, T, BuildHasherDefault<AsItIs>>;

/// Shapes are hashes already.
#[derive(Debug, Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn write(&mut self, bytes: &[u8]) {
        // Keys come through `write_u64`; this keeps the promise for any other.
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<T: Default> Generations<T> {
    pub(super) fn new(limit: usize) -> Self {
        Generations {
            young: ByShape::default(),
            old: ByShape::default(),
            half: limit / 2,
        }
    }

    /// The entry of `key`, made if it is new.
    pub(super) fn entry(&mut self, key: u64) -> &mut T {
        if self.young.len() >= self.half && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        let Generations { young, old, .. } = self;
        young
            .entry(key)
            .or_insert_with(|| old.remove(&key).unwrap_or_default())
    }

    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}
