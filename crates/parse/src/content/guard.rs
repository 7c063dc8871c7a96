//! How is a page of any shape turned into a tree in linear time? By watching what goes into the tree builder.
//!
//! The HTML standard's tree builder searches its stack of open elements at almost every tag and copies unclosed
//! formatting elements into every new paragraph, so depth × tags is its cost. Browsers stop nesting at 512; so do we:
//! the tags beyond that are left out, their text is kept. The number of nodes and of attributes is bounded as well.

use super::open::Open;
use super::sink::{Owners, Sink};
use dom_query::Document;
use gleaner_model::defaults::HTML_ATTRIBUTES_MAX;
use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// Past this many nodes the rest of a page is left out of the tree.
const NODES_MAX: usize = 1_000_000;
/// A tag shorter than this cannot hold too many attributes.
const TAG_BYTES_FREE: usize = 2 * HTML_ATTRIBUTES_MAX;

/// A document's tree, and whether all of it is there.
pub(crate) struct Built {
    pub(crate) document: Document,
    pub(crate) owners: Owners,
    pub(crate) is_cut: bool,
}

/// Reads HTML as a browser without scripts does: `noscript` is markup like any other.
pub(crate) fn build(html: &str) -> Built {
    let html = with_few_attributes(html);
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let guard = Guard {
        builder: TreeBuilder::new(Sink::default(), options),
        open: RefCell::default(),
        is_cut: Cell::new(false),
    };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html.as_ref()));
    // The tokenizer pauses at the end of scripts and at charset declarations; neither matters here.
    while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    tokenizer.end();
    let guard = tokenizer.sink;
    Built {
        document: guard.builder.sink.document,
        owners: guard.builder.sink.owners.into_inner(),
        is_cut: guard.is_cut.get(),
    }
}

struct Guard<Builder> {
    builder: Builder,
    open: RefCell<Open>,
    is_cut: Cell<bool>,
}

impl TokenSink for Guard<TreeBuilder<dom_query::NodeId, Sink>> {
    type Handle = dom_query::NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Self::Handle> {
        match &token {
            Token::ParseError(_) | Token::CommentToken(_) => return TokenSinkResult::Continue,
            Token::EOFToken => {}
            _ if self.is_cut.get() => return TokenSinkResult::Continue,
            TagToken(tag) => {
                if self.builder.sink.document.tree.len() > NODES_MAX {
                    self.is_cut.set(true);
                    return TokenSinkResult::Continue;
                }
                let is_foreign = self
                    .builder
                    .adjusted_current_node_present_but_not_in_html_namespace();
                if !self.open.borrow_mut().admits(tag, is_foreign) {
                    return TokenSinkResult::Continue;
                }
            }
            _ => {}
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Cuts the attributes beyond the limit out of every tag: the tokenizer compares each with all before it.
fn with_few_attributes(html: &str) -> Cow<'_, str> {
    let bytes = html.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'<', &bytes[at..]) {
        let open = at + found;
        at = open + 1;
        if !bytes.get(at).is_some_and(u8::is_ascii_alphabetic) {
            continue;
        }
        let near = &bytes[at..bytes.len().min(at + TAG_BYTES_FREE)];
        if let Some(close) = memchr::memchr(b'>', near) {
            at = raw_text_end(bytes, open, at + close + 1);
            continue;
        }
        let (limit, close) = long_tag(bytes, at);
        if let Some(limit) = limit {
            out.push_str(&html[copied..limit]);
            copied = close;
        }
        at = close;
    }
    if copied == 0 {
        return Cow::Borrowed(html);
    }
    out.push_str(&html[copied..]);
    Cow::Owned(out)
}

/// Behind the raw text of a script or style element, in which `<` opens no tag.
fn raw_text_end(bytes: &[u8], open: usize, after_tag: usize) -> usize {
    for (name, end) in [(&b"<script"[..], &b"</script"[..]), (b"<style", b"</style")] {
        let is_it = bytes
            .get(open..open + name.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(name));
        if !is_it {
            continue;
        }
        // Lower case is nearly always right; otherwise the search goes on tag by tag.
        return memchr::memmem::find(&bytes[after_tag..], end).map_or(after_tag, |found| after_tag + found);
    }
    after_tag
}

/// Walks a long tag from its name on: where the first attribute too many begins (if any), and where its `>` is.
fn long_tag(bytes: &[u8], from: usize) -> (Option<usize>, usize) {
    let mut limit = None;
    let mut attributes = 0;
    let mut was_blank = false;
    let mut after_equals = false;
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'>' => break,
            b'"' | b'\'' if after_equals => {
                match memchr::memchr(*byte, &bytes[at + 1..]) {
                    Some(end) => at += end + 1,
                    None => return (limit, bytes.len()),
                }
                was_blank = true;
                after_equals = false;
            }
            b'=' => after_equals = true,
            b' ' | b'\t' | b'\n' | b'\r' | b'\x0C' | b'/' => was_blank = true,
            _ => {
                // `a=b/c/d` counts too often; nobody has a thousand of them.
                if was_blank && !after_equals {
                    attributes += 1;
                    if attributes > HTML_ATTRIBUTES_MAX && limit.is_none() && bytes[at].is_ascii() {
                        limit = Some(at);
                    }
                }
                was_blank = false;
                after_equals = false;
            }
        }
        at += 1;
    }
    (limit, at)
}
