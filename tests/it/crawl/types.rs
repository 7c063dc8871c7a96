//! Unwanted types are left out before they cost anything (A6).

use crate::crawled::{asked, crawl_well, cuts, documents, expect_sound, links, reason_of};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Script, page, status, text};
use std::collections::BTreeSet;

#[test]
fn a6_unwanted_types_are_left_out_before_they_cost_anything() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(
            links(["/pic.png", "/film", "/sheet.css", "/doc.pdf", "/mystery", "/text"])
                + "<img src=/logo.gif>",
        ),
    );
    let endless = |kind: &str| {
        Script::new()
            .send(format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: 4000000000\r\n\r\n"
            ))
            .send_forever([0; 4096])
    };
    server.route("/film", endless("video/mp4"));
    let png = b"\x89PNG\r\n\x1a\n0000".repeat(100);
    server.route(
        "/mystery",
        status(200)
            .with_header("Content-Type", "application/octet-stream")
            .with_body(&png),
    );
    server.route(
        "/doc.pdf",
        status(200)
            .with_header("Content-Type", "application/pdf")
            .with_body("%PDF-1.4 small"),
    );
    server.route("/text", text("plain words"));
    let gif = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    server.route(
        "/pic.png",
        status(200)
            .with_header("Content-Type", "image/png")
            .with_body(&png),
    );
    server.route(
        "/logo.gif",
        status(200)
            .with_header("Content-Type", "image/gif")
            .with_body(gif),
    );
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(asked(&server), ["/", "/doc.pdf", "/film", "/mystery", "/text"]);
    assert!(
        server.bytes_sent() < 16 * 1024 * 1024,
        "{} bytes of the film were sent",
        server.bytes_sent()
    );
    assert_eq!(reason_of(&gleaner, &server.url("/film")), "unwanted-type");
    assert_eq!(
        reason_of(&gleaner, &server.url("/mystery")),
        "unwanted-type",
        "the bytes tell"
    );
    assert_eq!(
        cuts(&gleaner).get("unwanted-type"),
        Some(&3),
        "by extension: {:?}",
        cuts(&gleaner)
    );
    let wanted: BTreeSet<String> = ["/", "/doc.pdf", "/text"]
        .iter()
        .map(|path| server.url(path))
        .collect();
    assert_eq!(documents(&gleaner), wanted);
    expect_sound(&gleaner);

    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--types", "images,documents"]);
    let wanted: BTreeSet<String> = ["/pic.png", "/logo.gif", "/doc.pdf", "/mystery"]
        .iter()
        .map(|path| server.url(path))
        .collect();
    assert_eq!(documents(&gleaner), wanted, "HTML is walked over and not kept");
    expect_sound(&gleaner);
}
