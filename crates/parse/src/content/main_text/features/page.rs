//! The page as a whole in numbers: its address, what it says of itself, how much of what it holds. They tell of which type
//! a page is.

use super::super::super::tags::Tag;
use super::super::super::tree::{Said, Tree};
use super::super::names::{Lists, Names};
use super::Facts;
use gleaner_model::{BlockKind, Url};

/// Numbers of a page.
pub const PAGE_WIDTH: usize = 62;

/// The types of pages, in the order in which their likelihoods stand.
pub const KINDS: [&str; 7] = [
    "article",
    "documentation",
    "forum",
    "product",
    "collection",
    "listing",
    "service",
];

/// Words of addresses and names, by the type of page that uses them.
pub(in crate::content::main_text) const KIND_WORDS: [&[&str]; 7] = [
    &[
        "article", "articles", "blog", "news", "post", "posts", "story", "stories",
    ],
    &[
        "doc",
        "docs",
        "documentation",
        "guide",
        "guides",
        "reference",
        "api",
        "manual",
        "wiki",
        "tutorial",
        "tutorials",
        "learn",
        "help",
    ],
    &[
        "forum",
        "forums",
        "thread",
        "threads",
        "topic",
        "topics",
        "viewtopic",
        "showthread",
        "community",
        "discussion",
        "discussions",
        "questions",
        "question",
        "reply",
        "replies",
    ],
    &["product", "products", "item", "buy", "price", "cart", "sku", "dp"],
    &[
        "collection",
        "collections",
        "category",
        "categories",
        "shop",
        "store",
        "catalog",
        "grid",
    ],
    &[
        "tag", "tags", "archive", "archives", "list", "listing", "listings", "search", "results", "jobs",
        "top", "best", "events",
    ],
    &[
        "service",
        "services",
        "solutions",
        "solution",
        "pricing",
        "features",
        "feature",
        "about",
        "company",
        "hero",
        "cta",
        "testimonials",
        "testimonial",
    ],
];
/// Types in linked data and `og:type`, in the same order of use.
const TYPES: [&[&str]; 7] = [
    &[
        "article",
        "newsarticle",
        "blogposting",
        "reportagenewsarticle",
        "recipe",
    ],
    &["techarticle", "apireference", "howto"],
    &["discussionforumposting", "qapage", "question", "comment"],
    &["product", "og:product", "offer", "productgroup"],
    &["collectionpage", "productcollection", "offercatalog"],
    &["itemlist", "searchresultspage", "website", "blog"],
    &[
        "service",
        "localbusiness",
        "softwareapplication",
        "organization",
        "professionalservice",
        "faqpage",
    ],
];

/// Shares of the page that stand in each block's row.
pub(super) fn shares(facts: &Facts<'_>) -> [f32; 6] {
    let words = facts.words.last().copied().unwrap_or(0.0);
    let linked = facts.linked.last().copied().unwrap_or(0.0);
    let prose = facts.prose.last().copied().unwrap_or(0.0);
    let count = |is_it: &dyn Fn(Tag) -> bool| {
        let nodes = facts.tree.nodes.iter().filter(|node| !node.is_hidden);
        nodes.filter(|node| node.tag.is_some_and(is_it)).count() as f32
    };
    [
        words.ln_1p(),
        (facts.drafts.len() as f32).ln_1p(),
        linked / words.max(1.0),
        prose / words.max(1.0),
        count(&|tag| tag == Tag::Main).min(2.0),
        count(&|tag| tag == Tag::Article).ln_1p(),
    ]
}

/// The numbers of a page.
pub(in crate::content::main_text) fn numbers(facts: &Facts<'_>, url: &Url) -> Vec<f32> {
    let tree = facts.tree;
    let mut row = Vec::with_capacity(PAGE_WIDTH);
    address(url, &mut row);
    said(tree, &mut row);
    named(tree, facts.names, &mut row);
    shown(facts, &mut row);
    debug_assert_eq!(row.len(), PAGE_WIDTH, "a page has as many numbers as announced");
    row
}

fn address(url: &Url, row: &mut Vec<f32>) {
    let path = url.path();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let last = parts.last().copied().unwrap_or_default();
    row.extend([
        parts.len() as f32,
        last.len() as f32,
        last.split(['-', '_']).count() as f32,
        f32::from(u8::from(last.bytes().any(|byte| byte.is_ascii_digit()))),
        f32::from(u8::from(url.as_str().contains('?'))),
    ]);
    for words in KIND_WORDS {
        let is_it = |word: &str| words.iter().any(|known| known.eq_ignore_ascii_case(word));
        let host = url.host().split('.').any(is_it);
        let place = parts
            .iter()
            .position(|part| part.split(|c: char| !c.is_alphanumeric()).any(is_it));
        row.push(match (place, host) {
            (Some(place), _) => 1.0 + (parts.len() - place) as f32,
            (None, true) => 1.0,
            (None, false) => 0.0,
        });
    }
}

