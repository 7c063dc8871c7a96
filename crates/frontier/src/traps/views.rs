//! Is this page one that is kept already, in another order or for another purpose?
//!
//! A listing that can be sorted has an address for each order (`?C=N;O=D`, or `?cat=3&sort=size` of `?cat=3`), and a post has
//! one for each comment that may be answered (`?replytocom=7`, a link that says `nofollow`). Each such page is held against
//! the page at the same path without the query, or without the parameters at one of its ends: the same links and the same items in another order are a **view** of it, and so is what nearly repeats it where
//! a `nofollow` link of it leads there and that page calls it its own address (`rel=canonical`). Two views under the same parameter names, and no page under them that was another
//! one, tell about all addresses of the host with these names.

use super::arms::Generations;
use super::seen::{Listing, hash_of_address};
use gleaner_model::Url;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

const BASES_MAX: usize = 1_000;
const NOFOLLOWS_MAX: usize = 10_000;
/// Kinds of addresses that are remembered.
pub(super) const KINDS_MAX: usize = 500;
/// Fewer links have hardly an order.
const LINKS_MIN: u32 = 3;
/// Pieces of text, in ten, that a list in another order has in common: which order it is may be said; and a page that
/// says of itself that it is none: it has a form of its own.
const SORTED_TENTHS: usize = 9;
const REPEATED_TENTHS: usize = 8;
/// Addresses with more parameters are not taken apart further.
const PARAMETERS_MAX: usize = 6;
/// Views that speak for their kind.
const VIEWS_MIN: u8 = 2;

/// What is known about views.
#[derive(Debug)]
pub(super) struct Views {
    /// Pages without a query, by their address.
    bases: Generations<Option<Listing>>,
    /// Addresses that pages lead to by `nofollow` and that are their own with a query.
    nofollows: Generations<bool>,
    /// By host and parameter names.
    pub(super) kinds: BTreeMap<u64, Kind>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) views: u8,
    /// One of its pages was another page.
    pub(super) has_others: bool,
    /// The last that was counted.
    pub(super) last: u64,
}

impl Kind {
    fn is_proven(self) -> bool {
        self.views >= VIEWS_MIN && !self.has_others
    }
}

impl Views {
    pub(super) fn new() -> Views {
        Views {
            bases: Generations::new(BASES_MAX),
            nofollows: Generations::new(NOFOLLOWS_MAX),
            kinds: BTreeMap::new(),
        }
    }

    /// A page came. Whether it is a view of one that came before.
    pub(super) fn came(&mut self, url: &Url, listing: &Listing) -> bool {
        for link in &listing.nofollows {
            self.nofollows.insert(*link, true);
        }
        if url.query().is_none() || listing.has_longer {
            self.bases.insert(hash_of_address(url), Some(listing.clone()));
        }
        let mut is_view = false;
        for cut in cuts(url) {
            is_view |= self.came_beside(url, listing, &cut);
        }
        is_view
    }

    /// The same beside one page that this one may be a view of.
    fn came_beside(&mut self, url: &Url, listing: &Listing, cut: &Cut<'_>) -> bool {
        let Some(Some(kept)) = self.bases.get(cut.base) else {
            return false;
        };
        let own = hash_of_address(url);
        let is_same_set = listing.links == kept.links && listing.is_alike(kept, SORTED_TENTHS);
        let is_sorted = is_same_set && listing.order != kept.order && listing.links_count >= LINKS_MIN;
        let is_meant = cut.is_whole && listing.is_of_base && self.nofollows.get(own).is_some();
        let is_repeated = is_meant && listing.is_alike(kept, REPEATED_TENTHS);
        let key = kind_of(url, cut.names);
        if self.kinds.len() >= KINDS_MAX && !self.kinds.contains_key(&key) {
            return false;
        }
        let kind = self.kinds.entry(key).or_default();
        if is_sorted || is_repeated {
            if kind.last != own {
                kind.views = kind.views.saturating_add(1);
                kind.last = own;
            }
            return true;
        }
        kind.has_others |= !is_same_set;
        is_same_set && kind.views > 0 && !kind.has_others
    }

