//! From how likely each block is main text to which blocks are taken.
//!
//! What is taken should agree with the text that a reader would take, by words: F = 2 · common / (taken + wanted). For
//! blocks in the order of their likelihood the expected F of taking the first of them rises and then falls; the top is
//! where to stop. Where the model is sure this is near one half, where it is not, it takes more.

/// Blocks are right or wrong together, so that taking them on a venture costs more than the sum above says: what is
/// likely is doubted by so much, in logarithms of odds.
const DOUBT: f32 = 0.4;

fn doubted(likely: f32) -> f32 {
    likely / (likely + (1.0 - likely) * DOUBT.exp())
}

/// Which blocks to take. `likely` and `words` per block.
pub fn take(likely: &[f32], words: &[f32]) -> Vec<bool> {
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
