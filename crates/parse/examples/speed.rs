//! How fast are pages read? `cargo run --release -p gleaner-parse --example speed -- page.html …`
//!
//! Reads each file given, many times over, and prints bytes per second: as pages are (links resolved), and with every
//! address attribute renamed, so that the same bytes are scanned but nothing is resolved.
#![allow(clippy::print_stdout, reason = "a command that shows figures")]

use gleaner_model::Url;
use gleaner_parse::{Input, parse};
use std::time::{Duration, Instant};

fn main() {
    let pages: Vec<Vec<u8>> = std::env::args()
        .skip(1)
        .filter_map(|path| std::fs::read(path).ok())
        .collect();
    if pages.is_empty() {
        println!("usage: speed page.html …");
        return;
    }
    let links: usize = pages.iter().map(|page| read(page)).sum();
    let bytes: usize = pages.iter().map(Vec::len).sum();
    println!("{} pages, {bytes} bytes, {links} links", pages.len());
    report("whole", &pages);
    let bare: Vec<Vec<u8>> = pages.iter().map(|page| without_addresses(page)).collect();
    report("scan only", &bare);
}

fn report(what: &str, pages: &[Vec<u8>]) {
    let start = Instant::now();
    let (mut bytes, mut count) = (0usize, 0u32);
    while start.elapsed() < Duration::from_secs(2) {
        for page in pages {
            read(page);
            bytes += page.len();
            count += 1;
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{what}: {:.0} MB/s, {:.1} us a page",
        bytes as f64 / seconds / 1e6,
        seconds * 1e6 / f64::from(count)
    );
}

fn read(body: &[u8]) -> usize {
    let url = Url::parse("http://site.test/dir/page.html").expect("a plain URL");
    let headers = [("content-type".to_owned(), "text/html; charset=utf-8".to_owned())];
    let parsed = parse(&Input {
        url: &url,
        headers: &headers,
        body,
        agent: "gleaner",
        is_sitemap: false,
    });
    std::hint::black_box(&parsed);
    parsed.links.len()
}

/// The same bytes with `href`, `src` and `srcset` called something else.
fn without_addresses(page: &[u8]) -> Vec<u8> {
    let mut out = page.to_vec();
    for at in 0..out.len().saturating_sub(7) {
        for name in [&b" href="[..], b" src=", b" srcset="] {
            if out[at..].starts_with(name) {
                out[at + 1] = b'z';
            }
        }
    }
    out
}
