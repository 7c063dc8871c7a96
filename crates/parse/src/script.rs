//! Addresses in code: string literals of scripts, JSON and event attributes that are plainly addresses (A8).
//!
//! Nothing is run. A scanner passes over comments, regular expressions and strings; literals that are joined by `+` are read
//! as one, and what is joined to something else is no whole address and left alone. What a literal is used for
//! (`location =`, `fetch(`, `url:`) decides how little it must look like an address itself.

mod plain;

pub(crate) use plain::{Use, is_address};

use crate::stops;
use memchr::memmem;
use std::borrow::Cow;

/// What code holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Hint<'t> {
    Address(Cow<'t, str>),
    /// HTML as text: `document.write("<a href=…>")`.
    Markup(Cow<'t, str>),
}

/// What kind of text is looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// Of a page: addresses are relative to it.
    Script,
    /// JSON: a string before a colon is a name.
    Data,
}

/// Code beyond this is not looked through.
const CODE_BYTES_MAX: usize = 512 * 1024;
/// A longer literal is no address; markup may be longer.
const ADDRESS_BYTES_MAX: usize = 2048;
const MARKUP_BYTES_MAX: usize = 64 * 1024;
/// How far behind a call a method other than GET is looked for.
const METHOD_BYTES: usize = 160;
/// A longer regular expression is taken for a division: what follows is read all the same.
const PATTERN_BYTES_MAX: usize = 512;

static STOPS: [bool; 256] = {
    let mut table = [false; 256];
    let stops = b"\"'`/\\";
    let mut i = 0;
    while i < stops.len() {
        table[stops[i] as usize] = true;
        i += 1;
    }
    table
};

/// A literal: its text between the quotes, as written.
#[derive(Clone, Copy)]
struct Literal<'t> {
    start: usize,
    end: usize,
    raw: &'t str,
    quote: u8,
}

/// Calls `found` with each address and each piece of markup in a script.
pub(crate) fn scan<'t>(code: &'t str, kind: Code, found: &mut dyn FnMut(Hint<'t>)) {
    let code = &code[..code.floor_char_boundary(CODE_BYTES_MAX)];
    let bytes = code.as_bytes();
    let (mut at, mut last) = (0, None);
    while let Some(skipped) = bytes.get(at..).and_then(|rest| stops::first(&STOPS, rest)) {
        at += skipped;
        if bytes[at] == b'\\' {
            at += 2;
            continue;
        }
        if bytes[at] == b'/' {
            at = slash(code, at, kind, found);
            continue;
        }
        let Some(literal) = literal_at(code, at) else {
            at += 1; // A stray quote: an apostrophe, say.
            continue;
        };
        at = one(code, literal, last, kind, found);
        last = Some(literal);
    }
}

/// A literal and those joined to it; the place behind them.
fn one<'t>(
    code: &'t str,
    first: Literal<'t>,
    last: Option<Literal<'t>>,
    kind: Code,
    found: &mut dyn FnMut(Hint<'t>),
) -> usize {
    let (mut end, mut has_tail) = (first.end, false);
    let mut joined: Option<String> = None;
    if kind == Code::Script {
        while let Some(next) = behind(code, end).strip_prefix('+') {
            let from = code.len() - next.trim_ascii_start().len();
            let Some(more) = literal_at(code, from) else {
                has_tail = !next.starts_with('+');
                break;
            };
            let text = joined.get_or_insert_with(|| unescape(first.raw).into_owned());
            if text.len() > MARKUP_BYTES_MAX {
                break;
            }
            text.push_str(&unescape(more.raw));
            end = more.end;
        }
    }
    if has_tail || joined.is_none() && !may_hold(code, first, last, end) {
        return end;
    }
    if first.quote == b'`' && memmem::find(first.raw.as_bytes(), b"${").is_some() {
        return end;
    }
    let text = match joined {
        Some(text) => Cow::Owned(text),
        None => unescape(first.raw),
    };
    if holds_markup(&text) {
        if text.len() <= MARKUP_BYTES_MAX {
            found(Hint::Markup(text));
        }
        return end;
    }
    if text.len() > ADDRESS_BYTES_MAX {
        return end;
    }
    let is_chosen = code[..first.start].trim_ascii_end().ends_with('?');
    if behind(code, end).starts_with(':') && !is_chosen {
        return end; // The name of a value.
    }
    if let Some(used) = used_as(code, first, last, end)
        && is_address(&text, used)
    {
        found(Hint::Address(text));
    }
    end
}

