//! Where a block stands: the elements around it, what they are called, and whether they come again and again.

use super::super::super::blocks::Draft;
use super::super::super::tags::Tag;
use super::super::super::tree::Tree;
use super::super::lexicon::Topic;
use super::super::names::words_of;
use super::text::Scales;
use std::collections::HashMap;
use std::ops::Range;

/// So many equal siblings make records.
const RECORDS_MIN: u32 = 3;

/// The elements around a node, counted by what they are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Place {
    depth: u16,
    nav: u8,
    header: u8,
    footer: u8,
    aside: u8,
    main: u8,
    article: u8,
    section: u8,
    form: u8,
    control: u8,
    table: u8,
    list: u8,
    figure: u8,
    quote: u8,
    definition: u8,
    link: u8,
}

impl Place {
    pub(super) fn numbers(&self) -> [f32; 16] {
        [
            f32::from(self.depth),
            f32::from(self.nav),
            f32::from(self.header),
            f32::from(self.footer),
            f32::from(self.aside),
            f32::from(self.main),
            f32::from(self.article),
            f32::from(self.section),
            f32::from(self.form),
            f32::from(self.control),
            f32::from(self.table),
            f32::from(self.list),
            f32::from(self.figure),
            f32::from(self.quote),
            f32::from(self.definition),
            f32::from(self.link),
        ]
    }
}

/// What the names around a node say, by the lexicon.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Named {
    least: f32,
    greatest: f32,
    sum: f32,
    /// Of the nearest element with a known name, and of those around it, each counting less.
    nearest: f32,
    faded: f32,
    /// The same on pages that are used like this one.
    used_least: f32,
    used_nearest: f32,
    used_faded: f32,
}

impl Named {
    pub(super) fn numbers(&self) -> [f32; 8] {
        [
            self.least,
            self.greatest,
            self.sum,
            self.nearest,
            self.faded,
            self.used_least,
            self.used_nearest,
            self.used_faded,
        ]
    }
}

/// Elements that come again and again beside each other.
pub(super) struct Record {
    pub(super) count: u32,
    /// The blocks of all of them, with what stands between.
    pub(super) blocks: Range<usize>,
}

pub(in crate::content::main_text) struct Places {
    pub(super) of: Vec<Place>,
    /// How many siblings are made like each node.
    equals: Vec<u32>,
    /// Which of them it is, counted from 1.
    ordinals: Vec<u32>,
    /// The most equal children each node has.
    most_below: Vec<u32>,
    /// The first block at or behind each node.
    first_block: Vec<u32>,
}

impl Places {
    pub(super) fn read(tree: &Tree, drafts: &[Draft]) -> Places {
        let mut of: Vec<Place> = Vec::with_capacity(tree.nodes.len());
        let mut shapes: HashMap<(u32, u64), u32, foldhash::fast::FixedState> = HashMap::default();
        let mut keys: Vec<Option<(u32, u64)>> = Vec::with_capacity(tree.nodes.len());
        let mut ordinals = Vec::with_capacity(tree.nodes.len());
        for at in 0..tree.len() {
            let node = tree.node(at);
            let mut place = of.get(node.parent as usize).copied().unwrap_or_default();
            let mut key = None;
            let mut ordinal = 0;
            if let Some(tag) = node.tag {
                place.enter(tag);
                if tag.breaks() && !node.is_hidden {
                    let shape = shape(&node.name, tree.str(node.text));
                    let made = (node.parent, shape);
                    let count = shapes.entry(made).or_default();
                    *count += 1;
                    ordinal = *count;
                    key = Some(made);
                }
            }
            ordinals.push(ordinal);
            keys.push(key);
            of.push(place);
        }
        let equals: Vec<u32> = keys
            .iter()
            .map(|key| key.map_or(0, |key| shapes.get(&key).copied().unwrap_or(0)))
            .collect();
        let mut most_below = vec![0u32; tree.nodes.len()];
        for (node, equals) in tree.nodes.iter().zip(&equals) {
            if let Some(most) = most_below.get_mut(node.parent as usize) {
                *most = (*most).max(*equals);
            }
        }
        let mut first_block = vec![drafts.len() as u32; tree.nodes.len() + 1];
        for (index, draft) in drafts.iter().enumerate().rev() {
            first_block[draft.from.min(tree.len()) as usize] = index as u32;
        }
        for at in (0..tree.nodes.len()).rev() {
            first_block[at] = first_block[at].min(first_block[at + 1]);
        }
        Places {
            of,
            equals,
            ordinals,
            most_below,
            first_block,
        }
    }

    /// The blocks that begin inside an element.
    pub(in crate::content::main_text) fn blocks(&self, tree: &Tree, at: u32) -> Range<usize> {
        let end = tree.node(at).end as usize;
        self.first_block[at as usize] as usize..self.first_block[end] as usize
    }

    /// Which of its equal siblings an element is, counted from 1.
    pub(super) fn ordinal(&self, at: u32) -> u32 {
        self.ordinals[at as usize]
    }

    /// The most equal children an element has.
    pub(super) fn equals_below(&self, tree: &Tree, at: u32) -> u32 {
        self.most_below
            .get(at as usize)
            .copied()
            .unwrap_or(0)
            .min(tree.len())
    }

