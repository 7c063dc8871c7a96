//! XML as blocks: the text of each element, and its attributes, named by the elements around it.

use super::plain::BLOCKS_MAX;
use super::words::{Words, folded};
use crate::xml::{Element, Piece, walk};
use gleaner_model::{Block, BlockKind, Content};
use std::collections::HashMap;

/// `None` if it is not whole, or nests too deep: then its lines are as good.
pub(super) fn read(text: &str) -> Option<Content> {
    let mut state = Walk::default();
    let note = walk(text, |piece| match piece {
        Piece::Start(element) => state.open(element),
        Piece::End => state.close(),
        Piece::Text(text) => state.words.push(text),
    });
    (note.is_none() && state.was_open).then_some(Content {
        title: state.title,
        blocks: state.blocks,
        ..Content::default()
    })
}

#[derive(Default)]
struct Walk {
    path: String,
    /// Length of the path around each open element.
    lengths: Vec<usize>,
    ordinals: HashMap<u64, u32>,
    words: Words,
    blocks: Vec<Block>,
    title: String,
    was_open: bool,
}

impl Walk {
    fn open(&mut self, element: &Element<'_>) {
        self.flush();
        self.was_open = true;
        self.lengths.push(self.path.len());
        self.path.push('/');
        self.path.extend(element.name.chars().take(60));
        // By hash: the paths of a deep document are long, and as many as its elements.
        let equals = hash(&self.path);
        let ordinal = self.ordinals.entry(equals).or_default();
        *ordinal += 1;
        if *ordinal > 1 {
            let ordinal = format!("[{ordinal}]");
            self.path.push_str(&ordinal);
        }
        let mut text = String::new();
        element.each_attribute(|name, value| {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(name);
            text.push('=');
            text.push_str(&folded(value));
        });
        if !text.is_empty() {
            self.add("@", text);
        }
    }

    fn close(&mut self) {
        self.flush();
        if let Some(length) = self.lengths.pop() {
            self.path.truncate(length);
        }
    }

    fn flush(&mut self) {
        if self.words.is_empty() {
            return;
        }
        let text = self.words.take();
        if self.title.is_empty() && self.path.ends_with("/title") {
            self.title.clone_from(&text);
        }
        self.add("", text);
    }

    fn add(&mut self, mark: &str, text: String) {
        if self.blocks.len() < BLOCKS_MAX {
            self.blocks.push(Block {
                path: format!("{}{mark}", self.path),
                kind: if mark.is_empty() {
                    BlockKind::Paragraph
                } else {
                    BlockKind::Other
                },
                text,
                is_main: true,
                is_frame: false,
                links: Vec::new(),
                images: Vec::new(),
            });
        }
    }
}

fn hash(path: &str) -> u64 {
    let digest = blake3::hash(path.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_and_attributes_are_named_by_their_place() {
        let text = "<?xml version='1.0'?><r xmlns='u'><title>T</title><i n='1'>a &amp; b</i><i>c<![CDATA[ <d>]]></i></r>";
        let content = read(text).unwrap();
        let shown: Vec<(&str, &str)> = content.blocks.iter().map(|b| (&*b.path, &*b.text)).collect();
        assert_eq!(
            shown,
            [
                ("/r/title", "T"),
                ("/r/i@", "n=1"),
                ("/r/i", "a & b"),
                ("/r/i[2]", "c <d>")
            ]
        );
        assert_eq!(content.title, "T");
    }

    #[test]
    fn what_is_not_xml_is_not_read_as_xml() {
        for text in ["", "hello", "<a>", "</a>", &"<a>".repeat(100_000)] {
            assert!(read(text).is_none(), "{text:.20}");
        }
    }
}
