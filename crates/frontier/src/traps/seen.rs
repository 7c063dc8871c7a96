//! What a page says and where it leads, in the few numbers that the trap rules need.
//!
//! The [`signature`] stands for the page as it is, links left out. That does not catch a calendar: each of its pages
//! names another day. So pages that a machine may have made (a date, a number or parameters in their URL) are also cut
//! into *runs*, the pieces of text between tags, with everything masked that follows from the URL alone: small numbers,
//! numbers and words of the URL itself, on dated pages the names of months and days. A page all of whose runs were met
//! before is *stale*. Larger numbers stay: a table of prices is content.
//!
//! Links count too: a list whose pages look alike and lead to new documents is no trap. Links to pages like the page
//! itself (its *kin*) say nothing new; a page that has some can feed its own kind for ever.

use super::calendar::{Date, Precision, date_in};
use super::runs::{Runs, mixed, smallest};
use super::shape::ShapeBuffer;
use super::signature;
use gleaner_model::{Link, LinkKind, Url};
use xxhash_rust::xxh3::xxh3_64;

const LINKS_MAX: usize = 64;
const LINKS_LOOKED_AT: usize = 1000;
pub(super) const LEADS_MAX: usize = 4;

/// Made where the page is read, used where the rules are told of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageTraits {
    /// 0: not known.
    pub(super) signature: u64,
    /// Smallest hashes of the text's runs; `None` where the URL gives no reason to look at them.
    pub(super) runs: Option<Box<[u32]>>,
    /// Smallest hashes of links that lead elsewhere.
    pub(super) links: Box<[u32]>,
    /// Shapes of links to finer dates than the page's own: from a month to its days, from a day to its posts.
    pub(super) leads: [u64; LEADS_MAX],
    /// It links to its kin.
    pub(super) feeds_itself: bool,
    /// Stands for those links: a home page with three addresses leads to the same pages each time, a maze to other ones.
    pub(super) kin: u64,
    /// Where the page has a query, or leads to itself with one.
    pub(super) listing: Option<Box<Listing>>,
}

/// What a page lists, whatever the order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Listing {
    /// Stands for the set of its links, those to its own path left out.
    pub(super) links: u64,
    pub(super) links_count: u32,
    /// Stands for their order.
    pub(super) order: u64,
    /// Smallest hashes of its pieces of text.
    items: Box<[u32]>,
    /// Links to its own path with a query that say `nofollow`.
    pub(super) nofollows: Box<[u64]>,
    /// It calls the address without the query its own (`rel=canonical`).
    pub(super) is_of_base: bool,
    /// It leads to its own path with its own parameters and more.
    pub(super) has_longer: bool,
}

impl Listing {
    fn of(url: &Url, body: &[u8], links: &[Link]) -> Listing {
        let mut listing = Listing {
            items: Runs::plain().read(body),
            ..Listing::default()
        };
        let mut nofollows = Vec::new();
        for link in links.iter().filter(|link| link.kind != LinkKind::Form) {
            let hash = hash_of_address(&link.url);
            if link.kind == LinkKind::Canonical {
                listing.is_of_base = is_own(url, link) && link.url.query().is_none();
                continue;
            }
            if !is_own(url, link) {
                listing.links = listing.links.wrapping_add(hash);
                listing.links_count = listing.links_count.saturating_add(1);
                listing.order = mixed(listing.order, hash);
                continue;
            }
            listing.has_longer |= is_longer(url, &link.url);
            if link.nofollow && nofollows.len() < LINKS_LOOKED_AT {
                nofollows.push(hash);
            }
        }
        listing.nofollows = nofollows.into_boxed_slice();
        listing
    }

    /// So many in ten pieces of text are the same.
    pub(super) fn is_alike(&self, other: &Listing, tenths: usize) -> bool {
        let common = (self.items.iter())
            .filter(|item| other.items.binary_search(item).is_ok())
            .count();
        let most = self.items.len().max(other.items.len());
        most > 0 && common * 10 >= most * tenths
    }
}

pub(super) fn hash_of_address(url: &Url) -> u64 {
    xxh3_64(url.as_str().as_bytes())
}

/// Whether an address has the parameters of another at one of its ends, and more.
fn is_longer(url: &Url, other: &Url) -> bool {
    let (Some(own), Some(other)) = (url.query(), other.query()) else {
        return false;
    };
    let is_parted = |rest: &str, at_end: bool| {
        let sign = if at_end {
            rest.chars().next()
        } else {
            rest.chars().next_back()
        };
        matches!(sign, Some('&' | ';'))
    };
    other.strip_prefix(own).is_some_and(|rest| is_parted(rest, true))
        || other.strip_suffix(own).is_some_and(|rest| is_parted(rest, false))
}

