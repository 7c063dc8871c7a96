//! From a URL's key to its resource, mostly without asking the database.
//!
//! Nearly all links of a page lead to URLs met before (menus, popular pages). A fixed table of recent keys answers
//! those; a miss costs one look into the index. The table begins small, because a process may have many runs, and grows up to a
//! bound, so memory is bounded too (H3).

use gleaner_model::{HostId, ResourceId, UrlKey};

/// Sets of entries at first and at most; powers of two. With [`WAYS`] entries of 16 bytes each the most is 8 MiB, for half a
/// million URLs.
const SETS_MIN: usize = 1 << 11;
const SETS_MAX: usize = 1 << 17;
/// How much more sets there are when they have filled up.
const GROWTH: usize = 8;
/// Entries of a set: one cache line. Those asked for last stay, so that one stray URL does not drive out a menu's.
const WAYS: usize = 4;
/// A number that a resource above this would need has no room here; it is found in the index each time.
const RESOURCE_MAX: i64 = (u32::MAX >> 1) as i64;

#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) resource: ResourceId,
    /// Taken up by the current run already: no need to ask whether to queue it.
    pub(crate) is_taken: bool,
}

/// The part of the key that the choice of the set leaves over, and `resource * 2 + is_taken`; 0: free.
#[derive(Clone, Copy, Default)]
struct Entry {
    rest: [u8; 12],
    packed: u32,
}

pub(crate) struct Seen {
    sets: Vec<[Entry; WAYS]>,
    /// Entries that are not free.
    used: usize,
}

impl Default for Seen {
    fn default() -> Self {
        Seen {
            sets: vec![[Entry::default(); WAYS]; SETS_MIN],
            used: 0,
        }
    }
}

impl Seen {
    pub(crate) fn get(&mut self, key: &UrlKey) -> Option<Known> {
        let (set, rest) = self.set(key);
        let way = set
            .iter()
            .position(|entry| entry.packed != 0 && entry.rest == rest)?;
        set[..=way].rotate_right(1);
        Some(Known {
            resource: ResourceId(i64::from(set[0].packed >> 1)),
            is_taken: set[0].packed & 1 == 1,
        })
    }

    pub(crate) fn put(&mut self, key: UrlKey, known: Known) {
        if !(1..=RESOURCE_MAX).contains(&known.resource.0) {
            return;
        }
        self.grow_if_full();
        let (set, rest) = self.set(&key);
        let way = set.iter().position(|entry| entry.rest == rest);
        let takes_free = way.is_none() && set[WAYS - 1].packed == 0;
        set[..=way.unwrap_or(WAYS - 1)].rotate_right(1);
        set[0] = Entry {
            rest,
            packed: (known.resource.0 as u32) << 1 | u32::from(known.is_taken),
        };
        self.used += usize::from(takes_free);
    }

    /// What was in a table that becomes larger is looked up once more: an entry does not tell where it would be in the new one.
    fn grow_if_full(&mut self) {
        let sets = self.sets.len();
        if sets < SETS_MAX && self.used * 2 > sets * WAYS {
            self.sets = vec![[Entry::default(); WAYS]; (sets * GROWTH).min(SETS_MAX)];
            self.used = 0;
        }
    }

    /// A rolled-back transaction took its rows with it.
    pub(crate) fn forget_all(&mut self) {
        self.sets.fill([Entry::default(); WAYS]);
        self.used = 0;
    }

    /// The key is a hash already: some of it chooses the set. Of 128 bits at least 107 are compared, which is as good as all.
    fn set(&mut self, key: &UrlKey) -> (&mut [Entry; WAYS], [u8; 12]) {
        let [a, b, c, d, rest @ ..] = key.0;
        let set = u32::from_le_bytes([a, b, c, d]) as usize & (self.sets.len() - 1);
        (&mut self.sets[set], rest)
    }
}

/// Hosts met in this process, by origin. Bounded: emptied when full, and asked for again.
#[derive(Default)]
pub(crate) struct Hosts {
    by_origin: std::collections::HashMap<String, HostId>,
}

const HOSTS_MAX: usize = 20_000;

impl Hosts {
    pub(crate) fn get(&self, origin: &str) -> Option<HostId> {
        self.by_origin.get(origin).copied()
    }

    pub(crate) fn put(&mut self, origin: &str, host: HostId) {
        if self.by_origin.len() >= HOSTS_MAX {
            self.by_origin.clear();
        }
        self.by_origin.insert(origin.to_owned(), host);
    }

    pub(crate) fn forget_all(&mut self) {
        self.by_origin.clear();
    }
}

/// A set of row ids as bits: an eighth of a byte each, whatever the size of the crawl.
#[derive(Default)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    pub(crate) fn set(&mut self, id: i64) {
        let (word, bit) = (id as usize / 64, id as usize % 64);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << bit;
    }

    pub(crate) fn has(&self, id: i64) -> bool {
        let (word, bit) = (id as usize / 64, id as usize % 64);
        self.words.get(word).is_some_and(|bits| bits >> bit & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> UrlKey {
        let mut bytes = [0; 16];
        let mixed = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bytes[..8].copy_from_slice(&mixed.to_le_bytes());
        bytes[8..].copy_from_slice(&mixed.rotate_left(29).to_le_bytes());
        UrlKey(bytes)
    }

    #[test]
    fn the_table_grows_and_never_names_another_resource() {
        let mut seen = Seen::default();
        let mut found = 0;
        for number in 1..60_000_u64 {
            let resource = ResourceId(number as i64);
            let known = Known {
                resource,
                is_taken: number % 3 == 0,
            };
            seen.put(key(number), known);
            assert_eq!(seen.get(&key(number)).map(|known| known.resource), Some(resource));
        }
        for number in 1..120_000_u64 {
            if let Some(known) = seen.get(&key(number)) {
                assert_eq!(known.resource.0, number as i64);
                assert_eq!(known.is_taken, number % 3 == 0);
                found += 1;
            }
        }
        // It grew twice, and what came before was forgotten then.
        assert!(found > 15_000, "{found} of 59,999 are remembered");
        assert!(seen.sets.len() > SETS_MIN && seen.sets.len() <= SETS_MAX);
        seen.forget_all();
        assert!(seen.get(&key(59_999)).is_none());
    }
}
