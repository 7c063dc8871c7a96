//! What can be said of each block of a page in numbers? In: the tree, its blocks and what elements say of themselves. Out:
//! a row of numbers a block, for the model.
//!
//! Three files: [`text`] looks at the words of a block by themselves, [`place`] at where it stands in the tree, [`page`] at
//! the page as a whole. The same code makes the rows for training and for reading, so they cannot drift apart.

mod around;
mod hashes;
pub(super) mod page;
pub(super) mod place;
pub(super) mod text;

use super::super::blocks::Draft;
use super::super::tags::Tag;
use super::super::tree::Tree;
use super::hints::Hints;
use super::lexicon::{self, Lexicon, Topic};
use super::names::Names;
use super::rules::Ruled;
use gleaner_model::BlockKind;
use place::Places;
use std::collections::HashMap;
use std::ops::Range;
use text::{Scales, TextFacts, Weighed};

/// Numbers in a row.
pub const WIDTH: usize = 127;
/// Numbers in a row once it is known how likely each block is by itself.
pub const WIDE: usize = WIDTH + around::EXTRA;

/// Everything that rows are made of, read once a page.
pub(super) struct Facts<'a> {
    pub(super) tree: &'a Tree,
    pub(super) drafts: &'a [Draft],
    pub(super) names: &'a Names,
    pub(super) hints: &'a Hints,
    pub(super) ruled: &'a Ruled,
    pub(super) texts: Vec<TextFacts>,
    hashes: hashes::Hashes,
    pub(super) places: Places,
    /// The heading above each block, if any.
    pub(super) headings: Vec<Option<usize>>,
    /// The heading that each heading stands below, if any.
    above: Vec<Option<usize>>,
    /// Sums of words and linked words up to each block.
    words: Vec<f32>,
    linked: Vec<f32>,
    prose: Vec<f32>,
    stops: Vec<f32>,
    /// The nearest two elements around each block that hold clearly more.
    holders: Vec<[Range<usize>; 2]>,
    /// Blocks with equal paths are of one group.
    groups: Vec<usize>,
    group_count: usize,
}

