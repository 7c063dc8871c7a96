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
use html5ever::local_name;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, TagKind, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Range;

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
    build_with(html, true)
}

/// As [`build`], with the elements of scripts and styles but not what they hold; linked data stays.
pub(crate) fn build_without_scripts(html: &str) -> Built {
    build_with(html, false)
}

fn build_with(html: &str, keeps_scripts: bool) -> Built {
    let html = with_few_attributes(html);
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let guard = Guard {
        builder: TreeBuilder::new(Sink::default(), options),
        open: RefCell::default(),
        is_cut: Cell::new(false),
        raw: Cell::default(),
    };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let input = BufferQueue::default();
    let whole = StrTendril::from(html.as_ref());
    // Tendrils are counted in 32 bits, and so are pages: what is read of one is bounded.
    let feed = |part: Range<usize>| {
        input.push_back(whole.subtendril(part.start as u32, (part.end - part.start) as u32));
        // The tokenizer pauses at the end of scripts and at charset declarations; neither matters here.
        while !matches!(tokenizer.feed(&input), TokenizerResult::Done) {}
    };
    let mut from = 0;
    if !keeps_scripts {
        for end in raw_tag_ends(html.as_bytes()) {
            if end <= from {
                continue;
            }
            feed(from..end);
            from = end;
            // Only now is it known whether it was a tag, and not a comment that speaks of one.
            if let Some(close) = tokenizer.sink.raw.get() {
                from += raw_text_length(&html.as_bytes()[end..], close);
            }
        }
    }
    feed(from..html.len());
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
    /// What ends the raw text that begins now, if nobody asks for it.
    raw: Cell<Option<&'static [u8]>>,
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
        let close = raw_text_close(&token);
        let result = self.builder.process_token(token, line);
        self.raw
            .set(close.filter(|_| matches!(result, TokenSinkResult::RawData(_))));
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// The end tag of a script or style that begins here; none for linked data, which is asked for.
fn raw_text_close(token: &Token) -> Option<&'static [u8]> {
    let TagToken(tag) = token else { return None };
    if tag.kind != TagKind::StartTag {
        return None;
    }
    match tag.name {
        local_name!("style") => Some(b"</style"),
        local_name!("script") => {
            let is_kept = tag
                .attrs
                .iter()
                .any(|one| one.name.local == local_name!("type") && one.value.contains("ld+json"));
            (!is_kept).then_some(b"</script")
        }
        _ => None,
    }
}

/// Where tags may end that open scripts and styles, in order.
fn raw_tag_ends(bytes: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memmem::find_iter(bytes, b"<s").filter_map(|open| {
        let rest = &bytes[open..];
        let is_it = rest.starts_with(b"<script") || rest.starts_with(b"<style");
        is_it
            .then(|| memchr::memchr(b'>', rest).map(|found| open + found + 1))
            .flatten()
    })
}

/// How much raw text stands before its end tag. Nothing where a comment in it may hide that tag, or where it is not found.
fn raw_text_length(bytes: &[u8], close: &[u8]) -> usize {
    let Some(length) = memchr::memmem::find(bytes, close) else {
        return 0;
    };
    let has_comment = memchr::memmem::find(&bytes[..length], b"<!--").is_some();
    if has_comment { 0 } else { length }
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
