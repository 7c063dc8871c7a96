//! Content as plain text: a block a line, so that a small edit is a small difference.

use gleaner_model::{Block, Content};

/// All visible text, blocks parted by line breaks.
pub fn text(content: &Content) -> String {
    join(content.blocks.iter())
}

/// The main text; empty where there is none.
pub fn main_text(content: &Content) -> String {
    join(content.main())
}

fn join<'a>(blocks: impl Iterator<Item = &'a Block>) -> String {
    let mut out = String::new();
    for block in blocks {
        out.push_str(&block.text);
        out.push('\n');
    }
    out
}
