//! Bodies are kept as sent and shown as meant.

use crate::crawled::{crawl_well, expect_sound, links};
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page};
use std::io::Write as _;

/// The text in one block that is not compressed, as the brotli format allows.
fn brotli(text: &[u8]) -> Vec<u8> {
    let head = ((text.len() as u32 - 1) << 4) | (1 << 20);
    [&head.to_le_bytes()[..3], text, &[3]].concat()
}

/// The same as a zstd frame.
fn zstd(text: &[u8]) -> Vec<u8> {
    let block = ((text.len() as u32) << 3) | 1;
    [
        &[0x28, 0xb5, 0x2f, 0xfd, 0x20, text.len() as u8],
        &block.to_le_bytes()[..3],
        text,
    ]
    .concat()
}

#[test]
fn bodies_are_kept_as_sent_and_shown_as_meant() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let html = "<title>Packed</title><p>The same words.</p>";
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(html.as_bytes()).expect("memory");
    let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
    zlib.write_all(html.as_bytes()).expect("memory");
    let packed: [(&str, Vec<u8>); 4] = [
        ("gzip", gzip.finish().expect("memory")),
        ("deflate", zlib.finish().expect("memory")),
        ("br", brotli(html.as_bytes())),
        ("zstd", zstd(html.as_bytes())),
    ];
    server.route(
        "/",
        page(links(packed.iter().map(|(name, _)| format!("/{name}")))),
    );
    for (name, bytes) in &packed {
        server.route(
            &format!("/{name}"),
            page(bytes).with_header("Content-Encoding", name),
        );
    }
    crawl_well(&gleaner, &server.url("/"), &[]);
    for (name, bytes) in &packed {
        let url = server.url(&format!("/{name}"));
        assert_eq!(gleaner.run(&["cat", &url]).stdout, html, "{name}");
        let mut raw = gleaner.command(&["cat", "--encoded", &url]);
        assert_eq!(&raw.output().expect("it runs").stdout, bytes, "{name}");
        let head = gleaner.run(&["cat", "--headers", &url]);
        assert!(
            head.stdout.starts_with("HTTP/1.1 200 OK\r\n") && head.stdout.ends_with(html),
            "{name}: {head}"
        );
    }
    let titles = gleaner.sqlite("SELECT count(*) FROM versions WHERE title = 'Packed'");
    assert_eq!(titles, [["4"]]);
    expect_sound(&gleaner);
}
