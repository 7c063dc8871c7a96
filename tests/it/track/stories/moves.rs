//! Pages that move, lose their links, go and come back (B1, B5).

use super::{crawled, document, site};
use gleaner_testkit::hostile::{HostileServer, page, redirect};

const PATHS: [&str; 5] = ["/one", "/two", "/three", "/four", "/five"];

#[test]
fn b3_a_304_costs_no_body() {
    let server = site(&PATHS);
    let tagged = |number| {
        gleaner_testkit::hostile::dynamic(move |request: &gleaner_testkit::hostile::Request| {
            match request.header("if-none-match") {
                Some("\"t\"") => gleaner_testkit::hostile::status(304),
                _ => page(document(number, &["/"])).with_header("ETag", "\"t\""),
            }
        })
    };
    for (at, path) in PATHS.iter().enumerate() {
        server.route(path, tagged(at as u64 + 1));
    }
    let mut story = crawled(&server, 6);
    server.forget();
    let told = story.track(&[]);
    told.expect_all_same(6, "nothing changed");
    let is_conditional = |path: &&&str| {
        let asked = server.requests_to(path);
        asked
            .iter()
            .any(|request| request.header("if-none-match") == Some("\"t\""))
    };
    // Now and then a page is looked at whole, to see whether the server tells the truth.
    let conditional = PATHS.iter().filter(is_conditional).count();
    assert!(
        conditional >= 4,
        "only {conditional} of five were asked for with their tags"
    );
    let body = document(1, &["/"]).len() as u64;
    assert!(
        server.bytes_sent() < 5 * body,
        "{} bytes for five pages that did not change",
        server.bytes_sent()
    );
}

#[test]
fn b1_gone_is_told_once_and_a_return_is_new() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    server.remove("/two");
    let told = story.track(&[]);
    assert_eq!(told.state_of(&server.url("/two")), "MIS", "{told}");
    assert_eq!((told.count("SAM"), told.changes.len()), (5, 6), "{told}");
    story
        .track(&[])
        .expect_all_same(5, "what is gone is no old document");
    server.route("/two", page(document(2, &["/"])));
    let told = story.track(&[]);
    assert_eq!(told.state_of(&server.url("/two")), "NEW", "{told}");
    assert_eq!((told.count("SAM"), told.changes.len()), (5, 6), "{told}");
}

#[test]
fn b1_an_error_before_the_end_is_no_end() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    server.route("/two", gleaner_testkit::hostile::status(500));
    assert_eq!(story.track(&[]).state_of(&server.url("/two")), "ERR");
    server.route("/two", gleaner_testkit::hostile::status(410));
    let told = story.track(&[]);
    let change = told.of(&server.url("/two"));
    assert_eq!(
        (change.state.as_str(), change.reason.as_str()),
        ("MIS", "http-410")
    );
}

#[test]
fn b1_changed_added_removed_and_nothing_else() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    server
        .route("/three", page(document(33, &["/"])))
        .remove("/four")
        .route("/six", page(document(6, &["/"])))
        .route(
            "/",
            page(document(0, &["/one", "/two", "/three", "/five", "/six"])),
        );
    let told = story.track(&[]);
    let of = |state| {
        let urls = told.urls(state);
        urls.into_iter()
            .map(|url| url.rsplit('/').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(of("NEW"), ["six"], "{told}");
    assert_eq!(of("MIS"), ["four"], "{told}");
    assert_eq!(of("UPD"), ["", "three"], "{told}");
    assert_eq!(told.count("SAM"), 3, "{told}");
}

/// Of two equal pages one is deleted: the other did not move there.
#[test]
fn b1_a_copy_is_not_taken_for_a_move() {
    let server = site(&PATHS);
    server.route("/two", page(document(1, &["/"])));
    let mut story = crawled(&server, 6);
    server.remove("/one");
    let told = story.track(&[]);
    assert_eq!(told.state_of(&server.url("/one")), "MIS", "{told}");
    assert_eq!((told.count("SAM"), told.changes.len()), (5, 6), "{told}");
    assert!(
        told.changes.iter().all(|change| change.moved_from.is_empty()),
        "{told}"
    );
}

/// A page appears that equals one that is still there: it is new.
#[test]
fn b1_a_new_copy_is_new() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    server.route("/copy", page(document(1, &["/"])));
    server.route(
        "/",
        page(document(
            0,
            &["/one", "/two", "/three", "/four", "/five", "/copy"],
        )),
    );
    let told = story.track(&[]);
    assert_eq!(told.state_of(&server.url("/copy")), "NEW", "{told}");
    assert_eq!(told.state_of(&server.url("/one")), "SAM", "{told}");
    assert_eq!(told.count("MIS"), 0, "{told}");
}

