//! Addresses in style sheets: `url()` and `@import`, with comments, strings and escapes as CSS has them (A8).
//!
//! A scanner over bytes, like the one for HTML; it knows only what can hide or hold an address.

use crate::stops;
use memchr::{memchr, memchr2, memmem};
use std::borrow::Cow;

/// The bytes that can open or hide an address; everything else is passed over at speed.
static STOPS: [bool; 256] = {
    let mut table = [false; 256];
    let stops = b"/\"'\\@(";
    let mut i = 0;
    while i < stops.len() {
        table[stops[i] as usize] = true;
        i += 1;
    }
    table
};

/// Calls `found` with each address, escapes still in it; see [`unescape`].
pub(crate) fn scan<'a>(css: &'a [u8], mut found: impl FnMut(&'a [u8])) {
    // All that leads to an address has one of these.
    if memchr2(b'(', b'@', css).is_none() {
        return;
    }
    let mut at = 0;
    while let Some(skipped) = css.get(at..).and_then(|rest| stops::first(&STOPS, rest)) {
        at += skipped;
        match css[at] {
            b'/' => at = after_comment(css, at).unwrap_or(at + 1),
            b'\\' => at += 2,
            b'@' => {
                let name = name_at(css, at + 1);
                at += 1 + name.len();
                if name.eq_ignore_ascii_case(b"import") {
                    // The address is a string or a `url()`; the latter is found like any other.
                    at = after_space(css, at);
                    at = string_at(css, at, &mut found);
                } else if name.eq_ignore_ascii_case(b"namespace") {
                    // Its address is only a name.
                    at = memchr(b';', &css[at..]).map_or(css.len(), |i| at + i);
                }
            }
            b'(' => {
                let function = function_before(css, at);
                at += 1;
                if function.eq_ignore_ascii_case(b"url") {
                    let (address, end) = url(css, at);
                    at = end;
                    if let Some(address) = address {
                        found(address);
                    }
                } else if function.eq_ignore_ascii_case(b"src") {
                    at = after_space(css, at);
                    at = string_at(css, at, &mut found);
                } else if is_image_set(css, at - 1) {
                    at = image_set(css, at, &mut found);
                } else if ends_with(&css[..at - 1], b"imageloader") {
                    at = image_loader(css, at, &mut found);
                }
            }
            quote => at = string(css, at + 1, quote).1,
        }
    }
}

/// The name of three letters right before a bracket; empty where it is part of a longer one.
fn function_before(css: &[u8], bracket: usize) -> &[u8] {
    let Some(start) = bracket.checked_sub(3) else {
        return &[];
    };
    let is_whole = start
        .checked_sub(1)
        .is_none_or(|before| !is_name(css[before]) && css[before] != b'\\');
    if is_whole { &css[start..bracket] } else { &[] }
}

/// Whether the bracket at `at` opens a choice of images: its strings are addresses.
fn is_image_set(css: &[u8], at: usize) -> bool {
    ends_with(&css[..at], b"image-set")
}

fn ends_with(text: &[u8], end: &[u8]) -> bool {
    let start = text.len().checked_sub(end.len());
    start.is_some_and(|start| text[start..].eq_ignore_ascii_case(end))
}

/// Strings up to the closing bracket, but not those of `type("image/png")`.
fn image_set<'a>(css: &'a [u8], mut at: usize, found: &mut impl FnMut(&'a [u8])) -> usize {
    while let Some(&b) = css.get(at) {
        match b {
            b')' => return at + 1,
            b'(' if ends_with(&css[..at], b"type") => {
                at = memchr(b')', &css[at..]).map_or(css.len(), |i| at + i + 1);
            }
            b'(' if function_before(css, at).eq_ignore_ascii_case(b"url") => {
                let (address, end) = url(css, at + 1);
                at = end;
                if let Some(address) = address {
                    found(address);
                }
            }
            b'"' | b'\'' => at = string_at(css, at, found),
            b'\\' => at += 2,
            b'{' | b'}' | b';' => return at,
            _ => at += 1,
        }
    }
    css.len()
}

