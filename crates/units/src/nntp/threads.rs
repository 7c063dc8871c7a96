//! Which article does an article answer? It names message ids; the overviews that this run listed tell their numbers.
//!
//! An id that is known becomes a link to an address that can be asked for, given as a `Link` field (RFC 8288) with the id as
//! its title; `parse` makes links of such fields whoever sends them. Ids of other groups and of articles that the server no
//! longer has stay what they are.
//!
//! Only a keyed hash of each id is held, so that a million of them take some 30 MB and nobody can make two of them meet.

use crate::listing::child;
use gleaner_model::Url;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, PoisonError};

/// Ids remembered over all groups of a run; newer articles are listed first, so the old ones are left out.
const IDS_MAX: usize = 1_000_000;
/// Ids of one article that are looked up; a thread that is longer names its beginning and its end.
const REFERENCES_MAX: usize = 1000;

/// The numbers of the articles that were listed, by their ids.
#[derive(Debug, Default)]
pub(super) struct Threads {
    numbers: Mutex<HashMap<u64, u64>>,
    keys: RandomState,
}

impl Threads {
    /// `group` is the address of the group or of anything in it; `id` comes with its brackets.
    pub(super) fn note(&self, group: &Url, id: &str, number: u64) {
        let key = self.key(group, id.as_bytes());
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if numbers.len() < IDS_MAX || numbers.contains_key(&key) {
            numbers.insert(key, number);
        }
    }

    /// The values of the `Link` fields of an article: one for each earlier article of its group that it names.
    pub(super) fn links(&self, article: &Url, head: &[u8]) -> Vec<String> {
        let named = ["references", "in-reply-to"].map(|name| field(head, name).unwrap_or_default());
        let mut seen = Vec::new();
        let mut links = Vec::new();
        for id in named.iter().flat_map(|text| ids(text)).take(REFERENCES_MAX) {
            let Some(url) = self.address(article, id) else {
                continue;
            };
            if url == *article || seen.contains(&url) {
                continue;
            }
            links.push(link(&url, id));
            seen.push(url);
        }
        links
    }

    fn address(&self, article: &Url, id: &[u8]) -> Option<Url> {
        let key = self.key(article, id);
        let numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let number = *numbers.get(&key)?;
        drop(numbers);
        child(article, number.to_string().as_bytes(), false)
    }

    fn key(&self, within: &Url, id: &[u8]) -> u64 {
        let end = within.path().rfind('/').unwrap_or_default();
        self.keys.hash_one((within.origin(), &within.path()[..end], id))
    }
}

/// A link to `url` under the name `<id>`.
fn link(url: &Url, id: &[u8]) -> String {
    let mut value = format!("<{}>; rel=\"reference\"; title=\"", url.path());
    for &byte in &id[1..id.len() - 1] {
        let escape = if matches!(byte, b'"' | b'\\') { "\\" } else { "" };
        let _never_fails = write!(value, "{escape}{}", char::from(byte));
    }
    value.push('"');
    value
}

/// The message ids in a field, each with its brackets. What stands between them is a comment or nonsense.
fn ids(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = memchr::memchr(b'<', rest)?;
            let length = memchr::memchr(b'>', &rest[start..])? + 1;
            let id = &rest[start..start + length];
            rest = &rest[start + length..];
            if length > 2 && id.iter().all(u8::is_ascii_graphic) {
                return Some(id);
            }
        }
    })
}

/// The first field of this name in the head of an article, its lines joined (RFC 5322 §2.2.3).
pub(super) fn field(article: &[u8], name: &str) -> Option<Vec<u8>> {
    let mut value: Option<Vec<u8>> = None;
    for line in article.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_more = matches!(line.first(), Some(b' ' | b'\t'));
        match &mut value {
            Some(value) if is_more => value.extend_from_slice(line),
            Some(_) => break,
            None if line.is_empty() => break,
            None if is_more => {}
            None => {
                if let Some((found, rest)) = line.split_at_checked(name.len())
                    && found.eq_ignore_ascii_case(name.as_bytes())
                    && let Some(rest) = rest.strip_prefix(b":")
                {
                    value = Some(rest.to_vec());
                }
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse(&format!("nntp://news.test{path}")).unwrap()
    }

    #[test]
    fn a_field_ends_where_it_ends() {
        let head = b"From: a\r\nX: Date: 1\r\n\tDate: 2\r\nREFERENCES: <a@b>\r\n\t<c@d>\r\n <e@f>\r\nDate: 3\r\n\r\nDate: 4\r\n";
        let text = |name| field(head, name).map(|value| String::from_utf8(value).unwrap());
        assert_eq!(text("references").as_deref(), Some(" <a@b>\t<c@d> <e@f>"));
        assert_eq!(text("date").as_deref(), Some(" 3"));
        assert_eq!(text("subject"), None);
        assert_eq!(field(b"A: b\n\nDate: 4\n", "date"), None);
        assert_eq!(field(b"", "date"), None);
        assert_eq!(field(b"Date: 4", "date").as_deref(), Some(b" 4".as_slice()));
    }

    #[test]
    fn a8_known_ids_are_links_and_unknown_ones_are_not() {
        let threads = Threads::default();
        threads.note(&url("/a.c%2B%2B/"), "<1@x>", 1);
        threads.note(&url("/a.c%2B%2B/"), "<\"q\\@x>", 2);
        threads.note(&url("/a.c%2B%2B/"), "<3@x>", 3);
        threads.note(&url("/other/"), "<4@x>", 4);
        let head = b"References: <0@x> <1@x>\r\n <\"q\\@x><3@x> <1@x> <4@x>\r\n\tand <more\r\nIn-Reply-To: mail of <1@x>\r\n\r\n";
        assert_eq!(
            threads.links(&url("/a.c%2B%2B/3"), head),
            [
                "</a.c%2B%2B/1>; rel=\"reference\"; title=\"1@x\"",
                "</a.c%2B%2B/2>; rel=\"reference\"; title=\"\\\"q\\\\@x\"",
            ]
        );
        assert_eq!(threads.links(&url("/other/5"), head).len(), 1);
        let elsewhere = Url::parse("nntp://else.test/a.c%2B%2B/5").unwrap();
        assert!(threads.links(&elsewhere, head).is_empty());
    }
}