    /// Whether an address need not be asked for: its kind are views, and the page that it would be one of is here.
    pub(super) fn refuses(&self, url: &Url, is_known: bool) -> bool {
        if self.kinds.is_empty() {
            return false;
        }
        cuts(url).any(|cut| {
            let kind = self.kinds.get(&kind_of(url, cut.names));
            kind.is_some_and(|kind| kind.is_proven())
                && (is_known || self.bases.get(cut.base).is_some_and(Option::is_some))
        })
    }
}

/// An address with some of its parameters taken off.
struct Cut<'u> {
    /// What is left.
    base: u64,
    /// What was taken off.
    names: &'u str,
    is_whole: bool,
}

/// Parameters at the end or at the beginning taken off, all of them first.
fn cuts(url: &Url) -> impl Iterator<Item = Cut<'_>> {
    let query = url.query();
    let path = &url.as_str()[..url.as_str().find('?').unwrap_or(url.as_str().len())];
    let whole = query.map(|query| Cut {
        base: xxh3_64(path.as_bytes()),
        names: query,
        is_whole: true,
    });
    let query = query.unwrap_or("");
    let borders = query
        .match_indices(['&', ';'])
        .map(|(at, _)| at)
        .take(PARAMETERS_MAX);
    let parts = borders.flat_map(move |at| {
        let (head, tail) = (&query[..at], &query[at + 1..]);
        [(head, tail), (tail, head)].map(|(left, names)| Cut {
            base: xxh3_64(format!("{path}?{left}").as_bytes()),
            names,
            is_whole: false,
        })
    });
    whole.into_iter().chain(parts)
}