    /// The nearest records around a node, and the most.
    pub(super) fn records(&self, tree: &Tree, from: u32) -> [Record; 2] {
        let mut nearest: Option<u32> = None;
        let mut most: Option<u32> = None;
        for up in tree.upwards(from) {
            let count = self.equals[up as usize];
            let is_cell = matches!(
                tree.tag(up),
                Some(Tag::Cell | Tag::Term | Tag::Definition | Tag::Paragraph)
            );
            if count < RECORDS_MIN || is_cell {
                continue;
            }
            nearest = nearest.or(Some(up));
            if most.is_none_or(|most| self.equals[most as usize] < count) {
                most = Some(up);
            }
        }
        [nearest, most].map(|found| match found {
            Some(at) => Record {
                count: self.equals[at as usize],
                blocks: self.blocks(tree, tree.node(at).parent),
            },
            None => Record {
                count: 0,
                blocks: 0..0,
            },
        })
    }

    /// What the names around each node say.
    pub(super) fn named(tree: &Tree, scales: &Scales<'_>) -> Vec<Named> {
        let mut named: Vec<Named> = Vec::with_capacity(tree.nodes.len());
        let mut known: HashMap<&str, Option<[f32; 2]>, foldhash::fast::FixedState> = HashMap::default();
        for at in 0..tree.len() {
            let node = tree.node(at);
            let above = named.get(node.parent as usize).copied().unwrap_or_default();
            let mut here = above;
            if node.tag.is_some() && !node.is_hidden {
                let mut heaviest: Option<[f32; 2]> = None;
                for name in names(tree, at) {
                    let found = *known.entry(name).or_insert_with(|| heaviest_of(name, scales));
                    heaviest = heavier(heaviest, found);
                }
                if let Some([weight, used]) = heaviest {
                    here.least = here.least.min(weight);
                    here.greatest = here.greatest.max(weight);
                    here.sum += weight;
                    here.nearest = weight;
                    here.faded = here.faded * 0.5 + weight;
                    here.used_least = here.used_least.min(used);
                    here.used_nearest = used;
                    here.used_faded = here.used_faded * 0.5 + used;
                }
            }
            named.push(here);
        }
        named
    }
}

impl Place {
    fn enter(&mut self, tag: Tag) {
        self.depth = self.depth.saturating_add(1);
        let count = match tag {
            Tag::Nav => &mut self.nav,
            Tag::Header => &mut self.header,
            Tag::Footer => &mut self.footer,
            Tag::Aside => &mut self.aside,
            Tag::Main => &mut self.main,
            Tag::Article => &mut self.article,
            Tag::Section => &mut self.section,
            Tag::Form => &mut self.form,
            Tag::Control | Tag::Dialog => &mut self.control,
            Tag::Table => &mut self.table,
            Tag::List | Tag::OrderedList => &mut self.list,
            Tag::Figure | Tag::Caption => &mut self.figure,
            Tag::Quote => &mut self.quote,
            Tag::DefinitionList => &mut self.definition,
            Tag::Link => &mut self.link,
            _ => return,
        };
        *count = count.saturating_add(1);
    }
}

/// What an element is called: its id, classes, role and property.
fn names(tree: &Tree, at: u32) -> impl Iterator<Item = &str> {
    let node = tree.node(at);
    [node.id, node.text, node.role, node.property]
        .into_iter()
        .map(|span| tree.str(span))
        .filter(|name| !name.is_empty())
}

/// The words of a name that may be known.
fn words(name: &str) -> impl Iterator<Item = &str> {
    // Long lists of utility classes say how a thing looks, not what it is.
    let name = name.get(..300).unwrap_or(name);
    words_of(name).filter(|word| (2..=20).contains(&word.len()))
}

/// The words by which an element is called.
pub(in crate::content::main_text) fn each_name<'a>(tree: &'a Tree, at: u32, mut take: impl FnMut(&'a str)) {
    names(tree, at).flat_map(words).for_each(&mut take);
}

/// The weights that are farthest from nothing among the words of a name: on all pages, and on pages used like this one.
fn heaviest_of(name: &str, scales: &Scales<'_>) -> Option<[f32; 2]> {
    words(name).fold(None, |heaviest, word| {
        let weights = scales.lexicon.weights(Topic::Name, &word.to_ascii_lowercase());
        heavier(
            heaviest,
            weights.map(|weights| [weights.all, weights.on(&scales.uses)]),
        )
    })
}

fn heavier(one: Option<[f32; 2]>, other: Option<[f32; 2]>) -> Option<[f32; 2]> {
    let (Some([all, used]), Some([other_all, other_used])) = (one, other) else {
        return one.or(other);
    };
    let heavier = |a: f32, b: f32| if a.abs() < b.abs() { b } else { a };
    Some([heavier(all, other_all), heavier(used, other_used)])
}

/// How an element is made: its tag and first class.
fn shape(name: &str, class: &str) -> u64 {
    let first = class.split_ascii_whitespace().next().unwrap_or_default();
    let letters = first.bytes().filter(|byte| !byte.is_ascii_digit());
    name.bytes()
        .chain([b'.'])
        .chain(letters)
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
}
