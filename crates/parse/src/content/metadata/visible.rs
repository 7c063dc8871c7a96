//! What a reader sees of the page's day, and its licence. Days are asked for near the heading that names the page.

use super::super::blocks::Draft;
use super::super::tags::Tag;
use super::super::tree::Tree;
use super::super::words::folded;
use super::dates;
use super::page::Page;
use gleaner_model::BlockKind;

/// Days stand so near to the heading, in blocks.
const NEAR_BLOCKS: usize = 16;
const BEFORE_BLOCKS: usize = 5;
/// A block with more words than this tells a story.
const DAY_WORDS_MAX: usize = 16;
const LINE_BYTES_MAX: usize = 400;
const CLASSES: &[&str] = &[
    "date",
    "datum",
    "published",
    "posted",
    "pubdate",
    "dateline",
    "timestamp",
    "postdate",
    "entrydate",
    "publication",
];
/// Attributes in which the elements of scripts keep a time.
const TIMES: &[&str] = &[
    "ts",
    "created-timestamp",
    "data-timestamp",
    "data-datetime",
    "data-published",
    "data-date",
];

#[derive(Debug, Default)]
pub(super) struct Visible {
    pub(super) published: Option<String>,
    pub(super) licence: Option<String>,
}

impl Visible {
    pub(super) fn read(page: &Page<'_>, drafts: &[Draft], heading: Option<u32>) -> Visible {
        let origin = heading.unwrap_or(0);
        let published = by_property(page)
            .or_else(|| by_time(page, origin))
            .or_else(|| by_class(page, origin))
            .or_else(|| by_line(page, drafts, origin))
            .or_else(|| by_attribute(page, origin));
        Visible {
            published,
            licence: licence(page),
        }
    }
}

fn by_property(page: &Page<'_>) -> Option<String> {
    let tree = page.tree;
    let is_it = |at: &u32| {
        let property = tree.str(tree.node(*at).property);
        let mut names = property.split_ascii_whitespace();
        names.any(|one| matches!(one, "datePublished" | "dateCreated")) && !page.is_frame(*at)
    };
    (0..tree.len()).filter(is_it).take(5).find_map(|at| {
        let written = page
            .attribute(at, "content")
            .or_else(|| page.attribute(at, "datetime"));
        dates::day(&written.unwrap_or_else(|| line_in(tree, at)))
    })
}

/// The first `time` behind the heading, else the first of all.
fn by_time(page: &Page<'_>, origin: u32) -> Option<String> {
    let tree = page.tree;
    let read = |at: u32| {
        let written = tree.str(tree.node(at).label);
        dates::day(written).or_else(|| dates::day(&line_in(tree, at)))
    };
    let is_time = |at: &u32| &*tree.node(*at).name == "time";
    let is_own = |at: &u32| is_time(at) && !page.is_frame(*at);
    let updates = |at: &u32| {
        let node = tree.node(*at);
        let class = tree.str(node.text);
        class.contains("updated") && !class.contains("published")
            || tree.str(node.property).contains("Modified")
    };
    (origin..tree.len())
        .filter(|at| is_own(at) && !updates(at))
        .take(5)
        .find_map(read)
        .or_else(|| (0..tree.len()).filter(is_own).take(10).find_map(read))
        .or_else(|| (0..tree.len()).filter(is_time).take(10).find_map(read))
}

fn by_class(page: &Page<'_>, origin: u32) -> Option<String> {
    let tree = page.tree;
    let is_one = |at: &u32| {
        let node = tree.node(*at);
        node.tag.is_some() && !node.is_hidden && !page.is_frame(*at) && has_class(tree, *at, CLASSES)
    };
    let mut behind = (origin..tree.len()).filter(is_one).take(20);
    let mut before = (0..origin).rev().filter(is_one).take(5);
    let mut read = |at: u32| {
        let line = line_in(tree, at);
        (line.split(' ').count() <= 2 * DAY_WORDS_MAX)
            .then(|| dates::day(&line))
            .flatten()
    };
    behind.find_map(&mut read).or_else(|| before.find_map(read))
}

/// A short line with a day in it; else a paragraph that begins with one.
fn by_line(page: &Page<'_>, drafts: &[Draft], origin: u32) -> Option<String> {
    let first = drafts.iter().position(|draft| draft.to > origin).unwrap_or(0);
    let after = || drafts.iter().skip(first).take(NEAR_BLOCKS);
    let before = drafts[first.saturating_sub(BEFORE_BLOCKS)..first].iter().rev();
    let is_line = |draft: &&Draft| {
        draft.kind != BlockKind::Heading
            && draft.text.split_whitespace().count() <= DAY_WORDS_MAX
            && !page.is_frame(draft.owner)
    };
    let lines = after().chain(before).filter(is_line);
    lines
        .map(|draft| dates::day(&draft.text))
        .find(Option::is_some)
        .flatten()
        .or_else(|| {
            after()
                .take(6)
                .filter(|draft| !page.is_frame(draft.owner))
                .find_map(|draft| {
                    let start: Vec<&str> = draft.text.split_whitespace().take(4).collect();
                    dates::day(&start.join(" "))
                })
        })
}

fn by_attribute(page: &Page<'_>, origin: u32) -> Option<String> {
    let near = origin.saturating_sub(200)..page.tree.len().min(origin + 200);
    near.filter(|at| page.tree.tag(*at).is_some() && !page.is_frame(*at))
        .find_map(|at| TIMES.iter().find_map(|name| page.attribute(at, name)))
        .and_then(|written| dates::day(&written))
}

fn licence(page: &Page<'_>) -> Option<String> {
    let tree = page.tree;
    let is_licence = |at: &u32| {
        let node = tree.node(*at);
        let rel = tree.str(node.label);
        node.tag == Some(Tag::Link)
            && rel
                .split_ascii_whitespace()
                .any(|one| one.eq_ignore_ascii_case("license"))
    };
    let at = (0..tree.len()).find(is_licence)?;
    let written = tree.str(tree.node(at).value).trim();
    Some(page.address(written).unwrap_or_else(|| written.to_owned()))
}

/// One of its classes, whole or as a part between hyphens.
fn has_class(tree: &Tree, at: u32, names: &[&str]) -> bool {
    let class = super::cut(tree.str(tree.node(at).text), 300);
    class
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| names.iter().any(|name| part.eq_ignore_ascii_case(name)))
}

/// The words that an element shows, at most a line of them.
pub(super) fn line_in(tree: &Tree, at: u32) -> String {
    words_in(tree, at, LINE_BYTES_MAX, false)
}

/// The words in an element, with those that are not shown or without them.
pub(super) fn words_in(tree: &Tree, at: u32, bytes_max: usize, with_hidden: bool) -> String {
    let mut text = String::new();
    for inner in tree.inside(at) {
        let node = tree.node(inner);
        if node.tag.is_none() && (!node.is_hidden || with_hidden) {
            text.push_str(tree.str(node.text));
        } else {
            text.push(' ');
        }
        if text.len() > bytes_max {
            break;
        }
    }
    super::cut(&folded(&text), bytes_max).to_owned()
}
