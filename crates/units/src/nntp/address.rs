//! What does an `nntp` address name (RFC 5538 §4)? The server's groups, a group, or an article by its number in a group.

use super::reply::number_of;
use crate::listing;
use gleaner_model::Url;

/// A command is at most 512 bytes, `GROUP` and the line's end included (RFC 3977 §3.1).
const GROUP_BYTES_MAX: usize = 497;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// `nntp://host/`
    Groups,
    /// `nntp://host/group/`
    Articles { group: Vec<u8> },
    /// `nntp://host/group`: how people write a group, and the standard too.
    Group { group: Vec<u8> },
    /// `nntp://host/group/7`
    Article { group: Vec<u8>, number: u64 },
    /// Nothing that a news server could have.
    Nowhere,
}

pub(super) fn place_of(url: &Url) -> Place {
    if url.query().is_some() {
        return Place::Nowhere;
    }
    let mut segments = listing::segments(url).into_iter();
    let (first, second, third) = (segments.next(), segments.next(), segments.next());
    let group = first.unwrap_or_default();
    if group.is_empty() && second.is_none() {
        return Place::Groups;
    }
    if !is_group(&group) || third.is_some() {
        return Place::Nowhere;
    }
    match second {
        None => Place::Group { group },
        Some(number) if number.is_empty() => Place::Articles { group },
        Some(number) => match number_of(&number) {
            Some(number) => Place::Article { group, number },
            None => Place::Nowhere,
        },
    }
}

/// Whether these bytes can be sent as the name of a group: one word, and nothing that could end a line.
pub(super) fn is_group(name: &[u8]) -> bool {
    !name.is_empty()
        && name.len() <= GROUP_BYTES_MAX
        && !name.iter().any(|byte| byte.is_ascii_control() || *byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_groups_and_articles() {
        let group = || b"comp.lang.c++".to_vec();
        let cases = [
            ("/", Place::Groups),
            ("/comp.lang.c++/", Place::Articles { group: group() }),
            ("/comp.lang.c%2B%2B/", Place::Articles { group: group() }),
            ("/comp.lang.c++", Place::Group { group: group() }),
            (
                "/comp.lang.c++/0042",
                Place::Article {
                    group: group(),
                    number: 42,
                },
            ),
            ("/a/b", Place::Nowhere),
            ("/a/1/2", Place::Nowhere),
            ("/a/1/", Place::Nowhere),
            ("/a/-1", Place::Nowhere),
            ("//1", Place::Nowhere),
            ("/a/1?x", Place::Nowhere),
            ("/a/99999999999999999999", Place::Nowhere),
        ];
        for (path, place) in cases {
            let url = Url::parse(&format!("nntp://news.test{path}")).unwrap();
            assert_eq!(place_of(&url), place, "{path}");
        }
    }

    #[test]
    fn hc107_a_name_is_never_a_second_command() {
        for name in [
            "a%0D%0AQUIT",
            "a%0A",
            "a%00",
            "a%20b",
            "a%09b",
            "a%7F",
            &"a".repeat(498),
        ] {
            for end in ["", "/", "/1"] {
                let url = Url::parse(&format!("nntp://news.test/{name}{end}")).unwrap();
                assert_eq!(place_of(&url), Place::Nowhere, "{url}");
            }
        }
    }
}
