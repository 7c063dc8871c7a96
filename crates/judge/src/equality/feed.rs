//! Does a block of a feed only say when, or by what, the feed was made? In: the block's path. Out: yes or no.
//!
//! Many servers write the time of the request into a feed (`lastBuildDate` of RSS, `updated` of Atom). What a reader wants
//! is told by the entries, whose own dates count.

/// Elements right below the channel that speak of the feed as a file.
const OF_THE_FEED: [&str; 6] = [
    "lastbuilddate",
    "pubdate",
    "updated",
    "modified",
    "date",
    "generator",
];

/// Whether a block stands in such an element: `/rss/channel/lastBuildDate`, `/feed/updated`, `/rdf:RDF/channel/dc:date`.
pub(super) fn is_build_stamp(path: &str) -> bool {
    let mut names = path.split('/').skip(1).map(plain);
    let is_of_feed = |name: Option<String>| name.is_some_and(|name| OF_THE_FEED.contains(&name.as_str()));
    match names.next().as_deref() {
        Some("rss" | "rdf") => {
            names.next().as_deref() == Some("channel") && is_of_feed(names.next()) && names.next().is_none()
        }
        Some("feed") => is_of_feed(names.next()) && names.next().is_none(),
        _ => false,
    }
}

/// An element's name without its prefix, its place among its equals and the mark of attributes, in lower case.
fn plain(element: &str) -> String {
    let name = element.split(['[', '@']).next().unwrap_or_default();
    name.rsplit(':').next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::is_build_stamp;

    #[test]
    fn a_feeds_own_date_is_a_stamp_and_an_entrys_is_not() {
        for path in [
            "/rss/channel/lastBuildDate",
            "/rss/channel/pubDate",
            "/rdf:RDF/channel/dc:date",
            "/feed/updated",
            "/atom:feed/atom:updated",
            "/feed/generator@",
        ] {
            assert!(is_build_stamp(path), "{path}");
        }
        for path in [
            "/rss/channel/item/pubDate",
            "/rss/channel/item[2]/pubDate",
            "/rdf:RDF/item/dc:date",
            "/feed/entry/updated",
            "/feed/title",
            "/rss/channel/description",
            "/log/updated",
            "div/p",
        ] {
            assert!(!is_build_stamp(path), "{path}");
        }
    }
}
