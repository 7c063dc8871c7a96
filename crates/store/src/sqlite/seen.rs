//! From a URL's key to its resource, mostly without asking the database.
//!
//! Nearly all links of a page lead to URLs met before (menus, popular pages). A fixed table of recent keys answers
//! those; a miss costs one look into the index. The table never grows, so neither does memory (H3).

use gleaner_model::{HostId, ResourceId, UrlKey};

/// Sets of entries; a power of two. With [`WAYS`] entries of 16 bytes each this is 8 MiB for half a million URLs.
const SETS: usize = 1 << 17;
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
}

impl Default for Seen {
    fn default() -> Self {
        Seen {
            sets: vec![[Entry::default(); WAYS]; SETS],
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
        let (set, rest) = self.set(&key);
        let way = set.iter().position(|entry| entry.rest == rest);
        set[..=way.unwrap_or(WAYS - 1)].rotate_right(1);
        set[0] = Entry {
            rest,
            packed: (known.resource.0 as u32) << 1 | u32::from(known.is_taken),
        };
    }

    /// A rolled-back transaction took its rows with it.
    pub(crate) fn forget_all(&mut self) {
        self.sets.fill([Entry::default(); WAYS]);
    }

    /// The key is a hash already: some of it chooses the set. Of 128 bits 113 are compared, which is as good as all.
    fn set(&mut self, key: &UrlKey) -> (&mut [Entry; WAYS], [u8; 12]) {
        let [a, b, c, d, rest @ ..] = key.0;
        let set = u32::from_le_bytes([a, b, c, d]) as usize & (SETS - 1);
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
