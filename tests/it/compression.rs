//! Content encodings that explode, pile up, lie or break off (HC074–HC077), met by the whole program.

use std::io::Write;

use crate::http::stage::{Stage, case, three_acts};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use gleaner_testkit::hostile::{Response, page};

const HTML: &str = "<!DOCTYPE html><title>Packed</title><a href=/linked>words that were packed</a>";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("memory takes all");
    out.finish().expect("memory takes all")
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut out = ZlibEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("memory takes all");
    out.finish().expect("memory takes all")
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = DeflateEncoder::new(Vec::new(), Compression::fast());
    out.write_all(bytes).expect("memory takes all");
    out.finish().expect("memory takes all")
}

fn packed(encoding: &str, body: impl AsRef<[u8]>) -> Response {
    page(body).with_header("Content-Encoding", encoding)
}

/// A zstd frame of run-length blocks: four bytes for 128 KiB (RFC 8878 §3.1.1.2).
fn zstd_bomb(blocks: usize) -> Vec<u8> {
    let mut out = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58];
    for block in 1..=blocks {
        let is_last = u32::from(block == blocks);
        let header = (128 << 10) << 3 | 1 << 1 | is_last;
        out.extend_from_slice(&header.to_le_bytes()[..3]);
        out.push(b'z');
    }
    out
}

#[test]
fn hc074_bombs_stop_at_the_limit() {
    let stage = Stage::new();
    let piece = gzip(&vec![0; 8 << 20]);
    let members = piece.repeat(1280); // 10 GiB, each member believable by itself
    let twice = gzip(&members);
    // 64 MiB of zeros, as in the room that decodes: there is no encoder for brotli here.
    let brotli = include_bytes!("../../crates/parse/src/decode/bomb.br");
    let cases = vec![
        case("gzip", packed("gzip", members), "decoded-too-large"),
        case("gzip-twice", packed("gzip, gzip", twice), "decoded-too-large"),
        case(
            "deflate",
            packed("deflate", zlib(&vec![0; 128 << 20])),
            "decoded-too-large",
        ),
        case(
            "raw-deflate",
            packed("deflate", deflate(&vec![0; 128 << 20])),
            "decoded-too-large",
        ),
        case("brotli", packed("br", brotli), "decoded-too-large"),
        case("zstd", packed("zstd", zstd_bomb(80 * 1024)), "decoded-too-large"),
    ];
    three_acts(&stage, cases, &[]);
}

#[test]
fn hc074_honest_pages_that_pack_well_are_taken() {
    let stage = Stage::new();
    let long = format!("{HTML}{}", "and so on, ".repeat(500_000));
    for (path, response) in [
        ("/gzip", packed("gzip", gzip(long.as_bytes()))),
        ("/deflate", packed("deflate", zlib(long.as_bytes()))),
    ] {
        stage.server.route(path, response);
        let url = stage.url("long", path);
        assert_eq!(
            stage
                .crawl(std::slice::from_ref(&url), &["--depth", "0"])
                .told(&url)
                .0,
            "NEW",
            "{path}"
        );
        assert_eq!(stage.cat(&url), long, "{path}");
    }
}

#[test]
fn hc075_stacked_encodings_are_refused_past_the_limit() {
    let stage = Stage::new();
    let five = (0..5).fold(HTML.as_bytes().to_vec(), |body, _| gzip(&body));
    let spread = page(&five)
        .with_header("Content-Encoding", "gzip, gzip")
        .with_header("Content-Encoding", "gzip")
        .with_header("Content-Encoding", "gzip, gzip");
    let cases = vec![
        case(
            "five",
            packed("gzip, gzip, gzip, gzip, gzip", &five),
            "too-many-encodings",
        ),
        case("spread", spread, "too-many-encodings"),
        case(
            "thousands",
            packed(&vec!["gzip"; 5000].join(","), &five),
            "too-many-encodings",
        ),
        case("unknown", packed("rot13", HTML), "unknown-encoding"),
    ];
    three_acts(&stage, cases, &[]);

    let three = (0..3).fold(HTML.as_bytes().to_vec(), |body, _| gzip(&body));
    let spread = page(&three)
        .with_header("Content-Encoding", "gzip")
        .with_header("Content-Encoding", "gzip, gzip");
    stage.server.route("/three", spread);
    let url = stage.url("three", "/three");
    assert_eq!(
        stage.crawl(std::slice::from_ref(&url), &[]).told(&url),
        ("NEW", "")
    );
    assert_eq!(stage.cat(&url), HTML);
}

#[test]
fn hc075_a_packed_file_is_a_document_and_not_an_encoding() {
    let stage = Stage::new();
    let nested = (0..50).fold(HTML.as_bytes().to_vec(), |body, _| gzip(&body));
    stage.server.route("/file.gz", page(&nested));
    let url = stage.url("files", "/file.gz");
    let crawl = stage.crawl(std::slice::from_ref(&url), &["--types", "all"]);
    assert_eq!(crawl.told(&url).0, "NEW");
    assert_eq!(stage.listed(&url)["type"], "application/gzip");
    assert_eq!(stage.listed(&url)["size"], nested.len());
}

