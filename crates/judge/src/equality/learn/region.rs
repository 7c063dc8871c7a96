//! Which parts of a page hold other blocks each time? In: the steady paths of two looks, and which blocks differ. Out:
//! groups of siblings ([`place::groups`]), as small as what varies allows.
//!
//! The one idea: from each block that differs outwards, as long as what comes in on the way varies too. A list whose
//! items rotate is found as its items, cards as cards, and the paragraph beside them stays outside.

use super::leaf::Leaf;
use super::place;
use std::collections::{HashMap, HashSet};

/// One block of a look.
pub(super) struct Seen<'p> {
    pub(super) path: &'p str,
    /// Bytes of text that count.
    pub(super) bytes: usize,
    /// How alike it is to what stood there before, where it differs in words, moved, came or went.
    pub(super) differs: Option<u8>,
    /// A heading of the page itself, not of a teaser that leads elsewhere.
    pub(super) is_heading: bool,
}

#[derive(Default, Clone, Copy)]
struct Count {
    blocks: usize,
    differing: usize,
    /// Of these, how many are headings.
    headings: usize,
    bytes: usize,
    likeness: u8,
}

/// No region is more than so many elements away from a block that differs.
const LEVELS: usize = 5;
/// A group larger than one part in this many of what counts is no region.
const SHARE: usize = 3;

/// `bytes_max` is the size of what counts on the larger side.
pub(super) fn regions(seen: &[Seen<'_>], bytes_max: usize) -> HashMap<String, Leaf> {
    let mut counts: HashMap<&str, Count> = HashMap::new();
    let differing = || seen.iter().filter(|block| block.differs.is_some());
    for path in differing().flat_map(|block| place::groups(block.path).take(LEVELS)) {
        counts.entry(path).or_default();
    }
    for block in seen {
        for path in place::groups(block.path) {
            let Some(count) = counts.get_mut(path) else {
                continue;
            };
            count.blocks += 1;
            count.bytes += block.bytes;
            count.differing += usize::from(block.differs.is_some());
            count.headings += usize::from(block.differs.is_some() && block.is_heading);
            count.likeness = count.likeness.max(block.differs.unwrap_or(0));
        }
    }
    let mut found = HashMap::new();
    let mut done: HashSet<&str> = HashSet::new();
    for block in differing().filter(|block| done.insert(block.path)) {
        let mut inner = Count::default();
        let mut passed: Vec<&str> = Vec::new();
        for path in place::groups(block.path).take(LEVELS) {
            let count = counts[path];
            let (more, more_differing) = (count.blocks - inner.blocks, count.differing - inner.differing);
            if more == 0 {
                passed.push(path); // Nothing else is in it.
                continue;
            }
            // Of five items that change places two may well stay where they are. Both sides were counted.
            if more_differing * 5 < more * 2 || count.bytes * SHARE > bytes_max * 2 {
                break;
            }
            passed.push(path);
            inner = count;
            if count.headings == count.differing {
                continue; // Headings alone are no region.
            }
            for path in passed.drain(..) {
                found.insert(
                    path.to_owned(),
                    Leaf {
                        is_text: true,
                        slots: Vec::new(),
                        likeness: count.likeness,
                    },
                );
            }
        }
    }
    found
}
