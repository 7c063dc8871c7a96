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
/// So many addresses that came from pages without news are enough, whatever the number of those pages.
const BRED_ENOUGH: u32 = 8;
/// A place that says the same whatever its parameters say is closed after this many fetches, wherever the links are from.
const DEAF_FETCHES: u32 = 150;
/// URLs known but not yet fetched: never more than this in a chain (both directions), and in a window.
const CHAIN_AHEAD_MAX: u32 = 3;
const WINDOW_AHEAD_MAX: u32 = 12;
/// A gap in what a calendar says may be longer by as much as it said, up to this.
const GAP_MAX: u32 = 12;
pub(super) const RECENT: usize = 4;

/// How many fetches a place may cost before it is taken for a trap. A site on which little was wasted has more credit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Patience {
    /// Repeats of one content on pages that feed their own kind.
    repeats: u8,
    /// Stale pages in a row: of dates or combined parameters, of a walk step by step, of one with its next pages in view.
    made: u32,
    chain: u32,
    window: u32,
}

impl Patience {
    const FULL: Patience = Patience {
        repeats: 4,
        made: 8,
        chain: 10,
        window: 16,
    };
    pub(super) const SHORT: Patience = Patience {
        repeats: 2,
        made: 3,
        chain: 3,
        window: 5,
    };
    /// Wasted fetches that every site has free, and one in this many of its fetches on top.
    const WASTE_FREE: u32 = 12;
    const WASTE_SHARE: u32 = 100;

    /// With a site on which so many fetches were wasted.
    pub(super) fn with(fetches: u32, wasted: u32) -> Patience {
        if wasted > Patience::WASTE_FREE + fetches / Patience::WASTE_SHARE {
            Patience::SHORT
        } else {
            Patience::FULL
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "five facts about its URLs that have nothing to do with each other"
)]
pub(super) struct Arm {
    pub(super) discovered: u32,
    pub(super) fetches: u32,
    pub(super) distinct: u32,
    /// The last fetches, newest in the lowest bit; 1 is a copy.
    pub(super) window: u64,
    /// The last contents that differed, and where the next one goes.
    pub(super) recent: [u64; RECENT],
    pub(super) recent_next: u8,
    pub(super) refused: u32,
    pub(super) probe_every: u32,
    /// The first number in these URLs may be a year.
    pub(super) are_years: bool,
    /// The URLs hold dates, or parameters to combine.
    pub(super) is_dated: bool,
    pub(super) is_combined: bool,
    /// Of dates: a page that is no step of a walk led to some of them.
    pub(super) is_listed: bool,
    /// The oldest year that held content of its own.
    pub(super) content_year_min: i32,
    /// One content again and again; pages that say nothing new; pages that do.
    pub(super) repeats: u8,
    pub(super) stale: u8,
    pub(super) fresh: u32,
    /// Let through and not yet fetched, and the most there ever were.
    pub(super) ahead: u32,
    pub(super) ahead_max: u32,
    /// Steps of a walk into the future.
    pub(super) future_steps: u32,
    /// URLs that pages without news led to, since the arm gave something last.
    pub(super) bred: u32,
    /// The URLs differ in parameters.
    pub(super) has_query: bool,
}

/// What one fetch gave, seen from one arm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighting {
    pub(super) signature: u64,
    /// Another URL gave it before.
    pub(super) is_copy: bool,
    /// It leads to documents that its kind did not lead to before.
    pub(super) leads_on: bool,
    /// It was found on a page with its content, and leads to more of its kind.
    pub(super) feeds_itself: bool,
    pub(super) news: News,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum News {
    Fresh,
    Stale,
    /// Not looked at, or too early to say.
    Unknown,
}

impl Default for Arm {
    fn default() -> Self {
        Arm {
            discovered: 0,
            fetches: 0,
            distinct: 0,
            window: 0,
            recent: [0; RECENT],
            recent_next: 0,
            refused: 0,
            probe_every: PROBE_FIRST,
            are_years: true,
            is_dated: false,
            is_combined: false,
            is_listed: false,
            content_year_min: i32::MAX,
            repeats: 0,
            stale: 0,
            fresh: 0,
            ahead: 0,
            ahead_max: 0,
            future_steps: 0,
            bred: 0,
            has_query: false,
        }
    }
}

impl Arm {
    /// Notes a fetch and says whether it gave nothing new: a copy by the caller's knowledge or by the arm's own.
    pub(super) fn fetched(&mut self, sighting: Sighting) -> bool {
        let is_known = sighting.signature != 0 && self.recent.contains(&sighting.signature);
        let is_copy = sighting.is_copy || (is_known && !sighting.leads_on);
        if !is_known {
            self.recent[usize::from(self.recent_next) % RECENT] = sighting.signature;
            self.recent_next = (self.recent_next + 1) % RECENT as u8;
        }
        if !is_copy {
            self.distinct = self.distinct.saturating_add(1);
            self.probe_every = PROBE_FIRST;
        }
        self.repeats = if is_copy && is_known && sighting.feeds_itself {
            self.repeats.saturating_add(1)
        } else {
            0
        };
        if !is_copy && sighting.news != News::Stale {
            self.bred = 0;
        }
        match sighting.news {
            News::Fresh => {
                self.stale = 0;
                self.fresh = self.fresh.saturating_add(1);
            }
            News::Stale => self.stale = self.stale.saturating_add(1),
            News::Unknown => {}
        }
        self.fetches = self.fetches.saturating_add(1);
        self.ahead = self.ahead.saturating_sub(1);
        self.window = (self.window << 1) | u64::from(is_copy);
        is_copy
    }

