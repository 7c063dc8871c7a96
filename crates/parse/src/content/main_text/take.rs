//! From how likely each block is main text to which blocks are taken.
//!
//! What is taken should agree with the text that a reader would take, by words: F = 2 · common / (taken + wanted). For
//! blocks in the order of their likelihood the expected F of taking the first of them rises and then falls; the top is
//! where to stop. Where the model is sure this is near one half, where it is not, it takes more.
//!
//! Blocks are right or wrong together, so that taking them on a venture costs more than the sum above says: what is likely is
//! doubted first. How much depends on what a page is read for: a text stands among other things (answers to it, reviews, other
//! texts) that look like it, while a list is most of its page.

/// For each type of page, in the order of the types: by how much what is likely is doubted, in logarithms of odds.
const DOUBTS: [f32; 7] = [1.2, -0.1, 1.2, 1.2, -0.1, -0.1, 1.2];

/// The doubt on a page that is likely of each type by so much.
pub(super) fn doubt(kinds: &[f32]) -> f32 {
    kinds
        .iter()
        .zip(DOUBTS)
        .map(|(likely, doubt)| likely * doubt)
        .sum()
}

/// Which blocks to take. `likely` and `words` per block.
pub(super) fn take(likely: &[f32], words: &[f32], doubt: f32) -> Vec<bool> {
    let doubt = doubt.exp();
    let doubted = |likely: f32| likely / (likely + (1.0 - likely) * doubt);
    let likely: Vec<f32> = likely.iter().copied().map(doubted).collect();
    let mut order: Vec<usize> = (0..likely.len()).collect();
    order.sort_by(|a, b| likely[*b].total_cmp(&likely[*a]).then(a.cmp(b)));
    let wanted: f32 = likely
        .iter()
        .zip(words)
        .map(|(likely, words)| likely * words)
        .sum();
    let (mut common, mut taken) = (0.0f32, 0.0f32);
    let mut best = (0.0f32, 0);
    for (count, at) in order.iter().enumerate() {
        common += likely[*at] * words[*at];
        taken += words[*at];
        let expected = 2.0 * common / (taken + wanted);
        if expected > best.0 {
            best = (expected, count + 1);
        }
    }
    let mut is_taken = vec![false; likely.len()];
    for at in &order[..best.1] {
        is_taken[*at] = true;
    }
    is_taken
}
