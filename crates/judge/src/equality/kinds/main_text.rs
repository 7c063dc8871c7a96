//! Same if the main text, the title and the targets of the main text's links are the same (E4).
//!
//! A page without main text is judged by all it shows (E3). Blocks that are main text on one side only count as main:
//! whether a paragraph belongs to the article must not hide that it was edited. A block whose text is there on both
//! sides is no difference, wherever the extractor put the border.

use super::Entry;
use super::visible::visible_differences;
use crate::diff::{Change, ChangeKind, changes};
use crate::equality::link;
use crate::equality::wording::reworded;
use crate::equality::{Difference, Equality, Ground, Known, Outcome, Side, Verdict};
use gleaner_model::{Block, BlockKind, Content};
use std::collections::{HashMap, HashSet};

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
        let knows_site = now.known().is_some_and(Known::knows_the_site);
        Verdict::from_differences(main_differences(before.content(), now.content(), knows_site))
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

fn main_differences(before: &Content, now: &Content, knows_site: bool) -> Vec<Difference> {
    let has_main = |content: &Content| content.main().next().is_some();
    if !has_main(before) && !has_main(now) {
        return visible_differences(before, now);
    }
    let title = (before.title != now.title).then_some(Difference::Title);
    let lack = Lack::of(before).max(Lack::of(now)).among(knows_site);
    let swapped = swapped(before, now);
    let said = (said(before), said(now));
    let counts = |change: &Change| {
        let sides = [
            change.before.map(|at| &before.blocks[at]),
            change.after.map(|at| &now.blocks[at]),
        ];
        if is_mistaken(before, now, &said, change) {
            return false;
        }
        // Pictures go with the words behind them: what came between takes them over, and nothing was swapped.
        if let (ChangeKind::Link, [Some(old), Some(new)]) = (change.kind, sides)
            && link::same_all(&old.links, &new.links)
            && !(old.images.iter().chain(&new.images)).any(|image| swapped.contains(image.as_str()))
        {
            return false;
        }
        let counts = |block: &Block| match change.kind {
            // Menus lead elsewhere every day; the links of a text are part of it.
            ChangeKind::Link => block.is_main || block.kind == BlockKind::Paragraph && is_watched(block),
            _ => is_watched(block) || lack.watches(block),
        };
        sides.into_iter().flatten().any(counts)
    };
    let found = changes(&before.blocks, &now.blocks);
    let blocks = reworded(&before.blocks, &now.blocks, found)
        .into_iter()
        .filter(counts);
    title.into_iter().chain(blocks.map(Difference::Block)).collect()
}

/// A menu that names the page gains an entry, and the alignment takes the new entry for the page's heading: the heading
/// seems to come anew though it was there.
fn is_mistaken(before: &Content, now: &Content, said: &(Said<'_>, Said<'_>), change: &Change) -> bool {
    let stays = |block: &Block| {
        let count = said.0.get(block.text.as_str());
        count.is_some() && count == said.1.get(block.text.as_str())
    };
    match (change.before, change.after) {
        (Some(old), Some(new)) => {
            change.kind == ChangeKind::Link && before.blocks[old].is_frame != now.blocks[new].is_frame
        }
        (Some(old), None) => stays(&before.blocks[old]),
        (None, Some(new)) => stays(&now.blocks[new]),
        (None, None) => false,
    }
}

/// How often the blocks that count say each text.
type Said<'a> = HashMap<&'a str, usize>;

fn said(content: &Content) -> Said<'_> {
    let mut said = Said::new();
    for block in content.blocks.iter().filter(|block| is_watched(block)) {
        *said.entry(&block.text).or_default() += 1;
    }
    said
}

/// Pictures of which one side shows more than the other.
fn swapped<'a>(before: &'a Content, now: &'a Content) -> HashSet<&'a str> {
    let mut counts: HashMap<&str, i32> = HashMap::new();
    for (content, step) in [(before, -1), (now, 1)] {
        for image in content.blocks.iter().flat_map(|block| &block.images) {
            *counts.entry(image).or_default() += step;
        }
    }
    let uneven = counts.into_iter().filter(|(_, count)| *count != 0);
    uneven.map(|(image, _)| image).collect()
}

