//! How is a page of any shape turned into a tree in linear time? By watching what goes into the tree builder.
//!
//! The HTML standard's tree builder searches its stack of open elements at almost every tag and copies unclosed
//! formatting elements into every new paragraph, so depth × tags is its cost. Browsers stop nesting at 512; so do we:
//! the tags beyond that are left out, their text is kept. The number of nodes and of attributes is bounded as well.

use super::arena::Arena;
use super::open::Open;
use super::sink::{Owners, Sink};
use super::tokens::Teller;
use dom_query::Document;
use html5ever::tokenizer::{Tag, TagToken, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use std::borrow::Cow;
use std::cell::RefCell;

/// Past this many nodes the rest of a page is left out of the tree.
const NODES_MAX: usize = 1_000_000;
/// A document's tree, and whether all of it is there.
pub(crate) struct Built {
    pub(crate) document: Document,
    pub(crate) owners: Owners,
    pub(crate) is_cut: bool,
}

/// What a tree is built in: how many nodes it has by now is known.
pub(super) trait GuardedSink: TreeSink + Default {
    fn count(&self) -> usize;
}

impl GuardedSink for Sink {
    fn count(&self) -> usize {
        self.document.tree.len()
    }
}

impl GuardedSink for Arena {
    fn count(&self) -> usize {
        self.len()
    }
}

/// Reads HTML as a browser without scripts does: `noscript` is markup like any other.
pub(crate) fn build(html: &str) -> Built {
    let (sink, is_cut) = build_in::<Sink>(html, true);
    Built {
        document: sink.document,
        owners: sink.owners.into_inner(),
        is_cut,
    }
}

/// As [`build`], with the elements of scripts and styles but not what they hold; linked data stays.
pub(super) fn build_document(html: &str) -> (Document, bool) {
    let (sink, is_cut) = build_in::<Sink>(html, false);
    (sink.document, is_cut)
}

/// As [`build_document`], for whoever walks through it once.
pub(super) fn build_arena(html: &str) -> (Arena, bool) {
    build_in(html, false)
}

fn build_in<S: GuardedSink>(html: &str, keeps_scripts: bool) -> (S, bool) {
    let html = with_line_feeds(html.strip_prefix('\u{feff}').unwrap_or(html));
    let guard = Teller::new(&html, Guard::<S>::default(), keeps_scripts).tell();
    let is_cut = guard.is_cut;
    (guard.into_sink(), is_cut)
}

/// The ends of lines as the standard has them.
fn with_line_feeds(html: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(found) = memchr::memchr(b'\r', rest.as_bytes()) {
        out.push_str(&rest[..found]);
        out.push('\n');
        rest = &rest[found + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The tree builder, and what keeps it from nesting and growing without end.
pub(super) struct Guard<S: GuardedSink> {
    builder: TreeBuilder<S::Handle, S>,
    open: RefCell<Open>,
    is_cut: bool,
    is_foreign: bool,
}

impl<S: GuardedSink> Default for Guard<S> {
    fn default() -> Guard<S> {
        let options = TreeBuilderOpts {
            scripting_enabled: false,
            ..TreeBuilderOpts::default()
        };
        Guard {
            builder: TreeBuilder::new(S::default(), options),
            open: RefCell::default(),
            is_cut: false,
            is_foreign: false,
        }
    }
}

impl<S: GuardedSink> Guard<S> {
    /// What is open now is SVG or `MathML`.
    pub(super) fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    pub(super) fn into_sink(self) -> S {
        self.builder.end();
        self.builder.sink
    }

    pub(super) fn tell(&self, token: Token) {
        if !self.is_cut || token == Token::EOFToken {
            let _ = self.builder.process_token(token, 1);
        }
    }

    pub(super) fn tell_tag(&mut self, tag: Tag) -> TokenSinkResult<S::Handle> {
        self.is_cut |= self.builder.sink.count() > NODES_MAX;
        if self.is_cut || !self.open.borrow_mut().admits(&tag, self.is_foreign) {
            return TokenSinkResult::Continue;
        }
        let result = self.builder.process_token(TagToken(tag), 1);
        self.is_foreign = self
            .builder
            .adjusted_current_node_present_but_not_in_html_namespace();
        result
    }
}
