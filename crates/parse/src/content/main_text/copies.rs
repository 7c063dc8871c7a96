//! What a page says twice, once for small screens and once for large ones, is said once.
//!
//! Only sentences and long labels, and only where the copy stands somewhere else: refrains, rows of a table and lines of code
//! are repeated on purpose, and beside each other.

use super::super::blocks::Draft;
use super::super::tree::Tree;
use gleaner_model::BlockKind;
use std::collections::HashMap;

/// Shorter ones are labels, which many parts of a page share.
const WORDS_MIN: f32 = 4.0;

/// Takes copies of what was taken out again. `words` per block.
pub(super) fn drop_copies(tree: &Tree, drafts: &[Draft], words: &[f32], is_taken: &mut [bool]) {
    let mut first: HashMap<&str, u32, foldhash::fast::FixedState> = HashMap::default();
    for (at, draft) in drafts.iter().enumerate() {
        let is_repeatable = matches!(draft.kind, BlockKind::Code | BlockKind::Row);
        if !is_taken[at] || words[at] < WORDS_MIN || is_repeatable {
            continue;
        }
        let around = tree.node(draft.owner).parent;
        let first = *first.entry(draft.text.as_str()).or_insert(around);
        is_taken[at] = first == around;
    }
}
