//! How are proven ids taken out of a page before it is compared? (B4)
//!
//! In: the bytes of a page and the values that ids have in it. Out: the bytes with `{sid}` wherever such a value stands
//! by itself, as it is, percent-escaped once or twice, or escaped for HTML. By itself means: no letter or digit on either
//! side, so `abc` is never taken out of `abcd`. Where nothing is found, nothing is copied.

use std::borrow::Cow;

use aho_corasick::{AhoCorasick, MatchKind};
use gleaner_model::Url;

use super::rule::RuleKind;
use super::rules::{MASK, UrlRules};

/// Shorter values are too likely to stand on the page for something else.
const VALUE_BYTES_MIN: usize = 5;
/// Values one page is cleaned of.
const VALUES_MAX: usize = 64;

/// The page with every value written `{sid}`.
pub fn clean<'b, V: AsRef<str>>(bytes: &'b [u8], values: &[V]) -> Cow<'b, [u8]> {
    let mut forms: Vec<String> = Vec::new();
    for value in values
        .iter()
        .map(AsRef::as_ref)
        .filter(|v| v.len() >= VALUE_BYTES_MIN)
        .take(VALUES_MAX)
    {
        let once = percent_escaped(value);
        let twice = percent_escaped(&once);
        for form in [
            value.to_owned(),
            lower_hex(&once),
            lower_hex(&twice),
            once,
            twice,
            html_escaped(value),
        ] {
            if !forms.contains(&form) {
                forms.push(form);
            }
        }
    }
    if forms.is_empty() {
        return Cow::Borrowed(bytes);
    }
    // The longest form first, so that an id that contains another one goes whole. Too many patterns cannot happen.
    let Ok(machine) = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&forms)
    else {
        return Cow::Borrowed(bytes);
    };
    let mut cleaned: Vec<u8> = Vec::new();
    let mut kept = 0;
    for found in machine.find_iter(bytes) {
        if !is_border(bytes, found.start(), found.end()) {
            continue;
        }
        cleaned.extend_from_slice(&bytes[kept..found.start()]);
        cleaned.extend_from_slice(MASK.as_bytes());
        kept = found.end();
    }
    if kept == 0 {
        return Cow::Borrowed(bytes);
    }
    cleaned.extend_from_slice(&bytes[kept..]);
    Cow::Owned(cleaned)
}

/// The ids on a page, found by applying the rules to its links.
pub fn values_on<'u>(rules: &UrlRules, links: impl IntoIterator<Item = &'u Url>) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    // Those of a session stand elsewhere on the page too; a number that every link has of its own hardly does.
    let mut own: Vec<String> = Vec::new();
    for (kind, value) in links.into_iter().flat_map(|url| rules.ids(url)) {
        let is_shared = matches!(kind, RuleKind::Session | RuleKind::Clock);
        let list = if is_shared { &mut values } else { &mut own };
        if list.len() < VALUES_MAX && !list.contains(&value) {
            list.push(value);
        }
    }
    values.extend(own);
    values.truncate(VALUES_MAX);
    values
}

/// No letter or digit beside it. An escape before it is a border (`%3Dabc`), though it ends in one.
fn is_border(bytes: &[u8], start: usize, end: usize) -> bool {
    let after_is_free = bytes.get(end).is_none_or(|b| !is_word(*b));
    let before_is_free =
        start == 0 || !is_word(bytes[start - 1]) || (start >= 3 && ends_in_escape(&bytes[..start]));
    after_is_free && before_is_free
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

pub(super) fn ends_in_escape(before: &[u8]) -> bool {
    let is_hex = |at: usize| before.get(at).is_some_and(u8::is_ascii_hexdigit);
    let length = before.len();
    if !is_hex(length - 1) || !is_hex(length - 2) {
        return false;
    }
    // `%3D`, `%253D`, `%25253D`.
    let mut rest = &before[..length - 2];
    while let Some(shorter) = rest.strip_suffix(b"25") {
        rest = shorter;
    }
    rest.ends_with(b"%")
}

pub(super) fn percent_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            escaped.push(char::from(byte));
        } else {
            let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value)]);
            escaped.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
    escaped
}

/// Escapes spelt `%2f`, as many programs do; letters of the value itself keep their case.
fn lower_hex(text: &str) -> String {
    let mut lower = String::with_capacity(text.len());
    let mut left = 0;
    for c in text.chars() {
        if left > 0 {
            left -= 1;
            lower.push(c.to_ascii_lowercase());
        } else {
            left = if c == '%' { 2 } else { 0 };
            lower.push(c);
        }
    }
    lower
}

fn html_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cleaned(text: &str, values: &[&str]) -> String {
        String::from_utf8(clean(text.as_bytes(), values).into_owned()).unwrap()
    }

    #[test]
    fn every_escaped_form_goes() {
        for (text, expected) in [
            ("<a href=x?s=a!b!c>", "<a href=x?s={sid}>"),
            ("u=%3Ds%3Da%21b%21c%26", "u=%3Ds%3D{sid}%26"),
            ("u=a%2521b%2521c", "u={sid}"),
            ("u=%253da%2521b%2521c", "u=%253d{sid}"),
            ("xa!b!c", "xa!b!c"),
            ("a!b!c1", "a!b!c1"),
            ("a!b!c a!b!c", "{sid} {sid}"),
            ("nothing", "nothing"),
        ] {
            assert_eq!(cleaned(text, &["a!b!c"]), expected);
        }
        assert_eq!(cleaned("q='a&amp;bc12'", &["a&bc12"]), "q='{sid}'");
        assert!(matches!(clean(b"nothing here", &["abcdef"]), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn nothing_outside_token_borders_is_touched(before in "[a-z0-9]{1,6}", after in "[a-z0-9]{1,6}", sep in "[ =&?/\"]") {
            let glued = format!("{before}abc123xyz{sep}abc123xyz{after}");
            prop_assert_eq!(cleaned(&glued, &["abc123xyz"]), glued.clone());
            let free = format!("{before}{sep}abc123xyz{sep}{after}");
            prop_assert_eq!(cleaned(&free, &["abc123xyz"]), format!("{before}{sep}{{sid}}{sep}{after}"));
        }

        #[test]
        fn cleaning_twice_is_cleaning_once(text in "[a-f0-9%=& ]{0,60}", value in "[a-f0-9]{5,8}") {
            let once = cleaned(&text, &[&value]);
            prop_assert_eq!(cleaned(&once, &[&value]), once.clone());
        }
    }
}
