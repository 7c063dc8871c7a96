//! Who wrote the page, as its reader sees it: properties, `rel=author`, classes, and lines such as `By Ann Lee`.
//!
//! Pages name other people too: those who commented, those of other articles. So names are asked for near the heading that
//! names the page, and never in side bars, forms and comments.

use super::super::blocks::Draft;
use super::super::tags::Tag;
use super::names::{is_announced, is_name, people, until_day, without_before};
use super::page::Page;
use super::visible::{line_in, words_in};
use gleaner_model::BlockKind;

/// Names stand so near to the heading, in blocks.
const NEAR_BLOCKS: usize = 16;
const BEFORE_BLOCKS: usize = 6;
/// And so near in nodes of the tree.
const NEAR_NODES: u32 = 400;
/// A block with more words than this is no byline.
const BYLINE_WORDS_MAX: usize = 16;
const CLASSES: &[&str] = &[
    "author",
    "authors",
    "byline",
    "username",
    "poster",
    "autor",
    "autoren",
    "auteur",
    "writer",
    "authorname",
    "authorlink",
];
/// Classes that have `author` in them and hold no name.
const NO_CLASSES: &[&str] = &[
    "avatar",
    "image",
    "img",
    "bio",
    "form",
    "comment",
    "comments",
    "count",
    "social",
    "meta",
    "description",
    "role",
    "label",
    "photo",
    "title",
];

#[derive(Debug, Default)]
pub(super) struct Bylines {
    /// Said by a property of the page's vocabulary.
    pub(super) marked: Vec<String>,
    /// Seen near the heading.
    pub(super) near: Vec<String>,
    /// Seen elsewhere.
    pub(super) far: Vec<String>,
}

impl Bylines {
    pub(super) fn read(page: &Page<'_>, drafts: &[Draft], heading: Option<u32>) -> Bylines {
        let mut found = Bylines::default();
        let origin = heading.unwrap_or(0);
        let mut classed: Vec<(u32, Vec<String>)> = Vec::new();
        for at in 0..page.tree.len() {
            let node = page.tree.node(at);
            if node.tag.is_none() {
                continue;
            }
            if found.marked.is_empty() && is_author_property(page, at) {
                found.marked = marked(page, at);
            }
            if node.is_hidden || page.is_frame(at) || classed.len() > 60 {
                continue;
            }
            if is_author_link(page, at) || is_author_class(page, at) {
                let line = line_in(page.tree, at);
                let line = without_before(&line);
                let people = people(&until_day(line));
                if line.split(' ').count() <= BYLINE_WORDS_MAX && !people.is_empty() {
                    classed.push((at, people));
                }
            }
        }
        // Behind the heading counts as nearer than before it.
        let distance = |at: u32| {
            if at >= origin {
                at - origin
            } else {
                2 * (origin - at)
            }
        };
        let nearest = classed.iter().min_by_key(|(at, _)| distance(*at));
        let lines = lines(page, drafts, origin);
        if let Some((at, people)) = nearest {
            if distance(*at) <= NEAR_NODES {
                found.near.clone_from(people);
            } else {
                found.far.clone_from(people);
            }
        }
        if found.near.is_empty() {
            found.near = lines;
        }
        if found.near.is_empty() && found.far.is_empty() {
            found.far = labelled(page, drafts);
        }
        found
    }
}

/// `By Ann Lee` near the heading.
fn lines(page: &Page<'_>, drafts: &[Draft], origin: u32) -> Vec<String> {
    let first = drafts.iter().position(|draft| draft.to > origin).unwrap_or(0);
    let after = drafts.iter().skip(first).take(NEAR_BLOCKS);
    let before = drafts[first.saturating_sub(BEFORE_BLOCKS)..first].iter().rev();
    for draft in after.chain(before) {
        let words = draft.text.split_whitespace().count();
        if draft.kind == BlockKind::Heading
            || words > BYLINE_WORDS_MAX
            || page.is_frame(draft.owner)
            || !is_announced(&draft.text)
        {
            continue;
        }
        let people = people(&until_day(without_before(&draft.text)));
        // `By the way` is no name.
        let is_capital = |name: &String| {
            name.split(' ').count() == 1 || name.chars().next().is_some_and(char::is_uppercase)
        };
        if !people.is_empty() && people.iter().all(is_capital) {
            return people;
        }
    }
    Vec::new()
}

/// `Author: Ann Lee` wherever it stands, also with the name in the next block.
fn labelled(page: &Page<'_>, drafts: &[Draft]) -> Vec<String> {
    for (at, draft) in drafts.iter().enumerate() {
        if draft.text.len() > 120 || page.is_frame(draft.owner) {
            continue;
        }
        let Some((label, rest)) = draft.text.split_once(':') else {
            continue;
        };
        let label = label.trim().to_lowercase();
        if !matches!(
            label.as_str(),
            "author" | "autor" | "autorin" | "auteur" | "autore" | "автор" | "written by" | "von" | "by"
        ) {
            continue;
        }
        let rest = if rest.trim().is_empty() {
            drafts.get(at + 1).map_or("", |next| next.text.as_str())
        } else {
            rest
        };
        let people = people(&until_day(rest));
        if rest.split_whitespace().count() <= BYLINE_WORDS_MAX && !people.is_empty() {
            return people;
        }
    }
    Vec::new()
}

/// Of microdata or `RDFa`.
fn is_author_property(page: &Page<'_>, at: u32) -> bool {
    let is_author = |name: &str| {
        let name = name.rsplit([':', '/']).next().unwrap_or(name);
        matches!(name, "author" | "creator" | "has_creator")
    };
    let property = page.tree.str(page.tree.node(at).property);
    if property.split_ascii_whitespace().any(is_author) {
        return true;
    }
    matches!(page.tree.tag(at), Some(Tag::Inline | Tag::Div | Tag::Link))
        && page
            .attribute(at, "property")
            .is_some_and(|property| property.split_ascii_whitespace().any(is_author))
}

/// The name in an element that is an author: its own property, or its words.
fn marked(page: &Page<'_>, at: u32) -> Vec<String> {
    // Comments have authors too.
    if page.is_frame(at) {
        return Vec::new();
    }
    let tree = page.tree;
    let text = |at: u32| {
        page.attribute(at, "content")
            .unwrap_or_else(|| words_in(tree, at, 200, false))
    };
    let name = tree.inside(at).find(|inner| {
        tree.str(tree.node(*inner).property)
            .split_ascii_whitespace()
            .any(|one| one == "name")
    });
    let name = name.map_or_else(|| text(at), text);
    let people = people(&until_day(&name));
    if people.iter().all(|name| is_name(name)) {
        people
    } else {
        Vec::new()
    }
}

fn is_author_link(page: &Page<'_>, at: u32) -> bool {
    let node = page.tree.node(at);
    node.tag == Some(Tag::Link)
        && page
            .tree
            .str(node.label)
            .split_ascii_whitespace()
            .any(|one| one.eq_ignore_ascii_case("author"))
}

/// One of its classes, whole or as a word of it.
fn is_author_class(page: &Page<'_>, at: u32) -> bool {
    let class = super::cut(page.tree.str(page.tree.node(at).text), 300);
    class.split_ascii_whitespace().any(|class| {
        let parts = || class.split(|c: char| !c.is_ascii_alphanumeric());
        let has = |list: &[&str]| parts().any(|part| list.iter().any(|one| part.eq_ignore_ascii_case(one)));
        has(CLASSES) && !has(NO_CLASSES)
    })
}
