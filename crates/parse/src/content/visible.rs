//! The visible text of a page as one line: for the question whether some words are on it.
//!
//! Blocks would not do: they put marks between cells and leave out what stands in no block.

use super::tags::Tag;
use super::tree::Tree;
use super::words::Words;

pub(super) fn text(html: &str) -> String {
    let tree = Tree::read_to_show(html);
    let mut words = Words::default();
    let mut at = 0;
    // The ends of the open elements that break the line.
    let mut ends: Vec<u32> = Vec::new();
    while at < tree.len() {
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
            words.blank();
        }
        let node = tree.node(at);
        if node.is_hidden {
            at = node.end;
            continue;
        }
        match node.tag {
            None => words.push(tree.str(node.text)),
            Some(tag) => {
                if tag.breaks() || tag == Tag::Break {
                    words.blank();
                    ends.push(node.end);
                }
                if tag == Tag::Input {
                    words.push(tree.str(node.value));
                }
            }
        }
        at += 1;
    }
    words.take()
}