impl<'a> Facts<'a> {
    pub(super) fn read(
        tree: &'a Tree,
        drafts: &'a [Draft],
        names: &'a Names,
        hints: &'a Hints,
        ruled: &'a Ruled,
    ) -> Facts<'a> {
        let (texts, hashes) = text::read(tree, drafts);
        let sums = |value: &dyn Fn(usize) -> f32| {
            let mut sums = Vec::with_capacity(drafts.len() + 1);
            let mut sum = 0.0;
            sums.push(sum);
            for index in 0..drafts.len() {
                sum += value(index);
                sums.push(sum);
            }
            sums
        };
        let places = Places::read(tree, drafts);
        let holders = drafts
            .iter()
            .map(|draft| holders(tree, &places, draft.owner))
            .collect();
        let (groups, group_count) = groups(drafts);
        Facts {
            holders,
            groups,
            group_count,
            words: sums(&|at| texts[at].counted),
            linked: sums(&|at| texts[at].counted * in_eighths(texts[at].link_share)),
            prose: sums(&|at| {
                if texts[at].is_prose {
                    texts[at].counted
                } else {
                    0.0
                }
            }),
            stops: sums(&|at| texts[at].counted * in_eighths(texts[at].stop_share)),
            places,
            headings: headings(drafts),
            above: above(drafts, &texts),
            tree,
            drafts,
            names,
            hints,
            ruled,
            texts,
            hashes,
        }
    }

    /// A row for each block, one after the other. `kinds` says how likely the page is of each type.
    pub(super) fn rows(&self, lexicon: &Lexicon, kinds: &[f32]) -> Vec<f32> {
        let scales = &Scales {
            lexicon,
            uses: lexicon::uses(kinds),
        };
        let named = Places::named(self.tree, scales);
        let page = page::shares(self);
        let grouped = self.grouped();
        let first_heading = self
            .drafts
            .iter()
            .zip(&self.texts)
            .position(|(draft, text)| draft.kind == BlockKind::Heading && text.level == 1);
        let first_path = first_heading.map(|first| self.path_of(first));
        let ruled: Vec<usize> = (0..self.drafts.len())
            .filter(|at| self.ruled.is_main[*at])
            .collect();
        let span = (ruled.first().copied(), ruled.last().copied());
        let mut rows = Vec::with_capacity(self.drafts.len() * WIDTH);
        for at in 0..self.drafts.len() {
            let before = rows.len();
            self.own(at, scales, &mut rows);
            self.place(at, &named, &mut rows);
            rows.extend(grouped[self.groups[at]]);
            let near = [self.groups.get(at.wrapping_sub(1)), self.groups.get(at + 1)];
            rows.extend(near.map(|near| f32::from(u8::from(near == Some(&self.groups[at])))));
            self.headed(at, scales, first_heading, &mut rows);
            rows.extend(self.headed_far(at, scales));
            rows.extend(self.near(at, first_path.as_deref()));
            self.around(at, &mut rows);
            self.ruled(at, span, &mut rows);
            rows.extend_from_slice(&page);
            rows.extend_from_slice(kinds);
            debug_assert_eq!(
                rows.len() - before,
                WIDTH,
                "a row has the width that is announced"
            );
        }
        rows
    }

    /// Blocks with equal paths, ordinals left out, are of one group.
    pub(super) fn group(&self, at: usize) -> usize {
        self.groups[at]
    }

    /// The first block behind the element that holds the block's own element.
    pub(super) fn end_of_parent(&self, at: usize) -> usize {
        let parent = self.tree.node(self.drafts[at].owner).parent;
        if parent < self.tree.len() {
            self.places.blocks(self.tree, parent).end
        } else {
            self.drafts.len()
        }
    }

    fn own(&self, at: usize, scales: &Scales<'_>, row: &mut Vec<f32>) {
        let (draft, text) = (&self.drafts[at], &self.texts[at]);
        let label = scales.weigh(&draft.text, text.words, Topic::Label);
        let lead = scales.weigh_lead(&draft.text, text.words);
        row.extend([
            text.words.ln_1p(),
            text.word_length,
            text.link_share,
            text.stop_share,
            text.ends,
            text.last,
            text.commas,
            text.digits,
            text.capitals,
            kind_number(draft.kind),
            f32::from(text.level),
            draft.links.len() as f32,
            f32::from(text.symbol),
            text.year,
            label.mean,
            label.least,
            label.greatest,
            label.used,
            text.copies,
            text.copy,
            text.in_title,
            text.echoed,
            text.shouted,
            text.linked_data,
            lead.mean,
            lead.least,
            lead.used,
        ]);
    }

    fn place(&self, at: usize, named: &[place::Named], row: &mut Vec<f32>) {
        let owner = self.drafts[at].owner as usize;
        let place = &self.places.of[owner];
        row.extend(place.numbers());
        row.extend(named[owner].numbers());
        let hints = [
            f32::from(u8::from(self.hints.is_aside(owner as u32))),
            f32::from(u8::from(self.hints.is_beside(owner as u32))),
        ];
        row.extend(hints);
        let all = self.words[self.drafts.len()].max(1.0);
        for range in &self.holders[at] {
            let words = self.words[range.end] - self.words[range.start];
            let linked = self.linked[range.end] - self.linked[range.start];
            row.extend([words / all, linked / words.max(1.0), (range.len() as f32).ln_1p()]);
        }
        let mut large = [0.0f32, 0.0];
        for (steps, up) in self.tree.upwards(owner as u32).enumerate() {
            let range = self.places.blocks(self.tree, up);
            let share = (self.words[range.end] - self.words[range.start]) / all;
            if share >= 0.4 {
                large = [steps as f32, share];
                break;
            }
        }
        row.extend(large);
        row.extend(self.article(owner as u32, all));
        let records = self.places.records(self.tree, owner as u32);
        for record in records {
            let words = self.words[record.blocks.end] - self.words[record.blocks.start];
            let linked = self.linked[record.blocks.end] - self.linked[record.blocks.start];
            let count = record.count.max(1) as f32;
            row.extend([
                (record.count as f32).ln_1p(),
                (words / count).ln_1p(),
                linked / words.max(1.0),
                words / all,
            ]);
        }
    }

    /// Of the nearest article around a node: how much of the page it holds, and which of its siblings it is.
    fn article(&self, owner: u32, all: f32) -> [f32; 2] {
        let is_article = |up: &u32| self.tree.tag(*up) == Some(Tag::Article);
        let Some(article) = self.tree.upwards(owner).find(is_article) else {
            return [-1.0, 0.0];
        };
        let range = self.places.blocks(self.tree, article);
        let share = (self.words[range.end] - self.words[range.start]) / all;
        [share, self.places.ordinal(article).min(10) as f32]
    }

    /// Of each group of equal paths: how much of the page it holds, in how many blocks, how much of it is linked.
    fn grouped(&self) -> Vec<[f32; 4]> {
        let mut sums = vec![[0.0f32; 3]; self.group_count];
        for (at, group) in self.groups.iter().enumerate() {
            let [words, linked, count] = &mut sums[*group];
            *words += self.texts[at].counted;
            *linked += self.texts[at].counted * in_eighths(self.texts[at].link_share);
            *count += 1.0;
        }
        let all = self.words[self.drafts.len()].max(1.0);
        let shares = |[words, linked, count]: [f32; 3]| {
            [
                words / all,
                linked / words.max(1.0),
                count.ln_1p(),
                (words / count.max(1.0)).ln_1p(),
            ]
        };
        sums.into_iter().map(shares).collect()
    }

    fn headed(&self, at: usize, scales: &Scales<'_>, first: Option<usize>, row: &mut Vec<f32>) {
        let all = self.words[self.drafts.len()].max(1.0);
        let heading = self.headings[at];
        let (weight, distance, level) = match heading {
            Some(above) => {
                let (text, words) = (&self.drafts[above].text, self.texts[above].words);
                let distance = (at - above) as f32;
                let level = f32::from(self.texts[above].level);
                (scales.weigh(text, words, Topic::Heading), distance.ln_1p(), level)
            }
            None => (Weighed::default(), -1.0, 0.0),
        };
        let since_first = match first {
            Some(first) if at >= first => (self.words[at] - self.words[first]).ln_1p(),
            Some(_) => -1.0,
            None => -2.0,
        };
        let before_first = match first {
            Some(first) if at < first => (first - at) as f32,
            _ => 0.0,
        };
        row.extend([
            weight.mean,
            weight.least,
            weight.used,
            distance,
            level,
            since_first,
            before_first.ln_1p(),
            at as f32 / self.drafts.len() as f32,
            self.words[at] / all,
            (self.words[self.drafts.len()] - self.words[at + 1]) / all,
            (self.prose[self.drafts.len()] - self.prose[at + 1]).ln_1p(),
        ]);
    }

    /// What the headings over the heading above say: least and last weight, and how many there are.
    fn headed_far(&self, at: usize, scales: &Scales<'_>) -> [f32; 3] {
        let mut far = [0.0f32; 3];
        let mut next = self.headings[at].and_then(|heading| self.above[heading]);
        while let Some(above) = next.filter(|_| far[2] < 6.0) {
            let words = self.texts[above].words;
            let weight = scales.weigh(&self.drafts[above].text, words, Topic::Heading).used;
            far = [far[0].min(weight), weight, far[2] + 1.0];
            next = self.above[above];
        }
        far
    }

    /// The elements around a block, the innermost first.
    fn path_of(&self, at: usize) -> Vec<u32> {
        self.tree.upwards(self.drafts[at].owner).collect()
    }

    /// How much of the page stands in the smallest element that holds a block and another one, whose path is given, and how
    /// many steps above the other one it is.
    fn near(&self, at: usize, other: Option<&[u32]>) -> [f32; 2] {
        let Some(other) = other else {
            return [-1.0; 2];
        };
        let all = self.words[self.drafts.len()].max(1.0);
        let both = self.both(at, other);
        let range = both.map_or(0..self.drafts.len(), |(both, _)| {
            self.places.blocks(self.tree, both)
        });
        let words = self.words[range.end] - self.words[range.start];
        [words / all, both.map_or(other.len(), |(_, steps)| steps) as f32]
    }

    /// The smallest element that holds a block and another one, whose path is given, and its place in that path.
    fn both(&self, at: usize, other: &[u32]) -> Option<(u32, usize)> {
        // Parents come before their children, so the path falls.
        let place = |up: u32| other.binary_search_by(|one| up.cmp(one)).ok();
        let mut around = self.tree.upwards(self.drafts[at].owner);
        around.find_map(|up| place(up).map(|steps| (up, steps)))
    }

    /// The blocks before and behind it.
    fn around(&self, at: usize, row: &mut Vec<f32>) {
        for neighbour in [at.checked_sub(1), Some(at + 1)] {
            let neighbour = neighbour.filter(|at| *at < self.drafts.len());
            row.extend(neighbour.map_or([-1.0; 4], |near| {
                [
                    self.texts[near].counted.ln_1p(),
                    in_eighths(self.texts[near].link_share),
                    kind_number(self.drafts[near].kind),
                    f32::from(u8::from(self.ruled.is_main[near])),
                ]
            }));
        }
        for reach in [2usize, 6] {
            let from = at.saturating_sub(reach);
            let to = (at + reach + 1).min(self.drafts.len());
            let words = (self.words[to] - self.words[from]).max(1.0);
            row.extend([
                words.ln_1p(),
                (self.linked[to] - self.linked[from]) / words,
                (self.prose[to] - self.prose[from]) / words,
                (self.stops[to] - self.stops[from]) / words,
            ]);
        }
    }

    /// What the rules say, and how far it is from what they take.
    fn ruled(&self, at: usize, span: (Option<usize>, Option<usize>), row: &mut Vec<f32>) {
        let flag = |is: bool| f32::from(u8::from(is));
        let outside = match span {
            (Some(first), _) if at < first => -((first - at) as f32).ln_1p(),
            (_, Some(last)) if at > last => ((at - last) as f32).ln_1p(),
            (None, _) => -9.0,
            _ => 0.0,
        };
        row.extend([
            flag(self.ruled.is_main[at]),
            flag(self.ruled.is_frame[at]),
            flag(self.ruled.in_region[at]),
            flag(self.ruled.is_prose),
            outside,
        ]);
    }
}