#[test]
fn b5_an_orphan_is_fetched_judged_and_marked() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    server.route("/", page(document(0, &["/one", "/two", "/three", "/four"])));
    let told = story.track(&[]);
    let orphan = told.of(&server.url("/five"));
    assert_eq!(orphan.state, "SAM", "{told}");
    assert!(
        orphan.is_orphan,
        "nothing links to it any more: {orphan:?}\n{told}"
    );
    assert_eq!(
        told.state_of(&server.url("/")),
        "UPD",
        "its list of links changed\n{told}"
    );
    let marked = told.changes.iter().filter(|change| change.is_orphan).count();
    assert_eq!(marked, 1, "only the orphan is one\n{told}");

    server.route("/five", page(document(55, &["/"])));
    let told = story.track(&[]);
    let orphan = told.of(&server.url("/five"));
    assert_eq!((orphan.state.as_str(), orphan.is_orphan), ("UPD", true), "{told}");

    server.route("/", page(document(0, &PATHS)));
    let told = story.track(&[]);
    let found = told.of(&server.url("/five"));
    assert_eq!(
        (found.state.as_str(), found.is_orphan),
        ("SAM", false),
        "linked again\n{told}"
    );

    server.route("/", page(document(0, &["/one", "/two", "/three", "/four"])));
    server.remove("/five");
    let told = story.track(&[]);
    assert_eq!(
        told.state_of(&server.url("/five")),
        "MIS",
        "unlinked and proven gone\n{told}"
    );
}

#[test]
fn b5_orphans_that_name_each_other_are_orphans() {
    let server = site(&PATHS);
    server.route("/four", page(document(4, &["/five"])));
    server.route("/five", page(document(5, &["/four"])));
    let mut story = crawled(&server, 6);
    server.route("/", page(document(0, &["/one", "/two", "/three"])));
    let told = story.track(&[]);
    for (path, is_orphan) in [
        ("/one", false),
        ("/three", false),
        ("/four", true),
        ("/five", true),
    ] {
        let change = told.of(&server.url(path));
        assert_eq!(
            (change.state.as_str(), change.is_orphan),
            ("SAM", is_orphan),
            "{told}"
        );
    }
}

/// The old address of a change, whichever of the two addresses its line is about.
fn expect_moved(told: &super::super::Told, server: &HostileServer, from: &str, to: &str, state: &str) {
    let change = told.of(&server.url(to));
    assert_eq!(
        (
            change.state.as_str(),
            change.reason.as_str(),
            change.moved_from.as_str()
        ),
        (state, "moved", server.url(from).as_str()),
        "{told}"
    );
    let old = told.changes.iter().find(|change| change.url == server.url(from));
    assert!(old.is_none(), "the old address is told too: {old:?}\n{told}");
}

#[test]
fn b1_a_renamed_page_moved_and_is_neither_gone_nor_new() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    server.remove("/three").route("/drei", page(document(3, &["/"])));
    server.route(
        "/",
        page(document(0, &["/one", "/two", "/drei", "/four", "/five"])),
    );
    let told = story.track(&[]);
    expect_moved(&told, &server, "/three", "/drei", "SAM");
    assert_eq!((told.count("MIS"), told.count("NEW")), (0, 0), "{told}");
    story.track(&[]).expect_all_same(6, "it lives at its new address");
}

#[test]
fn b1_a_page_moved_by_301_keeps_its_identity() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    server
        .route("/three", redirect("/new/three").with_status(301))
        .route("/new/three", page(document(3, &["/"])));
    let told = story.track(&[]);
    expect_moved(&told, &server, "/three", "/new/three", "SAM");
    assert_eq!((told.count("SAM"), told.changes.len()), (6, 6), "{told}");
    story.track(&[]).expect_all_same(6, "it lives at its new address");
}

#[test]
fn b1_a_page_that_moved_and_changed_a_little_is_updated() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    let edited = document(3, &["/"]).replacen("The ", "Seldom ", 1);
    server
        .route("/three", redirect("/new/three").with_status(308))
        .route("/new/three", page(edited));
    let told = story.track(&[]);
    expect_moved(&told, &server, "/three", "/new/three", "UPD");
    assert_eq!((told.count("SAM"), told.changes.len()), (5, 6), "{told}");
}

/// The address leads to another page that was there all the time: its content did not go there.
#[test]
fn b1_a_redirect_to_another_known_page_is_no_move() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 6);
    server.route("/three", redirect("/four").with_status(301));
    let told = story.track(&[]);
    assert_eq!(told.state_of(&server.url("/three")), "ERR", "{told}");
    assert_eq!(told.state_of(&server.url("/four")), "SAM", "{told}");
    assert_eq!((told.count("SAM"), told.changes.len()), (5, 6), "{told}");
}

/// Every address is another: the report says so in one line, and tells no flood of gone and new.
#[test]
fn b1_a_site_with_new_addresses_is_one_line() {
    let old: Vec<String> = (0..30).map(|n| format!("/old/{n}")).collect();
    let new: Vec<String> = (0..30).map(|n| format!("/library/text-{n}.html")).collect();
    let server = site(&old.iter().map(String::as_str).collect::<Vec<_>>());
    let mut story = crawled(&server, 31);
    server.route(
        "/",
        page(document(0, &new.iter().map(String::as_str).collect::<Vec<_>>())),
    );
    for (at, (old, new)) in old.iter().zip(&new).enumerate() {
        server
            .remove(old)
            .route(new, page(document(at as u64 + 1, &["/"])));
    }
    let told = story.track(&[]);
    assert_eq!((told.count("MIS"), told.count("NEW")), (0, 0), "{told}");
    for (old, new) in old.iter().zip(&new) {
        expect_moved(&told, &server, old, new, "SAM");
    }
    let notes = story
        .gleaner
        .sqlite(&format!("SELECT text FROM notes WHERE run = {}", told.run));
    assert_eq!(notes.len(), 1, "one sentence about it: {notes:?}");
    let text = story.report_text();
    assert!(
        text.contains(&notes[0][0]),
        "the report has it: {notes:?}\n{text}"
    );
    story
        .track(&[])
        .expect_all_same(31, "the new addresses are the addresses");
}
