//! JSON Feed: the addresses of its known members (A8).
//!
//! No document is built: strings are met one after the other, and a string behind a known name is an address. So
//! neither depth nor size of the JSON matters, and what follows an error is still read.

use crate::collect::{Against, Collector};
use crate::html;
use crate::text;
use crate::{Input, Parsed};
use gleaner_model::LinkKind;
use gleaner_model::defaults::TITLE_CHARS_MAX;
use std::borrow::Cow;

/// Whether JSON says that it is a feed.
pub(crate) fn is_feed(body: &[u8]) -> bool {
    memchr::memmem::find(&body[..body.len().min(1024)], b"jsonfeed.org/version/").is_some()
}

/// Reads a JSON Feed.
pub(crate) fn read<'a>(json: &str, input: &Input<'a>, links: &mut Collector<'a>, parsed: &mut Parsed) {
    let mut rest = json;
    let mut name = String::new();
    while let Some((value, after)) = next_string(rest) {
        rest = after.trim_ascii_start();
        if let Some(behind) = rest.strip_prefix(':') {
            name.clear();
            // What is no string is no address: its own strings follow.
            if behind.trim_ascii_start().starts_with('"') {
                value.clone_into(&mut name);
            }
            continue;
        }
        let kind = match std::mem::take(&mut name).as_str() {
            "url" | "external_url" => LinkKind::Feed,
            "home_page_url" | "feed_url" | "next_url" => LinkKind::Link,
            "image" | "banner_image" | "icon" | "favicon" | "avatar" => LinkKind::Image,
            "content_html" => {
                html::read_inner(&unescape(value), input.agent, links);
                continue;
            }
            "title" if parsed.title.is_empty() => {
                parsed.title = text::fold(&unescape(value), TITLE_CHARS_MAX);
                continue;
            }
            _ => continue,
        };
        links.add_text(Cow::Owned(unescape(value)), kind, false, Against::Page);
    }
}

/// The next string, escapes still in it, and what follows its closing quote.
fn next_string(text: &str) -> Option<(&str, &str)> {
    let start = memchr::memchr(b'"', text.as_bytes())? + 1;
    let mut at = start;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.as_bytes().get(at..)?)?;
        if text.as_bytes()[at] == b'"' {
            return Some((&text[start..at], &text[at + 1..]));
        }
        at += 2;
    }
}

fn unescape(text: &str) -> String {
    let mut units: Vec<u16> = Vec::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let unit = match c {
            '\\' => match chars.next() {
                Some('n' | 'r' | 't') => ' ',
                Some('u') => {
                    // Surrogates come in pairs of escapes; they are joined below.
                    let hex = chars
                        .as_str()
                        .get(..4)
                        .and_then(|hex| u16::from_str_radix(hex, 16).ok());
                    units.push(hex.unwrap_or(0xFFFD));
                    if hex.is_some() {
                        chars.nth(3);
                    }
                    continue;
                }
                Some(other) => other,
                None => break,
            },
            c => c,
        };
        units.extend_from_slice(unit.encode_utf16(&mut [0; 2]));
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_unescaped() {
        let cases = [
            ("plain", "plain"),
            ("a\\/b", "a/b"),
            ("\\u00fc\\ud83d\\ude00", "ü😀"),
            ("\\ud83d", "\u{fffd}"),
            ("\\u12", "\u{fffd}12"),
            ("\\\"q\\\"", "\"q\""),
            ("\\", ""),
        ];
        for (text, want) in cases {
            assert_eq!(unescape(text), want, "{text}");
        }
        assert_eq!(next_string("x \"a\\\"b\" y"), Some(("a\\\"b", " y")));
        assert_eq!(next_string("\"open\\"), None);
    }
}
