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

mod arena;
mod blocks;
mod digest;
mod error;
pub(crate) mod guard;
mod html;
mod image;
mod json;
mod long;
mod made;
mod mail;
mod main_text;
mod markdown;
pub mod metadata;
mod open;
pub(crate) mod page;
mod plain;
pub(crate) mod region;
mod render;
mod shape;
pub(crate) mod sink;
mod tags;
mod tokens;
mod tree;
mod visible;
pub(crate) mod words;
mod xml;

/// What the main text's model is made with; for the benchmarks' own program.
#[doc(hidden)]
pub mod training {
    pub use super::main_text::{
        DecisionNode, DecisionTree, KINDS, Lexicon, Model, PAGE_WIDTH, Topic, TrainingPage, USE_OF_KIND,
        USES, WIDE, WIDTH, Weights, likely, sum, sums,
    };
}

pub use error::SelectorError;
pub use html::html;
pub use long::read_long;
pub use main_text::Repeats;
pub use markdown::{Part, markdown};
pub use page::{is_letter, read, read_markdown, read_region, read_said, read_said_among};
pub use plain::of_text;
pub use region::{RegionCut, Selectors, region};
pub use render::{main_text, paragraphs, text};

use gleaner_model::{Block, Content, Url};
use main_text::Mark;
use tree::Tree;

/// Reads HTML that is text already. `base` is the page's final URL.
pub fn of_html(html: &str, base: &Url) -> Content {
    of_html_among(html, base, &Repeats::default())
}

/// As [`of_html`] for a page of a site of which more is known: what it says on many pages.
pub fn of_html_among(html: &str, base: &Url, repeats: &Repeats) -> Content {
    of_tree(&Tree::read(html), base, repeats)
}

/// As [`of_html_among`] for whoever does not compare: there is no digest.
fn shown_html(html: &str, base: &Url, repeats: &Repeats) -> Content {
    of_tree(&Tree::read_to_show(html), base, repeats)
}

fn of_tree(tree: &Tree, base: &Url, repeats: &Repeats) -> Content {
    let drafts = blocks::collect(tree, base, &|_| true);
    let marks = main_text::mark(tree, &drafts, base, repeats);
    finish(tree, drafts, marks)
}

/// What a page without any visible text says of itself: a script would fill it, and this is all that was sent. Not part of
/// its content, because a page that became empty is told by that.
fn described(html: &str) -> Content {
    let tree = Tree::read_to_show(html);
    let drafts: Vec<blocks::Draft> = blocks::description(&tree).into_iter().collect();
    let marks = vec![Mark::default(); drafts.len()];
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
