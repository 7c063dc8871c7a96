//! What elements say about themselves: this is the article, this is the menu.

use super::super::blocks::Draft;
use super::super::tags::Tag;
use super::super::tree::Tree;
use super::names::{Lists, Names};

/// An element named like a side show that holds more of the page's prose than this is misnamed (`with-sidebar`).
const ASIDE_SHARE_MAX: f32 = 0.35;
const BESIDE_SHARE_MAX: f32 = 0.15;
/// So much for tags, whose meaning is fixed.
const ASIDE_TAG_SHARE_MAX: f32 = 0.7;

/// Words of classes and ids that name what surrounds a text.
pub(super) const ASIDE_WORDS: &[&str] = &[
    "ad",
    "ads",
    "advert",
    "advertisement",
    "advertising",
    "adsense",
    "adslot",
    "breadcrumb",
    "breadcrumbs",
    "byline",
    "captcha",
    "consent",
    "cookie",
    "cookies",
    "copyright",
    "flyout",
    "footer",
    "gdpr",
    "lightbox",
    "login",
    "masthead",
    "megamenu",
    "menu",
    "modal",
    "nav",
    "navbar",
    "navi",
    "navigation",
    "newsletter",
    "offcanvas",
    "onetrust",
    "optanon",
    "ot",
    "outbrain",
    "pager",
    "pagination",
    "paywall",
    "popular",
    "popup",
    "promo",
    "promoted",
    "promotion",
    "recirc",
    "recirculation",
    "recommend",
    "recommendation",
    "recommendations",
    "recommended",
    "related",
    "respond",
    "rss",
    "share",
    "shares",
    "sharebar",
    "sharing",
    "sidebar",
    "sidenav",
    "signin",
    "signup",
    "skip",
    "skiplink",
    "social",
    "sociable",
    "sponsor",
    "sponsored",
    "sponsors",
    "subnav",
    "subscribe",
    "subscription",
    "taboola",
    "taglist",
    "toolbar",
    "topbar",
    "trending",
];
/// Words that name what stands beside prose, but may be all that a page without prose shows.
pub(super) const BESIDE_WORDS: &[&str] = &[
    "author",
    "authors",
    "banner",
    "bio",
    "caption",
    "captions",
    "categories",
    "copyright",
    "credit",
    "credits",
    "date",
    "dateline",
    "disclaimer",
    "dropdown",
    "follow",
    "foot",
    "hidden",
    "infobox",
    "meta",
    "metadata",
    "more",
    "overlay",
    "postinfo",
    "print",
    "published",
    "readmore",
    "search",
    "similar",
    "tags",
    "teaser",
    "teasers",
    "timestamp",
    "toc",
    "tooltip",
    "topics",
];
/// What readers say about a text. On a page without a text of its own (a forum) it is the text.
pub(super) const REPLY_WORDS: &[&str] = &[
    "comment",
    "commentlist",
    "comments",
    "disqus",
    "replies",
    "responses",
];
/// A page with this much prose outside of its replies is read for it.
const PROSE_WITHOUT_REPLIES_BYTES: u32 = 1200;
/// Words that name the text itself.
pub(super) const MAIN_WORDS: &[&str] = &[
    "article",
    "articlebody",
    "articletext",
    "body",
    "bodytext",
    "content",
    "contents",
    "description",
    "entry",
    "main",
    "maincontent",
    "page",
    "post",
    "postbody",
    "postcontent",
    "story",
    "storybody",
    "text",
    "thread",
];

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Hint {
    /// It or something around it says it is not the text.
    pub(super) is_aside: bool,
    /// It or something around it stands beside prose, if there is any.
    pub(super) is_beside: bool,
    /// It says it is the text: 3 for `main`, 2 for `article`, 1 for a word.
    pub(super) main: u8,
}

pub(super) struct Hints {
    of: Vec<Hint>,
    /// Bytes of prose up to each node.
    sums: Vec<u32>,
}

