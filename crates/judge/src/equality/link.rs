//! Do two links lead to the same place? In: two resolved link targets. Out: yes, or the parts in which they differ.
//!
//! A target carries more than its place: campaign marks and session ids. What is known by name to be such a mark is left
//! out here, and parameters are sorted; what only this site knows is learned, slot by slot (see [`super::learn`]).

use std::borrow::Cow;

/// Parameters that only tell where a reader came from. Names alone decide: their values never choose a document.
const TRACKING: [&str; 24] = [
    "fbclid",
    "gclid",
    "dclid",
    "gbraid",
    "wbraid",
    "msclkid",
    "yclid",
    "twclid",
    "ttclid",
    "igshid",
    "li_fat_id",
    "mc_cid",
    "mc_eid",
    "_hsenc",
    "_hsmi",
    "vero_id",
    "_openstat",
    "wickedid",
    "oly_anon_id",
    "oly_enc_id",
    "s_cid",
    "_ga",
    "_gl",
    "srsltid",
];
/// Beginnings of such names.
const TRACKING_FAMILIES: [&str; 4] = ["utm_", "pk_", "mtm_", "hsa_"];
/// Names of session ids. The value must look like one too: `sid=14` is a story on many sites.
const SESSION: [&str; 14] = [
    "jsessionid",
    "phpsessid",
    "aspsessionid",
    "cftoken",
    "sessionid",
    "session_id",
    "session",
    "sessid",
    "sid",
    "psid",
    "osid",
    "zenid",
    "oscsid",
    "xtsid",
];
/// Values of session ids are at least this long.
const SESSION_VALUE_MIN: usize = 12;

/// Whether all targets agree, in order.
pub(crate) fn same_all(before: &[String], after: &[String]) -> bool {
    before.len() == after.len()
        && before
            .iter()
            .zip(after)
            .all(|(before, after)| same(before, after))
}

pub(crate) fn same(before: &str, after: &str) -> bool {
    before == after || comparable(before) == comparable(after)
}

/// The target without tracking marks and named session ids, parameters sorted.
pub(crate) fn comparable(link: &str) -> Cow<'_, str> {
    if !link.contains(['?', ';']) {
        return Cow::Borrowed(link);
    }
    let parts = Parts::of(link);
    let mut kept: Vec<&(&str, &str)> = parts
        .query
        .iter()
        .filter(|(name, value)| !is_mark(name, value))
        .collect();
    kept.sort_unstable();
    let mut out = String::with_capacity(link.len());
    for (at, segment) in parts.path.iter().enumerate() {
        if at > 0 {
            out.push('/');
        }
        for (at, piece) in segment.split(';').enumerate() {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            if at > 0 && is_mark(name, value) {
                continue;
            }
            if at > 0 {
                out.push(';');
            }
            out.push_str(piece);
        }
    }
    for (at, (name, value)) in kept.into_iter().enumerate() {
        out.push(if at == 0 { '?' } else { '&' });
        out.push_str(name);
        if !value.is_empty() {
            out.push('=');
            out.push_str(value);
        }
    }
    if let Some(fragment) = parts.fragment {
        out.push('#');
        out.push_str(fragment);
    }
    Cow::Owned(out)
}

fn is_mark(name: &str, value: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    TRACKING.contains(&lower.as_str())
        || TRACKING_FAMILIES.iter().any(|family| lower.starts_with(family))
        || SESSION.contains(&lower.as_str()) && value.len() >= SESSION_VALUE_MIN && is_opaque(value)
}

/// Letters and digits mixed, or a long number: made by a machine, not chosen by an author.
pub(crate) fn is_opaque(value: &str) -> bool {
    const LENGTH_MIN: usize = 8;
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-_.!~()%:".contains(c);
    value.len() >= LENGTH_MIN
        && value.chars().all(allowed)
        && value.chars().filter(char::is_ascii_digit).count() >= 2
}

