//! How is a page of any shape turned into a tree in linear time? By watching what goes into the tree builder.
//!
//! The HTML standard's tree builder searches its stack of open elements at almost every tag and copies unclosed
//! formatting elements into every new paragraph, so depth × tags is its cost. Browsers stop nesting at 512; so do we:
//! the tags beyond that are left out, their text is kept. The number of nodes and of attributes is bounded as well.

use dom_query::Document;
use gleaner_model::defaults::{HTML_ATTRIBUTES_MAX, HTML_DEPTH_MAX};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, EndTag, StartTag, Tag, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, TokenizerResult, local_name};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Past this many nodes the rest of a page is left out of the tree.
const NODES_MAX: usize = 1_000_000;
/// A tag shorter than this cannot hold too many attributes.
const TAG_BYTES_FREE: usize = 2 * HTML_ATTRIBUTES_MAX;

/// A document's tree, and whether all of it is there.
pub(super) struct Built {
    pub(super) document: Document,
    pub(super) is_cut: bool,
}

/// Reads HTML as a browser without scripts does: `noscript` is markup like any other.
pub(super) fn build(html: &str) -> Built {
    let html = with_few_attributes(html);
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let guard = Guard {
        builder: TreeBuilder::new(Document::default(), options),
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
        document: guard.builder.sink,
        is_cut: guard.is_cut.get(),
    }
}

struct Guard<Builder> {
    builder: Builder,
    open: RefCell<Open>,
    is_cut: Cell<bool>,
}

impl TokenSink for Guard<TreeBuilder<dom_query::NodeId, Document>> {
    type Handle = dom_query::NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Self::Handle> {
        match &token {
            Token::ParseError(_) | Token::CommentToken(_) => return TokenSinkResult::Continue,
            Token::EOFToken => {}
            _ if self.is_cut.get() => return TokenSinkResult::Continue,
            TagToken(tag) => {
                if self.builder.sink.tree.len() > NODES_MAX {
                    self.is_cut.set(true);
                    return TokenSinkResult::Continue;
                }
                if !self.open.borrow_mut().admits(tag) {
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

/// The open elements as far as tags alone tell, which is near enough to bound the depth.
#[derive(Default)]
struct Open {
    /// Name, and whether the tree builder was told.
    stack: Vec<(LocalName, bool)>,
    /// How often each name is on the stack, so that a stray end tag costs nothing.
    counts: HashMap<LocalName, usize>,
    /// Unclosed formatting elements: an enclosing end tag does not close them for good, the builder reopens them.
    formatting: HashMap<LocalName, usize>,
    formatting_sum: usize,
    /// `svg` and `math` among the stack: only there a tag can close itself.
    foreign: usize,
}

impl Open {
    fn admits(&mut self, tag: &Tag) -> bool {
        match tag.kind {
            StartTag => self.start(tag),
            EndTag => self.end(&tag.name),
        }
    }

    fn start(&mut self, tag: &Tag) -> bool {
        if never_nests(&tag.name) || (tag.self_closing && self.foreign > 0) {
            return true;
        }
        let has_room = self.stack.len() + self.formatting_sum < HTML_DEPTH_MAX;
        if is_formatting(&tag.name) {
            if has_room {
                *self.formatting.entry(tag.name.clone()).or_default() += 1;
                self.formatting_sum += 1;
            }
            return has_room;
        }
        if is_foreign_root(&tag.name) {
            self.foreign += 1;
        }
        *self.counts.entry(tag.name.clone()).or_default() += 1;
        self.stack.push((tag.name.clone(), has_room));
        has_room
    }

    fn end(&mut self, name: &LocalName) -> bool {
        if is_formatting(name) {
            if let Some(count) = self.formatting.get_mut(name).filter(|count| **count > 0) {
                *count -= 1;
                self.formatting_sum -= 1;
            }
            return true;
        }
        if self.counts.get(name).is_none_or(|count| *count == 0) {
            return true;
        }
        while let Some((top, was_told)) = self.stack.pop() {
            if let Some(count) = self.counts.get_mut(&top) {
                *count -= 1;
            }
            if is_foreign_root(&top) {
                self.foreign -= 1;
            }
            if top == *name {
                return was_told;
            }
        }
        true
    }
}

fn is_foreign_root(name: &LocalName) -> bool {
    matches!(*name, local_name!("svg") | local_name!("math"))
}

fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

/// Elements that hold nothing, hold raw text only, or close each other: they cannot nest without others that are counted.
fn never_nests(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("area")
            | local_name!("base")
            | local_name!("br")
            | local_name!("col")
            | local_name!("embed")
            | local_name!("hr")
            | local_name!("img")
            | local_name!("input")
            | local_name!("link")
            | local_name!("meta")
            | local_name!("param")
            | local_name!("source")
            | local_name!("track")
            | local_name!("wbr")
            | local_name!("html")
            | local_name!("head")
            | local_name!("body")
            | local_name!("script")
            | local_name!("style")
            | local_name!("title")
            | local_name!("textarea")
            | local_name!("iframe")
            | local_name!("noembed")
            | local_name!("noframes")
            | local_name!("xmp")
            | local_name!("plaintext")
            | local_name!("p")
            | local_name!("li")
            | local_name!("dt")
            | local_name!("dd")
            | local_name!("tr")
            | local_name!("td")
            | local_name!("th")
            | local_name!("thead")
            | local_name!("tbody")
            | local_name!("tfoot")
            | local_name!("caption")
            | local_name!("colgroup")
            | local_name!("option")
            | local_name!("optgroup")
            | local_name!("rb")
            | local_name!("rp")
            | local_name!("rt")
            | local_name!("rtc")
    )
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