/// Whether a link leads to the path of its page.
fn is_own(page: &Url, link: &Link) -> bool {
    link.url.path() == page.path() && link.url.origin() == page.origin()
}

impl PageTraits {
    /// `links` are those found in `body`, resolved.
    pub fn of(url: &Url, body: &[u8], links: &[Link]) -> PageTraits {
        let date = date_in(url).map(|(date, _)| date);
        let is_made = date.is_some() || url.query().is_some() || has_numeric_segment(url.path());
        let mut seen = PageTraits {
            signature: signature(body),
            runs: is_made.then(|| Runs::new(url, date.is_some()).read(body)),
            ..PageTraits::default()
        };
        seen.look_at_links(url, date, links);
        let leads_to_itself = |link: &Link| link.url.query().is_some() && is_own(url, link);
        if url.query().is_some() || links.iter().any(leads_to_itself) {
            seen.listing = Some(Box::new(Listing::of(url, body, links)));
        }
        seen
    }

    /// For tests that know nothing but the content's number.
    #[cfg(test)]
    pub(super) fn by_signature(signature: u64) -> PageTraits {
        PageTraits {
            signature,
            ..PageTraits::default()
        }
    }

    fn look_at_links(&mut self, url: &Url, date: Option<Date>, links: &[Link]) {
        let own = Outline::of(url);
        let own_finesse = date.map(|date| (date.precision, own.depth));
        let mut elsewhere = Vec::with_capacity(links.len().min(LINKS_LOOKED_AT));
        let mut shapes = ShapeBuffer::default();
        for link in links.iter().take(LINKS_LOOKED_AT) {
            if matches!(link.kind, LinkKind::Form | LinkKind::Canonical) || link.url == *url {
                continue;
            }
            let outline = Outline::of(&link.url);
            let link_date = date_in(&link.url);
            match (own_finesse, link_date) {
                (Some(own), Some((date, _))) if finesse(date, outline.depth) > own => {
                    self.add_lead(shapes.shapes(&link.url).fine);
                    continue;
                }
                (Some(_), Some(_)) => {
                    self.feed(&link.url);
                    continue;
                }
                _ => {}
            }
            // From a list of years to their months is a way in, not round in a circle.
            if link_date.is_none() && outline.is_kin_of(&own) {
                self.feed(&link.url);
                continue;
            }
            elsewhere.push(address(&link.url, url.query()) as u32);
        }
        self.links = smallest(elsewhere, LINKS_MAX);
    }

    fn feed(&mut self, kin: &Url) {
        self.feeds_itself = true;
        // A sum, because the order of links says nothing.
        self.kin = self.kin.wrapping_add(xxh3_64(kin.as_str().as_bytes()));
    }

    fn add_lead(&mut self, shape: u64) {
        for lead in &mut self.leads {
            if *lead == 0 {
                *lead = shape;
            }
            if *lead == shape {
                return;
            }
        }
    }
}

fn finesse(date: Date, depth: usize) -> (Precision, usize) {
    (date.precision, depth)
}

fn has_numeric_segment(path: &str) -> bool {
    path.split('/')
        .any(|s| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit()))
}

/// The parts of a URL by which pages of one kind resemble each other, without a hash.
pub(super) struct Outline<'u> {
    host: &'u str,
    path: &'u str,
    first: &'u str,
    extension: &'u str,
    depth: usize,
    has_query: bool,
}

