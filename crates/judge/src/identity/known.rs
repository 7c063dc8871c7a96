//! What do famous names say about a URL when nobody may be asked?
//!
//! A fallback, and a hint which sites to probe (see [`super::suspect`]); no rule is ever learned from it. `sid` is a story on many sites and a
//! session on others, so a name counts only with a value that the engine of that name would make: missing an id costs a
//! duplicate, taking a story for one costs the story.

use gleaner_model::Url;

use super::slots::{UrlPiece, UrlStep};
use super::split::split;

/// The URL without the session ids that are known by name *and* look. Used where no probe is possible.
pub fn without_known_names(url: &Url) -> Url {
    let mut text = url.as_str().to_owned();
    // Dropping one piece moves the others; every round makes the text shorter.
    // ColdFusion's pair is one only while both are there.
    let is_cold_fusion = is_cold_fusion(&text);
    while let Some(range) = known_in(&text, is_cold_fusion) {
        text.replace_range(range, "");
    }
    Url::parse(&tidied(&text)).unwrap_or_else(|_| url.clone())
}

/// Whether a URL carries an id that is known by name and look.
pub(super) fn has_known(url: &str) -> bool {
    known_in(url, is_cold_fusion(url)).is_some()
}

fn is_cold_fusion(text: &str) -> bool {
    let pieces = split(text);
    let has = |wanted: &str| {
        pieces
            .iter()
            .any(|piece| name(piece).is_some_and(|name| name.eq_ignore_ascii_case(wanted)))
    };
    has("cfid") && has("cftoken")
}

fn known_in(text: &str, is_cold_fusion: bool) -> Option<std::ops::Range<usize>> {
    let pieces = split(text);
    pieces
        .iter()
        .filter(|piece| piece.steps.len() == 1)
        .find(|piece| match (name(piece), piece.leaf()) {
            (Some(name), _) => is_known(&name.to_ascii_lowercase(), &piece.value, is_cold_fusion),
            (None, UrlStep::Segment { .. }) => is_asp_net(&piece.value),
            _ => false,
        })
        .map(|piece| piece.whole.clone())
        .filter(|range| !range.is_empty())
}

fn name(piece: &UrlPiece) -> Option<&str> {
    match piece.leaf() {
        UrlStep::Matrix { name, .. } | UrlStep::Query { name, .. } if !name.is_empty() => Some(name),
        _ => None,
    }
}

fn is_known(name: &str, value: &str, is_cold_fusion: bool) -> bool {
    let head = value.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_plain = head == value.len();
    let is_hex = value.bytes().all(|b| b.is_ascii_hexdigit());
    match name {
        // Tomcat makes 32 and adds a route; WebLogic 52 and numbers after `!`; ColdFusion has `$` in it.
        "jsessionid" => {
            let tail = &value[head..];
            matches!((head, is_plain), (32, true))
                || (tail.starts_with(['.', '!']) && matches!(head, 32 | 52))
                || (tail.starts_with('$') && head >= 8)
        }
        // PHP makes 22 to 256, by configuration; 26, 32 and 40 are what its defaults gave over the years.
        "phpsessid" | "phpsessionid" => is_plain && matches!(head, 26 | 32 | 40),
        "sid" | "_sid" | "session" | "s" => is_hex && head == 32,
        // `sessionid=12` is a talk at a conference.
        "sessionid" | "_sessionid" | "session_id" | "sessid" | "bv_sessionid" => {
            value.len() >= 10 && !value.bytes().all(|b| b.is_ascii_digit())
        }
        "cfid" => is_cold_fusion && value.bytes().all(|b| b.is_ascii_digit()),
        "cftoken" => is_cold_fusion && value.len() >= 6,
        _ => name.strip_prefix("aspsessionid").is_some_and(|rest| {
            rest.len() == 8 && head == 24 && is_plain && value.bytes().all(|b| b.is_ascii_alphabetic())
        }),
    }
}

/// `(S(24 characters))`, with other letters beside or before the `S`, or `(24 characters)`.
fn is_asp_net(segment: &str) -> bool {
    let Some(inside) = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    let is_id = |text: &str| {
        text.len() == 24
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
            && text.bytes().any(|b| b.is_ascii_digit())
    };
    if is_id(inside) {
        return true;
    }
    let mut groups = inside.split_inclusive(')').peekable();
    groups.peek().is_some()
        && groups.all(|group| {
            let mut letters = group.chars();
            letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
                && letters
                    .as_str()
                    .strip_prefix('(')
                    .and_then(|rest| rest.strip_suffix(')'))
                    .is_some_and(is_id)
        })
}

/// Without the separators that dropping leaves behind.
fn tidied(url: &str) -> String {
    let Some((before, query)) = url.split_once('?') else {
        return url.to_owned();
    };
    let parameters: Vec<&str> = query
        .split('&')
        .filter(|parameter| !parameter.is_empty())
        .collect();
    if parameters.is_empty() {
        before.to_owned()
    } else {
        format!("{before}?{}", parameters.join("&"))
    }
}