/// Host and parameter names. Some servers part parameters by semicolons.
fn kind_of(url: &Url, query: &str) -> u64 {
    let mut names: Vec<&str> = query
        .split(['&', ';'])
        .map(|pair| pair.split('=').next().unwrap_or(pair))
        .collect();
    names.sort_unstable();
    xxh3_64(format!("{}?{}", url.authority(), names.join("&")).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::super::PageTraits;
    use super::*;
    use gleaner_model::{Link, LinkKind};

    fn url(path: &str) -> Url {
        Url::parse(&format!("http://a.test{path}")).unwrap()
    }

    /// A page with these items as links, and links to itself in other orders.
    fn page(at: &str, items: &[&str], own: &[&str], is_nofollow: bool) -> PageTraits {
        page_of(at, at.split('?').next().unwrap(), items, own, is_nofollow)
    }

    /// The same for a page that says that this is its address.
    fn page_of(at: &str, canonical: &str, items: &[&str], own: &[&str], is_nofollow: bool) -> PageTraits {
        let link = |path: &str, nofollow| Link {
            url: url(path),
            kind: LinkKind::Anchor,
            anchor: String::new(),
            count: 1,
            nofollow,
        };
        let canonical = Link {
            kind: LinkKind::Canonical,
            ..link(canonical, false)
        };
        let mut links: Vec<Link> = own.iter().map(|path| link(path, is_nofollow)).collect();
        links.push(canonical);
        links.extend(items.iter().map(|item| link(&format!("/{item}"), false)));
        let body: Vec<String> = items
            .iter()
            .map(|item| format!("<a>{item}</a> of {item}"))
            .collect();
        PageTraits::of(&url(at), body.concat().as_bytes(), &links)
    }

    fn came(views: &mut Views, at: &str, seen: &PageTraits) -> bool {
        seen.listing
            .as_ref()
            .is_some_and(|listing| views.came(&url(at), listing))
    }

    #[test]
    fn case28_the_same_links_in_another_order_are_a_view() {
        let mut views = Views::new();
        let sorts = ["/d/?C=N;O=D", "/d/?C=M;O=A", "/d/?C=S;O=A"];
        assert!(!came(
            &mut views,
            "/d/",
            &page("/d/", &["a", "b", "c"], &sorts, false)
        ));
        assert!(came(
            &mut views,
            sorts[0],
            &page(sorts[0], &["c", "b", "a"], &sorts, false)
        ));
        assert!(!views.refuses(&url(sorts[1]), false), "one may be chance");
        assert!(came(
            &mut views,
            sorts[1],
            &page(sorts[1], &["b", "a", "c"], &sorts, false)
        ));
        assert!(views.refuses(&url(sorts[2]), false));
        assert!(
            !views.refuses(&url("/other/?C=S;O=A"), false),
            "nobody has that page"
        );
        assert!(views.refuses(&url("/other/?C=S;O=A"), true));
        assert!(!views.refuses(&url("/d/?page=2"), false));
    }

    #[test]
    fn case28_a_list_that_has_parameters_of_its_own_is_sorted_too() {
        for (base, sorts) in [
            (
                "/d/?cat=3",
                ["/d/?cat=3&sort=size&dir=a", "/d/?cat=3&sort=date&dir=a"],
            ),
            (
                "/d/?cat=3",
                ["/d/?sort=size&dir=a&cat=3", "/d/?sort=date&dir=a&cat=3"],
            ),
        ] {
            let mut views = Views::new();
            let other = "/d/?cat=4";
            came(
                &mut views,
                "/d/",
                &page("/d/", &["x", "y", "z"], &[base, other], false),
            );
            for (at, items) in [(base, ["a", "b", "c"]), (other, ["d", "e", "f"])] {
                let longer = if at == base { &sorts[..] } else { &[] };
                assert!(!came(&mut views, at, &page(at, &items, longer, false)), "{at}");
            }
            for (at, items) in sorts.into_iter().zip([["c", "b", "a"], ["b", "a", "c"]]) {
                assert!(came(&mut views, at, &page(at, &items, &sorts, false)), "{at}");
            }
            assert!(views.refuses(&url(&sorts[0].replace("size", "name")), false));
            assert!(!views.refuses(&url(other), false), "another list");
            assert!(!views.refuses(&url("/d/?cat=3&page=2"), false));
        }
    }

    #[test]
    fn case28_other_items_are_another_page() {
        let mut views = Views::new();
        let pages = ["/d/?p=2", "/d/?p=3", "/d/?p=4"];
        came(&mut views, "/d/", &page("/d/", &["a", "b", "c"], &pages, false));
        assert!(came(
            &mut views,
            pages[0],
            &page(pages[0], &["c", "b", "a"], &pages, false)
        ));
        assert!(!came(
            &mut views,
            pages[1],
            &page(pages[1], &["d", "e", "f"], &pages, false)
        ));
        assert!(came(
            &mut views,
            pages[2],
            &page(pages[2], &["b", "c", "a"], &pages, false)
        ));
        assert!(
            !views.refuses(&url("/d/?p=5"), false),
            "one of them was another page"
        );
        // A list of one page that ignores the number says nothing about others.
        let mut views = Views::new();
        for path in ["/d/", "/d/?p=2", "/d/?p=3"] {
            assert!(!came(
                &mut views,
                path,
                &page(path, &["a", "b", "c"], &["/d/?p=2"], false)
            ));
        }
        assert!(!views.refuses(&url("/d/?p=2"), false));
    }

    #[test]
    fn case32_what_a_nofollow_link_repeats_is_a_view() {
        let mut views = Views::new();
        let replies = ["/post?reply=1", "/post?reply=2"];
        let items = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        came(&mut views, "/post", &page("/post", &items, &replies, true));
        for at in replies {
            let mut shown = items.to_vec();
            shown[11] = "reply to somebody";
            assert!(came(&mut views, at, &page(at, &shown, &replies, true)), "{at}");
        }
        assert!(views.refuses(&url("/post?reply=3"), false));
        // Where a page says that it is one of its own, it is.
        let mut views = Views::new();
        came(&mut views, "/post", &page("/post", &items, &replies, true));
        let own = page_of(replies[0], replies[0], &items, &replies, true);
        assert!(!came(&mut views, replies[0], &own));
        // The same by an honest link is a page.
        let mut views = Views::new();
        came(&mut views, "/post", &page("/post", &items, &replies, false));
        assert!(!came(
            &mut views,
            replies[0],
            &page(replies[0], &items, &replies, false)
        ));
    }
}
