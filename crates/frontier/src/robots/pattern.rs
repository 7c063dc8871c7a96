//! Matching a rule's pattern: `*` is any run of octets, a final `$` the end, all else is itself.
//!
//! A pattern is cut at its stars. The first piece must begin the target, each further piece is looked for behind the
//! one before it, leftmost: if any placing of the pieces fits, the leftmost one does. That is linear in the target,
//! whatever the number of stars (HC050).

use std::borrow::Cow;

/// How percent-encoding is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// Both sides in the normal form of RFC 9309 2.2.2.
    Normal,
    /// Octets as they stand; only the rule's own non-ASCII octets are encoded.
    Verbatim,
}

#[derive(Debug, Clone)]
pub(super) struct Glob {
    /// At least one; empty pieces between stars are left out.
    pieces: Vec<Box<[u8]>>,
    /// A `$` ends the pattern.
    to_the_end: bool,
    /// A `*` comes last (before the `$`, if any), so the end is open after all.
    star_last: bool,
    /// Its length as written, stars and `$` included.
    octets: usize,
}

impl Glob {
    fn new(value: &[u8], spelling: Spelling) -> Glob {
        let (body, to_the_end) = match value {
            [body @ .., b'$'] => (body, true),
            _ => (value, false),
        };
        let mut in_query = false;
        let mut octets = usize::from(to_the_end);
        let mut pieces: Vec<Box<[u8]>> = Vec::new();
        let mut star_last = false;
        for (index, piece) in body.split(|b| *b == b'*').enumerate() {
            let piece = match spelling {
                Spelling::Normal => normal_from(piece, &mut in_query),
                Spelling::Verbatim => escaped(piece),
            };
            octets += piece.len() + usize::from(index > 0);
            star_last = index > 0 && piece.is_empty();
            if index == 0 || !piece.is_empty() {
                pieces.push(piece.into_owned().into());
            }
        }
        Glob {
            pieces,
            to_the_end,
            star_last,
            octets,
        }
    }

    /// The length that decides between rules.
    pub(super) fn octets(&self) -> usize {
        self.octets
    }

    /// A pattern that is only a prefix gives it.
    pub(super) fn into_plain(mut self) -> Result<Box<[u8]>, Glob> {
        if self.pieces.len() == 1 && !self.to_the_end && !self.star_last {
            return Ok(self.pieces.remove(0));
        }
        Err(self)
    }

    pub(super) fn matches(&self, target: &[u8]) -> bool {
        let [first, rest @ ..] = &*self.pieces else {
            return true;
        };
        let Some(mut target) = target.strip_prefix(&**first) else {
            return false;
        };
        let Some((last, middle)) = rest.split_last() else {
            return !self.to_the_end || self.star_last || target.is_empty();
        };
        for piece in middle {
            let Some(at) = memchr::memmem::find(target, piece) else {
                return false;
            };
            target = &target[at + piece.len()..];
        }
        if self.to_the_end && !self.star_last {
            target.ends_with(last)
        } else {
            memchr::memmem::find(target, last).is_some()
        }
    }
}

/// The pattern of a rule, and the second one that an `Allow: /folder/index.html` stands for: the folder itself.
pub(super) fn forms(value: &[u8], allow: bool, spelling: Spelling) -> [Option<Glob>; 2] {
    let folder = memchr::memrchr(b'/', value)
        .filter(|slash| allow && value[slash + 1..].starts_with(b"index.htm"))
        .map(|slash| [&value[..=slash], b"$"].concat());
    [
        Some(Glob::new(value, spelling)),
        folder.map(|f| Glob::new(&f, spelling)),
    ]
}

/// Path and query of a URL as written, found the way Google's matcher finds it.
pub(super) fn target_of(url: &str) -> Cow<'_, str> {
    const STARTS: [char; 3] = ['/', '?', ';'];
    let from = if url.starts_with("//") { 2 } else { 0 };
    let find = |pattern: &[char], at: usize| url[at..].find(pattern).map(|i| i + at);
    let early = find(&STARTS, from);
    let scheme = url[from..]
        .find("://")
        .map(|i| i + from)
        .filter(|&s| early.is_none_or(|e| e >= s));
    let Some(start) = find(&STARTS, scheme.map_or(from, |s| s + 3)) else {
        return Cow::Borrowed("/");
    };
    let end = url[from..].find('#').map_or(url.len(), |i| i + from);
    if end < start {
        return Cow::Borrowed("/");
    }
    let target = &url[start..end];
    if target.starts_with('/') {
        Cow::Borrowed(target)
    } else {
        Cow::Owned(format!("/{target}"))
    }
}

/// Non-ASCII octets encoded, hex digits of encodings in upper case.
fn escaped(piece: &[u8]) -> Cow<'_, [u8]> {
    if piece.is_ascii() && memchr::memchr(b'%', piece).is_none() {
        return Cow::Borrowed(piece);
    }
    let mut out = Vec::with_capacity(piece.len() + 16);
    let mut at = 0;
    while at < piece.len() {
        let byte = piece[at];
        if let Some(code) = encoded(&piece[at..]) {
            push_encoded(&mut out, code);
            at += 3;
            continue;
        }
        if byte.is_ascii() {
            out.push(byte);
        } else {
            push_encoded(&mut out, byte);
        }
        at += 1;
    }
    Cow::Owned(out)
}

/// The normal form of a path and query: unreserved octets stand for themselves, all others that are not reserved are
/// encoded; `*` and `$` stand for themselves (a rule's own are taken out before), and so do `:` and `/` in a query.
pub(super) fn normal(target: &[u8]) -> Cow<'_, [u8]> {
    normal_from(target, &mut false)
}

fn normal_from<'a>(piece: &'a [u8], in_query: &mut bool) -> Cow<'a, [u8]> {
    let Some(first) = piece.iter().position(|b| *b == b'%' || !is_plain(*b)) else {
        *in_query |= memchr::memchr(b'?', piece).is_some();
        return Cow::Borrowed(piece);
    };
    let mut out = Vec::with_capacity(piece.len() + 16);
    out.extend_from_slice(&piece[..first]);
    *in_query |= memchr::memchr(b'?', &out).is_some();
    let mut at = first;
    while at < piece.len() {
        let byte = piece[at];
        *in_query |= byte == b'?';
        if let Some(code) = encoded(&piece[at..]) {
            let stands = is_unreserved(code)
                || matches!(code, b'*' | b'$')
                || *in_query && matches!(code, b':' | b'/');
            if stands {
                out.push(code);
            } else {
                push_encoded(&mut out, code);
            }
            at += 3;
            continue;
        }
        if is_plain(byte) || byte == b'%' {
            out.push(byte);
        } else {
            push_encoded(&mut out, byte);
        }
        at += 1;
    }
    Cow::Owned(out)
}

/// The octet that `text` begins with an encoding of.
fn encoded(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |b: &u8| char::from(*b).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

fn push_encoded(out: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(&[
        b'%',
        DIGITS[usize::from(byte >> 4)],
        DIGITS[usize::from(byte & 15)],
    ]);
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Octets that need no encoding in a URL: unreserved and reserved ones.
fn is_plain(byte: u8) -> bool {
    is_unreserved(byte) || b":/?#[]@!$&'()*+,;=".contains(&byte)
}
