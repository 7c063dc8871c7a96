//! The report of a run as people and programs get it, with what tracking writes into the catalog.

use crate::crawled::{crawl, crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, status};
use rusqlite::Connection;

/// A small site after a change, and its catalog as a track leaves it.
fn tracked() -> (Gleaner, HostileServer) {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let words = "many words that make this a paragraph which everybody takes for the main text of the page";
    server.route("/", page(links(["/a", "/b", "/c"]) + "<title>Start</title>"));
    for (path, text) in [("/a", "first"), ("/b", "stays"), ("/c", "moves")] {
        server.route(
            path,
            page(format!(
                "<title>Page {path}</title><main><p>{text} {words}</p></main>"
            )),
        );
    }
    crawl_well(&gleaner, &server.url("/"), &["--name", "news"]);
    server.route(
        "/a",
        page(format!(
            "<title>Page /a</title><main><p>second {words}</p></main>"
        )),
    );
    crawl_well(&gleaner, &server.url("/"), &["--name", "news"]);
    let catalog = Connection::open(gleaner.data().join("gleaner.db")).expect("the catalog");
    let _ = std::fs::remove_file(gleaner.data().join("gleaner.db-sums"));
    catalog
        .execute_batch(
            "UPDATE runs SET kind = 'track' WHERE id = 2;
             INSERT INTO notes(run, text) VALUES (2, 'the site has new addresses: 3 of 4 documents moved');
             UPDATE changes SET is_orphan = 1 WHERE run = 2 AND resource = (SELECT id FROM resources WHERE url LIKE '%/b');
             UPDATE changes SET moved_from = (SELECT id FROM resources WHERE url LIKE '%/a')
                 WHERE run = 2 AND resource = (SELECT id FROM resources WHERE url LIKE '%/c');",
        )
        .expect("written");
    (gleaner, server)
}

#[test]
fn b8_a_track_is_told_whole() {
    let (gleaner, server) = tracked();
    let text = gleaner.run(&["report"]);
    text.expect_code(&[0]);
    let lines: Vec<&str> = text.stdout.lines().collect();
    assert!(lines[0].starts_with("run 2 of news: finished"), "{text}");
    assert_eq!(lines[1], "! the site has new addresses: 3 of 4 documents moved");
    assert_eq!(lines[2], "NEW 0   UPD 1   SAM 3   MIS 0   ERR 0   OUT 0");
    assert_eq!(
        lines[3],
        "4 documents before: 1 UPD + 3 SAM + 0 MIS + 0 ERR + 0 OUT"
    );
    let line = |path: &str| {
        let url = server.url(path);
        let found = lines.iter().find(|line| line.contains(&format!("  {url}")));
        (*found.unwrap_or_else(|| panic!("{path}: {text}"))).to_owned()
    };
    assert!(line("/b").ends_with("orphan: nothing links to it any more"));
    assert!(line("/c").ends_with(&format!("moved from {}", server.url("/a"))));
    assert!(!text.stdout.contains('\u{1b}'), "colours are for terminals");

    let json = gleaner.run(&["report", "--json"]).json_lines();
    let of = |path: &str| {
        let url = server.url(path);
        json.iter()
            .find(|line| line["url"] == url.as_str())
            .expect("a line")
    };
    assert_eq!(of("/b")["orphan"], true);
    assert_eq!(of("/c")["moved_from"], server.url("/a").as_str());
    assert!(of("/a")["version"].is_i64() && of("/b")["version"].is_null());
    for line in &json {
        for key in ["state", "id", "url", "type", "size", "reason", "detail"] {
            assert!(line.get(key).is_some(), "{key}: {line}");
        }
    }
    // The crawl before it proves nothing about what was there.
    assert!(!gleaner.run(&["report", "1"]).stdout.contains("documents before"));
}

#[test]
fn b8_the_page_needs_nothing_else() {
    let (gleaner, server) = tracked();
    let html = gleaner.run(&["report", "2", "--format", "html"]);
    html.expect_code(&[0]);
    let page = &html.stdout;
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for words in [
        "<h1>news</h1>",
        "the site has new addresses",
        "4 documents before: 1 UPD + 3 SAM",
        "data-state=\"UPD\"",
        "orphan: nothing links to it any more",
        "<del>first</del><ins>second</ins>",
        "prefers-color-scheme:dark",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(page.contains(&format!("moved from {}", server.url("/a"))));
    for outside in ["<link", "<img", "<iframe", " src=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let only = gleaner
        .run(&["report", "2", "--format", "html", "--state", "SAM"])
        .stdout;
    assert!(!only.contains("<section data-state=\"UPD\""));
}

#[test]
fn many_failures_of_one_host_are_one_line() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(links(
            (0..25).map(|n| format!("/down/{n}")).chain(["/other".to_owned()]),
        )),
    );
    server.route("/down/*", status(500)).route("/other", status(502));
    crawl(&gleaner, &server.url("/"), &[]);
    let text = gleaner.run(&["report"]).stdout;
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("ERR  ")).collect();
    assert!(errors.len() <= 2, "{text}");
    assert!(
        errors
            .iter()
            .any(|line| line.contains("http-5xx") && line.ends_with("URLs)")),
        "{text}"
    );
    assert_eq!(gleaner.run(&["report", "--json"]).json_lines().len(), 27);
    assert!(
        gleaner
            .run(&["report", "--format", "html"])
            .stdout
            .contains(" URLs</div>")
    );
}
