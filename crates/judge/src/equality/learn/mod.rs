//! What is noise on this site? Learned from fetches made seconds apart: what differs then says nothing (B6, HC088).
//!
//! In: pairs of contents of one page, fetched back to back ([`Learned::observe_pair`]), and ordinary visits
//! ([`Learned::observe_visit`]). Out: per template a [`Known`], which tells whether a difference is the usual noise.
//!
//! The one idea: a place is learned as narrowly as its noise allows. From narrow to wide: a slot of numbers between two
//! words of a block, a parameter of link targets, a block that holds other text each time, a list whose items rotate.
//!
//! Never learned away: headings, the words of a block (or list) with more than a quarter of the main text, a user's
//! region.

mod anchors;
mod beta;
mod leaf;
mod pair;
mod place;
mod template;
mod volatile;

pub use template::{Template, template_of};
pub use volatile::{Standing, Volatile};

use super::kinds::main_text::{is_watched, watched};
use super::link;
use crate::diff::{Change, ChangeKind, changes};
use anchors::Anchors;
use gleaner_model::{Block, BlockKind, Content};
use leaf::{Leaf, skeleton};
use pair::{Differed, Present, settle, varying_containers};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Templates remembered per site; the one learned from longest ago goes first.
const TEMPLATES_MAX: usize = 200;
/// Places remembered per template and sort.
const PLACES_MAX: usize = 400;
/// A block with more than one part in this many of the main text is never learned away.
const MAIN_SHARE: usize = 4;

/// What was learned about one site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Learned {
    templates: Vec<(Template, Known)>,
}

impl Learned {
    /// Two fetches of one page within seconds.
    pub fn observe_pair(&mut self, template: &Template, first: &Content, second: &Content) {
        self.entry(template).observe_pair(first, second);
    }

    /// Two visits of one page, however far apart: only numbers in link texts are learned from these.
    pub fn observe_visit(&mut self, template: &Template, before: &Content, now: &Content) {
        self.entry(template).observe_visit(before, now);
    }

    pub fn known(&self, template: &Template) -> Option<&Known> {
        self.templates
            .iter()
            .find(|(known, _)| known.is_same(template))
            .map(|(_, known)| known)
    }

    /// All templates with what is known of them.
    pub fn templates(&self) -> impl Iterator<Item = (&Template, &Known)> {
        self.templates.iter().map(|(template, known)| (template, known))
    }

    fn entry(&mut self, template: &Template) -> &mut Known {
        let found = self
            .templates
            .iter()
            .position(|(known, _)| known.is_same(template));
        let at = found.unwrap_or_else(|| {
            if self.templates.len() >= TEMPLATES_MAX {
                self.templates.remove(0);
            }
            self.templates.push((template.clone(), Known::default()));
            self.templates.len() - 1
        });
        &mut self.templates[at].1
    }
}

type Places = BTreeMap<String, Volatile>;

/// What was learned about one template.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Known {
    /// Pairs of fetches so far.
    pairs: u32,
    /// By block path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    blocks: Places,
    /// By the masked text and the tags around it, for pages whose class names vary.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    skeletons: Places,
    /// By the path of what holds several blocks that vary together.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    containers: Places,
    /// By the slot of link targets (`?name`, `;name`, `/place`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    links: Places,
    #[serde(default, skip_serializing_if = "Anchors::is_empty")]
    anchors: Anchors,
}

/// The size of the text that counts, in bytes.
pub fn watched_bytes(content: &Content) -> usize {
    watched(content).map(|block| block.text.len()).sum()
}

impl Known {
    /// Pairs of fetches that were learned from.
    pub fn pairs(&self) -> u32 {
        self.pairs
    }

    /// Places that differed at least once, with what is held of them.
    pub fn places(&self) -> impl Iterator<Item = (&str, Standing)> {
        let all = [&self.blocks, &self.containers, &self.links];
        all.into_iter()
            .flatten()
            .map(|(path, place)| (path.as_str(), place.standing()))
    }

    fn observe_pair(&mut self, first: &Content, second: &Content) {
        let found = changes(&first.blocks, &second.blocks);
        let main = watched_bytes(first).max(watched_bytes(second));
        let mut seen = Differed::default();
        for change in &found {
            let (before, now) = (
                change.before.map(|at| &first.blocks[at]),
                change.after.map(|at| &second.blocks[at]),
            );
            if change.kind == ChangeKind::Link {
                seen.add_links(before, now);
            } else {
                seen.add_block(before, now, main);
            }
        }
        seen.containers = varying_containers(&found, first, second, main);
        let clean = self.pairs;
        let present = Present::of(first, second);
        settle(&mut self.blocks, seen.blocks, clean, |path| {
            present.paths.contains(path)
        });
        settle(&mut self.skeletons, seen.skeletons, clean, |key| {
            present.skeletons.contains(key)
        });
        settle(&mut self.containers, seen.containers, clean, |path| {
            present.containers.contains(path)
        });
        settle(&mut self.links, seen.links, clean, |_| present.has_links);
        self.pairs = self.pairs.saturating_add(1);
    }

