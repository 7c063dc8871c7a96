//! Character references: `&amp;`, `&eacute`, `&#8364;`, as the tokenizer standard reads them.

use super::names::NAMES;
use std::borrow::Cow;

/// Where the reference stands: inside attributes, legacy names without `;` are left alone before `=` and letters, so that
/// `?a=1&copy=2` stays a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Text,
    Attribute,
}

/// The longest name in the table, without the ampersand.
const NAME_BYTES_MAX: usize = 32;

/// Resolves all references of a text.
pub(crate) fn unescape(text: Cow<'_, str>, place: Place) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'&', text.as_bytes()) else {
        return text;
    };
    let mut out = String::with_capacity(text.len());
    out.push_str(&text[..first]);
    let mut rest = &text[first..];
    while !rest.is_empty() {
        // `rest` begins with an ampersand here.
        let used = reference(rest, place, &mut out);
        if used == 0 {
            out.push('&');
            rest = &rest[1..];
        } else {
            rest = &rest[used..];
        }
        let next = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        out.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Cow::Owned(out)
}

/// Reads one reference at the start of `text` and returns how many bytes it took; 0 where it is none.
fn reference(text: &str, place: Place, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'#') => numeric(bytes, out),
        Some(b) if b.is_ascii_alphanumeric() => named(bytes, place, out),
        _ => 0,
    }
}

fn named(bytes: &[u8], place: Place, out: &mut String) -> usize {
    let name = &bytes[1..bytes.len().min(1 + NAME_BYTES_MAX)];
    let mut longest = name.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    if name.get(longest) == Some(&b';') {
        longest += 1;
    }
    // The longest name that the text begins with: prefixes are tried from the longest down, at most 32.
    for len in (2..=longest).rev() {
        let Ok(found) = NAMES.binary_search_by(|(known, _)| known.as_bytes().cmp(&name[..len])) else {
            continue;
        };
        if place == Place::Attribute
            && name[len - 1] != b';'
            && bytes
                .get(1 + len)
                .is_some_and(|&b| b == b'=' || b.is_ascii_alphanumeric())
        {
            return 0;
        }
        out.push_str(NAMES[found].1);
        return 1 + len;
    }
    0
}

fn numeric(bytes: &[u8], out: &mut String) -> usize {
    let (radix, start) = match bytes.get(2) {
        Some(b'x' | b'X') => (16, 3),
        _ => (10, 2),
    };
    let mut at = start;
    let mut value = 0u32;
    while let Some(digit) = bytes.get(at).and_then(|&b| char::from(b).to_digit(radix)) {
        value = value.saturating_mul(radix).saturating_add(digit);
        at += 1;
    }
    if at == start {
        return 0;
    }
    if bytes.get(at) == Some(&b';') {
        at += 1;
    }
    out.push(character(value));
    at
}

/// The character of a number, with the standard's repairs: windows-1252 for the C1 range, U+FFFD for what cannot be.
fn character(value: u32) -> char {
    const C1: [u16; 32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152,
        0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122,
        0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ];
    match value {
        0 => char::REPLACEMENT_CHARACTER,
        0x80..=0x9F => {
            char::from_u32(u32::from(C1[value as usize - 0x80])).unwrap_or(char::REPLACEMENT_CHARACTER)
        }
        _ => char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_as_the_standard_says() {
        let cases = [
            ("a&amp;b", Place::Text, "a&b"),
            ("&ampx", Place::Text, "&x"),
            ("?a=1&copy=2", Place::Attribute, "?a=1&copy=2"),
            ("?a=1&copy=2", Place::Text, "?a=1©=2"),
            ("?a&amp;b&lt", Place::Attribute, "?a&b<"),
            ("&notit;", Place::Text, "¬it;"),
            ("&notin;", Place::Text, "∉"),
            ("&#65;&#x41&#X41;", Place::Text, "AAA"),
            (
                "&#128;&#0;&#xD800;&#x110000;&#99999999999;",
                Place::Text,
                "€\u{fffd}\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("&;&&#;&#x;&nosuch;", Place::Text, "&;&&#;&#x;&nosuch;"),
            ("&CounterClockwiseContourIntegral;", Place::Text, "∳"),
            ("&", Place::Text, "&"),
            ("ü&uuml;ü", Place::Attribute, "üüü"),
        ];
        for (text, place, want) in cases {
            assert_eq!(unescape(Cow::Borrowed(text), place), want, "{text}");
        }
    }

    #[test]
    fn the_table_is_sorted_and_fits() {
        assert!(NAMES.windows(2).all(|w| w[0].0.as_bytes() < w[1].0.as_bytes()));
        assert!(NAMES.iter().all(|(name, _)| name.len() <= NAME_BYTES_MAX));
    }
}
