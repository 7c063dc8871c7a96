//! A crawl that collects nothing says why.

use crate::crawled::{crawl, expect_sound};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, redirect, status, text};

#[test]
fn a_crawl_that_collects_nothing_says_why() {
    let (server, closed) = (HostileServer::start(), HostileServer::start());
    server
        .route("/gone", status(404))
        .route("/shut", status(403))
        .route("/noindex", page("<meta name=robots content=noindex>"));
    server.route(
        "/pic.png",
        status(200)
            .with_header("Content-Type", "image/png")
            .with_body("\u{89}PNG"),
    );
    server.route("/moved", redirect("/gone"));
    closed.route("/robots.txt", text("User-agent: *\nDisallow: /"));
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        format!("http://{}/", listener.local_addr().expect("an address"))
    };
    let cases = [
        (closed.url("/x"), "robots-denied"),
        (server.url("/gone"), "http-404"),
        (server.url("/moved"), "http-404"),
        (server.url("/shut"), "http-403"),
        (server.url("/noindex"), "noindex"),
        (server.url("/pic.png"), "unwanted-type"),
        (nobody, "robots-unreachable"),
    ];
    for (url, reason) in cases {
        let gleaner = Gleaner::new();
        let finished = crawl(&gleaner, &url, &[]);
        finished.expect_code(&[1]);
        let cause = format!(" ({reason}");
        let is_said =
            |line: &&str| line.starts_with("gleaner: nothing was collected: ") && line.contains(&cause);
        assert_eq!(
            finished.stderr.lines().filter(is_said).count(),
            1,
            "{url}: {finished}"
        );
        assert_eq!(finished.json()["status"], "finished", "{finished}");
        expect_sound(&gleaner);
    }
}
