//! What a page holds besides its links: addresses in event attributes, scripts, comments and other places that readers never
//! see (A8). They are guesses, except where a browser itself would follow them.

use super::attributes::Attributes;
use super::entities::Place as EntityPlace;
use super::inner::Frame;
use super::read::Reader;
use super::scan::{Key, key};
use super::sink::{Sink, Trust};
use super::value::decode;
use crate::script::{self, Code, Hint, Use, is_address};
use gleaner_model::LinkKind;
use std::borrow::Cow;

/// Documents inside a page beyond this size are not read.
const HIDDEN_BYTES_MAX: usize = 256 * 1024;
/// Documents inside one document.
const FRAMES_MAX: usize = 256;

impl<'a, S: Sink<'a>> Reader<'_, '_, S> {
    /// Addresses in attributes that scripts read: `onclick`, `data-href`, `hx-get`.
    pub(super) fn attributes(&mut self, wanted: Attributes<'_, 'a>) {
        const ON: Key = self::key("on");
        const DATA: Key = self::key("data-");
        for attribute in wanted.all() {
            let (name, value) = (attribute.key, attribute.value);
            // By the first letter most names are told from all that are looked for.
            let is_none = || !matches!(name as u8, 0 | b'a' | b'd' | b'h' | b'n' | b'o' | b'r' | b'u');
            if value.len() < 2 || is_none() {
                continue;
            }
            if name & 0xFFFF == ON {
                self.event(value);
            } else if name & 0xFF_FFFF_FFFF == DATA || name == 0 || is_of_frameworks(name) {
                self.data_attribute(name, value);
            }
        }
    }

    fn event(&mut self, value: &'a [u8]) {
        // Without a string there is no address.
        if memchr::memchr3(b'\'', b'"', b'&', value).is_some() || memchr::memchr(b'`', value).is_some() {
            self.code(
                decode(value, self.encoding, Some(EntityPlace::Attribute)),
                Code::Script,
            );
        }
    }

    fn data_attribute(&mut self, name: Key, value: &'a [u8]) {
        let used = match value[0] {
            b'/' | b'.' | b'h' | b'H' | b'?' => Use::Unknown,
            b'{' | b'[' | b'&' => {
                if memchr::memchr(b'/', value).is_some() {
                    self.code(
                        decode(value, self.encoding, Some(EntityPlace::Attribute)),
                        Code::Data,
                    );
                }
                return;
            }
            _ if is_of_frameworks(name) || is_named_so(name) => Use::Known,
            _ => return,
        };
        self.hint(decode(value, self.encoding, Some(EntityPlace::Attribute)), used);
    }

    /// A string that may be an address.
    pub(super) fn hint_of(&mut self, value: Option<&'a [u8]>, used: Use) {
        if let Some(value) = value.filter(|value| used != Use::Unknown || may_be_address(value)) {
            self.hint(decode(value, self.encoding, Some(EntityPlace::Attribute)), used);
        }
    }

    fn hint(&mut self, text: Cow<'a, str>, used: Use) {
        if is_address(text.trim_ascii(), used) {
            self.guess(text);
        }
    }

    /// An address that nobody promises.
    pub(super) fn guess(&mut self, text: Cow<'a, str>) {
        if self.hints_left > 0 {
            self.hints_left -= 1;
            self.sink.text(text, LinkKind::InScript, false);
        }
    }

    pub(super) fn script(&mut self, bytes: &'a [u8], kind: Code) {
        if !S::IS_BY_PLACE {
            self.code(decode(bytes, self.encoding, None), kind);
        }
    }

    fn code(&mut self, text: Cow<'a, str>, kind: Code) {
        if self.hints_left == 0 {
            return;
        }
        match text {
            Cow::Borrowed(text) => script::scan(text, kind, &mut |hint| match hint {
                Hint::Address(address) => self.guess(address),
                Hint::Markup(html) => self.frame(html.into_owned(), Trust::Guesses),
            }),
            Cow::Owned(text) => script::scan(&text, kind, &mut |hint| match hint {
                Hint::Address(address) => self.guess(Cow::Owned(address.into_owned())),
                Hint::Markup(html) => self.frame(html.into_owned(), Trust::Guesses),
            }),
        }
    }

    /// An import map or rules of what is asked for ahead: a browser would follow them.
    pub(super) fn map(&mut self, bytes: &'a [u8]) {
        if S::IS_BY_PLACE {
            return;
        }
        let text = decode(bytes, self.encoding, None);
        let is_imports = text.contains("\"imports\"") || text.contains("\"scopes\"");
        let kind = if is_imports {
            LinkKind::Script
        } else {
            LinkKind::Link
        };
        script::scan(&text, Code::Data, &mut |hint| {
            if let Hint::Address(address) = hint {
                self.sink.text(Cow::Owned(address.into_owned()), kind, false);
            }
        });
        // The addresses of a list have no name of their own.
        if !is_imports {
            for list in text.split("\"urls\"").skip(1) {
                let list = list.split(']').next().unwrap_or("");
                for address in list.split('"').skip(1).step_by(2) {
                    self.sink.text(Cow::Owned(address.to_owned()), kind, false);
                }
            }
        }
    }

    /// HTML inside the page.
    pub(super) fn hidden(&mut self, bytes: &'a [u8], trust: Trust) {
        if S::IS_BY_PLACE || memchr::memchr(b'<', bytes).is_none() || bytes.len() > HIDDEN_BYTES_MAX {
            return;
        }
        self.frame(decode(bytes, self.encoding, None).into_owned(), trust);
    }

