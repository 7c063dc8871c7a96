//! Is it worth asking whether a site's URLs carry what does not belong to them?
//!
//! In: the links of one page, or a redirect. Out: yes or no. Nothing is learned here: a yes costs one request, and more only
//! if the second look differs. Looks that make a probe worth it: a famous name; one long token on many links; a parameter
//! with another number on every link; names of parameters with an id in them; the same parameters in another order.

use std::collections::{HashMap, HashSet};

use gleaner_model::Url;

use super::align::{ProbeLink, is_token_char};
use super::known::has_known;
use super::shape::is_word;
use super::slots::{UrlPiece, UrlStep};
use super::split::split;

/// Something on at least this share of a page's links is worth a probe.
const SHARED_PERCENT: usize = 30;
/// A token that many links share is at least this long.
const SHARED_BYTES_MIN: usize = 8;
/// A part of a name that could be an id.
const IN_NAME_BYTES_MIN: usize = 6;
/// A name without digits that is too long for a name that people give.
const LONG_NAME_BYTES: usize = 18;
/// A word in a path or a value that is this long may be an id.
const LONG_WORD_BYTES: usize = 20;

/// Whether a page's links look as if they carried a session, or something else that does not belong to them.
pub fn is_suspicious(links: &[ProbeLink]) -> bool {
    if links.iter().any(|link| has_known(link.url.as_str())) {
        return true;
    }
    let split = split_all(links);
    has_shared(&split) || has_random(&split) || has_shuffled(&split)
}

/// The same for sites that were looked at before: only what looks like a session, which they may have begun to give.
pub fn looks_like_session(links: &[ProbeLink]) -> bool {
    links.iter().any(|link| has_known(link.url.as_str())) || has_shared(&split_all(links))
}

fn split_all(links: &[ProbeLink]) -> Vec<Vec<UrlPiece>> {
    links.iter().map(|link| split(link.url.as_str())).collect()
}

/// Whether a redirect may have put an id into the address: its target has a part that is no plain word, and the address that
/// was asked for has it not.
pub fn is_suspicious_redirect(from: &Url, to: &Url) -> bool {
    let before: HashSet<String> = split(from.as_str())
        .into_iter()
        .map(|piece| piece.value)
        .collect();
    split(to.as_str()).iter().any(|piece| {
        let is_new = !before.contains(&piece.value) && !matches!(piece.leaf(), UrlStep::Host { .. });
        let value = piece.value.as_bytes();
        is_new
            && (piece.is_named()
                || value.len() >= LONG_WORD_BYTES
                || value.len() >= SHARED_BYTES_MIN && !is_word(&piece.value)
                || value.contains(&b'(')
                || value.iter().any(u8::is_ascii_digit))
    })
}

/// One long token, in a value or in a name, on many of the links.
fn has_shared(links: &[Vec<UrlPiece>]) -> bool {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for pieces in links {
        let values = pieces
            .iter()
            .filter(|piece| is_token_like(piece))
            .map(|piece| piece.value.as_str());
        let names = pieces
            .iter()
            .filter_map(UrlPiece::spelled_name)
            .filter(|name| is_odd_name(name));
        let mut tokens: Vec<&str> = values.chain(names).collect();
        tokens.sort_unstable();
        tokens.dedup();
        for token in tokens {
            *counts.entry(token).or_default() += 1;
        }
    }
    counts
        .values()
        .any(|count| *count > 1 && is_share(*count, links.len()))
}

fn is_share(count: usize, links: usize) -> bool {
    count * 100 >= links * SHARED_PERCENT
}

fn is_token_like(piece: &UrlPiece) -> bool {
    piece.value.len() >= SHARED_BYTES_MIN
        && piece.value.bytes().any(|b| b.is_ascii_digit())
        && !matches!(piece.leaf(), UrlStep::Host { .. })
}

fn is_odd_name(name: &str) -> bool {
    name.len() >= LONG_NAME_BYTES
        || name.split(|c| !is_token_char(c)).any(|part| {
            part.len() >= IN_NAME_BYTES_MIN
                && part.bytes().any(|b| b.is_ascii_digit())
                && part.bytes().any(|b| b.is_ascii_alphabetic())
        })
}

/// A parameter or a part of the path with a value of its own on nearly every link that has it, as chance would draw them: far
/// apart, or no words.
fn has_random(links: &[Vec<UrlPiece>]) -> bool {
    let mut values: HashMap<&UrlStep, Vec<&str>> = HashMap::new();
    let mut names: Vec<&str> = Vec::new();
    let mut segments: HashMap<usize, Vec<&str>> = HashMap::new();
    for piece in links.iter().flatten().filter(|piece| piece.steps.len() == 1) {
        match piece.leaf() {
            UrlStep::Query { .. } | UrlStep::Matrix { .. } => {
                values.entry(piece.leaf()).or_default().push(&piece.value);
            }
            UrlStep::Segment { index, .. } => {
                let drawn = piece
                    .value
                    .split(|c| !is_token_char(c))
                    .find(|part| is_drawn(part));
                segments.entry(*index).or_default().extend(drawn);
            }
            UrlStep::Host { .. } => {}
        }
        names.extend(
            piece
                .spelled_name()
                .filter(|name| name.bytes().any(|b| b.is_ascii_digit())),
        );
    }
    let is_random = |all: &Vec<&str>| {
        let distinct: HashSet<&&str> = all.iter().collect();
        distinct.len() > 1
            && is_share(all.len(), links.len())
            && distinct.len() * 10 >= all.len() * 8
            && is_scattered(&distinct)
    };
    values.values().any(is_random) || segments.values().any(is_random) || is_random(&names)
}

