//! Which items of two lists are the same, in the same order? In: two lists of hashes. Out: pairs of places, rising on
//! both sides.
//!
//! The one idea: rare items are good anchors (histogram diff). Equal ends come off first; then the items that occur
//! equally seldom on both sides are matched, the longest rising run of them kept, and the gaps between looked at again.
//! Small gaps are solved exactly. Time is bounded whatever comes in: a fixed number of rounds, each linear, and a fixed
//! number of cells for the exact part. What is left after that is simply not matched (HC087).

use std::collections::HashMap;
use xxhash_rust::xxh3::Xxh3Builder;

/// A gap of more cells (rows × columns) than this is not solved exactly.
const GAP_CELLS_MAX: usize = 1 << 18;
/// All gaps together.
const CELLS_MAX: usize = 1 << 23;
/// How often a gap may be cut at new anchors.
const ROUNDS_MAX: u32 = 24;
/// An item seen more often than this on one side is no anchor.
const SELDOM: u32 = 8;

struct Gap {
    before: (usize, usize),
    after: (usize, usize),
    round: u32,
}

/// Places of equal items, `(before, after)`, rising on both sides.
pub fn align(before: &[u64], after: &[u64]) -> Vec<(usize, usize)> {
    let mut matched = Vec::with_capacity(before.len().min(after.len()));
    let mut cells_left = CELLS_MAX;
    let mut gaps = vec![Gap {
        before: (0, before.len()),
        after: (0, after.len()),
        round: 0,
    }];
    while let Some(mut gap) = gaps.pop() {
        trim(&mut gap, before, after, &mut matched);
        let (rows, columns) = (gap.before.1 - gap.before.0, gap.after.1 - gap.after.0);
        if rows == 0 || columns == 0 {
            continue;
        }
        let cells = rows.saturating_mul(columns);
        if cells <= GAP_CELLS_MAX && cells <= cells_left {
            cells_left -= cells;
            solve(&gap, before, after, &mut matched);
        } else if gap.round < ROUNDS_MAX {
            cut(&gap, before, after, &mut gaps, &mut matched);
        }
    }
    matched.sort_unstable();
    matched
}

/// Takes equal items off both ends.
fn trim(gap: &mut Gap, before: &[u64], after: &[u64], matched: &mut Vec<(usize, usize)>) {
    while gap.before.0 < gap.before.1
        && gap.after.0 < gap.after.1
        && before[gap.before.0] == after[gap.after.0]
    {
        matched.push((gap.before.0, gap.after.0));
        gap.before.0 += 1;
        gap.after.0 += 1;
    }
    while gap.before.0 < gap.before.1
        && gap.after.0 < gap.after.1
        && before[gap.before.1 - 1] == after[gap.after.1 - 1]
    {
        gap.before.1 -= 1;
        gap.after.1 -= 1;
        matched.push((gap.before.1, gap.after.1));
    }
}

/// The longest common subsequence by the textbook's table.
fn solve(gap: &Gap, before: &[u64], after: &[u64], matched: &mut Vec<(usize, usize)>) {
    let rows = &before[gap.before.0..gap.before.1];
    let columns = &after[gap.after.0..gap.after.1];
    let width = columns.len() + 1;
    // table[r][c]: the length of the best match of what follows row r and column c.
    let mut table = vec![0u32; (rows.len() + 1) * width];
    for r in (0..rows.len()).rev() {
        for c in (0..columns.len()).rev() {
            table[r * width + c] = if rows[r] == columns[c] {
                table[(r + 1) * width + c + 1] + 1
            } else {
                table[(r + 1) * width + c].max(table[r * width + c + 1])
            };
        }
    }
    let (mut r, mut c) = (0, 0);
    while r < rows.len() && c < columns.len() {
        if rows[r] == columns[c] {
            matched.push((gap.before.0 + r, gap.after.0 + c));
            r += 1;
            c += 1;
        } else if table[(r + 1) * width + c] >= table[r * width + c + 1] {
            r += 1;
        } else {
            c += 1;
        }
    }
}

#[derive(Default)]
struct Seen {
    before: Vec<usize>,
    before_count: u32,
    after: Vec<usize>,
    after_count: u32,
}

