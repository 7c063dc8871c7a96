//! Which of the new pages of a host that is away are only one more address of what it shows everywhere?

use crate::equality::Ladder;

/// From this likeness on two pages are copies.
const COPIES: f64 = 0.7;

/// For each page of `new`. `walls`: what stood before the host's documents.
pub fn duplicates(new: &[Ladder], walls: &[Ladder]) -> Vec<bool> {
    let is_any_copy = |(at, page): (usize, &Ladder)| {
        let mut others = new.iter().enumerate().filter(|(other, _)| *other != at);
        others.any(|(_, other)| is_copy(page, other))
            || walls
                .iter()
                .any(|wall| has_same_title(page, wall) || is_copy(page, wall))
    };
    new.iter().enumerate().map(is_any_copy).collect()
}

fn has_same_title(one: &Ladder, other: &Ladder) -> bool {
    one.title == other.title && one.title != Ladder::title_of("")
}

fn is_copy(one: &Ladder, other: &Ladder) -> bool {
    let shares_a_block = || {
        let mut blocks = one.main_blocks.iter();
        blocks.any(|block| other.main_blocks.contains(block))
    };
    let is_alike = one.sketch.shingles > 0 && one.sketch.likeness(&other.sketch) >= COPIES;
    one.visible == other.visible || is_alike || has_same_title(one, other) && shares_a_block()
}