/// Whether a literal can be an address or markup at all. Most are names and words, and show it in their letters.
fn may_hold(code: &str, literal: Literal<'_>, last: Option<Literal<'_>>, end: usize) -> bool {
    let bytes = literal.raw.as_bytes();
    let signs = bytes.iter().fold(0, |signs, &b| signs | SIGNS[usize::from(b)]);
    bytes.len() >= 2
        && (signs & OF_ADDRESSES != 0
            // A bare name is an address only where somebody is sent to.
            || signs & OF_TEXT == 0
                && bytes.len() <= 64
                && used_as(code, literal, last, end) == Some(Use::Goes))
}

const OF_ADDRESSES: u8 = 1;
const OF_TEXT: u8 = 2;

/// What the bytes of a literal tell: signs that addresses, markup and escapes have, and those that no name has.
static SIGNS: [u8; 256] = {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = match b as u8 {
            b'/' | b'.' | b'<' | b'\\' | b'?' => OF_ADDRESSES,
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'-' | b'_' | b'=' | b'&' | b'%' => 0,
            _ => OF_TEXT,
        };
        b += 1;
    }
    table
};

/// Whether text holds a tag with an attribute.
pub(crate) fn holds_markup(text: &str) -> bool {
    let bytes = text.as_bytes();
    let Some(last) = memchr::memrchr(b'=', bytes) else {
        return false;
    };
    memchr::memchr_iter(b'<', bytes)
        .take_while(|at| at + 4 < last)
        .any(|at| bytes[at + 1].is_ascii_alphabetic())
}

fn behind(code: &str, end: usize) -> &str {
    code.get(end..).unwrap_or("").trim_ascii_start()
}

/// The literal whose quote stands at `start`; none where it does not end, or a line ends in it.
fn literal_at(code: &str, start: usize) -> Option<Literal<'_>> {
    let bytes = code.as_bytes();
    let quote = *bytes.get(start)?;
    if !matches!(quote, b'"' | b'\'' | b'`') {
        return None;
    }
    let mut at = start + 1;
    loop {
        at += memchr::memchr3(quote, b'\\', b'\n', bytes.get(at..)?)?;
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if quote != b'`' => return None,
            b'\n' => at += 1,
            _ => break,
        }
    }
    Some(Literal {
        start,
        end: at + 1,
        raw: code.get(start + 1..at)?,
        quote,
    })
}

/// What a literal is used for; none where it is only a part of something, or is sent in a way that we do not.
fn used_as(code: &str, literal: Literal<'_>, last: Option<Literal<'_>>, end: usize) -> Option<Use> {
    let head = code[..literal.start].trim_ascii_end();
    let sign = head.as_bytes().last().copied().unwrap_or(b';');
    let before = head.get(..head.len().saturating_sub(1)).unwrap_or(head);
    let used = match sign {
        b'(' => called(before),
        b'=' if before.ends_with('+') => return None,
        b'=' if before.ends_with(['=', '!', '<', '>']) => Use::Unknown,
        b'=' => set(name_of(before)),
        b':' => named(key_of(before)),
        b'+' => return is_origin(name_of(before)).then_some(Use::Behind),
        b',' => match last.filter(|last| code[last.end..literal.start].trim_ascii() == ",") {
            Some(last) => second(code, last)?,
            None => Use::Unknown,
        },
        // `import "x"`, `from "x"`.
        _ if head.ends_with("from") || head.ends_with("import") => Use::Known,
        _ => Use::Unknown,
    };
    if used != Use::Unknown && sign == b'(' {
        let tail = code.as_bytes().get(end..).unwrap_or(&[]);
        let tail = &tail[..tail.len().min(METHOD_BYTES)];
        if is_sent(tail) {
            return None;
        }
    }
    Some(used)
}