    /// One more URL waits to be fetched.
    pub(super) fn let_through(&mut self) {
        self.ahead = self.ahead.saturating_add(1);
        self.ahead_max = self.ahead_max.max(self.ahead);
    }

    /// A page without news led to one more URL.
    pub(super) fn breed(&mut self) {
        self.bred = self.bred.saturating_add(1);
    }

    /// Whether so many pages without news led on to more of the kind, one for two of them at least. Where they did not,
    /// the addresses come from elsewhere and end there.
    fn is_bred_by(&self, pages: u32) -> bool {
        self.bred >= BRED_ENOUGH || self.bred * 2 >= pages
    }

    /// Each page leads to the next and to no other: nobody ever saw a list of these pages.
    pub(super) fn is_chain(&self) -> bool {
        self.ahead_max <= CHAIN_AHEAD_MAX
    }

    /// Why URLs of this arm are left out, if they are.
    pub(super) fn closed(&self, patience: Patience) -> Option<Reason> {
        if self.repeats >= patience.repeats || self.gives_copies() {
            return Some(Reason::TrapCopies);
        }
        if self.is_stale(patience) {
            return Some(match (self.is_dated, self.is_combined) {
                (true, _) => Reason::TrapCalendar,
                (_, true) => Reason::TrapGrowth,
                _ => Reason::TrapCopies,
            });
        }
        self.outgrows_itself().then_some(Reason::TrapGrowth)
    }

    /// Whether the next URL of this arm is left out. Counts, so that probes come through.
    pub(super) fn refuses(&mut self, patience: Patience) -> Option<Reason> {
        let Some(reason) = self.closed(patience) else {
            self.refused = 0;
            return None;
        };
        let every = if reason == Reason::TrapGrowth && self.outgrows_itself() {
            GROWTH_QUOTA
        } else {
            self.probe_every
        };
        self.refused += 1;
        if self.refused < every {
            return Some(reason);
        }
        self.refused = 0;
        self.probe_every = (self.probe_every * 2).min(PROBE_RAREST);
        None
    }

    fn is_stale(&self, patience: Patience) -> bool {
        let enough = if self.is_dated || self.is_combined {
            patience.made
        } else if self.is_chain() {
            patience.chain
        } else if self.ahead_max <= WINDOW_AHEAD_MAX {
            patience.window
        } else {
            return false;
        };
        // The first page of its kind is always fresh. Calendars have holidays; lists just end.
        let gap = if self.is_dated {
            self.fresh.saturating_sub(1).min(GAP_MAX)
        } else {
            0
        };
        let stale = u32::from(self.stale);
        // Combinations are made by their nature, and so are dates that nobody lists.
        let is_made = self.is_combined || self.is_dated && !self.is_listed;
        stale >= enough + gap && (is_made || self.is_bred_by(stale))
    }

    fn gives_copies(&self) -> bool {
        let looked_at = self.fetches.min(defaults::TRAP_WINDOW as u32);
        let copies = (self.window & ((1 << defaults::TRAP_WINDOW) - 1)).count_ones();
        if !self.is_bred_by(copies) && !self.is_deaf() {
            return false;
        }
        if looked_at < defaults::TRAP_WINDOW as u32 {
            return looked_at >= BARREN_FETCHES && copies + 1 >= looked_at;
        }
        f64::from(copies) > defaults::TRAP_COPIES_SHARE * f64::from(looked_at)
    }

    /// One place that gave many pages of a site the same whatever its parameters said (a login that leads back): those
    /// pages end, but each would cost a second request.
    fn is_deaf(&self) -> bool {
        self.has_query && self.fetches >= DEAF_FETCHES
    }

    /// Size alone is no fault: an arm whose fetches mostly give something new may be as large as it likes.
    fn outgrows_itself(&self) -> bool {
        u64::from(self.fetches) >= defaults::TRAP_GROWTH_AFTER
            && u64::from(self.distinct) * 2 < u64::from(self.fetches)
            && u64::from(self.discovered) > defaults::TRAP_GROWTH_FACTOR * u64::from(self.distinct)
            && (self.has_query || self.bred >= BRED_ENOUGH)
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

    /// The entry of `key` if there is one; it is not marked as met.
    pub(super) fn get(&self, key: u64) -> Option<&T> {
        self.young.get(&key).or_else(|| self.old.get(&key))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.young
            .iter()
            .chain(&self.old)
            .map(|(key, entry)| (*key, entry))
    }

    pub(super) fn remove(&mut self, key: u64) -> Option<T> {
        self.young.remove(&key).or_else(|| self.old.remove(&key))
    }

    pub(super) fn insert(&mut self, key: u64, entry: T) {
        *self.entry(key) = entry;
    }

    pub(super) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }
}
