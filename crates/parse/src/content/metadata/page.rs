//! A page as its metadata are read from: its tree, every attribute, where its links begin, and what stands beside it.

use super::super::tags::Tag;
use super::super::tree::Tree;
use dom_query::{Document, NodeData};
use gleaner_model::Url;

/// Longer addresses are data, not addresses.
const ADDRESS_BYTES_MAX: usize = 4000;
/// Classes and ids of what stands beside the page or below it; each a word of the name.
const BESIDE: &[&str] = &[
    "comment",
    "comments",
    "commentlist",
    "newsletter",
    "popular",
    "recommended",
    "related",
    "respond",
    "sidebar",
    "teaser",
    "teasers",
    "widget",
    "breadcrumb",
    "breadcrumbs",
    "cookie",
    "modal",
    "popup",
];

pub(super) struct Page<'a> {
    pub(super) tree: &'a Tree,
    document: &'a Document,
    base: Url,
    /// For each node: it stands in a menu, a side bar, a form, a comment or a footer.
    frames: Vec<bool>,
}

impl<'a> Page<'a> {
    pub(super) fn new(tree: &'a Tree, document: &'a Document, url: &Url) -> Page<'a> {
        let base = tree.base.and_then(|href| url.join(tree.str(href).trim()).ok());
        // Headings of the first level and bytes of text before each node: what holds the page is not beside it.
        let mut sums: Vec<(u32, usize)> = Vec::with_capacity(tree.nodes.len() + 1);
        let mut sum = (0, 0);
        sums.push(sum);
        for node in &tree.nodes {
            match node.tag {
                Some(Tag::Heading(1)) => sum.0 += 1,
                None if !node.is_hidden => sum.1 += tree.str(node.text).trim().len(),
                _ => {}
            }
            sums.push(sum);
        }
        let holds_page = |at: usize, end: u32| {
            let (before, behind) = (sums[at], sums[end as usize]);
            behind.0 > before.0 || 2 * (behind.1 - before.1) > sum.1
        };
        let mut frames: Vec<bool> = Vec::with_capacity(tree.nodes.len());
        for (at, node) in tree.nodes.iter().enumerate() {
            let is_around = frames.get(node.parent as usize).copied().unwrap_or(false);
            let is_one = match node.tag {
                Some(Tag::Nav | Tag::Aside | Tag::Footer | Tag::Form | Tag::Dialog | Tag::Control) => true,
                Some(tag) if tag.breaks() && !tag.is_page() => {
                    is_beside(tree.str(node.text)) || is_beside(tree.str(node.id))
                }
                _ => false,
            };
            // A footer of an article tells who wrote it.
            let is_own_footer = node.tag == Some(Tag::Footer)
                && tree
                    .upwards(node.parent)
                    .take(6)
                    .any(|at| tree.tag(at) == Some(Tag::Article));
            frames.push(is_around || (is_one && !is_own_footer && !holds_page(at, node.end)));
        }
        Page {
            tree,
            document,
            base: base.unwrap_or_else(|| url.clone()),
            frames,
        }
    }

    /// Whether a node stands beside the page instead of in it.
    pub(super) fn is_frame(&self, at: u32) -> bool {
        self.frames.get(at as usize).copied().unwrap_or(true)
    }

    /// A whole address; none where it leads to nothing that could be fetched.
    pub(super) fn address(&self, written: &str) -> Option<String> {
        let written = written.trim();
        if written.is_empty() || written.len() > ADDRESS_BYTES_MAX {
            return None;
        }
        self.base.join(written).ok().map(|url| url.as_str().to_owned())
    }

    /// An attribute that the tree does not keep.
    pub(super) fn attribute(&self, at: u32, name: &str) -> Option<String> {
        let id = self.tree.ids.get(at as usize)?;
        let found = self.document.tree.query_node(id, |node| match &node.data {
            NodeData::Element(element) => {
                let mut found = element.attrs.iter().filter(|one| &*one.name.local == name);
                found.next().map(|one| one.value.to_string())
            }
            _ => None,
        });
        found.flatten()
    }
}

fn is_beside(name: &str) -> bool {
    let name = super::cut(name, 300);
    // A footer that is called something more may be that of the article.
    let is_footer = |one: &str| ["footer", "site-footer", "page-footer", "colophon"].contains(&one);
    if name.split_ascii_whitespace().any(is_footer) {
        return true;
    }
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|part| BESIDE.iter().any(|one| part.eq_ignore_ascii_case(one)))
}
