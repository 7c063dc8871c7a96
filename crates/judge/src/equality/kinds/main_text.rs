//! Same if the main text, the title and the targets of the main text's links are the same (E4).
//!
//! A page without main text is judged by all it shows (E3). Blocks that are main text on one side only count as main:
//! whether a paragraph belongs to the article must not hide that it was edited. A block whose text is there on both
//! sides is no difference, wherever the extractor put the border.

use super::Entry;
use super::visible::visible_differences;
use crate::diff::{ChangeKind, changes};
use crate::equality::{Difference, Equality, Ground, Outcome, Side, Verdict};
use gleaner_model::{Block, BlockKind, Content};

pub(super) const ENTRY: Entry = Entry {
    name: "main",
    options: &[],
    make: |_| Ok(Box::new(MainText)),
};

#[derive(Debug)]
pub(in crate::equality) struct MainText;

impl Equality for MainText {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn same(&self, before: &Side, now: &Side) -> Verdict {
        if before.bytes() == now.bytes() {
            return Verdict::same();
        }
        Verdict::from_differences(main_differences(before.content(), now.content()))
    }
}

impl MainText {
    /// The verdict with one excusing equality beside it.
    pub(super) fn excused_by(excuser: &dyn Equality, before: &Side, now: &Side) -> Verdict {
        let mut found = MainText.same(before, now);
        let ground = Ground::page(before, now);
        let mut left = Vec::new();
        for difference in std::mem::take(&mut found.differences) {
            match excuser.excuses(&ground, &difference) {
                Some(why) => found.ignored.push(ground.ignored(&difference, why)),
                None => left.push(difference),
            }
        }
        if left.is_empty() {
            found.outcome = Outcome::Same;
        }
        Verdict {
            differences: left,
            ..found
        }
    }
}

fn main_differences(before: &Content, now: &Content) -> Vec<Difference> {
    let has_main = |content: &Content| content.main().next().is_some();
    if !has_main(before) && !has_main(now) {
        return visible_differences(before, now);
    }
    let title = (before.title != now.title).then_some(Difference::Title);
    let counts = |change: &crate::diff::Change| {
        let sides = [
            change.before.map(|at| &before.blocks[at]),
            change.after.map(|at| &now.blocks[at]),
        ];
        let counts = match change.kind {
            // Menus lead elsewhere every day; the links of a text are part of it.
            ChangeKind::Link => {
                |block: &Block| block.is_main || block.kind == BlockKind::Paragraph && is_watched(block)
            }
            _ => is_watched,
        };
        sides.into_iter().flatten().any(counts)
    };
    let blocks = changes(&before.blocks, &now.blocks).into_iter().filter(counts);
    title.into_iter().chain(blocks.map(Difference::Block)).collect()
}

/// Main text, and what an extractor may have missed: anything that does not stand in the page's frame, and whole
/// sentences even there. An extractor that misses one block in twenty would hide one edit in twenty; noise that gets in
/// this way is learned, a hidden edit is lost.
pub(in crate::equality) fn is_watched(block: &Block) -> bool {
    let is_main_heading =
        || block.kind == BlockKind::Heading && block.path.rsplit('/').next().is_some_and(is_first_heading);
    block.is_main || is_prose(block) || !is_frame(&block.path) || is_main_heading()
}

fn is_first_heading(element: &str) -> bool {
    element.split(['#', '.', '[', '~']).next() == Some("h1")
}

/// Words of a block from which on it is prose.
const PROSE_WORDS_MIN: usize = 12;

/// Whole sentences that are not made of links.
fn is_prose(block: &Block) -> bool {
    let is_flowing = matches!(
        block.kind,
        BlockKind::Paragraph | BlockKind::Row | BlockKind::Code
    );
    is_flowing && block.links.len() <= 2 && block.text.split_whitespace().nth(PROSE_WORDS_MIN - 1).is_some()
}

/// Elements that stand around every page of a site.
const FRAME_TAGS: [&str; 3] = ["aside", "footer", "nav"];
/// Ids and classes of such elements: the name itself, or its first word.
const FRAME_NAMES: [&str; 32] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "breadcrumb",
    "breadcrumbs",
    "consent",
    "cookie",
    "cookies",
    "footer",
    "masthead",
    "menu",
    "modal",
    "nav",
    "navbar",
    "navigation",
    "newsletter",
    "pager",
    "pagination",
    "popup",
    "promo",
    "recommendations",
    "recommended",
    "related",
    "share",
    "sharing",
    "sidebar",
    "social",
    "sponsor",
    "sponsored",
    "subscribe",
    "toolbar",
];

/// Whether the path says so, such as `div#footer-links/ul`. Inside an article only tags are believed: sites name their
/// own parts as they like.
fn is_frame(path: &str) -> bool {
    let mut is_article = false;
    for element in path.split('/') {
        let element = element.split(['[', '~']).next().unwrap_or(element);
        let mut names = element.split(['#', '.']);
        let tag = names.next().unwrap_or_default();
        if FRAME_TAGS.contains(&tag) {
            return true;
        }
        is_article |= matches!(tag, "article" | "main");
        let is_named = |name: &str| FRAME_NAMES.contains(&name.split('-').next().unwrap_or(name));
        if !is_article && names.any(|name| is_named(&name.to_ascii_lowercase())) {
            return true;
        }
    }
    false
}