/// The blocks of a page that count.
pub(in crate::equality) fn watched(content: &Content) -> impl Iterator<Item = &Block> {
    let lack = Lack::of(content);
    let blocks = content.blocks.iter();
    blocks.filter(move |block| is_watched(block) || lack.watches(block))
}

/// How much of the page is missing from the text that counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lack {
    Little,
    /// The main text is a small part of what the page shows: what stands around it may be what people come for.
    Most,
    /// The page shows hardly more than its frame: it is read for its menu.
    All,
}

/// Elements that hold menus, buttons and footers on every page, by tag or by a word of their names.
const MENU_TAGS: [&str; 5] = ["nav", "footer", "menu", "header", "form"];
const MENU_WORDS: [&str; 22] = [
    "account",
    "breadcrumb",
    "breadcrumbs",
    "consent",
    "cookie",
    "cookies",
    "copyright",
    "footer",
    "login",
    "megamenu",
    "menu",
    "nav",
    "navbar",
    "navigation",
    "pager",
    "pagination",
    "search",
    "sidenav",
    "signin",
    "subnav",
    "topbar",
    "topnav",
];

/// Whether a block stands in a menu or a footer, by the names on its path.
fn is_in_menu(path: &str) -> bool {
    let is_menu = |element: &str| {
        let mut names = element.split(['#', '.', '[', '~']);
        let tag = names.next().unwrap_or_default();
        let mut words = names.flat_map(|name| name.split(|c: char| !c.is_ascii_alphabetic()));
        MENU_TAGS.contains(&tag)
            || words.any(|word| MENU_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
    };
    path.split('/').any(is_menu)
}

impl Lack {
    fn of(content: &Content) -> Lack {
        /// Shares of the visible text, one part in so many.
        const MAIN_SHARE: usize = 4;
        const WATCHED_SHARE: usize = 10;
        /// With more text of its own than this, in bytes, a page is no mere menu, however long the menu is.
        const OWN_BYTES: usize = 240;
        let bytes = |counts: fn(&Block) -> bool| -> usize {
            let counted = content.blocks.iter().filter(|block| counts(block));
            counted.map(|block| block.text.len()).sum()
        };
        let all = bytes(|_| true);
        let watched = bytes(is_watched);
        if watched * WATCHED_SHARE < all && watched < OWN_BYTES {
            Lack::All
        } else if bytes(|block| block.is_main) * MAIN_SHARE < all {
            Lack::Most
        } else {
            Lack::Little
        }
    }

    /// Where other pages of the site were seen they tell what is frame, and nothing else of a page has to be guessed.
    fn among(self, knows_site: bool) -> Lack {
        match self {
            Lack::Most if knows_site => Lack::All,
            lack => lack,
        }
    }

    /// Whether a block of the frame counts all the same.
    fn watches(self, block: &Block) -> bool {
        /// In a menu a block with more words than this is no label or button, and with more for each of its links no entry.
        const LABEL_WORDS_MAX: usize = 3;
        const ENTRY_WORDS_MAX: usize = 6;
        match self {
            Lack::Little => false,
            Lack::Most => {
                let words_max = match block.links.len() {
                    0 => LABEL_WORDS_MAX,
                    links => ENTRY_WORDS_MAX * links,
                };
                block.text.split_whitespace().nth(words_max).is_some() || !is_in_menu(&block.path)
            }
            Lack::All => true,
        }
    }
}

/// Main text, and what an extractor may have missed: anything that does not stand in the page's frame. An extractor that
/// misses one block in twenty would hide one edit in twenty; noise that gets in this way is learned, a hidden edit is lost.
pub(in crate::equality) fn is_watched(block: &Block) -> bool {
    let is_main_heading =
        || block.kind == BlockKind::Heading && block.path.rsplit('/').next().is_some_and(is_first_heading);
    block.is_main || !block.is_frame || is_main_heading()
}

fn is_first_heading(element: &str) -> bool {
    element.split(['#', '.', '[', '~']).next() == Some("h1")
}
