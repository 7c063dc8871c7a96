//! Content as plain text: a block a line, so that a small edit is a small difference.

use gleaner_model::{Block, BlockKind, Content};

/// All visible text, blocks parted by line breaks.
pub fn text(content: &Content) -> String {
    join(content.blocks.iter())
}

/// The main text; where there is none, what stands in no menu or footer, and else all there is.
pub fn main_text(content: &Content) -> String {
    let main = join(content.main());
    if !main.is_empty() {
        return main;
    }
    let own = join(content.blocks.iter().filter(|block| !block.is_frame));
    if own.is_empty() { text(content) } else { own }
}

/// What seed S3 took for the text: paragraphs and nothing else.
pub fn paragraphs(content: &Content) -> String {
    join(
        content
            .blocks
            .iter()
            .filter(|block| block.kind == BlockKind::Paragraph),
    )
}

fn join<'a>(blocks: impl Iterator<Item = &'a Block>) -> String {
    let mut out = String::new();
    for block in blocks {
        out.push_str(&block.text);
        out.push('\n');
    }
    out
}
