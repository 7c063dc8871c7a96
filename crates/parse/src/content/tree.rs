//! A page as a flat list of nodes in document order.
//!
//! In: the tree of [`super::guard`]. Out: a [`Tree`] in which the descendants of a node are the nodes right behind it, up
//! to its `end`. That makes every question about a subtree a walk over a range, and no walk needs a stack of its own
//! depth. Only what the rest of this folder asks for is kept: tag, id, class, role, one address, whether it is shown.

use super::digest::Normal;
use super::guard;
use super::made::{MadeElement, MadeNode, MadeTree};
use super::tags::{self, Tag};
use dom_query::{Document, NodeId};
use html5ever::{LocalName, local_name, ns};
use std::ops::Range;

/// With less text than this, what is hidden is not the page.
const MOST_BYTES_MIN: usize = 500;
/// A page says no more about itself than this.
const SAID_MAX: usize = 2000;

/// A piece of [`Tree::pool`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    from: u32,
    to: u32,
}

#[derive(Debug, Clone)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts, each asked for by itself"
)]
pub(super) struct Node {
    pub(super) parent: u32,
    /// One past the last descendant.
    pub(super) end: u32,
    /// `None` is a text node.
    pub(super) tag: Option<Tag>,
    pub(super) name: LocalName,
    /// The words of a text node; the class of an element.
    pub(super) text: Span,
    pub(super) id: Span,
    pub(super) role: Span,
    /// `href` of links, `value` of buttons, `src` of pictures.
    pub(super) value: Span,
    /// `alt` of pictures, `rel` of links, `datetime` of times, `content` of properties.
    pub(super) label: Span,
    /// `itemprop`: what it is in the vocabulary that the page uses.
    pub(super) property: Span,
    /// Neither it nor anything in it is shown.
    pub(super) is_hidden: bool,
    /// It is an `a` or `area` with an address.
    pub(super) is_link: bool,
    /// It is a field for a password.
    pub(super) is_password: bool,
    /// Its own style or attribute hides it, where a script may show it again.
    is_styled_away: bool,
}

/// Who says something about the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Meta,
    Link,
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pool: String,
    /// The document's own id of each node, for selectors; empty unless asked for.
    pub(super) ids: Vec<NodeId>,
    pub(super) title: Option<Span>,
    pub(super) base: Option<Span>,
    /// What the page says about itself: name and content of each `meta`, rel and href of each `link`.
    pub(super) said: Vec<(Said, Span, Span)>,
    /// The places of its `ld+json` scripts.
    pub(super) linked_data: Vec<u32>,
    pub(super) language: Option<Span>,
    pub(super) normal_digest: [u8; 16],
}

impl Tree {
    pub(super) fn read(html: &str) -> Tree {
        let (arena, is_cut) = guard::build_arena(html);
        let mut normal = Normal::new();
        if is_cut {
            // What the tree does not hold must still make a difference.
            normal.rest(html);
        }
        let mut tree = Tree::convert(&arena, html, Some(&mut normal)).0;
        tree.normal_digest = normal.finish();
        tree
    }

    /// As [`Tree::read`] for whoever does not compare: without the digest, which costs as much as all the rest of a walk.
    pub(super) fn read_to_show(html: &str) -> Tree {
        let (arena, _) = guard::build_arena(html);
        Tree::convert(&arena, html, None).0
    }

    /// As [`Tree::read_to_show`], keeping the document for selectors.
    pub(super) fn read_with_document(html: &str) -> (Tree, Document) {
        let (document, _) = guard::build_document(html);
        let (mut tree, ids) = Tree::convert(&document, html, None);
        tree.ids = ids;
        (tree, document)
    }

    fn convert<M: MadeTree>(source: &M, html: &str, mut normal: Option<&mut Normal>) -> (Tree, Vec<M::Id>) {
        let mut tree = Tree {
            pool: String::with_capacity(html.len() / 2),
            ..Tree::default()
        };
        let mut ids = Vec::new();
        // The elements around the one at hand, by their places in the new list.
        let mut open: Vec<u32> = Vec::new();
        let mut next = source.first();
        while let Some(id) = next {
            let parent = open.last().copied().unwrap_or(u32::MAX);
            let step = source.look(id, |node, near| {
                let is_element = match node {
                    MadeNode::Element(element) => {
                        tree.add_element(element, parent);
                        if let Some(normal) = &mut normal {
                            normal.open(element);
                        }
                        true
                    }
                    MadeNode::Text(text) => {
                        if let Some(normal) = &mut normal {
                            normal.text(text);
                        }
                        tree.add_text(text, parent);
                        false
                    }
                    MadeNode::Other => return (near, false),
                };
                ids.push(id);
                (near, is_element)
            });
            let Some((near, is_element)) = step else {
                break;
            };
            if let Some(child) = near.child.filter(|_| is_element) {
                open.push(tree.nodes.len() as u32 - 1);
                next = Some(child);
                continue;
            }
            if let Some(normal) = normal.as_mut().filter(|_| is_element) {
                normal.close();
            }
            next = near.sibling;
            let mut above = near.parent;
            // Climb to the next sibling of an ancestor.
            while next.is_none() {
                let Some(closed) = open.pop() else { break };
                tree.nodes[closed as usize].end = tree.nodes.len() as u32;
                if let Some(normal) = &mut normal {
                    normal.close();
                }
                let Some(up) = above else { break };
                (next, above) = source
                    .look(up, |_, near| (near.sibling, near.parent))
                    .unwrap_or_default();
            }
        }
        tree.show_most();
        tree.hide_noscript();
        (tree, ids)
    }

