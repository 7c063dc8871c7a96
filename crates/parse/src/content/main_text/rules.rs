//! Which blocks are the main text by rules alone: what elements say of themselves, where paragraphs stand together, what
//! only leads elsewhere. The model takes the answer as one voice among others.

use super::super::blocks::Draft;
use super::super::tree::Tree;
use super::frame::Frames;
use super::hints::Hints;
use super::{prune, region};

/// What the rules say of each block.
pub(super) struct Ruled {
    pub(super) is_main: Vec<bool>,
    pub(super) is_frame: Vec<bool>,
    pub(super) in_region: Vec<bool>,
    /// The page is read for its prose.
    pub(super) is_prose: bool,
    /// Its author says where the main part is.
    pub(super) is_marked: bool,
}

impl Ruled {
    pub(super) fn read(tree: &Tree, drafts: &[Draft], hints: &Hints, frames: &Frames) -> Ruled {
        let is_frame = drafts.iter().map(|draft| frames.holds_block(draft)).collect();
        let Some(chosen) = region::choose(tree, drafts, hints) else {
            return Ruled {
                is_main: vec![false; drafts.len()],
                is_frame,
                in_region: vec![false; drafts.len()],
                is_prose: false,
                is_marked: false,
            };
        };
        let mut is_main: Vec<bool> = drafts
            .iter()
            .map(|draft| {
                let is_beside = chosen.is_prose && hints.is_beside(draft.owner);
                chosen.holds(draft.owner) && !hints.is_aside(draft.owner) && !is_beside
            })
            .collect();
        prune::prune(drafts, &chosen, &mut is_main);
        Ruled {
            is_main,
            is_frame,
            in_region: drafts.iter().map(|draft| chosen.holds(draft.owner)).collect(),
            is_prose: chosen.is_prose,
            is_marked: chosen.is_marked,
        }
    }
}
