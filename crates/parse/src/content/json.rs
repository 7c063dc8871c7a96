//! JSON as blocks: one for each value that holds no others, named by the keys that lead to it.

use super::plain::BLOCKS_MAX;
use super::words::folded;
use gleaner_model::{Block, BlockKind, Content};
use std::fmt::Write;

const DEPTH_MAX: usize = 128;
const PATH_BYTES_MAX: usize = 1000;

/// An open object or list.
struct Open {
    path_len: usize,
    /// Members so far, if it is a list.
    items: Option<usize>,
}

/// `None` if it is not JSON, or nests too deep: then its lines are as good.
pub(super) fn read(text: &str) -> Option<Content> {
    let mut blocks = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut path = String::new();
    let mut key = String::new();
    let mut rest = text.trim();
    let mut is_key = false;
    let mut has_value = false;
    while let Some(first) = rest.bytes().next() {
        let mut width = 1;
        match first {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'{' | b'[' => {
                if open.len() >= DEPTH_MAX {
                    return None;
                }
                let path_len = path.len();
                step(&mut path, &key, &mut open);
                open.push(Open {
                    path_len,
                    items: (first == b'[').then_some(0),
                });
                is_key = first == b'{';
                key.clear();
                has_value = true;
            }
            b'}' | b']' => {
                path.truncate(open.pop()?.path_len);
                is_key = false;
            }
            b',' => is_key = open.last()?.items.is_none(),
            b':' => is_key = false,
            b'"' => {
                let end = string_end(rest.as_bytes())?;
                width = end + 1;
                let value = unescape(&rest[1..end]);
                if is_key {
                    key = value;
                } else {
                    add(&mut blocks, &mut path, &key, &mut open, &value);
                    has_value = true;
                }
            }
            _ => {
                width = rest
                    .find([',', '}', ']', ' ', '\t', '\r', '\n'])
                    .unwrap_or(rest.len());
                let word = &rest[..width];
                let is_number = word.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
                let is_word = matches!(word, "true" | "false" | "null");
                if width == 0 || !(is_word || is_number) {
                    return None;
                }
                add(&mut blocks, &mut path, &key, &mut open, word);
                has_value = true;
            }
        }
        rest = &rest[width..];
    }
    (open.is_empty() && has_value).then(|| Content {
        blocks,
        ..Content::default()
    })
}

/// Appends a key, or the number of a list's member.
fn step(path: &mut String, key: &str, open: &mut [Open]) {
    let Some(around) = open.last_mut() else { return };
    if path.len() > PATH_BYTES_MAX {
        return;
    }
    if let Some(items) = &mut around.items {
        *items += 1;
        let _ = write!(path, "[{items}]");
    } else {
        path.push('/');
        path.extend(key.chars().take(100));
    }
}

fn add(blocks: &mut Vec<Block>, path: &mut String, key: &str, open: &mut [Open], value: &str) {
    if blocks.len() >= BLOCKS_MAX {
        return;
    }
    let before = path.len();
    step(path, key, open);
    let is_member = open.last().is_some_and(|around| around.items.is_some());
    let text = folded(value);
    blocks.push(Block {
        path: path.clone(),
        kind: if is_member {
            BlockKind::Item
        } else {
            BlockKind::Other
        },
        text: if is_member || key.is_empty() {
            text
        } else {
            format!("{}: {text}", folded(key))
        },
        is_main: true,
        is_frame: false,
        links: Vec::new(),
        images: Vec::new(),
    });
    path.truncate(before);
}

/// Where the string that opens here ends.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}

fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    let mut units: Vec<u16> = Vec::new();
    while let Some(c) = chars.next() {
        let escaped = if c == '\\' { chars.next() } else { None };
        if escaped == Some('u') {
            let hex = chars
                .as_str()
                .get(..4)
                .and_then(|hex| u16::from_str_radix(hex, 16).ok());
            if let Some(unit) = hex {
                units.push(unit);
                chars = chars.as_str()[4..].chars();
                continue;
            }
        }
        out.extend(char::decode_utf16(units.drain(..)).map(|c| c.unwrap_or('\u{FFFD}')));
        match escaped {
            None if c == '\\' => {}
            None => out.push(c),
            Some('n' | 'r' | 't' | 'b' | 'f') => out.push(' '),
            Some(other) => out.push(other),
        }
    }
    out.extend(char::decode_utf16(units.drain(..)).map(|c| c.unwrap_or('\u{FFFD}')));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_named_by_their_keys() {
        let content =
            read(r#"{"a": {"b": 1, "c": ["x", {"d": "caf\u00e9 \ud83d\ude00"}]}, "e": null}"#).unwrap();
        let shown: Vec<(&str, &str)> = content.blocks.iter().map(|b| (&*b.path, &*b.text)).collect();
        assert_eq!(
            shown,
            [
                ("/a/b", "b: 1"),
                ("/a/c[1]", "x"),
                ("/a/c[2]/d", "d: café 😀"),
                ("/e", "e: null")
            ]
        );
    }

    #[test]
    fn what_is_not_json_is_not_read_as_json() {
        for text in [
            "",
            "hello",
            "{",
            "{\"a\":}x",
            "[1,2",
            "\"abc",
            "]",
            &"[".repeat(100_000),
        ] {
            assert!(read(text).is_none(), "{text:.20}");
        }
    }
}