/// `AlphaImageLoader(src='x.png', sizingMethod='scale')` of an old browser.
fn image_loader<'a>(css: &'a [u8], at: usize, found: &mut impl FnMut(&'a [u8])) -> usize {
    let from = after_space(css, at);
    let is_source = css
        .get(from..from + 3)
        .is_some_and(|name| name.eq_ignore_ascii_case(b"src"));
    match css.get(from + 3) {
        Some(b'=') if is_source => string_at(css, from + 4, found),
        _ => at,
    }
}

/// Behind a comment that begins here.
fn after_comment(css: &[u8], at: usize) -> Option<usize> {
    let body = css[at..].strip_prefix(b"/*")?;
    Some(memmem::find(body, b"*/").map_or(css.len(), |i| at + 2 + i + 2))
}

/// Behind white space and comments.
fn after_space(css: &[u8], mut at: usize) -> usize {
    while at < css.len() {
        if css[at].is_ascii_whitespace() {
            at += 1;
        } else if let Some(end) = after_comment(css, at) {
            at = end;
        } else {
            break;
        }
    }
    at
}

/// Hands out the string that begins here, if one does, and gives the place behind it.
fn string_at<'a>(css: &'a [u8], at: usize, found: &mut impl FnMut(&'a [u8])) -> usize {
    match css.get(at) {
        Some(&quote @ (b'"' | b'\'')) => {
            let (text, end) = string(css, at + 1, quote);
            found(text);
            end
        }
        _ => at,
    }
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'-' || b == b'_' || b >= 0x80
}

fn name_at(css: &[u8], from: usize) -> &[u8] {
    let rest = css.get(from..).unwrap_or(&[]);
    let len = rest.iter().position(|&b| !is_name(b)).unwrap_or(rest.len());
    &rest[..len]
}

