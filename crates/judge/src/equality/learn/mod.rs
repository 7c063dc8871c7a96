//! What is noise on this site? Learned from fetches made seconds apart: what differs then says nothing (B6, HC088).
//!
//! In: pairs of contents of one page, fetched back to back ([`Learned::observe_pair`]), and ordinary visits
//! ([`Learned::observe_visit`]). Out: per template a [`LearnedTemplate`], which tells whether a difference is the
//! usual noise.
//!
//! The one idea: a place is learned as narrowly as its noise allows. From narrow to wide: a slot of numbers or words
//! between two words of a block, a parameter of link targets, a block that holds other text each time, a region of the
//! page whose blocks come, go and change places. Places are told by paths without the names that a page makes anew for
//! each answer ([`names`]).
//!
//! Never learned away: headings outside of such regions, the words of a block with more than a quarter of the text that
//! counts (or a region with more than a third), a user's region.

mod alike;
mod anchors;
mod beta;
mod leaf;
mod names;
mod noise;
mod pair;
mod place;
mod region;
mod template;
mod volatile;

pub use alike::{PAGES_ENOUGH, may_be_of_the_site};
pub use noise::Noise;
pub use template::{Template, template_of};
pub use volatile::{Standing, Volatile};

use super::kinds::main_text::{is_watched, watched};
use crate::diff::{Change, ChangeKind, changes};
use alike::{Alike, Shared};
use anchors::Anchors;
use gleaner_model::{Block, BlockKind, Content};
use leaf::{Leaf, skeleton};
use names::Naming;
use pair::{Differed, Present, settle};
use place::steady;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Templates remembered per site; the one learned from longest ago goes first.
const TEMPLATES_MAX: usize = 200;
/// Places remembered per template and sort.
const PLACES_MAX: usize = 400;
/// A block with more than one part in this many of the main text is never learned away.
const MAIN_SHARE: usize = 4;
/// Pairs of looks after which a template is known well enough: differences then count at once.
const PAIRS_ENOUGH: u32 = 16;
/// Looks at one page in one run, the first included.
const LOOKS_MAX: u32 = 3;
/// Where the title's slots are learned; no block has this path.
const TITLE: &str = "title";

/// Whether a page that differs from its last version is to be looked at once more. `looks` is the number of looks so far,
/// this one included; `differed` says whether the last two were different; `pairs` is what [`LearnedTemplate::pairs`]
/// says.
pub fn wants_look(looks: u32, differed: bool, pairs: u32) -> bool {
    match looks {
        0 | 1 => pairs < PAIRS_ENOUGH,
        // The two looks differed too: once more, and the places that differ again are noise.
        _ => differed && looks < LOOKS_MAX,
    }
}

/// What was learned about one site.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Learned {
    templates: Vec<(Template, LearnedTemplate)>,
    /// What changed alike on many of its pages.
    #[serde(default, skip_serializing_if = "Alike::is_empty")]
    alike: Alike,
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

    /// A page that differs from its last version, however little; `page` tells it from others.
    pub fn observe_alike(&mut self, page: u64, before: &Content, now: &Content) {
        self.alike.observe(page, before, now);
    }

    /// A page that was asked for and had not changed.
    pub fn note_still(&mut self) {
        self.alike.note_still();
    }

    pub fn known(&self, template: &Template) -> Option<&LearnedTemplate> {
        self.place_of(template).map(|at| &self.templates[at].1)
    }

    /// All that is known for a page of this template: its noise, and what changed on other pages of the site.
    pub fn knowledge(&self, template: &Template) -> LearnedTemplate {
        let mut known = self.known(template).cloned().unwrap_or_default();
        known.shared = self.alike.shared();
        known
    }

    /// All templates with what is known of them.
    pub fn templates(&self) -> impl Iterator<Item = (&Template, &LearnedTemplate)> {
        self.templates.iter().map(|(template, known)| (template, known))
    }

    /// The most alike of the templates that are the same mould.
    fn place_of(&self, template: &Template) -> Option<usize> {
        let alike = self.templates.iter().enumerate();
        alike
            .filter_map(|(at, (known, _))| Some((known.likeness(template)?, at)))
            .max_by_key(|(likeness, at)| (*likeness, std::cmp::Reverse(*at)))
            .map(|(_, at)| at)
    }

    fn entry(&mut self, template: &Template) -> &mut LearnedTemplate {
        let at = self.place_of(template).unwrap_or_else(|| {
            if self.templates.len() >= TEMPLATES_MAX {
                self.templates.remove(0);
            }
            self.templates
                .push((template.clone(), LearnedTemplate::default()));
            self.templates.len() - 1
        });
        let (found, known) = &mut self.templates[at];
        found.refresh(template);
        known
    }
}

