//! What a page says, as blocks: the form in which versions are compared, shown as a diff, and cleaned of noise (B6, B7).
//!
//! `parse` makes it from bytes when somebody needs it (a first crawl pays for none of it); `judge` compares two of them.
//! The one idea: a block carries a path that stays the same while the page around it changes, so that what differs can be
//! named, learned as volatile, or shown in its place.

use serde::{Deserialize, Serialize};

/// The version of how content is made from bytes. Digests of content are compared only where they were made by the same
/// version; what is older is made anew from the stored bytes, so that a new Gleaner does not look like a changed web. To be
/// raised with every change of the extractor that can give other blocks or another main text for the same bytes.
pub const EXTRACTOR: u8 = 3;

/// What a block is to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BlockKind {
    Heading,
    Paragraph,
    /// A list item.
    Item,
    /// A table row, its cells parted by ` | `.
    Row,
    /// Text whose line breaks count.
    Code,
    /// Anything else that shows text: labels, buttons, captions.
    Other,
}

/// A piece of visible text in document order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Where it stands: tags with their ids and classes (digits and hashes cut out) and its ordinal among equals.
    pub path: String,
    pub kind: BlockKind,
    /// NFC, blanks folded to one, zero-width characters out. Code keeps its line breaks.
    pub text: String,
    /// It belongs to the main text, not to menus, side bars or footers.
    pub is_main: bool,
    /// It stands in what surrounds every page of a site: its header, menus, side bars, footer.
    #[serde(default)]
    pub is_frame: bool,
    /// Where its links lead, resolved, in order.
    pub links: Vec<String>,
    /// Its pictures, and those that stand without words right before it: what each is called and what is said of it.
    #[serde(default)]
    pub images: Vec<String>,
}

/// A page as its reader sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub title: String,
    /// All visible text, main or not.
    pub blocks: Vec<Block>,
    /// Over the normalised tree: comments, scripts, styles, nonces, attribute order and white space left out (level E2).
    pub normal_digest: [u8; 16],
}

impl Content {
    pub fn main(&self) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(|block| block.is_main)
    }
}
