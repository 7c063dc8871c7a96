//! Which of the spellings of a path or query is the canonical one?
//!
//! In goes ASCII text of a path or query as the WHATWG parser left it, out comes the text in which
//! - escapes of unreserved characters (RFC 3986, 2.3) are undone: `%7E` is `~`;
//! - all other escapes have upper-case digits, and reserved characters are never unescaped: `%2F` is not `/`;
//! - characters that RFC 3986 allows in neither place, but WHATWG leaves alone, are escaped: `|` is `%7C`;
//! - a `%` that begins no escape is `%25`, which is how servers read it. Except `%uXXXX`, the old escape of
//!   JavaScript and ASP: servers that know it would no longer understand it.
//!
//! The result is a fixed point: it has no escape of an unreserved character, and nothing left to escape.

use std::fmt::Write as _;

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Plain,
    Escape,
    Percent,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Escape; 256];
    let mut byte = 0;
    while byte < 128 {
        // Unreserved, sub-delims and the separators of path and query stay as they are.
        if matches!(byte as u8,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'!' | b'$' | b'&' | b'\''
            | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/' | b'?')
        {
            classes[byte] = Class::Plain;
        }
        byte += 1;
    }
    classes[b'%' as usize] = Class::Percent;
    classes
};

/// Appends `text` in its canonical spelling.
pub(super) fn push(out: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let mut width = 1;
        match CLASSES[usize::from(byte)] {
            Class::Plain => {
                at += 1;
                continue;
            }
            Class::Escape => {
                out.push_str(&text[copied..at]);
                push_escape(out, byte);
                // Non-ASCII never comes here from the parser; should it, every byte is escaped by itself and no
                // slice below is cut inside a character.
                while !text.is_char_boundary(at + width) {
                    push_escape(out, bytes[at + width]);
                    width += 1;
                }
            }
            Class::Percent => {
                out.push_str(&text[copied..at]);
                if let Some(value) = escaped(&bytes[at + 1..]) {
                    width = 3;
                    if is_unreserved(value) {
                        out.push(char::from(value));
                    } else {
                        push_escape(out, value);
                    }
                } else if is_old_unicode(&bytes[at + 1..]) {
                    out.push('%');
                } else {
                    out.push_str("%25");
                }
            }
        }
        at += width;
        copied = at;
    }
    out.push_str(&text[copied..]);
}

/// Appends `?query`, without its empty parameters; nothing if nothing is left.
///
/// `?`, `?&a=1`, `?a=1&` and `?a=1&&b=2` come from templates with an empty slot; every form parser skips the gap.
pub(super) fn push_query(out: &mut String, query: &str) {
    if !has_empty_parameters(query) {
        out.push('?');
        push(out, query);
        return;
    }
    let mut joint = '?';
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        out.push(joint);
        push(out, parameter);
        joint = '&';
    }
}

pub(super) fn has_empty_parameters(query: &str) -> bool {
    query.is_empty() || query.starts_with('&') || query.ends_with('&') || query.contains("&&")
}

fn push_escape(out: &mut String, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.push('%');
    out.push(char::from(DIGITS[usize::from(byte >> 4)]));
    out.push(char::from(DIGITS[usize::from(byte & 15)]));
}

/// The byte that the two digits after a `%` stand for.
fn escaped(after: &[u8]) -> Option<u8> {
    let high = char::from(*after.first()?).to_digit(16)?;
    let low = char::from(*after.get(1)?).to_digit(16)?;
    Some((high * 16 + low) as u8)
}

fn is_old_unicode(after: &[u8]) -> bool {
    after.len() >= 5 && matches!(after[0], b'u' | b'U') && after[1..5].iter().all(u8::is_ascii_hexdigit)
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// The text with its query's non-ASCII characters in the page's encoding (WHATWG "percent-encode after encoding"):
/// what the encoding lacks is written as a numeric character reference. `None` if there is nothing to do.
pub(super) fn encode_query(text: &str, encode: super::EncodeQuery<'_>) -> Option<String> {
    let end = text.find('#').unwrap_or(text.len());
    let query = text[..end].find('?')? + 1;
    if text[query..end].is_ascii() {
        return None;
    }
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..query]);
    for character in text[query..end].chars() {
        if character.is_ascii() {
            out.push(character);
            continue;
        }
        match encode(character) {
            Some(bytes) => bytes.into_iter().for_each(|byte| push_escape(&mut out, byte)),
            None => write!(out, "%26%23{}%3B", u32::from(character)).expect("a String takes all writes"),
        }
    }
    Some(out)
}

/// The text that escapes stand for; bytes that are no UTF-8 become U+FFFD.
pub(super) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%'
            && let Some(value) = escaped(&bytes[at + 1..])
        {
            out.push(value);
            at += 3;
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> String {
        let mut out = String::new();
        push(&mut out, text);
        out
    }

    #[test]
    fn escapes_have_one_spelling() {
        for (text, expected) in [
            ("/plain/a-b_c.d~e", "/plain/a-b_c.d~e"),
            ("/%7euser/%41%2d", "/~user/A-"),
            ("/a%2fb%3Fc%23", "/a%2Fb%3Fc%23"),
            ("/caf%c3%a9%E9", "/caf%C3%A9%E9"),
            ("/a|b^c`d{e}[f]\\\"<>", "/a%7Cb%5Ec%60d%7Be%7D%5Bf%5D%5C%22%3C%3E"),
            ("/100%", "/100%25"),
            ("/%zz%2", "/%25zz%252"),
            ("/%%41", "/%25A"),
            ("/%2541", "/%2541"),
            ("/%u0416%u04", "/%u0416%25u04"),
            ("/é", "/%C3%A9"),
        ] {
            assert_eq!(canonical(text), expected, "{text}");
            assert_eq!(canonical(expected), expected, "not stable: {text}");
        }
    }

    #[test]
    fn empty_parameters_go() {
        for (query, expected) in [
            ("", ""),
            ("&", ""),
            ("a=1", "?a=1"),
            ("&a=1&&b=&c&", "?a=1&b=&c"),
            ("b=2&a=1", "?b=2&a=1"),
            ("x=%26&y", "?x=%26&y"),
        ] {
            let mut out = String::new();
            push_query(&mut out, query);
            assert_eq!(out, expected, "{query}");
        }
    }
}
