//! Which session id do these lists of links carry?
//!
//! For people who have only URLs. With one list it is FIND-SID of the seed, repaired: the windows of a given length that
//! two long links share, bordered by special characters on *both* sides, counted over all links; it ends when the links
//! run out and may answer that there is none. With two or more lists, one per session, it is the method of this module:
//! what differs between sessions and not inside one.

use std::collections::{HashMap, HashSet};

use gleaner_model::Url;
use serde::Serialize;

use super::align::ProbeLink;
use super::clean::ends_in_escape;
use super::learn::from_lists;
use super::rules::UrlRules;
use super::split::split;

/// Links that are looked at in each list.
const LINKS_MAX: usize = 5000;
/// Without a length, a candidate has at least this many characters …
const GUESS_LENGTH_MIN: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct FindSid {
    pub sid: Option<String>,
    pub length: Option<usize>,
    /// The commonest first.
    pub candidates: Vec<SidCandidate>,
    /// Where it stands, in words.
    pub slot: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SidCandidate {
    pub value: String,
    /// Links of the (first) list that carry it.
    pub count: usize,
}

/// Finds the session id in lists of links, one list per session. `length` is used where there is only one list.
pub fn find_sid(lists: &[Vec<String>], length: Option<usize>) -> FindSid {
    match lists {
        [] => FindSid::default(),
        [list] => in_one_list(&list[..list.len().min(LINKS_MAX)], length),
        [first, ..] => in_lists(first, lists),
    }
}

/// The rules that lists of links suggest, one list per session. What is not a URL is passed over.
pub fn rules_from_lists(lists: &[Vec<String>]) -> UrlRules {
    match lists {
        [first, second, ..] => from_lists(&probe(first), &probe(second)).0,
        _ => UrlRules::default(),
    }
}

fn probe(list: &[String]) -> Vec<ProbeLink> {
    let urls = list
        .iter()
        .take(LINKS_MAX)
        .filter_map(|text| Url::parse(text).ok());
    urls.map(|url| ProbeLink {
        url,
        place: String::new(),
        anchor: String::new(),
    })
    .collect()
}

fn in_lists(first: &[String], lists: &[Vec<String>]) -> FindSid {
    let links = probe(first);
    let (rules, pairs) = from_lists(&links, &probe(&lists[1]));
    let mut candidates: Vec<SidCandidate> = Vec::new();
    for (_, value, _) in &pairs {
        if candidates.iter().all(|candidate| candidate.value != *value) {
            let carries =
                |link: &&ProbeLink| rules.explain(&link.url).iter().any(|found| found.value == *value);
            candidates.push(SidCandidate {
                value: value.clone(),
                count: links.iter().filter(carries).count(),
            });
        }
    }
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.count));
    let sid = candidates.first().map(|candidate| candidate.value.clone());
    let slot = pairs
        .iter()
        .find(|(_, value, _)| Some(value) == sid.as_ref())
        .map(|(slot, ..)| slot.to_string());
    FindSid {
        length: sid.as_ref().map(|value| value.chars().count()),
        sid,
        candidates,
        slot,
    }
}

fn in_one_list(list: &[String], length: Option<usize>) -> FindSid {
    let mut pool: Vec<&str> = list.iter().map(String::as_str).collect();
    pool.sort_by_key(|link| std::cmp::Reverse(link.len()));
    pool.dedup();
    // The longest is put aside, one at a time: one long static link must not take a dynamic one with it.
    for two in pool.windows(2) {
        let shared = shared_values(two[0], two[1], length);
        if shared.is_empty() {
            continue;
        }
        let mut candidates: Vec<SidCandidate> = shared
            .into_iter()
            .map(|value| SidCandidate {
                count: list.iter().filter(|link| stands_in(link, value)).count(),
                value: value.to_owned(),
            })
            .collect();
        candidates.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        let sid = candidates.first().map(|candidate| candidate.value.clone());
        let slot = sid.as_deref().and_then(|value| commonest_slot(list, value));
        return FindSid {
            length: sid.as_ref().map(String::len),
            sid,
            candidates,
            slot,
        };
    }
    FindSid::default()
}

/// The values that both links hold between borders.
fn shared_values<'u>(a: &'u str, b: &str, length: Option<usize>) -> Vec<&'u str> {
    let in_b: HashSet<&str> = values(b, length).collect();
    let mut seen = HashSet::new();
    values(a, length)
        .filter(|value| in_b.contains(value) && seen.insert(*value))
        .collect()
}

