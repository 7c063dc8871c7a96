//! How an address is spelt: its scheme, and its query in the charset of the page.

use encoding_rs::{Encoding, UTF_8};
use std::borrow::Cow;

/// A longer one is cut.
pub(super) const SCHEME_BYTES_MAX: usize = 32;

/// The scheme that an address begins with, lower case; tabs and line breaks inside are nothing, as in the URL standard.
pub(super) fn scheme_of(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let from = bytes.iter().position(|&b| b > b' ')?;
    if !bytes[from].is_ascii_alphabetic() {
        return None;
    }
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || b"+-.\t\n\r".contains(b);
    // Most addresses have none, and show it before anything has to be copied.
    let len = bytes[from..].iter().position(|b| !is_part(b))?;
    if bytes[from + len] != b':' {
        return None;
    }
    let letters = bytes[from..from + len]
        .iter()
        .filter(|b| !b.is_ascii_whitespace());
    Some(
        letters
            .take(SCHEME_BYTES_MAX)
            .map(|b| char::from(b.to_ascii_lowercase()))
            .collect(),
    )
}

/// An address whose query is written in the page's charset, as the URL standard wants it for links of legacy pages.
/// What the charset cannot write becomes a numeric reference.
pub(crate) fn in_charset<'t>(text: &'t str, encoding: &'static Encoding) -> Cow<'t, str> {
    let encoding = encoding.output_encoding();
    if encoding == UTF_8 || text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let before_fragment = memchr::memchr(b'#', text.as_bytes()).unwrap_or(text.len());
    let Some(query) = memchr::memchr(b'?', &text.as_bytes()[..before_fragment]) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() * 2);
    out.push_str(&text[..query]);
    let mut rest = &text[query..before_fragment];
    while let Some(at) = rest.find(|c: char| !c.is_ascii()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = rest.find(|c: char| c.is_ascii()).unwrap_or(rest.len());
        for &b in encoding.encode(&rest[..len]).0.iter() {
            push_escaped(&mut out, b);
        }
        rest = &rest[len..];
    }
    out.push_str(rest);
    out.push_str(&text[before_fragment..]);
    Cow::Owned(out)
}

fn push_escaped(out: &mut String, b: u8) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    if b.is_ascii_alphanumeric() {
        out.push(char::from(b));
    } else {
        out.push('%');
        out.push(char::from(HEX[usize::from(b >> 4)]));
        out.push(char::from(HEX[usize::from(b & 15)]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_read_as_the_url_standard_reads_them() {
        let cases = [
            ("javascript:void(0)", Some("javascript")),
            ("  JavaScript:x", Some("javascript")),
            ("java\nscript:x", Some("javascript")),
            ("a/b:c", None),
            ("?a:b", None),
            ("//x:80/", None),
            ("http://x", Some("http")),
            ("", None),
            ("1a:b", None),
            ("a b:c", None),
        ];
        for (text, want) in cases {
            assert_eq!(scheme_of(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn queries_are_written_in_the_charset_of_the_page() {
        let cases = [
            ("/ä?q=ä#ä", encoding_rs::WINDOWS_1252, "/ä?q=%E4#ä"),
            ("?q=日本&x=1", encoding_rs::SHIFT_JIS, "?q=%93%FA%96%7B&x=1"),
            ("?q=日", encoding_rs::WINDOWS_1252, "?q=%26%2326085%3B"),
            ("?q=ä", UTF_8, "?q=ä"),
            ("?q=ä", encoding_rs::UTF_16LE, "?q=ä"),
            ("ä", encoding_rs::WINDOWS_1252, "ä"),
        ];
        for (text, encoding, want) in cases {
            assert_eq!(in_charset(text, encoding), want, "{text} {}", encoding.name());
        }
    }
}