type Places = BTreeMap<String, Volatile>;

/// What was learned about one template.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LearnedTemplate {
    /// Pairs of fetches so far.
    pairs: u32,
    /// Names of ids and classes that come and go: no place is told by them.
    #[serde(default, skip_serializing_if = "Naming::is_empty")]
    names: Naming,
    /// By the block's steady path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    blocks: Places,
    /// By the masked text alone, for blocks that stand elsewhere each time.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    skeletons: Places,
    /// By the path of what holds blocks that vary together.
    #[serde(rename = "containers", default, skip_serializing_if = "BTreeMap::is_empty")]
    regions: Places,
    /// By the slot of link targets (`?name`, `;name`, `/place`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    links: Places,
    #[serde(default, skip_serializing_if = "Anchors::is_empty")]
    anchors: Anchors,
    /// What is known of the whole site; given by [`Learned::knowledge`].
    #[serde(skip)]
    shared: Shared,
}

/// The size of the text that counts, in bytes.
pub fn watched_bytes(content: &Content) -> usize {
    watched(content).map(|block| block.text.len()).sum()
}

impl LearnedTemplate {
    /// Pairs of fetches that were learned from.
    pub fn pairs(&self) -> u32 {
        self.pairs
    }

    /// Whether so many pages of the site were seen in this run that what changed on one alone is its own.
    pub fn knows_the_site(&self) -> bool {
        self.shared.knows_enough()
    }

    /// The same as if enough of the site had been seen: what would count then is not sure to be nothing.
    #[must_use]
    pub fn with_the_site(mut self) -> LearnedTemplate {
        self.shared.assume_enough();
        self
    }

    /// The same for what is no page of a site, of which no others tell: every edition is that of all.
    #[must_use]
    pub fn with_all_editions(mut self) -> LearnedTemplate {
        self.shared.assume_editions();
        self
    }

    /// Places that differed at least once, with what is held of them.
    pub fn places(&self) -> impl Iterator<Item = (&str, Standing)> {
        let all = [&self.blocks, &self.regions, &self.links];
        all.into_iter()
            .flatten()
            .map(|(path, place)| (path.as_str(), place.standing()))
    }

    fn observe_pair(&mut self, first: &Content, second: &Content) {
        let found = changes(&first.blocks, &second.blocks);
        self.names.observe(first, second, &found);
        self.rename();
        let unstable = self.names.unstable(first, second, &found);
        let seen = Differed::between(first, second, &found, &unstable);
        let present = Present::of(first, second, &unstable);
        let clean = self.pairs;
        settle(&mut self.blocks, seen.blocks, clean, |path| {
            present.paths.contains(path)
        });
        settle(&mut self.skeletons, seen.skeletons, clean, |key| {
            present.skeletons.contains(key)
        });
        settle(&mut self.regions, seen.regions, clean, |path| {
            present.regions.contains(path)
        });
        settle(&mut self.links, seen.links, clean, |_| present.has_links);
        self.pairs = self.pairs.saturating_add(1);
    }

    /// Tells the places without the names that are known to be lost.
    fn rename(&mut self) {
        for places in [&mut self.blocks, &mut self.regions] {
            for (path, place) in std::mem::take(places) {
                let path = steady(&path, self.names.lost()).into_owned();
                match places.get_mut(&path) {
                    Some(known) => known.join(place),
                    None => {
                        places.insert(path, place);
                    }
                }
            }
        }
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
}

/// Whether such a difference of a block may be learned at all. A slot of numbers may also move in a large block: the
/// rest of it stays watched.
fn is_learnable(block: Option<&Block>, leaf: &Leaf, main_bytes: usize) -> bool {
    block.is_none_or(|block| {
        block.kind != BlockKind::Heading && !(leaf.is_text && is_large(block, main_bytes))
    })
}

fn is_large(block: &Block, main_bytes: usize) -> bool {
    is_watched(block) && block.text.len() * MAIN_SHARE > main_bytes
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
    (skeleton(&now.text) == Some(masked)).then(|| key_of(masked))
}

fn key_of(masked: u64) -> String {
    format!("{masked:016x}")
}
