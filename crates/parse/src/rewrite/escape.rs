//! Text that can stand in a value, whatever its quotes and the charset around it.

use std::fmt::Write as _;

/// What stands around an attribute's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quotes {
    Some,
    /// White space and `>` would end the value.
    None,
}

/// A value for an attribute, in ASCII.
pub(super) fn attribute(text: &str, quotes: Quotes) -> String {
    if text.is_empty() && quotes == Quotes::None {
        return "\"\"".to_owned(); // Or the next attribute would become the value.
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            c if c.is_ascii_graphic() || (c == ' ' && quotes == Quotes::Some) => out.push(c),
            '\t' | '\n' if quotes == Quotes::Some => out.push(c),
            c => _ = write!(out, "&#{};", u32::from(c)),
        }
    }
    out
}

/// An address for a CSS string or an `url()` without quotes.
pub(super) fn css(address: &str) -> String {
    let mut out = String::with_capacity(address.len() + 4);
    for c in address.chars() {
        if matches!(c, '"' | '\'' | '(' | ')' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A fragment as URLs spell it.
pub(super) fn fragment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'`' | b'\\') {
            out.push(char::from(byte));
        } else {
            let _infallible = write!(out, "%{byte:02X}");
        }
    }
    out
}
