//! Which blocks are the main text, and which are menus, side bars and footers?
//!
//! In: the tree and its blocks. Out: one yes or no per block. Three steps, each in its file: [`hints`] marks what elements
//! say about themselves (tag, role, words of class and id), [`region`] chooses the element in which the paragraphs stand
//! together, [`prune`] takes out of it what is only there to lead elsewhere.
//!
//! The one idea is to be steady: every choice rests on shares of the whole page, with ties to the larger element, so that
//! an edited sentence, one more advertisement or another list of related pages does not move it.

mod frame;
mod hints;
mod prune;
mod region;

use super::blocks::Draft;
use super::image;
use super::tree::Tree;
use frame::Frames;
use hints::Hints;

/// With fewer bytes than this a page has no main text, unless its author says where it is (`main`): there one sentence is
/// one, and what stands around it changes by itself (a trail of the pages one came by).
const MAIN_BYTES_MIN: usize = 120;
const IMAGES_PER_BLOCK_MAX: usize = 200;

/// What is said of a block.
#[derive(Debug, Clone, Default)]
pub(in crate::content) struct Mark {
    pub(in crate::content) is_main: bool,
    pub(in crate::content) is_frame: bool,
    /// Pictures that stand in it, or without words before it.
    pub(in crate::content) images: Vec<String>,
}

pub(super) fn mark(tree: &Tree, drafts: &[Draft]) -> Vec<Mark> {
    let hints = Hints::read(tree, drafts);
    let frames = Frames::read(tree, drafts, &hints);
    let mut marks: Vec<Mark> = drafts
        .iter()
        .map(|draft| Mark {
            is_frame: frames.holds_block(draft),
            ..Mark::default()
        })
        .collect();
    for (mark, is_main) in marks.iter_mut().zip(main(tree, drafts, &hints)) {
        mark.is_main = is_main;
        mark.is_frame &= !is_main;
    }
    for is_frame in [false, true] {
        give_images(tree, drafts, &mut marks, is_frame, &|at| {
            frames.holds(at) == is_frame
        });
    }
    marks
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

/// Which blocks are the main text.
fn main(tree: &Tree, drafts: &[Draft], hints: &Hints) -> Vec<bool> {
    let Some(chosen) = region::choose(tree, drafts, hints) else {
        return vec![false; drafts.len()];
    };
    let mut is_main: Vec<bool> = drafts
        .iter()
        .map(|draft| {
            let is_beside = chosen.is_prose && hints.is_beside(draft.owner);
            chosen.holds(draft.owner) && !hints.is_aside(draft.owner) && !is_beside
        })
        .collect();
    prune::prune(drafts, &chosen, &mut is_main);
    let kept: usize = drafts
        .iter()
        .zip(&is_main)
        .filter(|(_, is_main)| **is_main)
        .map(|(draft, _)| draft.text.len())
        .sum();
    if kept < MAIN_BYTES_MIN && !chosen.is_marked {
        is_main.fill(false);
    }
    is_main
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
        let Some(name) = image::name(tree, at).filter(|_| is_in(at)) else {
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