/// Cuts the gap at its rarest common items.
fn cut(gap: &Gap, before: &[u64], after: &[u64], gaps: &mut Vec<Gap>, matched: &mut Vec<(usize, usize)>) {
    let mut seen: HashMap<u64, Seen, Xxh3Builder> = HashMap::with_hasher(Xxh3Builder::new());
    for (at, hash) in before.iter().enumerate().take(gap.before.1).skip(gap.before.0) {
        let item = seen.entry(*hash).or_default();
        item.before_count += 1;
        if item.before_count <= SELDOM {
            item.before.push(at);
        }
    }
    for (at, hash) in after.iter().enumerate().take(gap.after.1).skip(gap.after.0) {
        if let Some(item) = seen.get_mut(hash) {
            item.after_count += 1;
            if item.after_count <= SELDOM {
                item.after.push(at);
            }
        }
    }
    let anchors_of = |rarity: u32| {
        let mut anchors: Vec<(usize, usize)> = Vec::new();
        for item in seen.values() {
            let as_rare = item.before_count == item.after_count && item.before_count <= rarity;
            if as_rare {
                anchors.extend(item.before.iter().copied().zip(item.after.iter().copied()));
            }
        }
        anchors
    };
    let mut anchors = anchors_of(1);
    if anchors.is_empty() {
        anchors = anchors_of(SELDOM);
    }
    anchors.sort_unstable();
    let anchors = longest_rising(&anchors);
    if anchors.is_empty() {
        return;
    }
    let (mut from_before, mut from_after) = (gap.before.0, gap.after.0);
    for (at_before, at_after) in anchors.iter().copied().chain([(gap.before.1, gap.after.1)]) {
        gaps.push(Gap {
            before: (from_before, at_before),
            after: (from_after, at_after),
            round: gap.round + 1,
        });
        if at_before < gap.before.1 {
            matched.push((at_before, at_after));
        }
        (from_before, from_after) = (at_before + 1, at_after + 1);
    }
}

/// The longest run of pairs that rises on the second side too; the pairs come sorted by the first.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut previous = vec![usize::MAX; pairs.len()];
    for (at, pair) in pairs.iter().enumerate() {
        let place = tails.partition_point(|&tail| pairs[tail].1 < pair.1);
        if place > 0 {
            previous[at] = tails[place - 1];
        }
        if place == tails.len() {
            tails.push(at);
        } else {
            tails[place] = at;
        }
    }
    let mut run = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        run.push(pairs[at]);
        at = previous[at];
    }
    run.reverse();
    // Two anchors may share a place on the first side only if they are the same pair, which cannot be: places are
    // taken once. The run therefore rises strictly on both sides.
    run
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_moved_middle_keeps_its_surroundings() {
        assert_eq!(align(&[1, 2, 3, 4], &[1, 3, 2, 4]).len(), 3);
        assert_eq!(align(&[], &[1]), vec![]);
        assert_eq!(align(&[5, 1], &[1]), vec![(1, 0)]);
    }

    #[test]
    fn hc087_lists_without_a_common_item_cost_little() {
        let before: Vec<u64> = (0..300_000).collect();
        let after: Vec<u64> = (300_000..600_000).collect();
        assert!(align(&before, &after).is_empty());
        let same = vec![7; 300_000];
        let shorter = vec![7; 299_000];
        assert_eq!(align(&same, &shorter).len(), 299_000);
    }

    proptest! {
        #[test]
        fn matches_are_equal_and_rise(before in prop::collection::vec(0u64..9, 0..60), after in prop::collection::vec(0u64..9, 0..60)) {
            let matched = align(&before, &after);
            for pair in &matched {
                prop_assert_eq!(before[pair.0], after[pair.1]);
            }
            for two in matched.windows(2) {
                prop_assert!(two[0].0 < two[1].0 && two[0].1 < two[1].1);
            }
        }

        #[test]
        fn long_lists_with_few_changes_match_nearly_whole(length in 1_000usize..3_000, at in 0usize..1_000) {
            let before: Vec<u64> = (0..length as u64).map(|n| n % 400).collect();
            let mut after = before.clone();
            after.remove(at);
            after.insert(0, 9_999);
            prop_assert!(align(&before, &after).len() >= length - 1);
        }
    }
}
