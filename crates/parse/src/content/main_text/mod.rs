//! Which blocks are the main text, and which are menus, side bars and footers?
//!
//! In: the tree and its blocks. Out: one yes or no per block. Three steps, each in its file: [`hints`] marks what elements
//! say about themselves (tag, role, words of class and id), [`region`] chooses the element in which the paragraphs stand
//! together, [`prune`] takes out of it what is only there to lead elsewhere.
//!
//! The one idea is to be steady: every choice rests on shares of the whole page, with ties to the larger element, so that
//! an edited sentence, one more advertisement or another list of related pages does not move it.

mod hints;
mod prune;
mod region;

use super::blocks::Draft;
use super::tree::Tree;
use hints::Hints;

/// With fewer bytes than this a page has no main text, unless its author says where it is (`main`): there one sentence is
/// one, and what stands around it changes by itself (a trail of the pages one came by).
const MAIN_BYTES_MIN: usize = 120;

pub(super) fn mark(tree: &Tree, drafts: &[Draft]) -> Vec<bool> {
    let hints = Hints::read(tree, drafts);
    let Some(chosen) = region::choose(tree, drafts, &hints) else {
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
