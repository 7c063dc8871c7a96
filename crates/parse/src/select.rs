//! What is at the places of a page that a CSS selector names? (A2, A4)
//!
//! In: a page and a checked [`Selector`], or words. Out: the links at those places, or whether there are such places.
//! A step follows "only these links" by it, and a login knows by it whether it worked.

use crate::collect::{Against, Collector};
use crate::content::page::read_visible;
use crate::content::{SelectorError, region, words};
use crate::markup::{Page, Visit, attribute, html_name};
use crate::{Input, Parsed};
use dom_query::{Element, Matcher, NodeId};
use gleaner_model::defaults::ANCHOR_CHARS_MAX;
use gleaner_model::{Link, LinkKind, Url};
use html5ever::local_name;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use crate::text::Folded;

/// A CSS selector that has been read and found right.
#[derive(Clone)]
pub struct Selector {
    text: String,
    pub(crate) matcher: Matcher,
}

impl Selector {
    /// The error says where the selector stops being one.
    pub fn check(text: &str) -> Result<Selector, SelectorError> {
        let (text, matcher) = region::check(text)?;
        Ok(Selector { text, matcher })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Selector({})", self.text)
    }
}

/// The links (`a`, `area`) that the selector matches or that stand inside what it matches: in tree order, resolved, each
/// address once. No HTML, no links.
pub fn select_links(input: &Input<'_>, selector: &Selector) -> Vec<Link> {
    let Some(page) = Page::read(input) else {
        return Vec::new();
    };
    let mut collector = Collector::new(input.url, page.encoding);
    if let Some(base) = &page.base_text {
        collector.set_base(base);
    }
    let mut walk = Links {
        wanted: page.matches(&selector.matcher),
        open: Vec::new(),
        current: None,
        collector,
    };
    page.walk(&mut walk);
    let mut parsed = Parsed::default();
    walk.collector.finish(input.url, &mut parsed);
    let mut seen: HashSet<Url> = HashSet::with_capacity(parsed.links.len());
    parsed.links.retain(|link| seen.insert(link.url.clone()));
    parsed.links
}

/// Whether the selector matches anything. Nothing is matched in what is no HTML.
pub fn matches(input: &Input<'_>, selector: &Selector) -> bool {
    let found = Page::read(input).map(|page| !page.matches(&selector.matcher).is_empty());
    found.unwrap_or(false)
}

/// Whether a reader sees these words, in this case and order. White space is folded on both sides; words that only
/// scripts, hidden elements or other pages show are not there. Words that are only white space are nowhere.
pub fn contains_text(input: &Input<'_>, text: &str) -> bool {
    let wanted = words::folded(text);
    if wanted.is_empty() {
        return false;
    }
    read_visible(input.url, input.headers, input.body).is_some_and(|visible| visible.contains(&wanted))
}

struct Links {
    wanted: HashSet<NodeId>,
    /// Of each open element: whether it is matched or inside one that is, and whether it is the link under way.
    open: Vec<(bool, bool)>,
    /// The link whose words are being read.
    current: Option<(crate::collect::Place, Folded)>,
    collector: Collector<'static>,
}

impl Visit for Links {
    fn enter(&mut self, id: NodeId, element: &Element) {
        let around = self.open.last().is_some_and(|(is_in, _)| *is_in);
        let is_in = around || self.wanted.contains(&id);
        let mut is_link = false;
        let kind = match html_name(element) {
            Some(&local_name!("a")) => Some(LinkKind::Anchor),
            Some(&local_name!("area")) => Some(LinkKind::Area),
            _ => None,
        };
        if let Some(kind) = kind.filter(|_| is_in)
            && let Some(href) = attribute(element, &local_name!("href"))
        {
            let rel = attribute(element, &local_name!("rel")).unwrap_or("");
            let is_nofollow = rel
                .split_ascii_whitespace()
                .any(|word| word.eq_ignore_ascii_case("nofollow"));
            let href = Cow::Owned(href.to_owned());
            let place = self.collector.add_text(href, kind, is_nofollow, Against::Base);
            if let Some(place) = place {
                if kind == LinkKind::Area {
                    let words = attribute(element, &local_name!("alt"));
                    self.collector.set_words_of(place, words.unwrap_or(""));
                } else {
                    self.current = Some((place, Folded::new(ANCHOR_CHARS_MAX)));
                    is_link = true;
                }
            }
        }
        if let Some((_, words)) = &mut self.current
            && html_name(element) == Some(&local_name!("img"))
        {
            words.push_space();
            words.push(attribute(element, &local_name!("alt")).unwrap_or(""));
            words.push_space();
        }
        self.open.push((is_in, is_link));
    }

    fn text(&mut self, text: &str) {
        if let Some((_, words)) = &mut self.current {
            words.push(text);
        }
    }

    fn leave(&mut self) {
        if let Some((_, true)) = self.open.pop()
            && let Some((place, words)) = self.current.take()
        {
            self.collector.set_words(place, words);
        }
    }
}

#[cfg(test)]
mod tests;
