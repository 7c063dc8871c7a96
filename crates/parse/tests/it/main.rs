//! The room from outside: places of links, sitemaps and feeds, hostile documents, properties.

#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::case_sensitive_file_extension_comparisons,
    reason = "tests: tables of cases, documents made on the spot"
)]

mod content;
mod content_corpora;
mod content_score;
mod forms;
mod hostile;
mod places;
mod properties;
mod sitemaps;

use gleaner_model::Url;
use gleaner_parse::{Input, Parsed, parse};

/// Reads a body as a page at `http://site.test/dir/page.html`.
fn read(body: &[u8], headers: &[(&str, &str)]) -> Parsed {
    read_as(body, headers, false)
}

fn read_as(body: &[u8], headers: &[(&str, &str)], is_sitemap: bool) -> Parsed {
    let url = Url::parse("http://site.test/dir/page.html").unwrap();
    let headers: Vec<(String, String)> = headers
        .iter()
        .map(|(n, v)| ((*n).to_owned(), (*v).to_owned()))
        .collect();
    parse(&Input {
        url: &url,
        headers: &headers,
        body,
        agent: "gleaner",
        is_sitemap,
    })
}

fn html(body: &str) -> Parsed {
    read(body.as_bytes(), &[("content-type", "text/html; charset=utf-8")])
}

/// `kind url` of every link, in order, without the site's own prefix; what is only guessed comes last.
fn shown(parsed: &Parsed) -> Vec<String> {
    (parsed.links.iter())
        .chain(&parsed.guesses)
        .map(|l| {
            format!(
                "{} {}",
                l.kind,
                l.url.as_str().trim_start_matches("http://site.test")
            )
        })
        .collect()
}

fn codes(parsed: &Parsed) -> Vec<&'static str> {
    parsed.notes.iter().map(gleaner_parse::Note::code).collect()
}
