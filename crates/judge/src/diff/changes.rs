//! Which blocks changed, came, went or moved? In: the blocks before and after. Out: places, no text; the equalities
//! judge them and the diff shows them.
//!
//! The one idea: blocks are the same when their text is the same, wherever the page's frame put them. Blocks that are
//! left over on one side and found on the other have moved; the rest of each gap is paired by likeness and by path.

use super::align::align;
use crate::equality::link;
use gleaner_model::Block;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use xxhash_rust::xxh3::{Xxh3Builder, xxh3_64};

/// What happened to a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Add,
    Remove,
    /// Another text in the same place.
    Change,
    /// The same text in another place.
    Move,
    /// The same text in the same place, its links lead elsewhere or its pictures are others.
    Link,
}

/// One difference, as places in the two lists of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    pub kind: ChangeKind,
    pub before: Option<usize>,
    pub after: Option<usize>,
}

/// A gap of more cells than this is paired by path alone.
const GAP_CELLS_MAX: usize = 2_500;
/// Share of words that two blocks must have in common to be one block that changed.
const LIKENESS_MIN: f32 = 0.3;
/// Words of a block that are looked at for likeness.
const WORDS_MAX: usize = 400;

pub(crate) fn text_hashes(blocks: &[Block]) -> Vec<u64> {
    blocks
        .iter()
        .map(|block| xxh3_64(block.text.as_bytes()))
        .collect()
}

/// All differences in the order of the page as it is now; what went stands where it was.
pub fn changes(before: &[Block], after: &[Block]) -> Vec<Change> {
    let (old, new) = (text_hashes(before), text_hashes(after));
    let matched = align(&old, &new);
    let mut found = Vec::new();
    let (moved_from, moved_to) = moves(&old, &new, &matched);
    let (mut old_at, mut new_at) = (0, 0);
    for (to_old, to_new) in matched.iter().copied().chain([(before.len(), after.len())]) {
        let gone: Vec<usize> = (old_at..to_old)
            .filter(|at| !moved_from.contains_key(at))
            .collect();
        let come: Vec<usize> = (new_at..to_new).filter(|at| !moved_to.contains_key(at)).collect();
        let moved = (new_at..to_new).filter_map(|at| {
            let from = *moved_to.get(&at)?;
            Some(Change {
                kind: ChangeKind::Move,
                before: Some(from),
                after: Some(at),
            })
        });
        let start = found.len();
        found.extend(moved);
        pair(before, after, &gone, &come, &mut found);
        found[start..].sort_by_key(|change| (change.after.unwrap_or(new_at), change.before));
        if to_old < before.len()
            && to_new < after.len()
            && (!link::same_all(&before[to_old].links, &after[to_new].links)
                || before[to_old].images != after[to_new].images)
        {
            found.push(Change {
                kind: ChangeKind::Link,
                before: Some(to_old),
                after: Some(to_new),
            });
        }
        (old_at, new_at) = (to_old + 1, to_new + 1);
    }
    found
}

type Places = HashMap<usize, usize, Xxh3Builder>;

/// Unmatched blocks of equal text, first to first, second to second: from → to, and to → from.
fn moves(old: &[u64], new: &[u64], matched: &[(usize, usize)]) -> (Places, Places) {
    let (mut from, mut to) = (Places::default(), Places::default());
    let (mut in_old, mut in_new) = (vec![false; old.len()], vec![false; new.len()]);
    for &(before, after) in matched {
        in_old[before] = true;
        in_new[after] = true;
    }
    let mut left: HashMap<u64, Vec<usize>, Xxh3Builder> = HashMap::default();
    for at in (0..old.len()).rev().filter(|&at| !in_old[at]) {
        left.entry(old[at]).or_default().push(at);
    }
    for at in (0..new.len()).filter(|&at| !in_new[at]) {
        if let Some(source) = left.get_mut(&new[at]).and_then(Vec::pop) {
            from.insert(source, at);
            to.insert(at, source);
        }
    }
    (from, to)
}