/// The string that begins at `from` and the place behind it. An unescaped line break ends it (a bad string).
fn string(css: &[u8], from: usize, quote: u8) -> (&[u8], usize) {
    let mut at = from;
    while at < css.len() {
        match css[at] {
            b if b == quote => return (&css[from..at], at + 1),
            b'\n' => return (&[], at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    (&css[from.min(css.len())..], css.len())
}

/// The address of a `url(` whose content begins at `from`, and the place behind the bracket.
fn url(css: &[u8], from: usize) -> (Option<&[u8]>, usize) {
    let skip = |mut at: usize| {
        while at < css.len() && css[at].is_ascii_whitespace() {
            at += 1;
        }
        at
    };
    let start = skip(from);
    if let Some(&quote @ (b'"' | b'\'')) = css.get(start) {
        let (text, end) = string(css, start + 1, quote);
        let close = skip(end);
        return (
            Some(text),
            if css.get(close) == Some(&b')') {
                close + 1
            } else {
                close
            },
        );
    }
    let mut at = start;
    while at < css.len() {
        match css[at] {
            b')' => return (Some(&css[start..at]), at + 1),
            b'\\' => at = after_escape(css, at),
            b if b.is_ascii_whitespace() => {
                let close = skip(at);
                return match css.get(close) {
                    Some(b')') => (Some(&css[start..at]), close + 1),
                    None => (Some(&css[start..at]), close),
                    Some(_) => (None, bad_url_end(css, close)),
                };
            }
            b'"' | b'\'' | b'(' => return (None, bad_url_end(css, at)),
            _ => at += 1,
        }
    }
    (Some(css.get(start..).unwrap_or(&[])), css.len())
}

/// Behind an escape: up to six hexadecimal digits take one white space with them.
fn after_escape(css: &[u8], at: usize) -> usize {
    let digits = css[at + 1..]
        .iter()
        .take(6)
        .take_while(|b| b.is_ascii_hexdigit())
        .count();
    if digits == 0 {
        return at + 2;
    }
    let end = at + 1 + digits;
    end + usize::from(css.get(end).is_some_and(u8::is_ascii_whitespace))
}

fn bad_url_end(css: &[u8], from: usize) -> usize {
    memchr(b')', &css[from..]).map_or(css.len(), |i| from + i + 1)
}

/// Resolves the escapes of a CSS string or address.
pub(crate) fn unescape(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr(b'\\', text.as_bytes()).is_none() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let mut value = 0u32;
        let mut digits = 0;
        while digits < 6
            && let Some(digit) = chars.peek().and_then(|c| c.to_digit(16))
        {
            value = value * 16 + digit;
            digits += 1;
            chars.next();
        }
        if digits > 0 {
            chars.next_if(char::is_ascii_whitespace);
            out.push(
                char::from_u32(value)
                    .filter(|&c| c != '\0')
                    .unwrap_or(char::REPLACEMENT_CHARACTER),
            );
        } else {
            // An escaped line break is nothing; any other escaped character is itself.
            out.extend(chars.next().filter(|&c| c != '\n'));
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(css: &str) -> Vec<String> {
        let mut out = Vec::new();
        scan(css.as_bytes(), |raw| {
            out.push(unescape(String::from_utf8_lossy(raw)).into_owned());
        });
        out
    }

    #[test]
    fn a8_style_sheets_hold_addresses() {
        let cases: [(&str, &[&str]); 29] = [
            ("a{background:url(x.png)}", &["x.png"]),
            ("a{background:url( 'x y.png' )}", &["x y.png"]),
            (
                "a{background:URL(\"x.png\") no-repeat, url(y.png)}",
                &["x.png", "y.png"],
            ),
            ("@import 'a.css';", &["a.css"]),
            (
                "@import \"a.css\" screen;@import url(b.css);",
                &["a.css", "b.css"],
            ),
            ("@IMPORT/**/'a.css'", &["a.css"]),
            ("/* url(no.png) @import 'no.css' */", &[]),
            ("a{content:'url(no.png)'}", &[]),
            (
                "@namespace svg url(http://www.w3.org/2000/svg); a{b:url(y)}",
                &["y"],
            ),
            ("a{b:url(x\\)y.png)}", &["x)y.png"]),
            ("a{b:url(x\\20 y.png)}", &["x y.png"]),
            ("a{b:url()}", &[""]),
            ("a{b:url(bad \"x\") c:url(y)}", &["y"]),
            ("a{b:url(x", &["x"]),
            ("a{b:url('x", &["x"]),
            ("a{b:'x\n c:url(y)}", &["y"]),
            ("a{b:'x\\\n' c:url(y)}", &["y"]),
            ("/* unclosed url(x)", &[]),
            ("@media print{a{b:url(x)}}", &["x"]),
            (
                "@font-face{src:url(a.woff2) format('woff2'),local('x')}",
                &["a.woff2"],
            ),
            ("a{b:myurl(x)}", &[]),
            ("a{b:my-url(x)}", &[]),
            ("\\", &[]),
            (
                "a{b:image-set(url(a.png) 1x, url(b.png) 2x)}",
                &["a.png", "b.png"],
            ),
            (
                "a{b:image-set('a.png' 1x, \"b.avif\" type('image/avif') 2x, url(c.png) 3x)}",
                &["a.png", "b.avif", "c.png"],
            ),
            ("a{b:-webkit-image-set('a.png' 1x;c:url(y)}", &["a.png", "y"]),
            (
                "a{filter:progid:DXImageTransform.Microsoft.AlphaImageLoader(src='x.png',sizingMethod='crop')}",
                &["x.png"],
            ),
            ("@import;'x'", &[]),
            ("@charset 'x';@import'y'", &["y"]),
        ];
        for (css, want) in cases {
            assert_eq!(addresses(css), want, "{css}");
        }
    }
}
