//! The words of an element's id and classes, and which of them say something.
//!
//! Pages use the same few names again and again, so each different one is read once.

use super::super::shape::is_hash_like;
use super::super::tree::Tree;
use super::features::page::KIND_WORDS;
use super::frame::{ENDING_WORDS, FIRM_WORDS, LOOSE_WORDS};
use super::hints::{ASIDE_WORDS, BESIDE_WORDS, MAIN_WORDS, REPLY_WORDS};
use std::collections::HashMap;
use std::sync::OnceLock;

/// A list of words, as a bit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Lists(u16);

impl Lists {
    pub(super) const ASIDE: Lists = Lists(1);
    pub(super) const BESIDE: Lists = Lists(1 << 1);
    pub(super) const REPLY: Lists = Lists(1 << 2);
    pub(super) const MAIN: Lists = Lists(1 << 3);
    pub(super) const FIRM: Lists = Lists(1 << 4);
    pub(super) const ENDING: Lists = Lists(1 << 5);
    pub(super) const LOOSE: Lists = Lists(1 << 6);

    /// The words of a type of page, by its place among the types.
    pub(super) const fn of_kind(kind: usize) -> Lists {
        Lists(1 << (7 + kind))
    }

    pub(super) fn holds(self, list: Lists) -> bool {
        self.0 & list.0 != 0
    }
}

type Known = HashMap<&'static str, Lists, foldhash::fast::FixedState>;

fn known() -> &'static Known {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let mut known = Known::default();
        let lists = [
            (ASIDE_WORDS, Lists::ASIDE),
            (BESIDE_WORDS, Lists::BESIDE),
            (REPLY_WORDS, Lists::REPLY),
            (MAIN_WORDS, Lists::MAIN),
            (FIRM_WORDS, Lists::FIRM),
            (ENDING_WORDS, Lists::ENDING),
            (LOOSE_WORDS, Lists::LOOSE),
        ];
        let kinds = KIND_WORDS.iter().enumerate();
        let kinds = kinds.map(|(kind, words)| (*words, Lists::of_kind(kind)));
        for (words, list) in lists.into_iter().chain(kinds) {
            for word in words {
                known.entry(word).or_default().0 |= list.0;
            }
        }
        known
    })
}

/// In which lists the words of each element's id and classes stand.
pub(super) struct Names {
    of: Vec<Lists>,
}

impl Names {
    pub(super) fn read(tree: &Tree) -> Names {
        let mut read: HashMap<&str, Lists, foldhash::fast::FixedState> = HashMap::default();
        let mut of = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let mut lists = Lists::default();
            if node.tag.is_some() && !node.is_hidden {
                for name in [tree.str(node.id), tree.str(node.text)] {
                    if !name.is_empty() {
                        lists.0 |= read.entry(name).or_insert_with(|| lists_of(name)).0;
                    }
                }
            }
            of.push(lists);
        }
        Names { of }
    }

    /// Whether one of the words of the element's id or classes is in the list.
    pub(super) fn has(&self, at: u32, list: Lists) -> bool {
        self.of[at as usize].holds(list)
    }

    /// Of the elements that are shown.
    pub(super) fn iter(&self) -> impl Iterator<Item = Lists> {
        self.of.iter().copied()
    }
}

fn lists_of(name: &str) -> Lists {
    let known = known();
    let mut lists = Lists::default();
    for word in words_of(name) {
        let mut lower = [0u8; 16];
        let Some(lower) = lower.get_mut(..word.len()) else {
            continue;
        };
        lower.copy_from_slice(word.as_bytes());
        lower.make_ascii_lowercase();
        let found = std::str::from_utf8(lower).ok().and_then(|word| known.get(word));
        lists.0 |= found.copied().unwrap_or_default().0;
    }
    lists
}

/// `article-body mainContent2` → article, body, main, Content. Names are cut at what is no letter and where case rises;
/// names that a machine made have no words (`jXK9ad` says nothing of advertisements).
pub(super) fn words_of(name: &str) -> impl Iterator<Item = &str> {
    let parts = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !is_hash_like(part));
    let letters = parts.flat_map(|part| part.split(|c: char| !c.is_ascii_alphabetic()));
    letters.flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let bytes = rest.as_bytes();
            let cut = (1..bytes.len())
                .find(|i| bytes[*i].is_ascii_uppercase() && bytes[i - 1].is_ascii_lowercase())
                .unwrap_or(bytes.len());
            let (word, after) = rest.split_at(cut);
            rest = after;
            Some(word)
        })
    })
}
