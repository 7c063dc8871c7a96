//! An HTML page as the standard's tree, walked once, front to back: what forms and selections are read from.
//!
//! In: an [`Input`]. Out: a [`Page`]: the tree, its charset and what its addresses are relative to. Size, depth and
//! attributes are bounded where the tree is built (`content/guard.rs`), and no walk recurses.

use crate::Input;
use crate::collect::in_charset;
use crate::content::guard;
use crate::content::page::open_html;
use crate::content::sink::Owners;
use dom_query::{Document, Element, Matcher, NodeData, NodeId};
use encoding_rs::Encoding;
use gleaner_model::defaults::PARSE_BYTES_MAX;
use gleaner_model::{Url, UrlError};
use html5ever::{LocalName, local_name, ns};
use std::collections::HashSet;

pub(crate) struct Page {
    pub(crate) document: Document,
    /// Which form the parser gave each control to.
    pub(crate) owners: Owners,
    pub(crate) encoding: &'static Encoding,
    /// The tree does not hold all of the page.
    pub(crate) is_cut: bool,
    pub(crate) url: Url,
    /// The first `<base href>` as written, and what it means.
    pub(crate) base_text: Option<String>,
    base: Option<Url>,
}

/// Is told of each node in tree order; every `enter` has its `leave`.
pub(crate) trait Visit {
    fn enter(&mut self, id: NodeId, element: &Element);
    fn text(&mut self, _text: &str) {}
    fn leave(&mut self) {}
}

impl Page {
    /// `None` where the document is no HTML.
    pub(crate) fn read(input: &Input<'_>) -> Option<Page> {
        let (text, encoding) = open_html(input.url, input.headers, input.body)?;
        let built = guard::build(&text);
        let mut page = Page {
            document: built.document,
            owners: built.owners,
            encoding,
            is_cut: built.is_cut || input.body.len() > PARSE_BYTES_MAX,
            url: input.url.clone(),
            base_text: None,
            base: None,
        };
        let mut search = BaseSearch { href: None };
        page.walk(&mut search);
        page.base = search
            .href
            .as_deref()
            .and_then(|href| page.url.join(&in_charset(href, encoding)).ok());
        page.base_text = search.href;
        Some(page)
    }

    /// Resolves an address of the page, its query in the page's charset as browsers do.
    pub(crate) fn resolve(&self, text: &str) -> Result<Url, UrlError> {
        let base = self.base.as_ref().unwrap_or(&self.url);
        base.join(&in_charset(text, self.encoding))
    }

    pub(crate) fn matches(&self, matcher: &Matcher) -> HashSet<NodeId> {
        let selection = self.document.select_matcher(matcher);
        selection.nodes().iter().map(|node| node.id).collect()
    }

    pub(crate) fn walk(&self, visit: &mut impl Visit) {
        let tree = &self.document.tree;
        let mut next = tree
            .query_node(&tree.root_id(), |root| root.first_child)
            .flatten();
        let mut depth = 0usize;
        while let Some(id) = next {
            let step = tree.query_node(&id, |node| {
                let mut child = None;
                match &node.data {
                    NodeData::Element(element) => {
                        visit.enter(id, element);
                        child = node.first_child;
                        if child.is_none() {
                            visit.leave();
                        }
                    }
                    NodeData::Text { contents } => visit.text(contents),
                    _ => {}
                }
                (child, node.next_sibling, node.parent)
            });
            let Some((child, sibling, mut above)) = step else {
                break;
            };
            if child.is_some() {
                depth += 1;
                next = child;
                continue;
            }
            next = sibling;
            while next.is_none() && depth > 0 {
                visit.leave();
                depth -= 1;
                let Some(up) = above else { break };
                (next, above) = tree
                    .query_node(&up, |node| (node.next_sibling, node.parent))
                    .unwrap_or_default();
            }
        }
    }
}

/// The name of an element of HTML itself; what SVG and `MathML` call alike is something else.
pub(crate) fn html_name(element: &Element) -> Option<&LocalName> {
    (element.name.ns == ns!(html)).then_some(&element.name.local)
}

pub(crate) fn attribute<'e>(element: &'e Element, name: &LocalName) -> Option<&'e str> {
    let found = element
        .attrs
        .iter()
        .find(|attribute| attribute.name.local == *name && attribute.name.ns == ns!());
    found.map(|attribute| &*attribute.value)
}

struct BaseSearch {
    href: Option<String>,
}

impl Visit for BaseSearch {
    fn enter(&mut self, _id: NodeId, element: &Element) {
        if self.href.is_none() && html_name(element) == Some(&local_name!("base")) {
            self.href = attribute(element, &local_name!("href")).map(ToOwned::to_owned);
        }
    }
}