/// The slots in which two targets differ (`?name`, `;name`, `/place`), or none when they differ in more than values.
pub(crate) fn differing_slots(before: &str, after: &str) -> Option<Vec<String>> {
    let (before, after) = (comparable(before), comparable(after));
    let (old, new) = (Parts::of(&before), Parts::of(&after));
    if old.path.len() != new.path.len() || old.fragment != new.fragment {
        return None;
    }
    let mut slots = Vec::new();
    for (at, (one, other)) in old.path.iter().zip(&new.path).enumerate() {
        if one == other {
            continue;
        }
        // Scheme and host are the first three pieces: another host is another place.
        if at < 3 {
            return None;
        }
        let (one_name, one_rest) = one.split_once(';').unwrap_or((one, ""));
        let (other_name, other_rest) = other.split_once(';').unwrap_or((other, ""));
        if one_name != other_name {
            if !is_opaque(one_name) || !is_opaque(other_name) {
                return None;
            }
            slots.push(format!("/{}", at - 3));
        }
        if one_rest != other_rest {
            let name = one_rest.split('=').next().unwrap_or_default();
            slots.push(format!(";{name}"));
        }
    }
    let has = |query: &[(&str, &str)], pair: &(&str, &str)| query.contains(pair);
    let mut names: Vec<&str> = Vec::new();
    names.extend(
        old.query
            .iter()
            .filter(|pair| !has(&new.query, pair))
            .map(|pair| pair.0),
    );
    names.extend(
        new.query
            .iter()
            .filter(|pair| !has(&old.query, pair))
            .map(|pair| pair.0),
    );
    names.sort_unstable();
    names.dedup();
    slots.extend(names.into_iter().map(|name| format!("?{name}")));
    (!slots.is_empty()).then_some(slots)
}

struct Parts<'a> {
    path: Vec<&'a str>,
    query: Vec<(&'a str, &'a str)>,
    fragment: Option<&'a str>,
}

/// Parameters beyond these are not told apart.
const PARAMETERS_MAX: usize = 64;

impl<'a> Parts<'a> {
    fn of(link: &'a str) -> Self {
        let (rest, fragment) = match link.split_once('#') {
            Some((rest, fragment)) => (rest, Some(fragment)),
            None => (link, None),
        };
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        Parts {
            path: path.split('/').collect(),
            query: query
                .splitn(PARAMETERS_MAX, '&')
                .filter(|pair| !pair.is_empty())
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .collect(),
            fragment,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_do_not_make_another_place() {
        let same_place = [
            ("http://a.test/x?utm_source=n&id=3", "http://a.test/x?id=3"),
            ("http://a.test/x?b=1&a=2", "http://a.test/x?a=2&b=1"),
            (
                "http://a.test/x;jsessionid=1F00AB3344556677?q=1",
                "http://a.test/x;jsessionid=99FFAB3344556677?q=1",
            ),
            (
                "http://a.test/?PHPSESSID=a1b2c3d4e5f6g7",
                "http://a.test/?PHPSESSID=z1b2c3d4e5f6g7",
            ),
        ];
        for (one, other) in same_place {
            assert!(same(one, other), "{one} {other}");
        }
        let other_places = [
            ("http://a.test/x?sid=14", "http://a.test/x?sid=15"),
            ("http://a.test/x#a", "http://a.test/x#b"),
            ("http://a.test/x", "http://b.test/x"),
            // HC044: a real hex identifier.
            (
                "http://a.test/x?doc=deadbeef01234567",
                "http://a.test/x?doc=deadbeef01234568",
            ),
        ];
        for (one, other) in other_places {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn slots_name_what_differs() {
        let cases: [(&str, &str, Option<Vec<&str>>); 5] = [
            (
                "http://a.test/x?k=1&t=5",
                "http://a.test/x?k=1&t=6",
                Some(vec!["?t"]),
            ),
            ("http://a.test/x", "http://a.test/x?t=6", Some(vec!["?t"])),
            (
                "http://a.test/(S(a1b2c3d4e5))/x",
                "http://a.test/(S(z1y2c3d4e5))/x",
                Some(vec!["/0"]),
            ),
            ("http://a.test/docs/intro", "http://a.test/docs/other", None),
            ("http://a.test/x;v=1", "http://a.test/x;v=2", Some(vec![";v"])),
        ];
        for (one, other, expected) in cases {
            let expected = expected.map(|slots| slots.into_iter().map(str::to_owned).collect());
            assert_eq!(differing_slots(one, other), expected);
        }
    }
}
