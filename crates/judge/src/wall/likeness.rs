//! How much of a page's text do two pages share?

use crate::diff::words::{Fate, compare_words};
use gleaner_model::{Block, Content};
use std::collections::HashSet;

/// Below this share of common words a page was replaced and not edited.
const REPLACED: f64 = 0.3;
/// From this share on two pages say the same, an echo of the address aside.
const SAME: f64 = 0.7;
/// The same for what two pages show beside the menus and footers that all pages of a site have: little text, so that an
/// echo of the address weighs more.
const SAME_OWN: f64 = 0.4;

/// The share of the larger text that both have.
pub fn share_of_words(one: &str, other: &str) -> f64 {
    if one == other {
        return 1.0;
    }
    let longer = one.len().max(other.len());
    let runs = compare_words(one, other);
    let kept = runs.iter().filter(|run| run.fate == Fate::Kept);
    // Blanks and stops are in every text.
    let words: usize = kept
        .flat_map(|run| run.text.split(|c: char| !c.is_alphanumeric()))
        .map(|word| word.len() + usize::from(!word.is_empty()))
        .sum();
    words as f64 / longer.max(1) as f64
}

fn joined<'a>(blocks: impl Iterator<Item = &'a Block>) -> String {
    let texts: Vec<&str> = blocks.map(|block| block.text.as_str()).collect();
    texts.join("\n")
}

/// The main text, or all of it where there is none.
fn main_or_all(content: &Content) -> String {
    let main = joined(content.main());
    if main.is_empty() {
        joined(content.blocks.iter())
    } else {
        main
    }
}

/// Hardly anything of the page is left.
pub fn is_replaced(before: &Content, now: &Content) -> bool {
    share_of_words(&main_or_all(before), &main_or_all(now)) < REPLACED
}

/// Two addresses, one page.
pub(super) fn is_alike(one: &Content, other: &Content) -> bool {
    share_of_words(&joined(one.blocks.iter()), &joined(other.blocks.iter())) >= SAME
}

/// What a page shows that `frame`, another page of its site, does not show in the same words.
pub(super) fn own_blocks<'a>(content: &'a Content, frame: Option<&Content>) -> Vec<&'a Block> {
    let known: HashSet<&str> = frame
        .into_iter()
        .flat_map(|frame| frame.blocks.iter().map(|block| block.text.as_str()))
        .collect();
    (content.blocks.iter())
        .filter(|block| !known.contains(block.text.as_str()))
        .collect()
}

/// Two addresses, one page; and not only because menus and footers are most of every page of the site.
pub(super) fn is_alike_beside(one: &Content, other: &Content, frame: &Content) -> bool {
    let own = |content: &Content| joined(own_blocks(content, Some(frame)).into_iter());
    is_alike(one, other) && share_of_words(&own(one), &own(other)) >= SAME_OWN
}