    fn observe_visit(&mut self, before: &Content, now: &Content) {
        let found = changes(&before.blocks, &now.blocks);
        let both = |change: &Change| Some((&before.blocks[change.before?], &now.blocks[change.after?]));
        let touched: HashSet<usize> = found.iter().filter_map(|change| change.after).collect();
        let kept = now
            .blocks
            .iter()
            .enumerate()
            .filter(|(at, _)| !touched.contains(at))
            .map(|(_, block)| block);
        let changed = found
            .iter()
            .filter(|change| change.kind == ChangeKind::Change)
            .filter_map(both);
        self.anchors.observe(changed, kept);
    }

    /// Why a difference is the usual noise; `None` if it is not. `main_bytes` is the page's [`watched_bytes`].
    pub fn excuses(
        &self,
        before: &Content,
        now: &Content,
        main_bytes: usize,
        change: &Change,
    ) -> Option<String> {
        let (old, new) = (
            change.before.map(|at| &before.blocks[at]),
            change.after.map(|at| &now.blocks[at]),
        );
        if change.kind == ChangeKind::Link {
            return self
                .covers_links(old?, new?)
                .then(|| "volatile parameters of link targets".to_owned());
        }
        let leaf = leaf_of(old, new);
        if !is_learnable(old, &leaf, main_bytes) || !is_learnable(new, &leaf, main_bytes) {
            return None;
        }
        let links_agree = leaf.is_text || old.zip(new).is_none_or(|(old, new)| self.covers_links(old, new));
        let paths = || [new, old].into_iter().flatten().map(|block| block.path.as_str());
        let of_block = paths()
            .filter_map(|path| self.blocks.get(path))
            .find(|place| place.covers(&leaf));
        if let Some(place) = of_block.filter(|_| links_agree) {
            return Some(place.why(&leaf));
        }
        let of_skeleton = || {
            let key = skeleton_key(old?, new?)?;
            self.skeletons.get(&key).filter(|place| place.covers(&leaf))
        };
        if let Some(place) = of_skeleton().filter(|_| links_agree) {
            return Some(place.why(&leaf));
        }
        let mut around = paths()
            .flat_map(place::containers)
            .filter_map(|path| self.containers.get(path));
        if around.any(|place| {
            place.covers(&Leaf {
                is_text: true,
                ..leaf.clone()
            })
        }) {
            return Some("volatile list: its items rotate".to_owned());
        }
        let is_anchor = old
            .zip(new)
            .is_some_and(|(old, new)| self.anchors.covers(old, new));
        is_anchor.then(|| "the number of a link text, which moves between visits".to_owned())
    }

    /// Whether the targets agree but for slots known to vary.
    fn covers_links(&self, before: &Block, now: &Block) -> bool {
        let is_known = |slot: &String| {
            self.links
                .get(slot)
                .is_some_and(|place| place.standing() == Standing::Volatile)
        };
        let images_agree = || before.images == now.images || is_known(&pair::image_slot(now));
        before.links.len() == now.links.len()
            && images_agree()
            && before.links.iter().zip(&now.links).all(|(before, now)| {
                link::same(before, now)
                    || link::differing_slots(before, now).is_some_and(|slots| slots.iter().all(is_known))
            })
    }
}

/// Whether such a difference of a block may be learned at all. A slot of numbers may also move in a large block: the
/// rest of it stays watched.
fn is_learnable(block: Option<&Block>, leaf: &Leaf, main_bytes: usize) -> bool {
    block.is_none_or(|block| {
        let is_large = is_watched(block) && block.text.len() * MAIN_SHARE > main_bytes;
        block.kind != BlockKind::Heading && !(leaf.is_text && is_large)
    })
}

/// How two blocks differ; what came, went or moved differs wholly.
fn leaf_of(before: Option<&Block>, now: Option<&Block>) -> Leaf {
    let text = |block: Option<&Block>| block.map_or("", |block| block.text.as_str()).to_owned();
    let (old, new) = (text(before), text(now));
    if old == new {
        return Leaf {
            is_text: true,
            slots: Vec::new(),
            likeness: 0,
        };
    }
    Leaf::between(&old, &new)
}

fn skeleton_key(before: &Block, now: &Block) -> Option<String> {
    let masked = skeleton(&before.text)?;
    (skeleton(&now.text) == Some(masked)).then(|| key_of(masked, now))
}

fn key_of(masked: u64, block: &Block) -> String {
    format!("{:016x}", masked ^ xxh3_64(place::tags(&block.path).as_bytes()))
}