    /// What is meant for browsers without scripts is not what the page says, unless it says little else.
    fn hide_noscript(&mut self) {
        let mut inside: Vec<Range<usize>> = Vec::new();
        let (mut within, mut without) = (0, 0);
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            if node.tag == Some(Tag::Noscript) {
                within += self.shown_bytes(at..node.end as usize);
                inside.push(at..node.end as usize);
                at = node.end as usize;
                continue;
            }
            without += self.shown_bytes(at..at + 1);
            at += 1;
        }
        if without == 0 || (within >= MOST_BYTES_MIN && within > 2 * without) {
            return;
        }
        for node in inside.into_iter().flatten() {
            self.nodes[node].is_hidden = true;
        }
    }

    /// What holds most of a page's text is hidden only until a script has run.
    fn show_most(&mut self) {
        let shown = self.shown_bytes(0..self.nodes.len());
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let range = at..node.end as usize;
            if !node.is_styled_away || !node.tag.is_some_and(Tag::breaks) {
                at += 1;
                continue;
            }
            let inside: usize = range.clone().map(|inner| self.text_bytes(inner)).sum();
            if inside >= MOST_BYTES_MIN && inside > 2 * shown {
                self.show(range.clone());
                return;
            }
            at = range.end;
        }
    }

    fn show(&mut self, range: Range<usize>) {
        self.nodes[range.start].is_styled_away = false;
        for at in range {
            let node = &self.nodes[at];
            let above = self
                .nodes
                .get(node.parent as usize)
                .is_some_and(|above| above.is_hidden);
            let is_hidden = above || node.is_styled_away || node.tag.is_some_and(Tag::is_hidden);
            self.nodes[at].is_hidden = is_hidden;
        }
    }

    fn shown_bytes(&self, range: Range<usize>) -> usize {
        let shown = range.filter(|at| !self.nodes[*at].is_hidden);
        shown.map(|at| self.text_bytes(at)).sum()
    }

    /// Bytes of a node that is text and stands in no script or style.
    fn text_bytes(&self, at: usize) -> usize {
        let node = &self.nodes[at];
        let above = self.nodes.get(node.parent as usize).and_then(|above| above.tag);
        if node.tag.is_some() || above.is_some_and(Tag::is_hidden) {
            return 0;
        }
        self.str(node.text).trim().len()
    }

    /// Keeps what a `meta`, `link` or `ld+json` script says about the page.
    fn note(&mut self, element: &impl MadeElement) {
        let value = |name: &LocalName| {
            let mut found = element.attributes().filter(|(there, _)| *there == name);
            found.next().map(|(_, value)| value)
        };
        let (said, name, content) = match element.name().local {
            local_name!("meta") => {
                let name = value(&local_name!("property"))
                    .or(value(&local_name!("name")))
                    .or(value(&local_name!("itemprop")))
                    .or(value(&local_name!("http-equiv")));
                (Said::Meta, name, value(&local_name!("content")))
            }
            local_name!("link") => (
                Said::Link,
                value(&local_name!("rel")),
                value(&local_name!("href")),
            ),
            local_name!("script") if value(&local_name!("type")).is_some_and(is_linked_data) => {
                self.linked_data.push(self.nodes.len() as u32);
                return;
            }
            _ => return,
        };
        if let (Some(name), Some(content)) = (name, content)
            && self.said.len() < SAID_MAX
        {
            let pair = (said, self.keep(name), self.keep(content));
            self.said.push(pair);
        }
    }

    fn keep(&mut self, text: &str) -> Span {
        let from = self.pool.len() as u32;
        self.pool.push_str(text);
        Span {
            from,
            to: self.pool.len() as u32,
        }
    }

    fn add_text(&mut self, text: &str, parent: u32) {
        let text = self.keep(text);
        let is_hidden = self.nodes.get(parent as usize).is_none_or(|node| node.is_hidden);
        let end = self.nodes.len() as u32 + 1;
        self.nodes.push(Node {
            parent,
            end,
            tag: None,
            name: local_name!(""),
            text,
            id: Span::default(),
            role: Span::default(),
            value: Span::default(),
            label: Span::default(),
            property: Span::default(),
            is_hidden,
            is_link: false,
            is_password: false,
            is_styled_away: false,
        });
        if let Some(node) = self.nodes.get(parent as usize)
            && node.tag == Some(Tag::Title)
            && self.title.is_none()
        {
            self.title = Some(text);
        }
    }

    fn add_element(&mut self, element: &impl MadeElement, parent: u32) {
        let made = element.name();
        let tag = if made.ns == ns!(html) {
            tags::of(&made.local)
        } else {
            tags::of_foreign(&made.local)
        };
        let mut node = Node {
            parent,
            end: self.nodes.len() as u32 + 1,
            tag: Some(tag),
            name: made.local.clone(),
            text: Span::default(),
            id: Span::default(),
            role: Span::default(),
            value: Span::default(),
            label: Span::default(),
            property: Span::default(),
            is_hidden: tag.is_hidden()
                || self
                    .nodes
                    .get(parent as usize)
                    .is_some_and(|above| above.is_hidden),
            is_link: false,
            is_password: false,
            is_styled_away: false,
        };
        let mut is_button = false;
        let mut has_open = false;
        let mut is_pixel = false;
        let mut lazy = None;
        for (name, value) in element.attributes() {
            match *name {
                local_name!("class") => node.text = self.keep(value),
                local_name!("id") => node.id = self.keep(value),
                local_name!("role") => node.role = self.keep(value),
                local_name!("href") if tag == Tag::Link => {
                    node.value = self.keep(value);
                    node.is_link = true;
                }
                local_name!("href") if tag == Tag::Base && self.base.is_none() => {
                    self.base = Some(self.keep(value));
                }
                local_name!("value") if tag == Tag::Input => node.value = self.keep(value),
                local_name!("type") if tag == Tag::Input => {
                    is_button = ["submit", "button", "reset"]
                        .iter()
                        .any(|kind| value.eq_ignore_ascii_case(kind));
                    node.is_password = value.eq_ignore_ascii_case("password");
                }
                local_name!("src") if tag == Tag::Image => node.value = self.keep(value),
                local_name!("alt") if tag == Tag::Image => node.label = self.keep(value),
                local_name!("width") | local_name!("height") if tag == Tag::Image => {
                    is_pixel |= matches!(value.trim(), "0" | "1" | "2");
                }
                local_name!("open") => has_open = true,
                local_name!("hidden") if !tag.is_page() => {
                    node.is_styled_away |= !value.eq_ignore_ascii_case("until-found");
                }
                local_name!("style") if !tag.is_page() => node.is_styled_away |= hides(value),
                local_name!("rel") if tag == Tag::Link => node.label = self.keep(value),
                local_name!("datetime") => node.label = self.keep(value),
                local_name!("content") if tag == Tag::Inline => node.label = self.keep(value),
                local_name!("itemprop") => node.property = self.keep(value),
                local_name!("lang") if tag == Tag::Html => self.language = Some(self.keep(value)),
                // A placeholder stands in `src` until a script has run.
                _ if tag == Tag::Image
                    && matches!(&**name, "data-src" | "data-lazy-src" | "data-original") =>
                {
                    lazy = Some(self.keep(value));
                }
                _ => {}
            }
        }
        if let Some(lazy) = lazy {
            node.value = lazy;
        }
        // A page that is sent in pieces: a script puts them in their places and shows them.
        node.is_styled_away &= !self.str(node.id).starts_with("S:");
        node.is_hidden |= node.is_styled_away;
        self.note(element);
        if tag == Tag::Dialog && !has_open {
            node.is_hidden = true;
        }
        if (tag == Tag::Input && !is_button) || is_pixel {
            node.value = Span::default();
        }
        self.nodes.push(node);
    }

    pub(super) fn str(&self, span: Span) -> &str {
        &self.pool[span.from as usize..span.to as usize]
    }

    /// The linked data of the page, script by script.
    pub(super) fn linked_data_texts(&self) -> impl Iterator<Item = &str> {
        let texts = self.linked_data.iter().map(|script| *script as usize + 1);
        texts
            .filter_map(|at| self.nodes.get(at).filter(|node| node.tag.is_none()))
            .map(|node| self.str(node.text))
    }

    pub(super) fn len(&self) -> u32 {
        self.nodes.len() as u32
    }

    pub(super) fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    pub(super) fn tag(&self, at: u32) -> Option<Tag> {
        self.nodes[at as usize].tag
    }

    pub(super) fn inside(&self, at: u32) -> Range<u32> {
        at + 1..self.nodes[at as usize].end
    }

    /// The element itself and those around it, from the inside out.
    pub(super) fn upwards(&self, from: u32) -> impl Iterator<Item = u32> {
        std::iter::successors(Some(from), |at| {
            self.nodes.get(*at as usize).map(|node| node.parent)
        })
        .take_while(|at| *at != u32::MAX)
    }
}

/// An inline style under which nothing is drawn.
fn hides(style: &str) -> bool {
    style.split(';').any(|declaration| {
        let Some((name, value)) = declaration.split_once(':') else {
            return false;
        };
        let (name, value) = (name.trim(), value.trim());
        let value = value.get(..6).filter(|_| value.len() > 6).unwrap_or(value);
        (name.eq_ignore_ascii_case("display")
            && value.trim_end_matches(['!', ' ']).eq_ignore_ascii_case("none"))
            || (name.eq_ignore_ascii_case("visibility") && value.eq_ignore_ascii_case("hidden"))
    })
}

fn is_linked_data(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/ld+json")
}
