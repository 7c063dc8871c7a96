//! The tokens of a page, in the form in which the tree builder takes them.
//!
//! They are cut by our own scanner ([`crate::html`]), which knows what the standard's tokenizer knows and holds nothing: a page
//! is walked a run of bytes at a time instead of a character at a time.

use super::guard::{Guard, GuardedSink};
use crate::html::entities::{Place, unescape};
use crate::html::scan::{Key, Raw, Scanner, Syntax, Token};
use html5ever::interface::QualName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, CharacterTokens, Doctype, DoctypeToken, EOFToken, EndTag, NullCharacterToken, StartTag, Tag,
    Token as Told, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5ever::{Attribute, LocalName, local_name, ns};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

/// Tells a page to the tree builder.
pub(super) struct Teller<'a, S: GuardedSink> {
    html: &'a str,
    scanner: Scanner<'a>,
    guard: Guard<S>,
    /// The texts of scripts and styles are told too; linked data always is.
    keeps_scripts: bool,
    /// Pages use the same few names again and again.
    known: HashMap<Key, LocalName, foldhash::fast::FixedState>,
}

impl<'a, S: GuardedSink> Teller<'a, S> {
    /// `html` has no carriage returns: the standard takes them for line feeds before anything else.
    pub(super) fn new(html: &'a str, guard: Guard<S>, keeps_scripts: bool) -> Teller<'a, S> {
        Teller {
            html,
            scanner: Scanner::with_names(html.as_bytes(), Syntax::Html),
            guard,
            keeps_scripts,
            known: HashMap::default(),
        }
    }

    pub(super) fn tell(mut self) -> Guard<S> {
        // Of the text that comes next: it is told as it stands, or not at all.
        let (mut is_raw_state, mut is_unread) = (false, false);
        while let Some(token) = self.scanner.next() {
            match token {
                Token::Text { bytes, is_raw } => {
                    if !std::mem::take(&mut is_unread) {
                        self.text(bytes, is_raw, is_raw_state);
                    }
                    is_raw_state = false;
                }
                Token::Start {
                    name,
                    key,
                    is_self_closing,
                } => {
                    let tag = self.start(name, key, is_self_closing);
                    let may_be_unread = !self.keeps_scripts && is_script_or_style(&tag);
                    let raw = raw(&self.guard.tell_tag(tag), name);
                    is_raw_state = raw.is_some();
                    is_unread = is_raw_state && may_be_unread;
                    if let Some(raw) = raw {
                        self.scanner.enter(raw);
                    }
                    self.scanner.is_foreign = self.guard.is_foreign();
                }
                Token::End { name, key } => {
                    let name = self.name(name, key);
                    let tag = Tag {
                        kind: EndTag,
                        name,
                        self_closing: false,
                        attrs: Vec::new(),
                        had_duplicate_attributes: false,
                    };
                    let _ = self.guard.tell_tag(tag);
                    is_raw_state = false;
                    is_unread = false;
                    self.scanner.is_foreign = self.guard.is_foreign();
                }
                Token::Doctype(rest) => {
                    let is_closed = self.html.as_bytes().get(self.scanner.at() - 1) == Some(&b'>');
                    self.guard
                        .tell(DoctypeToken(doctype(self.slice(rest), is_closed)));
                }
                Token::Comment(_) | Token::Instruction(_) => {}
            }
        }
        self.guard.tell(EOFToken);
        self.guard
    }

    /// A piece of the page as text again: the scanner cuts at ASCII characters only.
    fn slice(&self, bytes: &'a [u8]) -> &'a str {
        let from = bytes.as_ptr() as usize - self.html.as_ptr() as usize;
        &self.html[from..from + bytes.len()]
    }

    fn text(&mut self, bytes: &'a [u8], is_raw: bool, is_raw_state: bool) {
        let text = Cow::Borrowed(self.slice(bytes));
        let has_nul = memchr::memchr(0, bytes).is_some();
        let text = if is_raw { text } else { unescape(text, Place::Text) };
        if !has_nul {
            self.guard.tell(CharacterTokens(StrTendril::from_slice(&text)));
        } else if is_raw_state {
            let text = text.replace('\0', "\u{fffd}");
            self.guard.tell(CharacterTokens(StrTendril::from_slice(&text)));
        } else {
            // What becomes of it depends on where it stands, and the builder knows.
            for (number, piece) in text.split('\0').enumerate() {
                if number > 0 {
                    self.guard.tell(NullCharacterToken);
                }
                if !piece.is_empty() {
                    self.guard.tell(CharacterTokens(StrTendril::from_slice(piece)));
                }
            }
        }
    }

    fn start(&mut self, name: &'a [u8], key: Key, self_closing: bool) -> Tag {
        let mut attributes: Vec<Attribute> = Vec::with_capacity(self.scanner.attributes.len());
        let mut had_duplicate_attributes = false;
        for at in 0..self.scanner.attributes.len() {
            let attribute = self.scanner.attributes[at];
            let local = self.name(self.scanner.names[at], attribute.key);
            if attributes.iter().any(|there| there.name.local == local) {
                had_duplicate_attributes = true;
                continue;
            }
            let value = unescape(Cow::Borrowed(self.slice(attribute.value)), Place::Attribute);
            let value = if memchr::memchr(0, attribute.value).is_some() {
                StrTendril::from(value.replace('\0', "\u{fffd}"))
            } else {
                StrTendril::from_slice(&value)
            };
            attributes.push(Attribute {
                name: QualName::new(None, ns!(), local),
                value,
            });
        }
        Tag {
            kind: StartTag,
            name: self.name(name, key),
            self_closing,
            attrs: attributes,
            had_duplicate_attributes,
        }
    }

    fn name(&mut self, name: &'a [u8], key: Key) -> LocalName {
        let text = self.slice(name);
        // A name that is too long for a key has none.
        if key == 0 {
            return made_name(text);
        }
        self.known.entry(key).or_insert_with(|| made_name(text)).clone()
    }
}

fn made_name(text: &str) -> LocalName {
    let lower = text.to_ascii_lowercase();
    if lower.contains('\0') {
        return LocalName::from(lower.replace('\0', "\u{fffd}"));
    }
    LocalName::from(lower)
}

/// What follows a start tag, where that is not markup.
fn raw<'a, Handle>(result: &TokenSinkResult<Handle>, name: &'a [u8]) -> Option<Raw<'a>> {
    match result {
        TokenSinkResult::RawData(RawKind::Rcdata) => Some(Raw::Rcdata(name)),
        TokenSinkResult::RawData(RawKind::Rawtext) => Some(Raw::Rawtext(name)),
        TokenSinkResult::RawData(_) => Some(Raw::Script(name)),
        TokenSinkResult::Plaintext => Some(Raw::Plaintext),
        _ => None,
    }
}

fn is_script_or_style(tag: &Tag) -> bool {
    match tag.name {
        local_name!("style") => true,
        local_name!("script") => !tag
            .attrs
            .iter()
            .any(|one| one.name.local == local_name!("type") && one.value.contains("ld+json")),
        _ => false,
    }
}

/// Reads what stands behind the word. There is one in a page, and much to be known about it: the standard's tokenizer does.
fn doctype(rest: &str, is_closed: bool) -> Doctype {
    #[derive(Default)]
    struct Taker(RefCell<Doctype>);
    impl TokenSink for Taker {
        type Handle = ();

        fn process_token(&self, token: Told, _line: u64) -> TokenSinkResult<()> {
            if let DoctypeToken(doctype) = token {
                *self.0.borrow_mut() = doctype;
            }
            TokenSinkResult::Continue
        }
    }
    let tokenizer = Tokenizer::new(Taker::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    let end = if is_closed { ">" } else { "" };
    input.push_back(StrTendril::from(format!("<!DOCTYPE{rest}{end}")));
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

#[cfg(test)]
mod tests;
