//! What differed in one pair of fetches, and what did not though it was there? In: two contents and their changes. Out:
//! the places, by sort, counted into what is known.

use super::leaf::{Leaf, skeleton};
use super::volatile::{Standing, Volatile};
use super::{MAIN_SHARE, PLACES_MAX, Places, is_learnable, key_of, leaf_of, place, skeleton_key};
use crate::diff::{Change, ChangeKind};
use crate::equality::kinds::main_text::is_watched;
use crate::equality::link;
use gleaner_model::{Block, Content};
use std::collections::{HashMap, HashSet};

/// Places that differed in one pair, each once.
#[derive(Default)]
pub(super) struct Differed {
    pub(super) blocks: HashMap<String, Leaf>,
    pub(super) skeletons: HashMap<String, Leaf>,
    pub(super) containers: HashMap<String, Leaf>,
    pub(super) links: HashMap<String, Leaf>,
}

impl Differed {
    pub(super) fn add_block(&mut self, before: Option<&Block>, now: Option<&Block>, main_bytes: usize) {
        let leaf = leaf_of(before, now);
        if !is_learnable(before, &leaf, main_bytes) || !is_learnable(now, &leaf, main_bytes) {
            return;
        }
        if let Some(key) = before
            .zip(now)
            .and_then(|(before, now)| skeleton_key(before, now))
            && !leaf.is_text
        {
            self.skeletons.insert(key, leaf.clone());
        }
        for block in [before, now].into_iter().flatten() {
            self.blocks.insert(block.path.clone(), leaf.clone());
        }
    }

    pub(super) fn add_links(&mut self, before: Option<&Block>, now: Option<&Block>) {
        let Some((before, now)) = before
            .zip(now)
            .filter(|(old, new)| old.links.len() == new.links.len())
        else {
            return;
        };
        if before.images != now.images {
            let leaf = Leaf {
                is_text: true,
                slots: Vec::new(),
                likeness: 0,
            };
            self.links.insert(image_slot(now), leaf);
        }
        for (old, new) in before.links.iter().zip(&now.links) {
            for slot in link::differing_slots(old, new).unwrap_or_default() {
                let leaf = Leaf {
                    is_text: true,
                    slots: Vec::new(),
                    likeness: 0,
                };
                self.links.insert(slot, leaf);
            }
        }
    }
}

/// The place of a block's pictures among the slots of links.
pub(super) fn image_slot(block: &Block) -> String {
    format!("image {}", block.path)
}

/// Elements most of whose blocks differ, if they are not too much of the page.
pub(super) fn varying_containers(
    found: &[Change],
    first: &Content,
    second: &Content,
    main: usize,
) -> HashMap<String, Leaf> {
    let mut differing: HashMap<&str, (usize, u8)> = HashMap::new();
    for change in found.iter().filter(|change| change.kind != ChangeKind::Link) {
        let (before, now) = (
            change.before.map(|at| &first.blocks[at]),
            change.after.map(|at| &second.blocks[at]),
        );
        let likeness = match (change.kind, before, now) {
            (ChangeKind::Change, Some(before), Some(now)) => Leaf::between(&before.text, &now.text).likeness,
            _ => 0,
        };
        let Some(block) = now.or(before) else { continue };
        for path in place::containers(&block.path) {
            let entry = differing.entry(path).or_default();
            entry.0 += 1;
            entry.1 = entry.1.max(likeness);
        }
    }
    let mut inside: HashMap<&str, (usize, usize)> = HashMap::new();
    for block in first.blocks.iter().chain(&second.blocks) {
        for path in place::containers(&block.path) {
            if differing.contains_key(path) {
                let entry = inside.entry(path).or_default();
                entry.0 += 1;
                entry.1 += if is_watched(block) { block.text.len() } else { 0 };
            }
        }
    }
    let varies = |path: &str, count: usize| {
        let (blocks, bytes) = inside.get(path).copied().unwrap_or_default();
        // Both sides were counted: two of five blocks of a side, and bytes twice.
        count >= 2 && count * 5 >= blocks && bytes * MAIN_SHARE <= main * 2
    };
    differing
        .iter()
        .filter(|(path, (count, _))| varies(path, *count))
        .map(|(path, &(_, likeness))| {
            (
                (*path).to_owned(),
                Leaf {
                    is_text: true,
                    slots: Vec::new(),
                    likeness,
                },
            )
        })
        .collect()
}

/// What a pair of contents holds, to tell "did not differ" from "was not there".
pub(super) struct Present {
    pub(super) paths: HashSet<String>,
    pub(super) skeletons: HashSet<String>,
    pub(super) containers: HashSet<String>,
    pub(super) has_links: bool,
}

impl Present {
    pub(super) fn of(first: &Content, second: &Content) -> Present {
        let blocks = || first.blocks.iter().chain(&second.blocks);
        Present {
            paths: blocks().map(|block| block.path.clone()).collect(),
            skeletons: blocks()
                .filter_map(|block| Some(key_of(skeleton(&block.text)?, block)))
                .collect(),
            containers: blocks()
                .flat_map(|block| place::containers(&block.path).map(str::to_owned))
                .collect(),
            has_links: blocks().any(|block| !block.links.is_empty()),
        }
    }
}

/// Counts one pair into the places.
pub(super) fn settle(
    places: &mut Places,
    mut differed: HashMap<String, Leaf>,
    clean: u32,
    is_present: impl Fn(&str) -> bool,
) {
    for (path, place) in places.iter_mut() {
        match differed.remove(path) {
            Some(leaf) => place.differs(&leaf),
            None if is_present(path) => place.stays(),
            None => {}
        }
    }
    let mut new: Vec<(String, Leaf)> = differed.into_iter().collect();
    new.sort_by(|one, other| one.0.cmp(&other.0));
    for (path, leaf) in new {
        if places.len() >= PLACES_MAX {
            break;
        }
        let mut place = Volatile::after_clean(clean);
        place.differs(&leaf);
        places.insert(path, place);
    }
    // What was released and stayed so says nothing any more.
    places.retain(|_, place| place.standing() != Standing::Released);
}
