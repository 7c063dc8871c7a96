//! Text that is no HTML: XML, JSON and plain lines, as blocks, so that versions of them can be compared and shown too.
//!
//! Paths name the place in the document (elements, keys), never the number of a line, where there are such places. All
//! of it is main text. Nothing recurses: depth is a stack with a limit, past which the rest is taken line by line.

use super::words::folded;
use super::{digest, json, xml};
use crate::kind::Kind;
use gleaner_model::{Block, BlockKind, Content};

/// A paragraph of more lines than this is a list of lines: a table, a log, a program.
const PARAGRAPH_LINES_MAX: usize = 20;
/// A document has no more blocks than this; the last one holds the rest.
pub(super) const BLOCKS_MAX: usize = 200_000;

/// Reads text of any kind but HTML.
pub fn of_text(text: &str, kind: Kind) -> Content {
    let mut content = match kind {
        Kind::Json => json::read(text),
        Kind::Xml | Kind::Feed | Kind::Sitemap | Kind::SitemapIndex | Kind::Image => xml::read(text),
        _ => None,
    }
    .unwrap_or_else(|| by_lines(text, kind));
    let mut hasher = blake3::Hasher::new();
    for block in &content.blocks {
        hasher.update(block.path.as_bytes()).update(b"\n");
        hasher.update(block.text.as_bytes()).update(b"\0");
    }
    content.normal_digest = digest::cut(&hasher);
    content
}

fn by_lines(text: &str, kind: Kind) -> Content {
    let is_source = matches!(kind, Kind::Css | Kind::Script | Kind::Json | Kind::Xml);
    let mut blocks = Vec::new();
    let mut paragraph: Vec<&str> = Vec::new();
    for line in text.lines().chain([""]) {
        if blocks.len() >= BLOCKS_MAX {
            break;
        }
        if !line.trim().is_empty() {
            paragraph.push(line);
            continue;
        }
        if paragraph.len() > PARAGRAPH_LINES_MAX || is_source {
            for line in paragraph.drain(..) {
                push(&mut blocks, "line", BlockKind::Code, line.trim_end());
            }
        } else if !paragraph.is_empty() {
            push(
                &mut blocks,
                "paragraph",
                BlockKind::Paragraph,
                &folded(&paragraph.join(" ")),
            );
            paragraph.clear();
        }
    }
    Content {
        blocks,
        ..Content::default()
    }
}

fn push(blocks: &mut Vec<Block>, name: &str, kind: BlockKind, text: &str) {
    if text.is_empty() {
        return;
    }
    blocks.push(Block {
        path: format!("{name}[{}]", blocks.len() + 1),
        kind,
        text: text.to_owned(),
        is_main: true,
        is_frame: false,
        links: Vec::new(),
        images: Vec::new(),
    });
}
