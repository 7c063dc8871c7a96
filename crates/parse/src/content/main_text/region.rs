//! The element that holds the text.
//!
//! A page with prose is read for it: the text is where the paragraphs stand together. A page without (a list of goods, a
//! start page) is read for all it shows, so only what says that it is something else is left out.

use super::super::blocks::Draft;
use super::super::tags::Tag;
use super::super::tree::Tree;
use super::hints::{Hints, is_prose};
use super::prune::is_linked;
use std::ops::Range;

/// With this much prose outside of menus and the like a page is read for it.
const PROSE_BYTES_MIN: usize = 1000;
/// An element with this share of the best element's credit belongs to the text as well.
const CREDIT_SHARE_MIN: f32 = 0.2;
/// The element around the text may hold so much more before it counts as something else.
const WIDER_MAX: f32 = 1.35;
/// With less of the page's prose than this it was one section of several.
const TEXT_SHARE_MIN: f32 = 0.5;
/// `main` holds the text of a page without prose if it holds this share of what is shown.
const MARKED_SHARE_MIN: f32 = 0.3;

/// Records: at least one byte of links for so many of prose.
const RECORD_LINKS: usize = 3;

pub(super) struct Region {
    nodes: Range<u32>,
    /// The page is read for its prose.
    pub(super) is_prose: bool,
    /// The author calls it the main part (`main`).
    pub(super) is_marked: bool,
}

impl Region {
    pub(super) fn holds(&self, at: u32) -> bool {
        self.nodes.contains(&at)
    }
}

pub(super) fn choose(tree: &Tree, drafts: &[Draft], hints: &Hints) -> Option<Region> {
    let shown: Vec<&Draft> = drafts
        .iter()
        .filter(|draft| !hints.is_aside(draft.owner))
        .collect();
    let prose: usize = shown.iter().filter(|d| is_prose(d)).map(|d| d.text.len()).sum();
    let text = (prose >= PROSE_BYTES_MIN)
        .then(|| {
            let texts = shown
                .iter()
                .copied()
                .filter(|draft| is_prose(draft) && !hints.is_beside(draft.owner));
            let sums = summed(tree, texts.clone());
            together(tree, texts).map(|at| widened(tree, hints, &sums, at))
        })
        .flatten()
        .map(|at| at..tree.node(at).end)
        .filter(|nodes| !is_list_of_records(&shown, nodes));
    if let Some(nodes) = text {
        return Some(Region {
            nodes,
            is_prose: true,
            is_marked: false,
        });
    }
    let sums = summed(tree, shown.iter().copied());
    let chosen = marked(tree, hints, &sums)?;
    Some(Region {
        nodes: chosen..tree.node(chosen).end,
        is_prose: false,
        is_marked: hints.main(chosen) == 3,
    })
}

/// Links, labels and prose take turns: titles with their summaries, not a text.
fn is_list_of_records(shown: &[&Draft], nodes: &Range<u32>) -> bool {
    let inside = shown.iter().filter(|draft| nodes.contains(&draft.owner));
    let (mut links, mut prose, mut all) = (0, 0, 0);
    for draft in inside {
        all += draft.text.len();
        if is_linked(draft) {
            links += draft.text.len();
        } else if is_prose(draft) {
            prose += draft.text.len();
        }
    }
    links * RECORD_LINKS > prose || prose * 3 < all * 2
}

/// Bytes of text in each element.
fn summed<'a>(tree: &Tree, drafts: impl Iterator<Item = &'a Draft>) -> Vec<f32> {
    let mut sums = vec![0.0f32; tree.nodes.len()];
    for draft in drafts {
        sums[draft.owner as usize] += draft.text.len() as f32;
    }
    // Children come after their parents, so backwards is bottom up.
    for at in (0..tree.nodes.len()).rev() {
        let parent = tree.nodes[at].parent;
        if sums[at] > 0.0 && parent != u32::MAX {
            sums[parent as usize] += sums[at];
        }
    }
    sums
}

/// The element in which the paragraphs stand: each gives credit to the element around it, and half to the next; the
/// elements with most credit are taken together.
fn together<'a>(tree: &Tree, texts: impl Iterator<Item = &'a Draft>) -> Option<u32> {
    let mut credits = vec![0.0f32; tree.nodes.len()];
    for draft in texts {
        let Some(container) = tree.upwards(draft.owner).find(|at| can_hold(tree, *at)) else {
            continue;
        };
        let credit = draft.text.len() as f32;
        credits[container as usize] += credit;
        if let Some(around) = credits.get_mut(tree.node(container).parent as usize) {
            *around += credit / 2.0;
        }
    }
    let best = credits.iter().copied().fold(0.0, f32::max);
    let rich = |at: &usize| credits[*at] >= best * CREDIT_SHARE_MIN && credits[*at] > 0.0;
    let first = (0..credits.len()).find(rich)? as u32;
    let last = (0..credits.len()).rev().find(rich)? as u32;
    tree.upwards(first).find(|at| tree.node(*at).end > last)
}

/// Takes in what the author calls the text (`main`, `article`, `content`) if that adds little.
fn widened(tree: &Tree, hints: &Hints, sums: &[f32], from: u32) -> u32 {
    // The first element is the root and holds all of it.
    let all = sums.first().copied().unwrap_or(0.0);
    let from = tree
        .upwards(from)
        .find(|at| sums[*at as usize] >= all * TEXT_SHARE_MIN)
        .unwrap_or(from);
    let limit = sums[from as usize] * WIDER_MAX;
    tree.upwards(from)
        .take_while(|at| sums[*at as usize] <= limit)
        .filter(|at| hints.main(*at) > 0)
        .last()
        .unwrap_or(from)
}

/// What the author calls the main part, or all of the page.
fn marked(tree: &Tree, hints: &Hints, sums: &[f32]) -> Option<u32> {
    let all = (0..tree.len()).find(|at| tree.node(*at).parent == u32::MAX && sums[*at as usize] > 0.0)?;
    let main = (0..tree.len())
        .find(|at| hints.main(*at) == 3 && sums[*at as usize] >= MARKED_SHARE_MIN * sums[all as usize]);
    Some(main.unwrap_or(all))
}

/// Whether an element is a place for several pieces of text rather than one of them.
fn can_hold(tree: &Tree, at: u32) -> bool {
    tree.tag(at).is_some_and(|tag| {
        tag.breaks()
            && !matches!(
                tag,
                Tag::Paragraph
                    | Tag::Heading(_)
                    | Tag::Item
                    | Tag::Term
                    | Tag::Definition
                    | Tag::List
                    | Tag::OrderedList
                    | Tag::DefinitionList
                    | Tag::Row
                    | Tag::Cell
                    | Tag::TableGroup
                    | Tag::Table
                    | Tag::Quote
                    | Tag::Pre
                    | Tag::Figure
                    | Tag::Caption
            )
    })
}
