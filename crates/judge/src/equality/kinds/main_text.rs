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
use crate::equality::{Difference, Equality, EqualityOutcome, Ground, LearnedTemplate, Side, Verdict};
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
        let knows_site = now.known().is_some_and(LearnedTemplate::knows_the_site);
        Verdict::from_differences(main_differences(before.content(), now.content(), knows_site))
    }
}

impl MainText {
    /// The verdict with one excusing equality beside it.
    pub(super) fn excused_by(excuser: &dyn Equality, before: &Side, now: &Side) -> Verdict {
        let mut found = MainText.same(before, now);
        let ground = Ground::page(before, now, &found.differences);
        let mut left = Vec::new();
        for difference in std::mem::take(&mut found.differences) {
            match excuser.excuses(&ground, &difference) {
                Some(why) => found.ignored.push(ground.ignored(&difference, why)),
                None => left.push(difference),
            }
        }
        if left.is_empty() {
            found.outcome = EqualityOutcome::Same;
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
    /// The same where other pages of the site tell what their frame is: all else counts that is not made for the visitor.
    Own,
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

/// Words in the names of what a page shows its visitor of himself: who he is, where he came by, what he looked for.
const VISITOR_WORDS: [&str; 22] = [
    "account",
    "auth",
    "basket",
    "breadcrumb",
    "breadcrumbs",
    "cart",
    "consent",
    "cookie",
    "cookies",
    "login",
    "logout",
    "minicart",
    "search",
    "session",
    "signin",
    "signup",
    "trace",
    "user",
    "userbar",
    "userlinks",
    "usermenu",
    "usertools",
];

/// Whether a block stands in an element of such a tag, or with such a word in its names.
fn is_in(path: &str, tags: &[&str], words: &[&str]) -> bool {
    let is_it = |element: &str| {
        let mut names = element.split(['#', '.', '[', '~']);
        let tag = names.next().unwrap_or_default();
        let mut said = names.flat_map(|name| name.split(|c: char| !c.is_ascii_alphabetic()));
        tags.contains(&tag) || said.any(|word| words.iter().any(|known| known.eq_ignore_ascii_case(word)))
    };
    path.split('/').any(is_it)
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
        } else if bytes(|block| block.is_main && !is_entry(block)) * MAIN_SHARE < all {
            Lack::Most
        } else {
            Lack::Little
        }
    }

    /// Where other pages of the site were seen they tell what is frame, and nothing else of a page has to be guessed.
    fn among(self, knows_site: bool) -> Lack {
        match self {
            Lack::Most if knows_site => Lack::Own,
            lack => lack,
        }
    }

    /// Whether a block of the frame counts all the same.
    fn watches(self, block: &Block) -> bool {
        /// In a menu a block with more words than this is no label or button.
        const LABEL_WORDS_MAX: usize = 3;
        match self {
            Lack::Little => false,
            Lack::Most => {
                let is_label = block.links.is_empty() && !has_more_words(block, LABEL_WORDS_MAX);
                !is_label && !is_entry(block) || !is_in(&block.path, &MENU_TAGS, &MENU_WORDS)
            }
            Lack::Own => !is_in(&block.path, &[], &VISITOR_WORDS),
            Lack::All => true,
        }
    }
}

/// Links with few words for each: entries of a menu or a list, whoever took them for the text.
fn is_entry(block: &Block) -> bool {
    const ENTRY_WORDS_MAX: usize = 6;
    !block.links.is_empty() && !has_more_words(block, ENTRY_WORDS_MAX * block.links.len())
}

fn has_more_words(block: &Block, words_max: usize) -> bool {
    block.text.split_whitespace().nth(words_max).is_some()
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