/// Whether a part of a path may be drawn by chance: pages are named by words and short numbers.
fn is_drawn(part: &str) -> bool {
    let digits = part.bytes().filter(u8::is_ascii_digit).count();
    match part.len() {
        bytes if digits == bytes => bytes >= IN_NAME_BYTES_MIN,
        bytes => digits > 0 && bytes >= SHARED_BYTES_MIN,
    }
}

/// Numbers that do not count something, or texts with digits in them.
fn is_scattered(values: &HashSet<&&str>) -> bool {
    let has_digit = |value: &str| value.bytes().any(|b| b.is_ascii_digit());
    if values.iter().filter(|value| has_digit(value)).count() * 10 < values.len() * 8 {
        return false;
    }
    let numbers: Vec<u128> = values.iter().filter_map(|value| value.parse().ok()).collect();
    if numbers.len() < values.len() {
        return values.iter().map(|value| value.len()).sum::<usize>() >= values.len() * 4;
    }
    let (Some(low), Some(high)) = (numbers.iter().min(), numbers.iter().max()) else {
        return false;
    };
    high - low > 4 * numbers.len() as u128
}

/// Two parameters that stand now in this order and now in that.
fn has_shuffled(links: &[Vec<UrlPiece>]) -> bool {
    let mut orders: HashSet<(&str, &str)> = HashSet::new();
    for pieces in links {
        let names: Vec<&str> = pieces
            .iter()
            .filter(|piece| piece.steps.len() == 1 && matches!(piece.leaf(), UrlStep::Query { .. }))
            .filter_map(UrlPiece::spelled_name)
            .collect();
        for (at, one) in names.iter().enumerate() {
            for other in names[at + 1..].iter().filter(|other| *other != one) {
                if orders.contains(&(*other, *one)) {
                    return true;
                }
                orders.insert((one, other));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_odd(urls: &[&str]) -> bool {
        let link = |url: &&str| ProbeLink {
            url: Url::parse(&format!("http://a.test/{url}")).unwrap(),
            place: String::new(),
            anchor: String::new(),
        };
        is_suspicious(&urls.iter().map(link).collect::<Vec<_>>())
    }

    #[test]
    fn case15_what_may_be_volatile_is_worth_a_probe() {
        for urls in [
            &["a?r=82734", "b?r=1093", "c?r=55120"][..],
            &["a?x=1&r=9f3c11", "b?x=2&r=01ab77"],
            &["a?b=1&c=2", "a?c=1&b=3"],
            &["a?sid_ab12cd=1", "b?sid_ab12cd=1"],
            &["a?ASPSESSIONIDQQABCDEF=X", "b?ASPSESSIONIDQQABCDEF=X"],
            &["0a1b2c3d4e/p", "0a1b2c3d4e/q"],
            &["x0a1b2c3d/p", "x93f1e77ab/q", "x5c60d2e1f/r"],
            &["r/8273645/p", "r/1029384/q", "r/5551203/s"],
            &["p-8f3a9c1d.html", "q-01ab77c2.html", "about"],
        ] {
            assert!(is_odd(urls), "{urls:?}");
        }
        for urls in [
            &["a?id=1", "a?id=2", "a?id=3"][..],
            &["a?sid=story", "a?sid=other"],
            &["a?p=1&q=2", "b?p=2&q=3"],
            &["list?page=2", "about", "contact"],
            &["a.html", "b.html"],
            &["2024/01/story", "2024/02/other", "2023/12/third"],
            &["node/17", "node/18", "node/4711"],
        ] {
            assert!(!is_odd(urls), "{urls:?}");
        }
    }

    #[test]
    fn case14_a_redirect_that_adds_more_than_words_is_worth_a_probe() {
        let is_odd = |from: &str, to: &str| {
            let url = |path: &str| Url::parse(&format!("http://a.test{path}")).unwrap();
            is_suspicious_redirect(&url(from), &url(to))
        };
        assert!(is_odd("/", "/(S(abcdefghijklmnopqrstuvwx))/"));
        assert!(is_odd("/", "/?sid=abc"));
        assert!(is_odd("/", "/0b5e7d2c-3c1f-4f6e-9a59-0d7f1a2b3c4d/index.html"));
        assert!(!is_odd("/", "/en/index.html"));
        assert!(!is_odd("/a/7", "/b/7"));
    }
}