/// The second of two: `open("GET", "x")`, `setAttribute("href", "x")`.
fn second(code: &str, first: Literal<'_>) -> Option<Use> {
    let head = code[..first.start].trim_ascii_end();
    let Some(callee) = head.strip_suffix('(') else {
        return Some(Use::Unknown);
    };
    match (name_of(callee), first.raw) {
        ("open", "POST" | "post" | "PUT" | "put" | "DELETE" | "delete" | "PATCH" | "patch") => None,
        ("open", "GET" | "get")
        | ("setAttribute" | "attr" | "prop", "href" | "src" | "action" | "data" | "poster") => {
            Some(Use::Goes)
        }
        _ => Some(Use::Unknown),
    }
}

fn called(callee: &str) -> Use {
    match name_of(callee) {
        "assign" | "fetch" | "navigate" | "navigateTo" | "redirect" | "goto" | "open" => Use::Goes,
        "replace" if callee.trim_ascii_end().ends_with("location.replace") => Use::Goes,
        "get" | "getJSON" | "getScript" | "ajax" | "load" | "Worker" | "SharedWorker" | "EventSource"
        | "import" | "importScripts" | "Request" | "URL" | "url" | "register" | "push" | "go"
        | "location" | "showModalDialog" | "preload" => Use::Known,
        _ => Use::Unknown,
    }
}

fn set(name: &str) -> Use {
    match name {
        "location" | "href" | "pathname" => Use::Goes,
        "src" | "action" | "url" | "URL" | "link" | "path" | "page" | "file" | "background" | "poster"
        | "uri" | "data" | "endpoint" => Use::Known,
        _ => Use::Unknown,
    }
}

fn named(key: &str) -> Use {
    match key {
        "url" | "href" | "src" | "link" | "path" | "uri" | "action" | "page" | "image" | "file"
        | "endpoint" | "redirect" | "Url" | "URL" | "contentUrl" | "embedUrl" | "start_url" | "permalink" => {
            Use::Known
        }
        _ => Use::Unknown,
    }
}

/// `location.origin + "/x"` is whole by itself.
fn is_origin(name: &str) -> bool {
    matches!(name, "origin" | "host" | "hostname")
}

/// The last name of what stands before a sign: `href` of `window.location.href`.
fn name_of(text: &str) -> &str {
    let text = text.trim_ascii_end();
    let start = text
        .bytes()
        .rposition(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'$'))
        .map_or(0, |at| at + 1);
    text.get(start..).unwrap_or("")
}

/// The name before a colon, in quotes or not.
fn key_of(text: &str) -> &str {
    let text = text.trim_ascii_end();
    match text.as_bytes().last() {
        Some(&quote @ (b'"' | b'\'')) => {
            let inside = &text[..text.len() - 1];
            let start = memchr::memrchr(quote, inside.as_bytes()).map_or(0, |at| at + 1);
            &inside[start..]
        }
        _ => name_of(text),
    }
}

/// Whether what follows says that something is sent there.
fn is_sent(tail: &[u8]) -> bool {
    let Some(at) = memmem::find(tail, b"method") else {
        return false;
    };
    let rest = &tail[at..];
    [
        &b"POST"[..],
        b"post",
        b"PUT",
        b"put",
        b"DELETE",
        b"delete",
        b"PATCH",
        b"patch",
    ]
    .iter()
    .any(|method| memmem::find(&rest[..rest.len().min(24)], method).is_some())
}

