//! What does a page say to its reader? (B6, B7, F1)
//!
//! In: a document, as its bytes or as text. Out: a [`Content`]: its visible text in blocks with stable paths and resolved
//! links, which of them are the main text, and a digest of its normalised tree. Comparing belongs to `judge`.
//!
//! The one idea: one tree, read once, kept as a flat list in document order; everything else is a walk over ranges of
//! that list. Nothing recurses, and depth, nodes and attributes are bounded where the tree is built ([`guard`]).
//!
//! ```text
//!  text ──guard──► tree ──blocks──► drafts ──main_text──► Content
//!                    └─ digest (E2)    └─ markdown
//! ```

mod blocks;
mod digest;
mod error;
pub(crate) mod guard;
mod image;
mod json;
mod long;
mod mail;
mod main_text;
mod markdown;
mod open;
pub(crate) mod page;
mod plain;
pub(crate) mod region;
mod render;
mod shape;
pub(crate) mod sink;
mod tags;
mod tree;
mod visible;
pub(crate) mod words;
mod xml;

pub use error::SelectorError;
pub use long::read_long;
pub use markdown::{Part, markdown};
pub use page::{read, read_markdown, read_region};
pub use plain::of_text;
pub use region::{Cut, Selectors, region};
pub use render::{main_text, text};

use gleaner_model::{Block, Content, Url};
use main_text::Mark;
use tree::Tree;

/// Reads HTML that is text already. `base` is the page's final URL.
pub fn of_html(html: &str, base: &Url) -> Content {
    let tree = Tree::read(html);
    let drafts = blocks::collect(&tree, base, &|_| true);
    let marks = main_text::mark(&tree, &drafts);
    finish(&tree, drafts, marks)
}

fn finish(tree: &Tree, drafts: Vec<blocks::Draft>, marks: Vec<Mark>) -> Content {
    let blocks = drafts
        .into_iter()
        .zip(marks)
        .map(|(draft, mark)| Block {
            path: draft.path,
            kind: draft.kind,
            text: draft.text,
            is_main: mark.is_main,
            is_frame: mark.is_frame,
            links: draft.links,
            images: mark.images,
        })
        .collect();
    Content {
        title: tree
            .title
            .map(|title| words::folded(tree.str(title)))
            .unwrap_or_default(),
        blocks,
        normal_digest: tree.normal_digest,
    }
}
