//! What stands around every page of a site: its header, menus, side bars, footer. In: the tree and its blocks. Out: yes or
//! no per node and block.
//!
//! The main text is what a reader came for; the frame is what nobody came for. Between them lies what cannot be told, and
//! whoever compares pages must look at that too: an extractor misses some of every text. So an element is frame only where
//! it says so by tag, role or name, and only while it holds no large share of what the page shows: a page that is nothing
//! but a menu is read for its menu.
//!
//! Menus and footers are frame down to the last word. Side bars and the like may hold a text that matters: whole sentences
//! in them are not frame.

use super::super::blocks::Draft;
use super::super::tags::Tag;
use super::super::tree::Tree;
use super::hints::{Hints, is_prose};
use super::names::{Lists, Names};
use gleaner_model::BlockKind;

/// Names of menus, footers and forms that every page has.
pub(super) const FIRM_WORDS: &[&str] = &[
    "account",
    "auth",
    "breadcrumb",
    "breadcrumbs",
    "consent",
    "cookie",
    "cookies",
    "copyright",
    "footer",
    "login",
    "loginbox",
    "logout",
    "megamenu",
    "menu",
    "nav",
    "navbar",
    "navi",
    "navigation",
    "pager",
    "pagination",
    "search",
    "searchbox",
    "sidenav",
    "signin",
    "signup",
    "skiplink",
    "subnav",
    "topbar",
    "topnav",
    "userbar",
    "userbox",
    "userlinks",
    "usermenu",
];
/// Of these, those that are believed inside of what the author calls the text.
pub(super) const ENDING_WORDS: &[&str] = &[
    "breadcrumb",
    "breadcrumbs",
    "copyright",
    "footer",
    "pager",
    "pagination",
];
/// Words that are often written together with the word before (`sphinxsidebar`, `mainmenu`).
const LOOSE_ENDS: &[&str] = &["sidebar", "menu", "navbar", "footer"];
/// Names of what stands beside a text.
pub(super) const LOOSE_WORDS: &[&str] = &[
    "ad",
    "ads",
    "advert",
    "advertisement",
    "banner",
    "masthead",
    "modal",
    "newsletter",
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
/// Whole names of a page's header. As a word of a name it may be the header of anything (`post-header`).
const HEADER_NAMES: &[&str] = &[
    "header",
    "page-top",
    "pageheader",
    "site-header",
    "siteheader",
    "top",
];
/// An element that holds more of the page's prose than this is misnamed (`with-sidebar`).
const NAMED_PROSE_MAX: f32 = 0.35;
/// So much for tags and roles, whose meaning is fixed.
const TAGGED_PROSE_MAX: f32 = 0.7;
/// With more of all the page shows than this it is what the page shows.
const SHOWN_MAX: f32 = 0.8;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Frame {
    None,
    Loose,
    Firm,
}

/// What of a page is frame, node by node.
pub(super) struct Frames {
    /// With whether it stands in what the author calls the text.
    of: Vec<(Frame, bool)>,
}

impl Frames {
    pub(super) fn read(tree: &Tree, drafts: &[Draft], hints: &Hints, names: &Names) -> Frames {
        let shown = shown_sums(tree, drafts);
        let all = shown.last().copied().unwrap_or(0).max(1) as f32;
        let mut of: Vec<(Frame, bool)> = Vec::with_capacity(tree.nodes.len());
        for at in 0..tree.len() {
            let node = tree.node(at);
            let (around, in_text) = of
                .get(node.parent as usize)
                .copied()
                .unwrap_or((Frame::None, false));
            let mut here = (around, in_text);
            if let Some(tag) = node.tag.filter(|_| around < Frame::Firm && !node.is_hidden) {
                let (found, prose_max) = said(tree, at, tag, in_text, names);
                let share = (shown[node.end as usize] - shown[at as usize]) as f32 / all;
                if found > around && hints.prose_share(tree, at) < prose_max && share < SHOWN_MAX {
                    here.0 = found;
                }
                here.1 |= hints.main(at) >= 2;
            }
            of.push(here);
        }
        Frames { of }
    }

    pub(super) fn holds(&self, at: u32) -> bool {
        self.of[at as usize].0 != Frame::None
    }

    pub(super) fn holds_block(&self, draft: &Draft) -> bool {
        match self.of[draft.owner as usize].0 {
            Frame::Firm => true,
            Frame::Loose => draft.kind != BlockKind::Heading && !is_flowing(draft),
            Frame::None => false,
        }
    }
}

/// What an element says about itself, and how much of the page's prose it may hold to be believed.
fn said(tree: &Tree, at: u32, tag: Tag, in_text: bool, names: &Names) -> (Frame, f32) {
    let node = tree.node(at);
    let role = |names: &[&str]| {
        let role = tree.str(node.role);
        names.iter().any(|name| role.eq_ignore_ascii_case(name))
    };
    if matches!(tag, Tag::Nav | Tag::Footer)
        || role(&["navigation", "contentinfo", "search", "menu", "menubar"])
    {
        return (Frame::Firm, TAGGED_PROSE_MAX);
    }
    if tag == Tag::Form && tree.inside(at).any(|inner| tree.node(inner).is_password) {
        return (Frame::Firm, NAMED_PROSE_MAX);
    }
    if !tag.breaks() || tag.is_page() || matches!(tag, Tag::Heading(_)) {
        return (Frame::None, 0.0);
    }
    if names.has(at, if in_text { Lists::ENDING } else { Lists::FIRM }) {
        return (Frame::Firm, NAMED_PROSE_MAX);
    }
    let is_header = !in_text && (tag == Tag::Header || has_name(tree, at, HEADER_NAMES));
    if tag == Tag::Aside || is_header || role(&["banner", "complementary", "dialog", "toolbar"]) {
        return (Frame::Loose, TAGGED_PROSE_MAX);
    }
    let has_end = || {
        let mut whole = whole_names(tree, at);
        whole.any(|name| LOOSE_ENDS.iter().any(|end| ends_with(name, end)))
    };
    if !in_text && (names.has(at, Lists::LOOSE) || has_end()) {
        return (Frame::Loose, NAMED_PROSE_MAX);
    }
    (Frame::None, 0.0)
}

/// Its id and its classes.
fn whole_names(tree: &Tree, at: u32) -> impl Iterator<Item = &str> {
    let node = tree.node(at);
    [node.id, node.text]
        .into_iter()
        .flat_map(|span| tree.str(span).split_ascii_whitespace())
}

/// Whether its id or one of its classes is in the list.
fn has_name(tree: &Tree, at: u32, known: &[&str]) -> bool {
    whole_names(tree, at).any(|name| known.iter().any(|known| name.eq_ignore_ascii_case(known)))
}

/// Without regard to case.
fn ends_with(name: &str, end: &str) -> bool {
    let from = name.len().checked_sub(end.len());
    from.and_then(|from| name.get(from..))
        .is_some_and(|last| last.eq_ignore_ascii_case(end))
}

/// Whole sentences that are not made of links.
fn is_flowing(draft: &Draft) -> bool {
    const WORDS_MIN: usize = 12;
    let is_text = matches!(
        draft.kind,
        BlockKind::Paragraph | BlockKind::Row | BlockKind::Code
    );
    is_text
        && (is_prose(draft) || draft.links.len() <= 2)
        && draft.text.split_whitespace().nth(WORDS_MIN - 1).is_some()
}

/// Bytes of text up to each node.
fn shown_sums(tree: &Tree, drafts: &[Draft]) -> Vec<u32> {
    let mut sums = vec![0u32; tree.nodes.len() + 1];
    for draft in drafts {
        sums[draft.from.min(tree.len()) as usize] += draft.text.len() as u32;
    }
    let mut sum = 0;
    for slot in &mut sums {
        sum += std::mem::replace(slot, sum);
    }
    sums
}
