//! What a reader sees of title, authors and day: headings, bylines, times.

use super::super::blocks::Draft;
use super::super::tags::Tag;
use super::super::tree::Tree;
use super::super::words::folded;
use super::dates;
use gleaner_model::BlockKind;

/// Names and days stand so near to the first heading, in blocks.
const NEAR_BLOCKS: usize = 14;
/// A block with more words than this is no byline.
const BYLINE_WORDS_MAX: usize = 14;
const NAME_WORDS_MAX: usize = 6;

#[derive(Debug, Default)]
pub(super) struct Visible {
    pub(super) headings: Vec<String>,
    pub(super) authors: Vec<String>,
    pub(super) published: Option<String>,
    pub(super) licence: Option<String>,
}

impl Visible {
    pub(super) fn read(tree: &Tree, drafts: &[Draft]) -> Visible {
        let mut visible = Visible {
            headings: headings(tree),
            ..Visible::default()
        };
        let first = drafts
            .iter()
            .position(|draft| draft.kind == BlockKind::Heading && level(tree, draft) == 1);
        visible.named(tree);
        let from = first.unwrap_or(0);
        let near = drafts.iter().skip(from.saturating_sub(4)).take(NEAR_BLOCKS + 4);
        for draft in near {
            let words = draft.text.split_whitespace().count();
            if draft.kind == BlockKind::Heading || words > BYLINE_WORDS_MAX {
                continue;
            }
            if visible.published.is_none() {
                visible.published = dates::day(&draft.text);
            }
            if visible.authors.is_empty() && begins_with_by(&draft.text) {
                let name = &draft.text[draft.text.find(' ').unwrap_or(0)..];
                let name = name.split(['|', '•', '·', '–', '\n']).next().unwrap_or_default();
                visible.authors = super::people(&until_day(name));
            }
        }
        if visible.published.is_none() {
            visible.published = first_time(tree);
        }
        visible
    }

    /// What elements are called: properties first, then classes.
    fn named(&mut self, tree: &Tree) {
        let mut by_class: Vec<String> = Vec::new();
        let mut dated: Option<String> = None;
        for at in 0..tree.len() {
            let node = tree.node(at);
            if node.tag.is_none() {
                continue;
            }
            let rel = tree.str(node.label);
            if node.tag == Some(Tag::Link) && rel.split_ascii_whitespace().any(|one| one == "license") {
                self.licence = self
                    .licence
                    .take()
                    .or_else(|| Some(tree.str(node.value).trim().to_owned()));
            }
            let property = tree.str(node.property);
            let content = || match folded(tree.str(node.label)) {
                label if label.is_empty() => words_in(tree, at),
                label => label,
            };
            match property {
                "datePublished" | "dateCreated" if self.published.is_none() => {
                    self.published = dates::day(&content());
                }
                "author" | "creator" if self.authors.is_empty() => {
                    let name = tree
                        .inside(at)
                        .find(|inner| tree.str(tree.node(*inner).property) == "name");
                    let name = name.map_or_else(|| words_in(tree, at), |name| words_in(tree, name));
                    if is_name(&name) {
                        self.authors = super::people(&name);
                    }
                }
                _ => {}
            }
            if node.is_hidden || !by_class.is_empty() && dated.is_some() {
                continue;
            }
            let is_author =
                node.tag == Some(Tag::Link) && rel.split_ascii_whitespace().any(|one| one == "author");
            if by_class.is_empty()
                && (is_author || has_class(tree, at, &["author", "byline", "username", "poster"]))
            {
                let name = words_in(tree, at);
                let people = super::people(&until_day(&name));
                if people.first().is_some_and(|name| is_name(name)) {
                    by_class = people;
                }
            }
            if dated.is_none()
                && has_class(
                    tree,
                    at,
                    &["date", "published", "posted", "pubdate", "dateline", "timestamp"],
                )
            {
                dated = dates::day(&words_in(tree, at));
            }
        }
        if self.authors.is_empty() {
            self.authors = by_class;
        }
        if self.published.is_none() {
            self.published = dated;
        }
    }
}

fn is_name(text: &str) -> bool {
    let words = text.split_whitespace().count();
    (1..=NAME_WORDS_MAX).contains(&words) && text.len() <= 60 && dates::day(text).is_none()
}

/// A name without the day behind it.
fn until_day(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let end = (0..words.len()).find(|at| {
        let word = words[*at].trim_matches(|c: char| !c.is_alphanumeric());
        word.bytes().any(|byte| byte.is_ascii_digit())
            && dates::day(&words[at.saturating_sub(1)..].join(" ")).is_some()
    });
    let kept = match end {
        Some(end) => {
            let is_month = end > 0
                && dates::day(&words[end - 1..].join(" ")).is_some()
                && dates::day(&words[end..].join(" ")).is_none();
            &words[..end - usize::from(is_month)]
        }
        None => &words[..],
    };
    let kept = kept.join(" ");
    kept.trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')' && c != '.')
        .trim_end_matches(" on")
        .to_owned()
}

fn begins_with_by(text: &str) -> bool {
    ["by ", "von ", "par ", "por "].iter().any(|start| {
        text.get(..start.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(start))
    })
}

/// One of its classes, whole or as a part between hyphens.
fn has_class(tree: &Tree, at: u32, names: &[&str]) -> bool {
    let node = tree.node(at);
    let class = tree.str(node.text);
    let class = class.get(..300).unwrap_or(class);
    class
        .split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| names.iter().any(|name| part.eq_ignore_ascii_case(name)))
}

fn headings(tree: &Tree) -> Vec<String> {
    let is_first = |at: &u32| tree.tag(*at) == Some(Tag::Heading(1)) && !tree.node(*at).is_hidden;
    let found = (0..tree.len()).filter(is_first).take(20);
    found
        .map(|at| words_in(tree, at))
        .filter(|text| !text.is_empty())
        .collect()
}

fn level(tree: &Tree, draft: &Draft) -> u8 {
    let found = tree.upwards(draft.owner).find_map(|at| match tree.tag(at) {
        Some(Tag::Heading(level)) => Some(level),
        _ => None,
    });
    found.unwrap_or(0)
}

/// The words that an element shows, at most a line of them.
fn words_in(tree: &Tree, at: u32) -> String {
    const BYTES_MAX: usize = 400;
    let mut text = String::new();
    for inner in tree.inside(at) {
        let node = tree.node(inner);
        if node.tag.is_none() && !node.is_hidden {
            text.push_str(tree.str(node.text));
        } else {
            text.push(' ');
        }
        if text.len() > BYTES_MAX {
            break;
        }
    }
    folded(&text)
}

/// The first `time` that says when.
fn first_time(tree: &Tree) -> Option<String> {
    let times = (0..tree.len()).filter(|at| &*tree.node(*at).name == "time");
    times.take(20).find_map(|at| {
        let written = tree.str(tree.node(at).label);
        dates::day(written).or_else(|| dates::day(&words_in(tree, at)))
    })
}
