//! From a URL's key to its resource, mostly without asking the database.
//!
//! Nearly all links of a page lead to URLs met before (menus, popular pages). A fixed table of recent keys answers
//! those; a miss costs one look into the index. The table never grows, so neither does memory (H3).

use gleaner_model::{HostId, ResourceId, UrlKey};

/// Entries; at 40 bytes each this is 5 MiB. A power of two.
const SLOTS: usize = 1 << 17;

#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) resource: ResourceId,
    /// Taken up by the current run already: no need to ask whether to queue it.
    pub(crate) is_taken: bool,
}

pub(crate) struct Seen {
    slots: Vec<Option<(UrlKey, Known)>>,
}

impl Default for Seen {
    fn default() -> Self {
        Seen {
            slots: vec![None; SLOTS],
        }
    }
}

impl Seen {
    pub(crate) fn get(&self, key: &UrlKey) -> Option<Known> {
        match &self.slots[slot(key)] {
            Some((held, known)) if held == key => Some(*known),
            _ => None,
        }
    }

    pub(crate) fn put(&mut self, key: UrlKey, known: Known) {
        self.slots[slot(&key)] = Some((key, known));
    }

    /// A rolled-back transaction took its rows with it.
    pub(crate) fn forget_all(&mut self) {
        self.slots.fill(None);
    }
}

/// The key is a hash already.
fn slot(key: &UrlKey) -> usize {
    let [a, b, c, d, ..] = key.0;
    u32::from_le_bytes([a, b, c, d]) as usize & (SLOTS - 1)
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
