//! What stays the same over two tracks is believed.

use super::super::Story;
use gleaner_testkit::HostileServer;
use gleaner_testkit::away::{Site, framed_with, paragraphs};
use gleaner_testkit::hostile::page;

const PAGES: usize = 12;

fn framed(title: &str, main: &str) -> String {
    framed_with(Site(2), title, main, &["/"])
}

fn path(n: usize) -> String {
    format!("/p/{n}.html")
}

/// A site of a start page and twelve others.
fn site() -> HostileServer {
    let server = HostileServer::start();
    let links: Vec<String> = (0..PAGES)
        .map(|n| format!("<a href=\"{}\">{n}</a> ", path(n)))
        .collect();
    let links = links.concat();
    server.route("/", page(framed("All pages", &format!("<p>{links}</p>"))));
    for n in 0..PAGES {
        server.route(
            &path(n),
            page(framed(&format!("Page {n}"), &paragraphs(n as u64, 4))),
        );
    }
    server
}

fn crawled(server: &HostileServer) -> Story {
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &["--per-host", "8"]);
    assert_eq!(told.count("NEW"), PAGES + 1, "{told}");
    story
}

#[test]
fn case09_three_pages_edited_to_one_text_are_updated() {
    let server = site();
    let mut story = crawled(&server);
    let same = || {
        page(framed(
            "Sold out",
            "<p>This article is sold out and will not come again.</p>",
        ))
    };
    for n in [2, 5, 7] {
        server.route(&path(n), same());
    }
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("SAM")), (3, PAGES - 2), "{told}");
    // Most of the site: one run later.
    for n in 0..PAGES - 1 {
        server.route(&path(n), same());
    }
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("ERR")), (0, PAGES - 4), "{told}");
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("ERR")), (PAGES - 4, 0), "{told}");
    story.track(&[]).expect_all_same(PAGES + 1, "believed");
}

#[test]
fn case10_a_page_that_is_empty_twice_is_empty() {
    let server = site();
    let mut story = crawled(&server);
    server.route(&path(3), page(""));
    server.route(
        &path(4),
        page("<!DOCTYPE html><title>Page</title><img src=/x.png>"),
    );
    let told = story.track(&[]);
    assert_eq!((told.count("ERR"), told.count("SAM")), (2, PAGES - 1), "{told}");
    for n in [3, 4] {
        assert_eq!(told.of(&server.url(&path(n))).reason, "became-empty", "{told}");
    }
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("SAM")), (2, PAGES - 1), "{told}");
    story.track(&[]).expect_all_same(PAGES + 1, "empty as before");
}

/// Most pages became shorter at once: one line, and a second look.
#[test]
fn case13_a_site_that_shrinks_is_looked_at_twice() {
    let server = site();
    let mut story = crawled(&server);
    for n in 0..PAGES {
        server.route(
            &path(n),
            page(framed(&format!("Page {n}"), &paragraphs(n as u64, 1))),
        );
    }
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("ERR")), (0, PAGES), "{told}");
    let text = story.report_text();
    let lines: Vec<_> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert!(
        lines.len() == 1 && lines[0].contains("12 of 13"),
        "one line: {lines:?}"
    );
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("ERR")), (PAGES, 0), "{told}");
}

/// A message that stays is the page; one that comes back after the page was well is one again.
#[test]
fn case08_a_message_is_believed_only_when_it_stays() {
    let server = site();
    let mut story = crawled(&server);
    let well = || page(framed("Page 6", &paragraphs(6, 4)));
    let message = || page(framed("Database error", "<p>Please try again later.</p>"));
    let url = server.url(&path(6));
    for reply in [message(), well(), message()] {
        server.route(&path(6), reply);
        let told = story.track(&[]);
        assert!(["ERR", "SAM"].contains(&told.state_of(&url)), "{told}");
    }
    assert_eq!(story.track(&[]).state_of(&url), "UPD");
}

/// What is meant for browsers without scripts is not what the page says.
#[test]
fn case30_a_search_page_with_a_message_in_noscript_is_a_page() {
    let search = |version: u32| {
        page(format!(
            "<!DOCTYPE html><title>Search - Herons {version}.0</title><h1>Search</h1><noscript><div><p>Error: Please activate \
             JavaScript to enable the search functionality.</p></div></noscript><p>Release {version}.0 of the handbook.</p>\
             <form><input name=q></form>"
        ))
    };
    let server = site();
    server.route(&path(1), search(1));
    let mut story = crawled(&server);
    server.route(&path(1), search(2));
    let told = story.track(&[]);
    assert_ne!(told.state_of(&server.url(&path(1))), "ERR", "{told}");
    assert_eq!(told.count("ERR"), 0, "{told}");
}
