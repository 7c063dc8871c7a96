//! Is a difference between two versions the noise that was learned? In: what is known of the template, and both versions.
//! Out: why a difference does not count, or nothing if it does.

use super::alike::Versions;
use super::leaf::Leaf;
use super::pair::image_slot;
use super::place::{Names, groups, steady};
use super::volatile::{Standing, Volatile};
use super::{LearnedTemplate, Places, TITLE, is_large, is_learnable, leaf_of, skeleton_key};
use crate::diff::{Change, ChangeKind, changes};
use crate::equality::edition::Edition;
use crate::equality::link;
use gleaner_model::{Block, BlockKind, Content};
use std::borrow::Cow;
use std::collections::HashMap;

/// What is known of a template, laid over two versions of a page: their names of ids and classes decide how places are
/// told.
#[derive(Debug)]
pub struct Noise<'a> {
    known: &'a LearnedTemplate,
    before: &'a Content,
    now: &'a Content,
    versions: Versions<'a>,
    /// The size of the text that counts, the larger of both sides.
    main_bytes: usize,
    unstable: Names,
    blocks: HashMap<Cow<'a, str>, &'a Volatile>,
    regions: HashMap<Cow<'a, str>, &'a Volatile>,
}

impl LearnedTemplate {
    /// `main_bytes` is the larger of both sides' [`super::watched_bytes`].
    pub fn over<'a>(&'a self, before: &'a Content, now: &'a Content, main_bytes: usize) -> Noise<'a> {
        let found = changes(&before.blocks, &now.blocks);
        let names = self.names.unstable(before, now, &found);
        let told = |places: &'a Places| {
            let mut told: HashMap<Cow<'a, str>, &'a Volatile> = HashMap::new();
            for (path, place) in places {
                let kept = told.entry(steady(path, &names)).or_insert(place);
                if place.is_surer(kept) {
                    *kept = place;
                }
            }
            told
        };
        Noise {
            blocks: told(&self.blocks),
            regions: told(&self.regions),
            known: self,
            before,
            now,
            versions: Versions::new(before, now),
            main_bytes,
            unstable: names,
        }
    }
}

impl Noise<'_> {
    /// Whether it is known that what is not the site's is the page's own.
    pub fn knows_the_site(&self) -> bool {
        self.known.knows_the_site()
    }

    /// Whether other pages show that the edition is the site's.
    pub(in crate::equality) fn knows_edition(&self, edition: &Edition) -> bool {
        self.known.shared.knows_edition(edition)
    }

    /// Why another title is the usual noise: the part that the site's titles share, or only slots of numbers.
    pub fn excuses_title(&self) -> Option<String> {
        if self.known.shared.is_title_of_the_site(self.before, self.now) {
            return Some("title: the part that the site's titles share".to_owned());
        }
        let leaf = Leaf::between(&self.before.title, &self.now.title);
        let place = self.blocks.get(TITLE)?;
        (!leaf.is_text && place.covers(&leaf)).then(|| place.why(&leaf))
    }

    /// Why a difference is the usual noise; `None` if it is not.
    pub fn excuses(&self, change: &Change) -> Option<String> {
        if self.known.shared.is_of_the_site(&self.versions, change) {
            return Some("frame: changed alike on many pages of the site".to_owned());
        }
        let (old, new) = (
            change.before.map(|at| &self.before.blocks[at]),
            change.after.map(|at| &self.now.blocks[at]),
        );
        let leaf = leaf_of(old, new);
        if change.kind == ChangeKind::Link {
            if self.covers_links(old?, new?) {
                return Some("volatile parameters of link targets".to_owned());
            }
            return self.in_region(old, new, &leaf);
        }
        let links_agree = leaf.is_text || old.zip(new).is_none_or(|(old, new)| self.covers_links(old, new));
        if links_agree
            && is_learnable(old, &leaf, self.main_bytes)
            && is_learnable(new, &leaf, self.main_bytes)
            && let Some(place) = self.place_of(old, new, &leaf)
        {
            return Some(place.why(&leaf));
        }
        if let Some(why) = self.in_region(old, new, &leaf) {
            return Some(why);
        }
        let is_anchor = old
            .zip(new)
            .is_some_and(|(old, new)| self.known.anchors.covers(old, new));
        is_anchor.then(|| "the number of a link text, which moves between visits".to_owned())
    }

    /// The place that is known to differ so, by its path on both sides or by its words.
    fn place_of(&self, old: Option<&Block>, new: Option<&Block>, leaf: &Leaf) -> Option<&Volatile> {
        let by_path = |block: &Block| {
            let place = self.blocks.get(&*steady(&block.path, &self.unstable)).copied();
            place.filter(|place| place.covers(leaf))
        };
        let mut found = [new, old].into_iter().flatten().map(by_path);
        if let Some(Some(place)) = found.next()
            && found.all(|place| place.is_some())
        {
            return Some(place);
        }
        let key = skeleton_key(old?, new?)?;
        self.known.skeletons.get(&key).filter(|place| place.covers(leaf))
    }

    /// Whether what changed stands wholly in regions whose blocks vary.
    fn in_region(&self, old: Option<&Block>, new: Option<&Block>, leaf: &Leaf) -> Option<String> {
        let leaf = Leaf {
            is_text: true,
            slots: Vec::new(),
            likeness: leaf.likeness,
        };
        let is_in = |block: &Block| {
            let path = steady(&block.path, &self.unstable);
            let mut around = groups(&path).filter_map(|path| self.regions.get(path));
            let is_heading = block.kind == BlockKind::Heading && block.links.is_empty();
            // A heading stands in a region of more than headings: not in one of its equals only.
            let skipped = usize::from(is_heading);
            !is_large(block, self.main_bytes)
                && around.by_ref().skip(skipped).any(|place| place.covers(&leaf))
        };
        [old, new]
            .into_iter()
            .flatten()
            .all(is_in)
            .then(|| "volatile region: its blocks come, go and change places".to_owned())
    }

    /// Whether the targets agree but for slots known to vary.
    fn covers_links(&self, before: &Block, now: &Block) -> bool {
        let is_known = |slot: &String| {
            let place = self.known.links.get(slot);
            place.is_some_and(|place| place.standing() == Standing::Volatile)
        };
        let images_agree = || before.images == now.images || is_known(&image_slot(now, &self.unstable));
        before.links.len() == now.links.len()
            && images_agree()
            && before.links.iter().zip(&now.links).all(|(before, now)| {
                link::same(before, now)
                    || link::differing_slots(before, now).is_some_and(|slots| slots.iter().all(is_known))
            })
    }
}