/// The runs between special characters, host left out: of the given length, or of any that could be an id.
fn values(url: &str, length: Option<usize>) -> impl Iterator<Item = &str> {
    let path = url
        .find("://")
        .and_then(|at| url[at + 3..].find('/').map(|slash| at + 3 + slash));
    let mut rest = &url[path.unwrap_or(0)..];
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let run = rest.find(is_special).unwrap_or(rest.len());
            let value = &rest[..run];
            let mut next = run + rest[run..].chars().next().map_or(0, char::len_utf8);
            // The two digits of an escape, and those of escapes inside it, belong to no value.
            if rest[run..].starts_with('%') {
                let mut digits = &rest[next..];
                while let Some(inner) = digits.strip_prefix("25") {
                    digits = inner;
                }
                let two = digits.bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
                let is_escaped_sign = two == 2;
                next = rest.len() - digits.len() + if is_escaped_sign { 2 } else { 0 };
            }
            rest = &rest[next..];
            let fits = match length {
                Some(length) => value.len() == length,
                None => value.len() >= GUESS_LENGTH_MIN && value.bytes().any(|b| b.is_ascii_digit()),
            };
            if fits && !value.is_empty() {
                return Some(value);
            }
        }
    })
}

fn is_special(c: char) -> bool {
    matches!(c, '/' | '&' | '%' | '=' | '#' | ';' | '?' | '(' | ')')
}

fn stands_in(link: &str, value: &str) -> bool {
    link.match_indices(value).any(|(at, _)| {
        let before = &link[..at];
        let starts = before.ends_with(is_special) || (at >= 3 && ends_in_escape(before.as_bytes()));
        let after = &link[at + value.len()..];
        starts && (after.is_empty() || after.starts_with(is_special))
    })
}

fn commonest_slot(list: &[String], value: &str) -> Option<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for url in list.iter().filter_map(|text| Url::parse(text).ok()) {
        for piece in split(url.as_str()).iter().filter(|piece| piece.value == value) {
            *counts.entry(piece.slot().to_string()).or_default() += 1;
        }
    }
    counts
        .into_iter()
        .max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)))
        .map(|(slot, _)| slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_seed_s_seventeen_links() {
        let links = list(include_str!("fixtures/seed-one-list.txt"));
        for length in [Some(19), None] {
            let found = find_sid(std::slice::from_ref(&links), length);
            assert_eq!(found.sid.as_deref(), Some("002-9355727-0611208"), "{length:?}");
            assert_eq!(found.length, Some(19));
            assert_eq!(found.candidates[0].count, 14);
        }
    }

    #[test]
    fn the_seed_s_two_lists_pair_without_a_mistake() {
        let first = list(include_str!("fixtures/seed-session-one.txt"));
        let second = list(include_str!("fixtures/seed-session-two.txt"));
        let lists = vec![first.clone(), second.clone()];
        let found = find_sid(&lists, None);
        assert_eq!(found.sid.as_deref(), Some("002-9355727-0611208"));
        assert_eq!(found.candidates[0].count, 14);
        assert!(
            found.candidates.iter().any(|c| c.value == "1PS2V6KKYBZ34F3RK1PJ"),
            "{found:?}"
        );

        let rules = rules_from_lists(&lists);
        let mask = |text: &String| rules.mask(&Url::parse(text).unwrap());
        // Links 10 and 15 are other advertisements, 17 is gone; all others are the same pages.
        for (number, one) in first.iter().enumerate() {
            for (other_number, other) in second.iter().enumerate() {
                let is_same = number == other_number && number != 9 && number != 14;
                assert_eq!(mask(one) == mask(other), is_same, "{one}\n{other}");
            }
        }
    }

    #[test]
    fn it_ends_and_may_answer_none() {
        assert_eq!(find_sid(&[], None), FindSid::default());
        assert_eq!(find_sid(&[Vec::new()], Some(5)), FindSid::default());
        let plain = list("http://a.test/one\nhttp://a.test/two\nnot a url");
        assert_eq!(find_sid(std::slice::from_ref(&plain), Some(32)).sid, None);
        assert_eq!(find_sid(&[plain.clone(), plain], None).sid, None);
    }

    #[test]
    fn both_borders_count_and_brackets_are_special() {
        let links = list(
            "http://a.test/(S(lit3py55t21z5v55vlm25s55))/long/page\nhttp://a.test/(S(lit3py55t21z5v55vlm25s55))/page",
        );
        let found = find_sid(std::slice::from_ref(&links), Some(24));
        assert_eq!(found.sid.as_deref(), Some("lit3py55t21z5v55vlm25s55"));
        let tails = list("http://a.test/x?a=xxsecret-word\nhttp://a.test/y?a=xxsecret-word");
        assert_eq!(find_sid(std::slice::from_ref(&tails), Some(11)).sid, None);
    }
}
