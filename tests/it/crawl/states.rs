//! What is new, changed, the same, gone? A second crawl tells (B1).

use super::limits::fan;
use crate::crawled::{changes, crawl_well, cuts, expect_sound, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, status};

#[test]
fn b1_a_second_crawl_tells_new_updated_same_missing_and_errors_apart() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let all = [
        "/same",
        "/changed",
        "/gone",
        "/gone-for-good",
        "/broken",
        "/closed",
        "/typed",
        "/empty",
        "/dead",
    ];
    server
        .route("/", page(links(all)))
        .route("/same", page("same"))
        .route("/changed", page("before"));
    for path in &all[2..8] {
        server.route(path, page(format!("content of {path}")));
    }
    let first = crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(
        (&first.json()["new"], &first.json()["dead_links"]),
        (&9.into(), &1.into()),
        "{first}"
    );
    assert_eq!(first.json()["missing"], 0, "a dead link never was a document");

    server
        .route("/", page(links(all.iter().chain(&["/fresh"]))))
        .route("/fresh", page("fresh"))
        .route("/changed", page("after"));
    server
        .remove("/gone")
        .route("/gone-for-good", status(410))
        .route("/broken", status(500))
        .route("/closed", status(403));
    server
        .route(
            "/typed",
            status(200)
                .with_header("Content-Type", "image/png")
                .with_body("\u{89}PNG"),
        )
        .route("/empty", page(""));
    let second = crawl_well(&gleaner, &server.url("/"), &[]);
    let of = |path: &str| changes(&gleaner)[&server.url(path)].clone();
    let pair = |state: &str, reason: &str| (state.to_owned(), reason.to_owned());
    assert_eq!(of("/"), pair("UPD", ""));
    assert_eq!(of("/same"), pair("SAM", ""));
    assert_eq!(of("/changed"), pair("UPD", ""));
    assert_eq!(of("/fresh"), pair("NEW", ""));
    assert_eq!(of("/gone"), pair("MIS", "http-404"));
    assert_eq!(of("/gone-for-good"), pair("MIS", "http-410"));
    assert_eq!(of("/broken"), pair("ERR", "http-5xx"));
    assert_eq!(of("/closed"), pair("ERR", "http-403"));
    assert_eq!(of("/typed"), pair("OUT", "unwanted-type"));
    assert_eq!(of("/empty"), pair("ERR", "became-empty"));
    let summary = second.json();
    let counts: Vec<u64> = ["new", "updated", "same", "missing", "errors", "out", "dead_links"]
        .iter()
        .map(|k| summary[k].as_u64().expect("a number"))
        .collect();
    assert_eq!(counts, [1, 2, 1, 2, 3, 1, 1], "{second}");
    for path in &all[2..8] {
        assert_eq!(
            gleaner.run(&["cat", &server.url(path)]).stdout,
            format!("content of {path}"),
            "old versions stay"
        );
    }
    assert_eq!(gleaner.run(&["cat", &server.url("/changed")]).stdout, "after");
    expect_sound(&gleaner);
}

#[test]
fn b1_a_large_section_that_stays_the_same_is_no_trap() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    fan(&server, 300);
    crawl_well(&gleaner, &server.url("/"), &["--per-host", "4"]);
    for _ in 0..2 {
        let again = crawl_well(&gleaner, &server.url("/"), &["--per-host", "4"]);
        assert_eq!(
            (&again.json()["same"], &again.json()["errors"]),
            (&300.into(), &0.into()),
            "{again}\n{:?}",
            cuts(&gleaner)
        );
    }
    expect_sound(&gleaner);
}