impl<'u> Outline<'u> {
    pub(super) fn of(url: &'u Url) -> Outline<'u> {
        let path = url.path();
        let inner = path.strip_prefix('/').unwrap_or(path);
        // One walk for all of it: paths are short and every link of every page comes by here.
        let (mut depth, mut first, mut last) = (path.len() - inner.len(), "", inner);
        for at in memchr::memchr_iter(b'/', inner.as_bytes()) {
            if last.len() == inner.len() {
                first = &inner[..at];
            }
            last = &inner[at + 1..];
            depth += 1;
        }
        Outline {
            host: url.host(),
            path,
            first,
            extension: super::shape::extension(last),
            depth,
            has_query: url.query().is_some(),
        }
    }

    /// Same place, same place with another query, a place like it, or one below it.
    pub(super) fn is_kin_of(&self, page: &Outline<'_>) -> bool {
        if self.host != page.host {
            return self.path == page.path;
        }
        let is_alike = self.resembles(page) && self.first == page.first && !self.has_query && !page.has_query;
        let is_below = page.path.len() > 1 && self.path.starts_with(page.path);
        self.path == page.path || is_alike || is_below
    }

    /// Depth and extension alone: what is left when the words are made up.
    pub(super) fn resembles(&self, page: &Outline<'_>) -> bool {
        let has_front = self.path.len() <= 1 || page.path.len() <= 1;
        self.host == page.host && self.depth == page.depth && self.extension == page.extension && !has_front
    }
}

/// A link as a number. Values of parameters that the page has too are its own state, carried on.
fn address(link: &Url, own_query: Option<&str>) -> u64 {
    let (Some(query), Some(own)) = (link.query(), own_query) else {
        return xxh3_64(link.as_str().as_bytes());
    };
    let name_of = |pair: &str| pair.find('=').unwrap_or(pair.len());
    let mut hash = xxh3_64(&link.as_str().as_bytes()[..link.as_str().len() - query.len()]);
    for pair in query.split('&') {
        let name = &pair[..name_of(pair)];
        let is_carried = own.split('&').any(|p| &p[..name_of(p)] == name);
        let part = if is_carried { name } else { pair };
        hash = mixed(hash, xxh3_64(part.as_bytes()));
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(url: &str, body: &str) -> Vec<u32> {
        let url = Url::parse(url).unwrap();
        PageTraits::of(&url, body.as_bytes(), &[])
            .runs
            .unwrap()
            .into_vec()
    }

    #[test]
    fn hc040_what_follows_from_the_url_is_no_content() {
        let page = |date: &str, shown: &str, more: &str| {
            runs(
                &format!("http://a.test/cal?date={date}"),
                &format!(
                    "<script>x={}</script><h1>{shown}</h1><td>1<td>31{more}",
                    date.len()
                ),
            )
        };
        let may = page("2026-05-17", "Sunday, 17 May 2026", "");
        assert_eq!(page("0999-02-01", "Friday, 1 February 0999", ""), may);
        assert_eq!(page("2026-05-17", "Vendredi 17 mai 2026 <b></b>", ""), may);
        assert_ne!(page("2026-05-18", "Monday, 18 May 2026", "<p>Concert"), may);
        assert_ne!(page("2026-05-18", "Monday, 18 May 2026", "<p>1013"), may, "data");
    }

    #[test]
    fn hc041_a_filter_that_is_echoed_is_no_content() {
        let page = |filter: &str, shown: &str| runs(&format!("http://a.test/shop?{filter}"), shown);
        let red = page("color=red&size=m", "<p>Color: red, size: m<p>12 found");
        assert_eq!(
            page("color=blue&size=xl", "<p>color: blue, size: xl<p>7 found"),
            red
        );
        assert_eq!(
            page("n=4711", "<p>Page 4711, next 4712"),
            page("n=9", "<p>page 9, next 10")
        );
        assert_ne!(
            page("n=4711", "<p>Page 4711, item 9000"),
            page("n=9", "<p>page 9, item 7000")
        );
    }

    #[test]
    fn kin_are_pages_like_the_page_itself() {
        let kin = [
            ("/list?page=1", "/list?page=2"),
            ("/cal/2024/05", "/cal/2024/06"),
            ("/maze/word", "/maze/other"),
            ("/word", "/other"),
            ("/a/", "/a/b/a/"),
        ];
        for (page, link) in kin.into_iter().chain([("/list/1.html", "/list/2.html")]) {
            let (page, link) = (format!("http://a.test{page}"), format!("http://a.test{link}"));
            let (page, link) = (Url::parse(&page).unwrap(), Url::parse(&link).unwrap());
            assert!(Outline::of(&link).is_kin_of(&Outline::of(&page)), "{page} {link}");
        }
        for (page, link) in [
            ("/", "/word"),
            ("/list/1.html", "/p/1.html"),
            ("/list?page=1", "/item?id=2"),
            ("/list?page=1", "/title"),
            ("/blog/page/2", "/blog/title"),
        ] {
            let (page, link) = (format!("http://a.test{page}"), format!("http://a.test{link}"));
            let (page, link) = (Url::parse(&page).unwrap(), Url::parse(&link).unwrap());
            assert!(
                !Outline::of(&link).is_kin_of(&Outline::of(&page)),
                "{page} {link}"
            );
        }
    }
}
