//! How long does it take to resolve a link? `cargo run --release -p gleaner-model --example join_speed`

#![expect(clippy::print_stdout, reason = "printing the figures is all it does")]

use std::hint::black_box;
use std::time::Instant;

use gleaner_model::Url;

const ROUNDS: u32 = 2_000;
const BATCHES: u32 = 200;
const PAGE: &str = "https://www.example.com/news/2026/story.html";
const LINKS: [(&str, &str); 12] = [
    ("root-relative", "/news/2026/another-story.html"),
    ("relative", "next.html"),
    ("relative, up", "../../images/logo.png"),
    ("query", "?page=2&sort=date"),
    ("fragment", "#comments"),
    (
        "absolute, same host",
        "https://www.example.com/about/contact?from=story",
    ),
    (
        "absolute, other host",
        "https://cdn.example.net/assets/site.css?v=123",
    ),
    ("protocol-relative", "//cdn.example.net/assets/site.js"),
    ("escapes", "/search?q=a%20b%2fc&lang=de"),
    ("space (repaired)", "/my file.html"),
    ("umlaut", "/bücher/übersicht"),
    ("mailto", "mailto:someone@example.com"),
];

fn main() {
    let page = Url::parse(PAGE).expect("a URL");
    let plain = url::Url::parse(PAGE).expect("a URL");
    println!(
        "{:<22} {:>10} {:>14} {:>14}",
        "link", "join, ns", "url crate, ns", "parse, ns"
    );
    for (name, link) in LINKS {
        let ours = nanoseconds(|| drop(black_box(page.join(black_box(link)))));
        let theirs = nanoseconds(|| drop(black_box(plain.join(black_box(link)))));
        let whole = page
            .join(link)
            .map_or_else(|_| PAGE.to_owned(), |url| url.to_string());
        let parse = nanoseconds(|| drop(black_box(Url::parse(black_box(&whole)))));
        println!("{name:<22} {ours:>10.0} {theirs:>14.0} {parse:>14.0}");
    }
}

/// The best of many batches: what other programs took away does not count.
fn nanoseconds(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..BATCHES {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            work();
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(ROUNDS));
    }
    best
}
