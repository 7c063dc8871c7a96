//! Did the words change, or only how they are cut? In: two lists of blocks and their changes. Out: the changes of which the
//! words are not the same.
//!
//! A tool that builds a site anew cuts the same text at other places: a paragraph in two, a list item with a paragraph in
//! it, code in a box or in a line. The one idea: between two blocks that stayed, the words that went and the words that
//! came are compared as one run.

use crate::diff::words::tokens;
use crate::diff::{Change, ChangeKind};
use gleaner_model::{Block, BlockKind};

/// The changes that are left when text that was only cut otherwise is no change.
pub(super) fn reworded(before: &[Block], now: &[Block], mut found: Vec<Change>) -> Vec<Change> {
    let is_text = |change: &&Change| change.kind != ChangeKind::Link;
    let touched = |at: fn(&Change) -> Option<usize>, length: usize| {
        let mut touched = vec![false; length];
        for at in found.iter().filter(is_text).filter_map(at) {
            touched[at] = true;
        }
        touched
    };
    let (old, new) = (
        touched(|change| change.before, before.len()),
        touched(|change| change.after, now.len()),
    );
    let (mut dropped_old, mut dropped_new) = (vec![false; old.len()], vec![false; new.len()]);
    for ((old_from, old_to), (new_from, new_to)) in gaps(&old, &new) {
        if says_the_same(&before[old_from..old_to], &now[new_from..new_to]) {
            dropped_old[old_from..old_to].fill(true);
            dropped_new[new_from..new_to].fill(true);
        }
    }
    found.retain(|change| {
        let is_dropped = change.before.is_none_or(|at| dropped_old[at])
            && change.after.is_none_or(|at| dropped_new[at])
            && change.kind != ChangeKind::Link;
        !is_dropped && !is_shuffled_label(before, now, change)
    });
    found
}

type Range = (usize, usize);

/// Runs of touched blocks on both sides that stand between the same untouched ones: the first that stayed is the first on
/// both sides, and so on.
fn gaps(old: &[bool], new: &[bool]) -> Vec<(Range, Range)> {
    let (mut old_at, mut new_at) = (0, 0);
    let mut gaps = Vec::new();
    loop {
        let end = |touched: &[bool], from: usize| {
            let length = touched[from..].iter().take_while(|touched| **touched).count();
            from + length
        };
        let (old_to, new_to) = (end(old, old_at), end(new, new_at));
        if old_to > old_at && new_to > new_at {
            gaps.push(((old_at, old_to), (new_at, new_to)));
        }
        if old_to >= old.len() || new_to >= new.len() {
            return gaps;
        }
        (old_at, new_at) = (old_to + 1, new_to + 1);
    }
}

fn says_the_same(before: &[Block], now: &[Block]) -> bool {
    if let ([before], [now]) = (before, now)
        && before.kind == BlockKind::Code
        && now.kind == BlockKind::Code
    {
        return lines(&before.text) == lines(&now.text);
    }
    words(before).eq(words(now))
}

/// Words and signs; the border between cells is ours.
fn words(blocks: &[Block]) -> impl Iterator<Item = &str> {
    blocks
        .iter()
        .flat_map(|block| tokens(&block.text))
        .filter(|token| !token.trim().is_empty() && *token != "|")
}

/// Lines of code without the blanks that all of them begin with. How one stands to the next has a meaning.
fn lines(code: &str) -> Vec<&str> {
    let lines = || code.lines().filter(|line| !line.trim().is_empty());
    let indent = |line: &str| line.len() - line.trim_start().len();
    let common = lines().map(indent).min().unwrap_or(0);
    lines()
        .map(|line| line.get(common..).unwrap_or(line).trim_end())
        .collect()
}

/// Labels outside the text whose words stand in another order ("back, edit" and "edit, back").
fn is_shuffled_label(before: &[Block], now: &[Block], change: &Change) -> bool {
    let (Some(old), Some(new)) = (change.before, change.after) else {
        return false;
    };
    let (old, new) = (&before[old], &now[new]);
    if change.kind != ChangeKind::Change || old.is_main || new.is_main {
        return false;
    }
    let sorted = |block: &Block| {
        let mut words: Vec<String> = words(std::slice::from_ref(block)).map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    sorted(old) == sorted(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::changes;

    fn page(blocks: &[(BlockKind, &str)]) -> Vec<Block> {
        let block = |(at, (kind, text)): (usize, &(BlockKind, &str))| Block {
            path: format!("p[{at}]"),
            kind: *kind,
            text: (*text).to_owned(),
            is_main: true,
            is_frame: false,
            links: Vec::new(),
            images: Vec::new(),
        };
        blocks.iter().enumerate().map(block).collect()
    }

    fn left(before: &[(BlockKind, &str)], now: &[(BlockKind, &str)]) -> usize {
        let (before, now) = (page(before), page(now));
        reworded(&before, &now, changes(&before, &now)).len()
    }

    #[test]
    fn case18_text_that_is_cut_otherwise_is_the_same_text() {
        use BlockKind::{Code, Item, Paragraph, Row};
        let first = (Paragraph, "First.");
        assert_eq!(
            left(
                &[
                    first,
                    (Paragraph, "Use the"),
                    (Code, "s:property"),
                    (Paragraph, "tag.")
                ],
                &[first, (Paragraph, "Use the s:property tag.")]
            ),
            0
        );
        assert_eq!(
            left(
                &[(Paragraph, "One. Two."), first],
                &[(Paragraph, "One."), (Item, "Two."), first]
            ),
            0
        );
        assert_eq!(left(&[(Row, "a | b")], &[(Paragraph, "a"), (Paragraph, "b")]), 0);
        assert_eq!(left(&[(Code, "  if x:\n    y\n\n")], &[(Code, "if x:\n  y")]), 0);
    }

    #[test]
    fn case18_other_words_beside_another_cut_are_seen() {
        use BlockKind::{Code, Paragraph};
        assert!(
            left(
                &[(Paragraph, "Use the"), (Code, "s:property"), (Paragraph, "tag.")],
                &[(Paragraph, "Use the s:propertz tag.")]
            ) > 0
        );
        assert!(left(&[(Paragraph, "a part")], &[(Paragraph, "apart")]) > 0);
        assert!(left(&[(Code, "if x:\n  y\nz")], &[(Code, "if x:\n  y\n  z")]) > 0);
        assert!(
            left(
                &[(Paragraph, "One."), (Paragraph, "Two.")],
                &[(Paragraph, "Two."), (Paragraph, "One.")]
            ) > 0
        );
    }
}
