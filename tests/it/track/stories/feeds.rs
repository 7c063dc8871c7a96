//! A feed that carries the time of the request has not changed; one with another entry has (B6).

use super::Story;
use gleaner_testkit::hostile::{HostileServer, page, status};

fn rss(date: &str, entries: &[&str]) -> String {
    let items = entries
        .iter()
        .map(|entry| format!("<item><title>{entry}</title><pubDate>Mon, 01 Jan 2024 10:00:00 +0000</pubDate><description>About {entry}</description></item>"))
        .collect::<Vec<String>>().concat();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title><link>http://x.test/</link>\
         <description>d</description><lastBuildDate>{date}</lastBuildDate><pubDate>{date}</pubDate>{items}</channel></rss>"
    )
}

fn atom(date: &str, entries: &[&str]) -> String {
    let items = entries
        .iter()
        .map(|entry| format!("<entry><id>urn:{entry}</id><title>{entry}</title><updated>2024-01-01T10:00:00Z</updated></entry>"))
        .collect::<Vec<String>>().concat();
    format!(
        "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>News</title><id>urn:x</id><updated>{date}</updated>{items}</feed>"
    )
}

#[test]
fn case18_the_date_of_a_feed_is_a_stamp_and_its_entries_are_content() {
    let server = HostileServer::start();
    let publish = |rss_date: &str, atom_date: &str, entries: &[&str]| {
        let links = "<title>Start</title><h1>Start</h1><p><a href=\"/news.rss\">news</a> <a href=\"/news.atom\">more</a></p>";
        server.route("/", page(links));
        let xml = |kind: &str, body: String| status(200).with_header("Content-Type", kind).with_body(body);
        server.route("/news.rss", xml("application/rss+xml", rss(rss_date, entries)));
        server.route(
            "/news.atom",
            xml("application/atom+xml", atom(atom_date, entries)),
        );
    };
    publish(
        "Mon, 01 Jan 2024 10:00:00 +0000",
        "2024-01-01T10:00:00Z",
        &["one", "two"],
    );
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &["--types", "all"]);
    assert_eq!(told.count("NEW"), 3, "{told}");
    publish(
        "Tue, 02 Jan 2024 11:01:07 +0000",
        "2024-01-02T11:01:07Z",
        &["one", "two"],
    );
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("SAM")), (0, 3), "{told}");
    publish(
        "Wed, 03 Jan 2024 11:01:07 +0000",
        "2024-01-03T11:01:07Z",
        &["one", "two", "three"],
    );
    let told = story.track(&[]);
    assert_eq!(told.count("UPD"), 2, "{told}");
    publish(
        "Thu, 04 Jan 2024 11:01:07 +0000",
        "2024-01-04T11:01:07Z",
        &["one", "two, again", "three"],
    );
    let told = story.track(&[]);
    assert_eq!(told.count("UPD"), 2, "{told}");
}
