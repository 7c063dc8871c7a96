//! How far does a crawl go? Scope (A5) and the rules that come before it (A3).

use crate::crawled::{asked, crawl, crawl_well, cuts, documents, expect_sound, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page, redirect};
use std::collections::BTreeSet;

#[test]
fn a5_each_scope_takes_what_it_says_and_records_the_rest_as_links() {
    let resolve = [
        "--allow-private",
        "--resolve",
        "www.site.test=127.0.0.1",
        "--resolve",
        "blog.site.test=127.0.0.1",
        "--resolve",
        "far.test=127.0.0.1",
    ];
    let cases: [(&str, &[&str]); 5] = [
        ("list", &["www/docs/start"]),
        ("subtree", &["www/docs/start", "www/docs/a"]),
        ("host", &["www/docs/start", "www/docs/a", "www/other"]),
        (
            "domain",
            &["www/docs/start", "www/docs/a", "www/other", "blog/docs/b"],
        ),
        (
            "web",
            &[
                "www/docs/start",
                "www/docs/a",
                "www/other",
                "blog/docs/b",
                "far/docs/c",
            ],
        ),
    ];
    for (scope, wanted) in cases {
        let (gleaner, server) = (Gleaner::new(), HostileServer::start());
        let hrefs = [
            "/docs/a".into(),
            "/other".into(),
            server.url_as("blog.site.test", "/docs/b"),
            server.url_as("far.test", "/docs/c"),
        ];
        server
            .route("/docs/start", page(links(&hrefs)))
            .route("/*", page("page"));
        let start = server.url_as("www.site.test", "/docs/start");
        crawl_well(&gleaner, &start, &[&["--scope", scope], &resolve[..]].concat());
        let got: BTreeSet<String> = server
            .requests()
            .iter()
            .filter(|request| request.path() != "/robots.txt")
            .map(|request| {
                format!(
                    "{}{}",
                    request
                        .header("host")
                        .unwrap_or("")
                        .split('.')
                        .next()
                        .unwrap_or(""),
                    request.target
                )
            })
            .collect();
        assert_eq!(
            got,
            wanted.iter().map(|path| (*path).to_owned()).collect(),
            "{scope}"
        );
        let out = gleaner.run(&["links", &start, "--json"]);
        assert_eq!(
            out.json_lines().len(),
            4,
            "{scope}: foreign links are links too: {out}"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn a5_the_host_that_a_seed_leads_to_belongs_to_the_crawl() {
    let more = [
        "--allow-private",
        "--resolve",
        "site.test=127.0.0.1",
        "--resolve",
        "www.site.test=127.0.0.1",
        "--resolve",
        "far.test=127.0.0.1",
    ];
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let www = server.url_as("www.site.test", "/");
    server.route(
        "/",
        dynamic(move |request: &Request| match request.header("host") {
            Some(host) if host.starts_with("www.") => page(links(["/inside"])),
            _ => redirect(&www),
        }),
    );
    server.route("/inside", page("inside"));
    crawl_well(&gleaner, &server.url_as("site.test", "/"), &more);
    assert_eq!(documents(&gleaner).len(), 2);
    // The second run knows it from the start.
    let again = crawl_well(&gleaner, &server.url_as("site.test", "/"), &more);
    assert_eq!(again.json()["same"], 2, "{again}");
    let explained = gleaner.run(&["explain", &server.url_as("www.site.test", "/inside")]);
    assert!(!explained.stdout.contains("NO "), "{explained}");

    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server
        .route("/", redirect(&server.url_as("far.test", "/away")))
        .route("/away", page("away"));
    let finished = crawl(&gleaner, &server.url_as("site.test", "/"), &more);
    finished.expect_code(&[1]);
    assert_eq!(server.hits("/away"), 0);
    assert!(
        finished.stderr.contains("nothing was collected: out-of-scope"),
        "{finished}"
    );
}

#[test]
fn a3_rules_come_before_the_scope() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let far = server.url_as("far.test", "/wanted/1");
    server
        .route("/", page(links([far.as_str(), "/shop/1", "/shop/keep", "/ok"])))
        .route("/*", page("page"));
    let more = [
        "--allow",
        "^http://far\\.test(:\\d+)?/wanted/",
        "--deny",
        "/shop/\\d",
        "--resolve",
        "far.test=127.0.0.1",
        "--allow-private",
    ];
    crawl_well(&gleaner, &server.url("/"), &more);
    assert_eq!(asked(&server), ["/", "/ok", "/shop/keep", "/wanted/1"]);
    assert_eq!(cuts(&gleaner).get("rule-denied"), Some(&1));
    expect_sound(&gleaner);
}
