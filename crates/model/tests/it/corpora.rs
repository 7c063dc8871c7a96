//! Files of the corpora.

use gleaner_fixtures::corpus;
use serde_json::Value;

pub(crate) fn text(name: &str) -> Option<String> {
    corpus(name).map(|path| std::fs::read_to_string(path).unwrap())
}

pub(crate) fn json(name: &str) -> Option<Value> {
    text(name).map(|text| serde_json::from_str(&without_lone_surrogates(&text)).unwrap())
}

/// Escapes of half a character, which JavaScript allows in strings, as U+FFFD: what a browser makes of them before it
/// looks at a URL.
fn without_lone_surrogates(text: &str) -> String {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let is_high = |unit: Option<u16>| matches!(unit, Some(0xd800..=0xdbff));
    let is_low = |unit: Option<u16>| matches!(unit, Some(0xdc00..=0xdfff));
    let mut out = String::with_capacity(text.len());
    let mut rest = 0;
    while let Some(found) = text[rest..].find('\\') {
        let at = rest + found;
        out.push_str(&text[rest..at]);
        let (written, width) = if is_high(unit(at)) && is_low(unit(at + 6)) {
            (&text[at..at + 12], 12)
        } else if is_high(unit(at)) || is_low(unit(at)) {
            ("\\uFFFD", 6)
        } else {
            (&text[at..at + 2], 2)
        };
        out.push_str(written);
        rest = at + width;
    }
    out + &text[rest..]
}

/// The objects of a list in which comments stand as strings.
pub(crate) fn entries(name: &str) -> Option<Vec<Value>> {
    let Value::Array(all) = json(name)? else {
        panic!("{name} is not a list")
    };
    Some(all.into_iter().filter(Value::is_object).collect())
}