/// A share as it counts beside others.
fn in_eighths(share: f32) -> f32 {
    (share * 8.0).round() / 8.0
}

fn kind_number(kind: BlockKind) -> f32 {
    match kind {
        BlockKind::Other => 0.0,
        BlockKind::Item => 1.0,
        BlockKind::Row => 2.0,
        BlockKind::Code => 3.0,
        BlockKind::Paragraph => 4.0,
        BlockKind::Heading => 5.0,
    }
}

fn holders(tree: &Tree, places: &Places, owner: u32) -> [Range<usize>; 2] {
    let mut holders = [0..0, 0..0];
    let mut found = 0;
    let mut blocks_before = 1;
    for up in tree.upwards(owner) {
        let range = places.blocks(tree, up);
        if range.len() > blocks_before {
            blocks_before = range.len() * 2;
            holders[found] = range;
            found += 1;
            if found == holders.len() {
                break;
            }
        }
    }
    holders
}

/// Numbers the blocks by their paths, ordinals left out.
fn groups(drafts: &[Draft]) -> (Vec<usize>, usize) {
    let mut known: HashMap<u64, usize, foldhash::fast::FixedState> = HashMap::default();
    let mut groups = Vec::with_capacity(drafts.len());
    for draft in drafts {
        let mut path = hashes::SEED;
        let mut is_ordinal = false;
        for byte in draft.path.bytes() {
            match byte {
                b'[' => is_ordinal = true,
                b']' => is_ordinal = false,
                b'~' => break,
                _ if !is_ordinal => path = hashes::mixed(path, u64::from(byte)),
                _ => {}
            }
        }
        let next = known.len();
        groups.push(*known.entry(path).or_insert(next));
    }
    (groups, known.len())
}

/// For each heading the last one before it that is greater.
fn above(drafts: &[Draft], texts: &[TextFacts]) -> Vec<Option<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut above = vec![None; drafts.len()];
    for (at, draft) in drafts.iter().enumerate() {
        if draft.kind == BlockKind::Heading {
            while open
                .pop_if(|last| texts[*last].level >= texts[at].level)
                .is_some()
            {}
            above[at] = open.last().copied();
            open.push(at);
        }
    }
    above
}

/// The last heading at or above each block.
fn headings(drafts: &[Draft]) -> Vec<Option<usize>> {
    let mut last = None;
    drafts
        .iter()
        .enumerate()
        .map(|(at, draft)| {
            let above = last;
            if draft.kind == BlockKind::Heading {
                last = Some(at);
            }
            if draft.kind == BlockKind::Heading {
                Some(at)
            } else {
                above
            }
        })
        .collect()
}
