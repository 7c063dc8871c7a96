//! Which blocks are the main text, and which are menus, side bars and footers? (F1)
//!
//! In: the tree and its blocks, and what is known of the site. Out: one yes or no per block.
//!
//! ```text
//!  hints, frame, region, prune ──► rules ─┐
//!  tree, blocks ──► features ─────────────┴─► table's trees: page type, then each block, then each beside the others
//!                                                     └─ repeats (site) ──► take ──► marks
//! ```
//! [`rules`] reads what elements say about themselves and where paragraphs stand together; its answer is one voice among the
//! [`features`]. The [`table`] was learned from pages with known main text (`make main-text-model`): first of which type a
//! page is, then how likely each block is main text by itself, then how likely beside its neighbours, its container and the
//! blocks made like it. [`take`] chooses the blocks that agree best with that; [`copies`] of them go, and what leads [`elsewhere`].
//!
//! A page with next to no text has no main text: whoever compares looks at all of it, whoever shows it shows all of it.

mod copies;
mod elsewhere;
mod features;
mod frame;
mod hints;
mod judged;
mod lexicon;
mod names;
mod prune;
mod region;
mod repeats;
mod rules;
mod table;
mod take;
mod training;
mod trees;

use super::blocks::Draft;
use super::image;
use super::tags::Tag;
use super::tree::Tree;
use features::Facts;
use frame::Frames;
use gleaner_model::Url;
use hints::Hints;
use names::Names;
use rules::Ruled;
use take::{doubt, take};

pub use features::page::{KINDS, PAGE_WIDTH};
pub use features::{WIDE, WIDTH};
pub use lexicon::{Lexicon, Topic, USE_OF_KIND, USES, Weights};
pub use repeats::Repeats;
pub use table::Model;
pub use training::TrainingPage;
pub use trees::{DecisionNode, DecisionTree, likely, sum, sums};

/// With fewer bytes than this a page has no main text, unless its author says where it is (`main`): there one sentence is
/// one, and what stands around it changes by itself (a trail of the pages one came by).
const MAIN_BYTES_MIN: usize = 120;
/// The place of articles among the types of pages, and from how likely on a page is read for one text.
const ARTICLE: usize = 0;
const ARTICLE_MIN: f32 = 0.5;
const IMAGES_PER_BLOCK_MAX: usize = 200;

/// What is said of a block.
#[derive(Debug, Clone, Default)]
pub(in crate::content) struct Mark {
    pub(in crate::content) is_main: bool,
    pub(in crate::content) is_frame: bool,
    /// Pictures that stand in it, or without words before it.
    pub(in crate::content) images: Vec<String>,
}

/// `url` is the page's own, `repeats` what its site says on many pages.
pub(super) fn mark(tree: &Tree, drafts: &[Draft], url: &Url, repeats: &Repeats) -> Vec<Mark> {
    let names = Names::read(tree);
    let hints = Hints::read(tree, drafts, &names);
    let frames = Frames::read(tree, drafts, &hints, &names);
    let ruled = Ruled::read(tree, drafts, &hints, &frames);
    let facts = Facts::read(tree, drafts, &names, &hints, &ruled);
    let is_main = facts.taken(table::model(), url, repeats);
    let mut marks: Vec<Mark> = is_main
        .into_iter()
        .zip(&ruled.is_frame)
        .map(|(is_main, is_frame)| Mark {
            is_main,
            is_frame: *is_frame && !is_main,
            images: Vec::new(),
        })
        .collect();
    for is_frame in [false, true] {
        give_images(tree, drafts, &mut marks, is_frame, &|at| {
            frames.holds(at) == is_frame
        });
    }
    marks
}

impl Facts<'_> {
    /// Which blocks are the main text, by the model; none where that is next to nothing.
    fn taken(&self, model: &Model, url: &Url, repeats: &Repeats) -> Vec<bool> {
        let kinds = model.guess(&features::page::numbers(self, url));
        let likely = model.likely(self, &kinds, repeats);
        let words: Vec<f32> = self.texts.iter().map(|text| text.words).collect();
        let mut is_taken = take(&likely, &words, doubt(&kinds));
        copies::drop_copies(self.tree, self.drafts, &words, &mut is_taken);
        if kinds[ARTICLE] >= ARTICLE_MIN {
            elsewhere::drop_leads(self, &mut is_taken);
        }
        let kept: usize = (self.drafts.iter().zip(&is_taken))
            .filter(|(_, is_taken)| **is_taken)
            .map(|(draft, _)| draft.text.len())
            .sum();
        if kept < MAIN_BYTES_MIN && !self.ruled.is_marked {
            is_taken.fill(false);
        }
        is_taken
    }
}

/// Marks for a part that somebody chose: all of it is what matters.
pub(super) fn all(tree: &Tree, drafts: &[Draft], is_in: &dyn Fn(u32) -> bool) -> Vec<Mark> {
    let all = Mark {
        is_main: true,
        ..Mark::default()
    };
    let mut marks = vec![all; drafts.len()];
    give_images(tree, drafts, &mut marks, false, is_in);
    marks
}

/// Pictures go with the words they stand in or before; behind the last words, with those. Those of the frame go with words
/// of the frame.
fn give_images(
    tree: &Tree,
    drafts: &[Draft],
    marks: &mut [Mark],
    is_frame: bool,
    is_in: &dyn Fn(u32) -> bool,
) {
    let takers: Vec<usize> = (0..marks.len())
        .filter(|index| marks[*index].is_frame == is_frame)
        .collect();
    let Some(last) = takers.last().copied() else {
        return;
    };
    let mut next = takers.iter().copied().peekable();
    for at in 0..tree.len() {
        if tree.tag(at) != Some(Tag::Image) || !is_in(at) {
            continue;
        }
        let Some(name) = image::name(tree, at) else {
            continue;
        };
        while next.peek().is_some_and(|index| drafts[*index].to <= at) {
            next.next();
        }
        let images = &mut marks[next.peek().copied().unwrap_or(last)].images;
        if images.len() < IMAGES_PER_BLOCK_MAX {
            images.push(name);
        }
    }
}
