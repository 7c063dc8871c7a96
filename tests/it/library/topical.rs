//! The topical web by itself: a crawl finds all of it, and what it keeps is what the web says it serves.

use super::small_web;
use crate::crawled::{crawl_well, expect_sound};
use gleaner_testkit::Gleaner;
use std::collections::BTreeSet;

#[test]
fn a_crawl_of_all_sites_finds_every_page_and_keeps_documents_whole() {
    let Some(web) = small_web(11) else { return };
    let gleaner = Gleaner::new();
    let sites: Vec<String> = web.sites().into_iter().map(|site| site.url).collect();
    let more: Vec<&str> = sites[1..].iter().map(String::as_str).collect();
    crawl_well(&gleaner, &sites[0], &more);
    expect_sound(&gleaner);

    let fetched: BTreeSet<String> = web
        .log()
        .into_iter()
        .filter(|fetch| fetch.status == 200)
        .map(|fetch| fetch.truth.url)
        .collect();
    // Pages of a later epoch are not there yet.
    let truth: Vec<_> = web.truth();
    let rows = web.admin("/truth");
    let alive = rows
        .lines()
        .filter(|line| line.split('\t').nth(9) == Some("0"))
        .filter_map(|line| line.split('\t').next());
    let missed: Vec<&str> = alive.filter(|url| !fetched.contains(*url)).collect();
    assert!(
        missed.is_empty(),
        "{} of {}: {missed:?}",
        missed.len(),
        truth.len()
    );

    let documents: Vec<_> = truth
        .iter()
        .filter(|truth| truth.is_document && fetched.contains(&truth.url))
        .collect();
    assert!(documents.len() > 50, "{}", documents.len());
    for truth in documents.iter().step_by(7) {
        let sent = bytes_of(&truth.url);
        let kept = gleaner
            .command(&["cat", "--encoded", &truth.url])
            .output()
            .expect("the program runs");
        assert_eq!(kept.stdout, sent, "{}", truth.url);
    }
}

/// What the web sends, asked by hand.
fn bytes_of(url: &str) -> Vec<u8> {
    use std::io::{Read, Write};
    let rest = url.trim_start_matches("http://");
    let (authority, path) = rest.split_once('/').expect("an address has a path");
    let mut stream = std::net::TcpStream::connect(authority).expect("the site listens");
    write!(
        stream,
        "GET /{path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n"
    )
    .expect("the request is sent");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the answer is read");
    let end = answer
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("a head")
        + 4;
    answer.split_off(end)
}
