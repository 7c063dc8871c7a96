//! What stays the same over two tracks is believed.

use super::super::Story;
use gleaner_testkit::HostileServer;
use gleaner_testkit::away::{Site, framed_with, paragraphs};
use gleaner_testkit::hostile::{page, status};

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

/// What a server says of one page counts at once, also of the start page, while the others are as ever.
#[test]
fn case11_pages_that_are_gone_by_themselves_are_gone_at_once() {
    let server = site();
    let mut story = crawled(&server);
    server.route(&path(3), status(404));
    server.route(&path(8), status(410));
    let told = story.track(&[]);
    assert_eq!((told.count("MIS"), told.count("SAM")), (2, PAGES - 1), "{told}");
    server.route("/", status(404));
    let told = story.track(&[]);
    assert_eq!((told.count("MIS"), told.count("SAM")), (1, PAGES - 2), "{told}");
    assert_eq!(told.state_of(&server.url("/")), "MIS", "{told}");
    story.track(&[]).expect_all_same(PAGES - 2, "what is left");
}

/// A site that is closed page by page is gone page by page, the start page at last.
#[test]
fn case11_a_site_that_closes_page_by_page_is_gone() {
    let server = site();
    let mut story = crawled(&server);
    for n in 0..PAGES {
        server.route(&path(n), status(if n % 2 == 0 { 404 } else { 410 }));
        if n % 3 == 2 {
            let mut told = story.track(&[]);
            // The last ones are all that the start page had left: the server is asked twice.
            if n == PAGES - 1 {
                assert_eq!((told.count("MIS"), told.count("ERR")), (0, 3), "{told}");
                told = story.track(&[]);
            }
            assert_eq!((told.count("MIS"), told.count("ERR")), (3, 0), "{told}");
        }
    }
    server.route("/", status(404));
    let told = story.track(&[]);
    assert_eq!((told.count("MIS"), told.changes.len()), (1, 1), "{told}");
}

/// Where the project has a page or a folder of a host, and not its root.
#[test]
fn case11_a_page_alone_is_gone_and_a_folder_is_not() {
    let server = site();
    let mut story = Story::new();
    story.crawl(&server.url(&path(1)), &["--depth", "0"]);
    server.route(&path(1), status(404));
    let told = story.track(&[]);
    assert_eq!((told.count("MIS"), told.changes.len()), (1, 1), "{told}");

    let server = HostileServer::start();
    server.route("/", page(framed("Root", &paragraphs(99, 3))));
    let links = ["/docs/a", "/docs/b", "/docs/c", "/docs/d"];
    for (n, link) in links.iter().enumerate() {
        server.route(
            link,
            page(framed_with(Site(2), link, &paragraphs(n as u64, 4), &links)),
        );
    }
    server.route(
        "/docs/",
        page(framed_with(Site(2), "Docs", &paragraphs(50, 4), &links)),
    );
    let mut story = Story::new();
    let told = story.crawl(&server.url("/docs/"), &["--scope", "subtree"]);
    assert_eq!(told.count("NEW"), 5, "{told}");
    for link in links.iter().chain(&["/docs/"]) {
        server.route(link, status(404));
    }
    for _ in 0..2 {
        let told = story.track(&[]);
        assert_eq!((told.count("MIS"), told.count("ERR")), (0, 5), "{told}");
    }
    let told = story.track(&["--believe-empty"]);
    assert_eq!((told.count("MIS"), told.count("ERR")), (5, 0), "{told}");
}

/// A site whose pages are all shorter, its start page among them, waits for a person.
#[test]
fn case13_a_whole_site_of_half_pages_waits_for_a_person() {
    let server = site();
    let mut story = crawled(&server);
    server.route("/", page(""));
    for n in 0..PAGES {
        server.route(
            &path(n),
            page(framed(&format!("Page {n}"), &paragraphs(n as u64, 1))),
        );
    }
    for _ in 0..3 {
        let told = story.track(&[]);
        assert_eq!((told.count("UPD"), told.count("ERR")), (0, PAGES + 1), "{told}");
    }
    let told = story.track(&["--believe-empty"]);
    assert_eq!((told.count("UPD"), told.count("ERR")), (PAGES + 1, 0), "{told}");
    story.track(&[]).expect_all_same(PAGES + 1, "believed");
}

/// A start page that is edited at the same time makes no wall of three pages with one text.
#[test]
fn case09_pages_edited_to_one_text_beside_a_new_start_page_are_updated() {
    let server = site();
    let mut story = crawled(&server);
    let gone_out = || page(framed("Out of print", "<p>This volume is out of print.</p>"));
    for n in [1, 4, 9] {
        server.route(&path(n), gone_out());
    }
    let links: Vec<String> = (0..PAGES)
        .map(|n| format!("<a href=\"{}\">Volume {n}</a> ", path(n)))
        .collect();
    let start = format!("<p>{}</p>{}", links.concat(), paragraphs(500, 3));
    server.route("/", page(framed("Our volumes", &start)));
    let told = story.track(&[]);
    assert_eq!((told.count("UPD"), told.count("SAM")), (4, PAGES - 3), "{told}");
}