/// Pairs what went with what came, within one gap.
fn pair(before: &[Block], after: &[Block], gone: &[usize], come: &[usize], found: &mut Vec<Change>) {
    let pairs = if gone.len() == 1 && come.len() == 1 && likeness_matters(before, after, gone[0], come[0]) {
        vec![(0, 0)]
    } else if gone.len().saturating_mul(come.len()) <= GAP_CELLS_MAX {
        by_likeness(before, after, gone, come)
    } else {
        by_path(before, after, gone, come)
    };
    let (mut paired_gone, mut paired_come) = (vec![false; gone.len()], vec![false; come.len()]);
    for (r, c) in pairs {
        paired_gone[r] = true;
        paired_come[c] = true;
        found.push(Change {
            kind: ChangeKind::Change,
            before: Some(gone[r]),
            after: Some(come[c]),
        });
    }
    for (at, _) in gone.iter().zip(paired_gone).filter(|(_, paired)| !paired) {
        found.push(Change {
            kind: ChangeKind::Remove,
            before: Some(*at),
            after: None,
        });
    }
    for (at, _) in come.iter().zip(paired_come).filter(|(_, paired)| !paired) {
        found.push(Change {
            kind: ChangeKind::Add,
            before: None,
            after: Some(*at),
        });
    }
}

/// One for one: they are a pair unless neither place nor words speak for it.
fn likeness_matters(before: &[Block], after: &[Block], gone: usize, come: usize) -> bool {
    before[gone].kind == after[come].kind || before[gone].path == after[come].path
}

/// The pairing, in order, with the greatest likeness in sum.
fn by_likeness(before: &[Block], after: &[Block], gone: &[usize], come: &[usize]) -> Vec<(usize, usize)> {
    if gone.is_empty() || come.is_empty() {
        return Vec::new();
    }
    let bags = |blocks: &[Block], places: &[usize]| -> Vec<Vec<u64>> {
        places.iter().map(|&at| bag(&blocks[at].text)).collect()
    };
    let (old, new) = (bags(before, gone), bags(after, come));
    let width = come.len() + 1;
    let mut score = vec![0f32; gone.len() * come.len()];
    for r in 0..gone.len() {
        for c in 0..come.len() {
            let like = likeness(&old[r], &new[c]);
            let same_path = before[gone[r]].path == after[come[c]].path;
            score[r * come.len() + c] = match (like >= LIKENESS_MIN, same_path) {
                (true, true) => like + 0.25,
                (true, false) => like,
                (false, true) => 0.25,
                (false, false) => 0.0,
            };
        }
    }
    let mut best = vec![0f32; (gone.len() + 1) * width];
    for r in (0..gone.len()).rev() {
        for c in (0..come.len()).rev() {
            let here = score[r * come.len() + c];
            let with = if here > 0.0 {
                here + best[(r + 1) * width + c + 1]
            } else {
                0.0
            };
            best[r * width + c] = with.max(best[(r + 1) * width + c]).max(best[r * width + c + 1]);
        }
    }
    let (mut r, mut c) = (0, 0);
    let mut pairs = Vec::new();
    while r < gone.len() && c < come.len() {
        let here = score[r * come.len() + c];
        let value = best[r * width + c];
        if here > 0.0 && value <= here + best[(r + 1) * width + c + 1] {
            pairs.push((r, c));
            r += 1;
            c += 1;
        } else if value <= best[(r + 1) * width + c] {
            r += 1;
        } else {
            c += 1;
        }
    }
    pairs
}

fn by_path(before: &[Block], after: &[Block], gone: &[usize], come: &[usize]) -> Vec<(usize, usize)> {
    let mut places: HashMap<&str, usize, Xxh3Builder> = HashMap::default();
    for (c, &at) in come.iter().enumerate() {
        places.entry(after[at].path.as_str()).or_insert(c);
    }
    let mut pairs = Vec::new();
    for (r, &at) in gone.iter().enumerate() {
        if let Some(c) = places.remove(before[at].path.as_str()) {
            pairs.push((r, c));
        }
    }
    pairs
}

/// The sorted hashes of a text's words.
fn bag(text: &str) -> Vec<u64> {
    let mut words: Vec<u64> = text
        .split_whitespace()
        .take(WORDS_MAX)
        .map(|word| xxh3_64(word.as_bytes()))
        .collect();
    words.sort_unstable();
    words
}

/// Dice's measure over bags of words.
fn likeness(old: &[u64], new: &[u64]) -> f32 {
    let (mut r, mut c, mut shared) = (0, 0, 0u32);
    while r < old.len() && c < new.len() {
        match old[r].cmp(&new[c]) {
            std::cmp::Ordering::Less => r += 1,
            std::cmp::Ordering::Greater => c += 1,
            std::cmp::Ordering::Equal => {
                shared += 1;
                r += 1;
                c += 1;
            }
        }
    }
    2.0 * shared as f32 / (old.len() + new.len()).max(1) as f32
}