#[test]
fn hc076_mislabelled_bodies_are_taken_as_browsers_take_them() {
    let stage = Stage::new();
    let cases = [
        ("/gzip-but-plain", packed("gzip", HTML), HTML.as_bytes().to_vec()),
        (
            "/deflate-but-plain",
            packed("deflate", HTML),
            HTML.as_bytes().to_vec(),
        ),
        ("/zstd-but-plain", packed("zstd", HTML), HTML.as_bytes().to_vec()),
        (
            "/zlib",
            packed("deflate", zlib(HTML.as_bytes())),
            zlib(HTML.as_bytes()),
        ),
        (
            "/raw-deflate",
            packed("deflate", deflate(HTML.as_bytes())),
            deflate(HTML.as_bytes()),
        ),
        (
            "/members",
            packed("gzip", gzip(HTML.as_bytes())),
            gzip(HTML.as_bytes()),
        ),
        ("/identity", packed("identity", HTML), HTML.as_bytes().to_vec()),
        (
            "/upper-case",
            packed("GZIP", gzip(HTML.as_bytes())),
            gzip(HTML.as_bytes()),
        ),
    ];
    let linked = stage.url("labels", "/linked");
    stage.server.route("/linked", page("linked"));
    for (path, response, _) in &cases {
        stage.server.route(path, response.clone());
    }
    let urls: Vec<String> = cases.iter().map(|(path, ..)| stage.url("labels", path)).collect();
    let crawl = stage.crawl(&urls, &[]);
    for ((path, _, sent), url) in cases.iter().zip(&urls) {
        assert_eq!(crawl.told(url).0, "NEW", "{path}");
        assert_eq!(stage.listed(url)["title"], "Packed", "{path}");
        assert_eq!(stage.cat(url), HTML, "{path}: decoded");
        let encoded = stage
            .gleaner
            .command(&["cat", "--encoded", url])
            .output()
            .expect("the program runs");
        assert_eq!(&encoded.stdout, sent, "{path}: as received");
    }
    assert_eq!(
        crawl.told(&linked),
        ("NEW", ""),
        "links of packed pages are found"
    );

    // Packed without a word: the bytes are no HTML, so nobody reads them as such; they are kept where all types are.
    stage.server.route("/plain-but-gzip", page(gzip(HTML.as_bytes())));
    let url = stage.url("labels", "/plain-but-gzip");
    let crawl = stage.crawl(std::slice::from_ref(&url), &["--types", "all"]);
    assert_eq!(crawl.told(&url).0, "NEW");
    let kept = stage
        .gleaner
        .command(&["cat", &url])
        .output()
        .expect("the program runs");
    assert_eq!(kept.stdout, gzip(HTML.as_bytes()));
}

#[test]
fn hc077_cut_or_damaged_bodies_are_never_half_a_page() {
    let stage = Stage::new();
    let numbers: Vec<String> = (0..20_000).map(|n| (n * 7919 % 10_007).to_string()).collect();
    let long = format!("{HTML}{}", numbers.join(" "));
    let whole = gzip(long.as_bytes());
    let half = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let damaged = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        bytes
    };
    let brotli = include_bytes!("../../crates/parse/src/decode/text.br");
    let cases = vec![
        case("gzip-cut", packed("gzip", half(&whole)), "truncated"),
        case(
            "gzip-without-trailer",
            packed("gzip", &whole[..whole.len() - 8]),
            "truncated",
        ),
        case(
            "gzip-trailer-cut",
            packed("gzip", &whole[..whole.len() - 3]),
            "truncated",
        ),
        case("gzip-head-only", packed("gzip", &whole[..10]), "truncated"),
        case(
            "gzip-checksum",
            packed("gzip", damaged(whole.len() - 7)),
            "corrupt-encoding",
        ),
        case(
            "gzip-length",
            packed("gzip", damaged(whole.len() - 2)),
            "corrupt-encoding",
        ),
        case(
            "zlib-cut",
            packed("deflate", half(&zlib(long.as_bytes()))),
            "truncated",
        ),
        case(
            "raw-cut",
            packed("deflate", half(&deflate(long.as_bytes()))),
            "truncated",
        ),
        case("brotli-cut", packed("br", half(brotli)), "truncated"),
        case("brotli-not", packed("br", [0xff; 200]), "corrupt-encoding"),
        case("zstd-cut", packed("zstd", half(&zstd_bomb(40))), "truncated"),
        case(
            "zstd-not",
            packed("zstd", [&[0x28, 0xb5, 0x2f, 0xfd][..], &[0xff; 200]].concat()),
            "corrupt-encoding",
        ),
    ];
    three_acts(&stage, cases, &[]);
}
