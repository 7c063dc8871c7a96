//! What differed in one pair of fetches, and what did not though it was there? In: two contents and their changes. Out:
//! the places, by sort, counted into what is known.

use super::leaf::{Leaf, skeleton};
use super::place::{self, Names, steady};
use super::region::{Seen, regions};
use super::volatile::{LIKENESS_OTHER, Standing, Volatile};
use super::{PLACES_MAX, Places, TITLE, is_learnable, key_of, leaf_of, skeleton_key, watched_bytes};
use crate::diff::{Change, ChangeKind};
use crate::equality::kinds::main_text::is_watched;
use crate::equality::link;
use gleaner_model::{Block, BlockKind, Content};
use std::collections::{HashMap, HashSet};

/// Places that differed in one pair, each once.
#[derive(Default)]
pub(super) struct Differed {
    pub(super) blocks: HashMap<String, Leaf>,
    pub(super) skeletons: HashMap<String, Leaf>,
    pub(super) regions: HashMap<String, Leaf>,
    pub(super) links: HashMap<String, Leaf>,
}

impl Differed {
    pub(super) fn between(first: &Content, second: &Content, found: &[Change], unstable: &Names) -> Differed {
        let main = watched_bytes(first).max(watched_bytes(second));
        let mut seen = Differed::default();
        // How alike the blocks of both sides are to what they were, where they differ in more than slots.
        let mut differs = [vec![None; first.blocks.len()], vec![None; second.blocks.len()]];
        for change in found {
            let (before, now) = (
                change.before.map(|at| &first.blocks[at]),
                change.after.map(|at| &second.blocks[at]),
            );
            if change.kind == ChangeKind::Link {
                seen.add_links(before, now, unstable);
                continue;
            }
            let leaf = leaf_of(before, now);
            if leaf.is_text && leaf.likeness <= LIKENESS_OTHER {
                for (side, at) in differs.iter_mut().zip([change.before, change.after]) {
                    if let Some(at) = at {
                        side[at] = Some(leaf.likeness);
                    }
                }
            }
            seen.add_block(before, now, &leaf, main, unstable);
        }
        let title = Leaf::between(&first.title, &second.title);
        if first.title != second.title && !title.is_text {
            seen.blocks.insert(TITLE.to_owned(), title);
        }
        seen.regions = varying_regions([first, second], &differs, main, unstable);
        seen
    }

    fn add_block(
        &mut self,
        before: Option<&Block>,
        now: Option<&Block>,
        leaf: &Leaf,
        main_bytes: usize,
        unstable: &Names,
    ) {
        if !is_learnable(before, leaf, main_bytes) || !is_learnable(now, leaf, main_bytes) {
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
            self.blocks
                .insert(steady(&block.path, unstable).into_owned(), leaf.clone());
        }
    }

    fn add_links(&mut self, before: Option<&Block>, now: Option<&Block>, unstable: &Names) {
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
            self.links.insert(image_slot(now, unstable), leaf);
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
pub(super) fn image_slot(block: &Block, unstable: &Names) -> String {
    format!("image {}", steady(&block.path, unstable))
}

fn varying_regions(
    sides: [&Content; 2],
    differs: &[Vec<Option<u8>>; 2],
    main: usize,
    unstable: &Names,
) -> HashMap<String, Leaf> {
    let blocks = || sides.iter().flat_map(|side| &side.blocks);
    let paths: Vec<_> = blocks().map(|block| steady(&block.path, unstable)).collect();
    let seen: Vec<Seen<'_>> = blocks()
        .zip(&paths)
        .zip(differs.iter().flatten())
        .map(|((block, path), differs)| Seen {
            path,
            bytes: if is_watched(block) { block.text.len() } else { 0 },
            differs: *differs,
            is_heading: block.kind == BlockKind::Heading && block.links.is_empty(),
        })
        .collect();
    regions(&seen, main)
}

/// What a pair of contents holds, to tell "did not differ" from "was not there".
pub(super) struct Present {
    pub(super) paths: HashSet<String>,
    pub(super) skeletons: HashSet<String>,
    pub(super) regions: HashSet<String>,
    pub(super) has_links: bool,
}

impl Present {
    pub(super) fn of(first: &Content, second: &Content, unstable: &Names) -> Present {
        let blocks = || first.blocks.iter().chain(&second.blocks);
        let paths: HashSet<String> = blocks()
            .map(|block| steady(&block.path, unstable).into_owned())
            .chain([TITLE.to_owned()])
            .collect();
        Present {
            skeletons: blocks()
                .filter_map(|block| Some(key_of(skeleton(&block.text)?)))
                .collect(),
            regions: paths
                .iter()
                .flat_map(|path| place::groups(path))
                .map(str::to_owned)
                .collect(),
            paths,
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