/// A comment, a regular expression or a division; the place behind it.
fn slash<'t>(code: &'t str, at: usize, kind: Code, found: &mut dyn FnMut(Hint<'t>)) -> usize {
    let bytes = code.as_bytes();
    let rest = &bytes[at..];
    if kind == Code::Data {
        return at + 1;
    }
    match rest.get(1) {
        Some(b'/') => {
            let end = memchr::memchr(b'\n', rest).map_or(code.len(), |len| at + len);
            comment(&code[at + 2..end], found);
            end
        }
        Some(b'*') => {
            let len = memmem::find(&rest[2..], b"*/");
            let end = len.map_or(code.len(), |len| at + 2 + len);
            comment(&code[at + 2..end], found);
            (end + 2).min(code.len())
        }
        _ if may_be_pattern(code[..at].trim_ascii_end()) => after_pattern(bytes, at).unwrap_or(at + 1),
        _ => at + 1,
    }
}

/// Whether a slash behind this begins a regular expression: no value stands there that could be divided.
fn may_be_pattern(head: &str) -> bool {
    head.as_bytes()
        .last()
        .is_none_or(|b| b"(,=:[!&|?{};+-*%~^<>".contains(b))
        || ["return", "typeof", "case"]
            .iter()
            .any(|word| head.ends_with(word))
}

fn after_pattern(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut is_class) = (start + 1, false);
    let bytes = &bytes[..bytes.len().min(start + PATTERN_BYTES_MAX)];
    loop {
        match *bytes.get(at)? {
            b'\n' => return None,
            b'\\' => at += 1,
            b'[' => is_class = true,
            b']' => is_class = false,
            b'/' if !is_class => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
}

/// Addresses in a comment: those of markup, and words that can be nothing else.
pub(crate) fn comment<'t>(text: &'t str, found: &mut dyn FnMut(Hint<'t>)) {
    if memchr::memchr3(b'/', b'.', b'=', text.as_bytes()).is_none() {
        return;
    }
    if holds_markup(text) {
        if text.len() <= MARKUP_BYTES_MAX {
            found(Hint::Markup(Cow::Borrowed(text)));
        }
        return;
    }
    let ends = |c: char| c.is_whitespace() || "\"'`<>()[]{},;|".contains(c);
    for word in text.split(ends) {
        let word = word
            .trim_end_matches(['.', ':', '!', '*'])
            .trim_start_matches('*');
        if is_address(word, Use::Word) {
            found(Hint::Address(Cow::Borrowed(word)));
        }
    }
}

/// Whole addresses in running text, the only ones that can be told from it.
pub(crate) fn words<'t>(text: &'t str, found: &mut dyn FnMut(&'t str)) {
    const ENDS: [char; 8] = ['.', ',', ':', ';', '!', '?', ']', '*'];
    let bytes = text.as_bytes();
    for at in memmem::find_iter(bytes, b"://") {
        let Some(start) = ["https", "http"].iter().find_map(|scheme| {
            let start = at.checked_sub(scheme.len())?;
            let is_scheme = text.get(start..at)?.eq_ignore_ascii_case(scheme);
            let is_whole = start == 0 || !bytes[start - 1].is_ascii_alphanumeric();
            (is_scheme && is_whole).then_some(start)
        }) else {
            continue;
        };
        let ends = |c: char| c.is_whitespace() || c.is_control() || "\"'`<>{}|\\^".contains(c);
        let word = &text[start..];
        let word = &word[..word.find(ends).unwrap_or(word.len())];
        let mut word = word.trim_end_matches(ENDS);
        // A bracket at the end belongs to the text unless it was opened in the address.
        while let Some(shorter) = word.strip_suffix(')')
            && word.matches(')').count() > word.matches('(').count()
        {
            word = shorter.trim_end_matches(ENDS);
        }
        if is_address(word, Use::Word) {
            found(word);
        }
    }
}

/// The text of a literal.
fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(sign) = rest.chars().next() else { break };
        rest = &rest[sign.len_utf8()..];
        let digits = match sign {
            'n' | 'r' | 't' | 'b' | 'f' | 'v' => {
                out.push(' ');
                continue;
            }
            '\n' => continue,
            'x' => 2,
            'u' => 4,
            other => {
                out.push(other);
                continue;
            }
        };
        let value = rest
            .get(..digits)
            .and_then(|hex| u32::from_str_radix(hex, 16).ok());
        if let Some(c) = value.and_then(char::from_u32) {
            out.push(c);
            rest = &rest[digits..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;