impl Hints {
    pub(super) fn read(tree: &Tree, drafts: &[Draft], names: &Names) -> Hints {
        let mut hints = Hints {
            of: Vec::with_capacity(tree.nodes.len()),
            sums: prose_sums(tree, drafts),
        };
        let all = hints.sums.last().copied().unwrap_or(0);
        let replies: Vec<u32> = outermost(tree, |at, tag| {
            tag.breaks() && !tag.is_page() && names.has(at, Lists::REPLY)
        });
        let in_replies: u32 = replies.iter().map(|at| hints.prose_inside(tree, *at)).sum();
        let replies_are_aside = all - in_replies >= PROSE_WITHOUT_REPLIES_BYTES;
        let mut next_reply = replies.iter().copied().peekable();
        for at in 0..tree.len() {
            let node = tree.node(at);
            let above = hints.of.get(node.parent as usize).copied().unwrap_or_default();
            let mut hint = Hint {
                is_aside: above.is_aside,
                is_beside: above.is_beside,
                main: 0,
            };
            let is_reply = next_reply.next_if_eq(&at).is_some();
            if let Some(tag) = node.tag.filter(|_| !above.is_aside && !node.is_hidden) {
                let share = hints.prose_share(tree, at);
                hint.main = says_main(tree, at, tag, names);
                hint.is_aside = (says_aside_by_tag(tree, at, tag) && share < ASIDE_TAG_SHARE_MAX)
                    || (says_aside_by_name(names, at, tag, Lists::ASIDE)
                        && hint.main < 2
                        && share < ASIDE_SHARE_MAX)
                    || (is_reply && replies_are_aside);
                hint.is_beside |= hint.is_aside
                    || tag == Tag::Caption
                    || (says_aside_by_name(names, at, tag, Lists::BESIDE)
                        && hint.main < 2
                        && share < BESIDE_SHARE_MAX);
            }
            hints.of.push(hint);
        }
        hints
    }

    pub(super) fn is_aside(&self, at: u32) -> bool {
        self.of[at as usize].is_aside
    }

    pub(super) fn is_beside(&self, at: u32) -> bool {
        self.of[at as usize].is_beside
    }

    pub(super) fn main(&self, at: u32) -> u8 {
        self.of[at as usize].main
    }

    /// How much of the page's prose stands in an element.
    pub(super) fn prose_share(&self, tree: &Tree, at: u32) -> f32 {
        let all = self.sums.last().copied().unwrap_or(0);
        self.prose_inside(tree, at) as f32 / all.max(1) as f32
    }

    fn prose_inside(&self, tree: &Tree, at: u32) -> u32 {
        self.sums[tree.node(at).end as usize] - self.sums[at as usize]
    }
}

/// A block that reads as sentences rather than as a label or a link.
pub(super) fn is_prose(draft: &Draft) -> bool {
    const PROSE_BLOCK_BYTES: usize = 80;
    draft.text.len() >= PROSE_BLOCK_BYTES && draft.linked * 3 < draft.text.len()
}

fn prose_sums(tree: &Tree, drafts: &[Draft]) -> Vec<u32> {
    let mut sums = vec![0u32; tree.nodes.len() + 1];
    for draft in drafts.iter().filter(|draft| is_prose(draft)) {
        sums[draft.from.min(tree.len()) as usize] += draft.text.len() as u32;
    }
    let mut sum = 0;
    for slot in &mut sums {
        let here = *slot;
        *slot = sum;
        sum += here;
    }
    sums
}

/// The elements for which it holds and for none around them.
fn outermost(tree: &Tree, holds: impl Fn(u32, Tag) -> bool) -> Vec<u32> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tree.len() {
        let node = tree.node(at);
        match node.tag {
            Some(_) if node.is_hidden => at = node.end,
            Some(tag) if holds(at, tag) => {
                found.push(at);
                at = node.end;
            }
            _ => at += 1,
        }
    }
    found
}

fn says_main(tree: &Tree, at: u32, tag: Tag, names: &Names) -> u8 {
    let node = tree.node(at);
    if tag == Tag::Main || tree.str(node.role).eq_ignore_ascii_case("main") {
        return 3;
    }
    if tag == Tag::Article || tree.str(node.role).eq_ignore_ascii_case("article") {
        return 2;
    }
    if matches!(tag, Tag::Div | Tag::Section | Tag::Cell) && names.has(at, Lists::MAIN) {
        return 1;
    }
    0
}

fn says_aside_by_tag(tree: &Tree, at: u32, tag: Tag) -> bool {
    let node = tree.node(at);
    let by_role = [
        "navigation",
        "banner",
        "contentinfo",
        "complementary",
        "search",
        "menu",
        "menubar",
        "toolbar",
        "dialog",
        "alertdialog",
        "tablist",
        "tooltip",
    ]
    .iter()
    .any(|role| tree.str(node.role).eq_ignore_ascii_case(role));
    by_role
        || match tag {
            Tag::Nav | Tag::Footer | Tag::Aside | Tag::Control | Tag::Dialog | Tag::Noscript => true,
            // The header of an article names it; the header of a page is its letterhead.
            Tag::Header => !tree
                .upwards(node.parent)
                .any(|up| matches!(tree.tag(up), Some(Tag::Article | Tag::Main | Tag::Section))),
            _ => false,
        }
}

fn says_aside_by_name(names: &Names, at: u32, tag: Tag, list: Lists) -> bool {
    tag.breaks() && !tag.is_page() && !matches!(tag, Tag::Heading(_)) && names.has(at, list)
}
