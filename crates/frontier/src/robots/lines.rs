//! From bytes to records: line ends, byte order marks, comments, and the typing mistakes that are understood.

use gleaner_model::defaults::{ROBOTS_BYTES_MAX, ROBOTS_LINE_BYTES_MAX};
use std::borrow::Cow;

/// One line that means something to us, its value trimmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Record<'a> {
    UserAgent(&'a [u8]),
    Allow(&'a [u8]),
    Disallow(&'a [u8]),
    CrawlDelay(&'a [u8]),
    Sitemap(&'a [u8]),
}

/// The part of a file that counts. A line that the limit cuts is left out: half of `Disallow: /x` may be `Disallow: /`.
pub(super) fn within_limit(bytes: &[u8]) -> &[u8] {
    if bytes.len() < ROBOTS_BYTES_MAX {
        return bytes;
    }
    let bytes = &bytes[..ROBOTS_BYTES_MAX];
    memchr::memrchr2(b'\n', b'\r', bytes).map_or(bytes, |end| &bytes[..end])
}

/// UTF-16 (by its mark) becomes UTF-8, NUL bytes go, a UTF-8 mark goes, even a broken one.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    let utf16 = |pair: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|c| pair([c[0], c[1]]));
        let text: String = char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        Cow::Owned(text.into_bytes())
    };
    let text = match bytes {
        [0xFF, 0xFE, ..] => utf16(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => utf16(u16::from_be_bytes),
        _ => {
            let mark = [0xEF, 0xBB, 0xBF]
                .iter()
                .zip(bytes)
                .take_while(|(a, b)| a == b)
                .count();
            Cow::Borrowed(&bytes[mark..])
        }
    };
    if memchr::memchr(0, &text).is_none() {
        return text;
    }
    // Also the way to read UTF-16 without a mark.
    Cow::Owned(text.iter().copied().filter(|b| *b != 0).collect())
}

/// The records with their line numbers, from 1.
pub(super) fn records(text: &[u8]) -> impl Iterator<Item = (u32, Record<'_>)> {
    let mut at = 0;
    let mut number = 0u32;
    let lines = std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let rest = &text[at..];
        let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        at += length + if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
        number = number.saturating_add(1);
        Some((number, &rest[..length.min(ROBOTS_LINE_BYTES_MAX)]))
    });
    lines.filter_map(|(number, line)| Some((number, record(line)?)))
}

fn record(line: &[u8]) -> Option<Record<'_>> {
    let line = line[..memchr::memchr(b'#', line).unwrap_or(line.len())].trim_ascii();
    let (key, value) = if let Some(colon) = memchr::memchr(b':', line) {
        (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii())
    } else {
        // The colon is often forgotten; two words are then a key and a value, more are prose.
        let gap = memchr::memchr2(b' ', b'\t', line)?;
        let value = line[gap..].trim_ascii();
        if memchr::memchr2(b' ', b'\t', value).is_some() {
            return None;
        }
        (&line[..gap], value)
    };
    let starts = |names: &[&str]| {
        names
            .iter()
            .any(|n| key.len() >= n.len() && key[..n.len()].eq_ignore_ascii_case(n.as_bytes()))
    };
    match key.first()?.to_ascii_lowercase() {
        b'u' if starts(&["user-agent", "useragent", "user agent"]) => Some(Record::UserAgent(value)),
        b'a' if starts(&["allow"]) => Some(Record::Allow(value)),
        b'd' if starts(&[
            "disallow",
            "dissallow",
            "dissalow",
            "disalow",
            "diasllow",
            "disallaw",
        ]) =>
        {
            Some(Record::Disallow(value))
        }
        b's' if starts(&["sitemap", "site-map"]) => Some(Record::Sitemap(value)),
        b'c' if starts(&["crawl-delay", "crawldelay", "crawl delay"]) => Some(Record::CrawlDelay(value)),
        _ => None,
    }
}
