//! Where on its page does a link stand, and what stands around it?

use gleaner_model::{Block, BlockKind, Content};
use std::collections::HashMap;

/// Bytes before and after an anchor that are looked at: some ten words.
const AROUND: usize = 70;

/// The links of a page by their place.
#[derive(Debug, Default)]
pub(super) struct Surroundings<'a> {
    blocks: &'a [Block],
    /// The first block that a link stands in.
    at: HashMap<&'a str, u32>,
    /// For each block the heading above it.
    heading: Vec<Option<u32>>,
}

/// What is known of the place of a link.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LinkPlace<'a> {
    pub(super) region: u8,
    pub(super) before: &'a str,
    pub(super) after: &'a str,
    pub(super) heading: &'a str,
    /// Which heading it stands below.
    pub(super) part: u32,
}

impl<'a> Surroundings<'a> {
    pub(super) fn of(content: Option<&'a Content>) -> Surroundings<'a> {
        let Some(content) = content else {
            return Surroundings::default();
        };
        let mut at = HashMap::new();
        let mut heading = Vec::with_capacity(content.blocks.len());
        let mut last = None;
        for (place, block) in (0u32..).zip(&content.blocks) {
            if block.kind == BlockKind::Heading {
                last = Some(place);
            }
            heading.push(last);
            for link in &block.links {
                at.entry(link.as_str()).or_insert(place);
            }
        }
        Surroundings {
            blocks: &content.blocks,
            at,
            heading,
        }
    }

    pub(super) fn place(&self, url: &str, anchor: &str) -> LinkPlace<'a> {
        let Some(at) = self.at.get(url) else {
            return LinkPlace::default();
        };
        let block = &self.blocks[*at as usize];
        let found = block.text.find(anchor).filter(|_| !anchor.is_empty());
        let (before, after) = match found {
            Some(start) => (&block.text[..start], &block.text[start + anchor.len()..]),
            None => (block.text.as_str(), ""),
        };
        let heading = self.heading[*at as usize];
        LinkPlace {
            region: region(block),
            before: last_bytes(before),
            after: first_bytes(after),
            heading: heading.map_or("", |at| first_bytes(&self.blocks[at as usize].text)),
            part: heading.map_or(0, |at| at + 1),
        }
    }
}

/// The kind of the block, and whether it belongs to the main text or to what surrounds every page.
fn region(block: &Block) -> u8 {
    let kind = match block.kind {
        BlockKind::Heading => 1,
        BlockKind::Paragraph => 2,
        BlockKind::Item => 3,
        BlockKind::Row => 4,
        BlockKind::Code => 5,
        BlockKind::Other => 6,
    };
    kind + 8 * u8::from(block.is_main) + 16 * u8::from(block.is_frame)
}

fn last_bytes(text: &str) -> &str {
    let mut from = text.len().saturating_sub(AROUND);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}

fn first_bytes(text: &str) -> &str {
    let mut to = text.len().min(AROUND);
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    &text[..to]
}