    pub(super) fn frame(&mut self, html: String, trust: Trust) {
        if self.frames.len() < FRAMES_MAX {
            self.frames.push(Frame { html, trust });
        }
    }

    pub(super) fn comment(&mut self, bytes: &'a [u8]) {
        if S::IS_BY_PLACE || bytes.len() > HIDDEN_BYTES_MAX || bytes.len() < 4 {
            return;
        }
        let start = bytes.trim_ascii_start();
        if start.len() > 3 && start[..3].eq_ignore_ascii_case(b"[if") {
            // What one browser saw was meant to be seen.
            if let Some(at) = memchr::memmem::find(start, b"]>") {
                self.hidden(&start[at + 2..], Trust::Links);
            }
            return;
        }
        if memchr::memchr2(b'/', b'=', bytes).is_none() {
            return;
        }
        match decode(bytes, self.encoding, None) {
            Cow::Borrowed(text) => script::comment(text, &mut |hint| match hint {
                Hint::Address(address) => self.guess(address),
                Hint::Markup(html) => self.frame(html.into_owned(), Trust::Guesses),
            }),
            Cow::Owned(text) => script::comment(&text, &mut |hint| match hint {
                Hint::Address(address) => self.guess(Cow::Owned(address.into_owned())),
                Hint::Markup(html) => self.frame(html.into_owned(), Trust::Guesses),
            }),
        }
    }

    /// Where a page says that its grammar lies; the well-known ones lie elsewhere and lead nobody anywhere.
    pub(super) fn doctype(&mut self, bytes: &'a [u8]) {
        if S::IS_BY_PLACE || bytes.len() < 10 {
            return;
        }
        let text = decode(bytes, self.encoding, None).into_owned();
        if let Some(last) = text.trim_ascii_end().strip_suffix(['"', '\''])
            && let Some(start) = last.rfind(['"', '\''])
            && !last[start..].contains("://")
        {
            let address = last[start + 1..].to_owned();
            self.hint(Cow::Owned(address), Use::Known);
        }
    }

    /// A link that is no address itself but may hold some: code, or a whole document.
    pub(super) fn carried(&mut self, value: &'a [u8]) {
        let start = value.trim_ascii_start();
        if !matches!(start.first(), Some(b'j' | b'J' | b'd' | b'D' | b'&')) {
            return;
        }
        let text = decode(start, self.encoding, Some(EntityPlace::Attribute));
        if let Some(code) = after_scheme(&text, "javascript:") {
            let code = percent_decoded(code);
            self.code(Cow::Owned(code), Code::Script);
        } else if let Some(document) = after_scheme(&text, "data:") {
            self.data_document(document);
        }
    }

    fn data_document(&mut self, text: &str) {
        let Some((head, body)) = text.split_once(',') else {
            return;
        };
        let kind = head.split(';').next().unwrap_or("").trim();
        let is_markup = [
            "text/html",
            "image/svg+xml",
            "application/xhtml+xml",
            "text/xml",
            "application/xml",
        ]
        .iter()
        .any(|known| kind.eq_ignore_ascii_case(known));
        if !is_markup || body.len() > HIDDEN_BYTES_MAX {
            return;
        }
        let is_packed = head
            .rsplit(';')
            .next()
            .is_some_and(|last| last.trim().eq_ignore_ascii_case("base64"));
        let html = if is_packed {
            let bytes: Vec<u8> = percent_decoded(body).into_bytes();
            match unpacked(&bytes) {
                Some(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                None => return,
            }
        } else {
            percent_decoded(body)
        };
        self.frame(html, Trust::Links);
    }
}

/// Whether a value of no known use has any sign of an address, or a reference that may stand for one.
fn may_be_address(value: &[u8]) -> bool {
    value.iter().any(|b| matches!(b, b'/' | b'.' | b'?' | b'&'))
}

/// Attributes of well-known frameworks that hold an address.
fn is_of_frameworks(name: Key) -> bool {
    const NAMES: [Key; 8] = [
        key("hx-get"),
        key("hx-push-url"),
        key("ng-href"),
        key("ng-src"),
        key("routerlink"),
        key("up-href"),
        key("about"),
        key("resource"),
    ];
    NAMES.contains(&name)
}

/// `data-href`, `data-url`, `data-link`, `data-page` and their like.
fn is_named_so(name: Key) -> bool {
    let bytes = name.to_le_bytes();
    let len = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    ["url", "href", "link", "src", "page"]
        .iter()
        .any(|end| bytes[..len].ends_with(end.as_bytes()))
}

/// What follows a scheme, however it is spelt.
fn after_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let mut signs = scheme.bytes();
    let mut next = signs.next()?;
    for (at, b) in text.bytes().enumerate() {
        if matches!(b, b'\t' | b'\n' | b'\r') || at == 0 && b <= b' ' {
            continue;
        }
        if b.to_ascii_lowercase() != next {
            return None;
        }
        match signs.next() {
            Some(sign) => next = sign,
            None => return text.get(at + 1..),
        }
    }
    None
}

fn percent_decoded(text: &str) -> String {
    if memchr::memchr(b'%', text.as_bytes()).is_none() {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        if let Some(byte) = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            out.push(byte);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Base64, as `data:` addresses have it.
fn unpacked(text: &[u8]) -> Option<Vec<u8>> {
    let (mut out, mut bits, mut count) = (Vec::with_capacity(text.len() * 3 / 4), 0u32, 0);
    for &b in text {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' => break,
            b if b.is_ascii_whitespace() => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}