/// What `og:type` and linked data call the page.
fn said(tree: &Tree, row: &mut Vec<f32>) {
    let mut kinds: Vec<String> = Vec::new();
    for (said, name, content) in &tree.said {
        if *said == Said::Meta && tree.str(*name).eq_ignore_ascii_case("og:type") {
            kinds.push(tree.str(*content).trim().to_ascii_lowercase());
        }
    }
    let has_open_kind = !kinds.is_empty();
    for text in tree.linked_data_texts() {
        // The types alone are wanted, and they stand right behind their key.
        for found in text.match_indices("\"@type\"") {
            let rest = text[found.0 + 7..].trim_start_matches([' ', ':', '[', '\n', '\t', '\r']);
            if let Some(name) = rest.strip_prefix('"').and_then(|rest| rest.split('"').next()) {
                kinds.push(name.to_ascii_lowercase());
            }
        }
    }
    for names in TYPES {
        let count = kinds.iter().filter(|kind| names.contains(&kind.as_str())).count();
        row.push((count as f32).ln_1p());
    }
    row.push(f32::from(u8::from(has_open_kind)));
}

/// How many elements are named by each type's words.
fn named(tree: &Tree, names: &Names, row: &mut Vec<f32>) {
    let mut counts = [0u32; 7];
    for lists in names.iter() {
        for (kind, count) in counts.iter_mut().enumerate() {
            *count += u32::from(lists.holds(Lists::of_kind(kind)));
        }
    }
    let shown = tree
        .nodes
        .iter()
        .filter(|node| node.tag.is_some() && !node.is_hidden);
    let elements = shown.count() as f32;
    row.extend(counts.map(|count| (count as f32 * 100.0 / elements.max(1.0)).ln_1p()));
    row.push(elements.ln_1p());
}

/// What the page shows.
fn shown(facts: &Facts<'_>, row: &mut Vec<f32>) {
    let (tree, drafts) = (facts.tree, facts.drafts);
    row.extend(shares(facts));
    let all = facts.words.last().copied().unwrap_or(0.0).max(1.0);
    let mut words_of_kind = [0.0f32; 6];
    let mut counts = [0.0f32; 6];
    let (mut prices, mut years, mut questions, mut paragraphs, mut long) =
        (0.0f32, 0.0f32, 0.0f32, 0.0f32, 0.0f32);
    let (mut ruled, mut region) = (0.0f32, 0.0f32);
    for (at, (draft, text)) in drafts.iter().zip(&facts.texts).enumerate() {
        let kind = super::kind_number(draft.kind) as usize;
        words_of_kind[kind] += text.counted;
        counts[kind] += 1.0;
        prices += f32::from(u8::from(text.symbol == 2));
        years += text.year;
        questions += f32::from(u8::from(draft.text.ends_with('?')));
        if draft.kind == BlockKind::Paragraph {
            paragraphs += 1.0;
            long += f32::from(u8::from(text.words > 40.0));
        }
        ruled += if facts.ruled.is_main[at] {
            text.counted
        } else {
            0.0
        };
        region += if facts.ruled.in_region[at] {
            text.counted
        } else {
            0.0
        };
    }
    row.extend(words_of_kind.map(|words| words / all));
    row.extend(counts.map(f32::ln_1p));
    let count = |is_it: &dyn Fn(Tag) -> bool| {
        let nodes = tree.nodes.iter().filter(|node| !node.is_hidden);
        nodes.filter(|node| node.tag.is_some_and(is_it)).count() as f32
    };
    // The records with most words in them.
    let mut records = (0.0f32, 0.0f32, 0.0f32);
    for at in 0..tree.len() {
        let children = facts.places.equals_below(tree, at);
        if children < 3 {
            continue;
        }
        let range = facts.places.blocks(tree, at);
        let words = facts.words[range.end] - facts.words[range.start];
        let score = words * (children as f32).min(20.0).sqrt();
        if score > records.0 {
            records = (score, children as f32, words);
        }
    }
    row.extend([
        prices.ln_1p(),
        years.ln_1p(),
        questions.ln_1p(),
        long / paragraphs.max(1.0),
        ruled / all,
        region / all,
        f32::from(u8::from(facts.ruled.is_prose)),
        count(&|tag| tag == Tag::Image).ln_1p(),
        count(&|tag| tag == Tag::Form).ln_1p(),
        count(&|tag| tag == Tag::Control).ln_1p(),
        count(&|tag| tag == Tag::Table).ln_1p(),
        count(&|tag| tag == Tag::Section).ln_1p(),
        count(&|tag| tag == Tag::InlineCode).ln_1p(),
        records.1.ln_1p(),
        records.2 / all,
        (records.2 / records.1.max(1.0)).ln_1p(),
    ]);
}
