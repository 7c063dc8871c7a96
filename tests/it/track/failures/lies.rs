//! Servers that say one thing and do another: validators, types, charsets, encodings, sitemaps.

use super::site::{PATHS, heal, html};
use super::{Case, HERE, HOST, cases, expect_states, first_act, third_act};
use gleaner_testkit::hostile::{HostileServer, Request, Response, dynamic, page, redirect, status, text};
use std::io::Write;

const ALL_SAM: [&[&str]; PATHS.len()] = [["SAM"].as_slice(); PATHS.len()];

fn of_type(kind: &str, body: impl AsRef<[u8]>) -> Response {
    status(200).with_header("Content-Type", kind).with_body(body)
}

fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).expect("a letter of Latin-1"))
        .collect()
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(u16::to_le_bytes).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text.as_bytes()).expect("memory");
    packer.finish().expect("memory")
}

const EVERY: std::ops::Range<usize> = 0..PATHS.len();

cases! {
    type_becomes_octet_stream: Case::each(EVERY, |at| of_type("application/octet-stream", html(at, "utf-8")))
        .states(&["SAM", "OUT", "ERR"]);
    type_is_no_longer_said: Case::each(EVERY, |at| status(200).with_body(html(at, "utf-8"))).states(&["SAM"]);
    type_with_another_spelling: Case::each(EVERY, |at| of_type("Text/HTML;Charset=\"UTF-8\"", html(at, "utf-8")))
        .states(&["SAM"]);
    encoding_becomes_gzip: Case::each(EVERY, |at| page(gzip(&html(at, "utf-8"))).with_header("Content-Encoding", "gzip"))
        .states(&["SAM"]);
    framing_becomes_chunked: Case::each(EVERY, |at| page(html(at, "utf-8")).chunked()).states(&["SAM"]);
    charset_becomes_latin1: Case::each(EVERY, |at| {
        of_type("text/html; charset=iso-8859-1", latin1(&html(at, "iso-8859-1")))
    }).states(&["SAM"]);
    charset_becomes_utf16: Case::each(EVERY, |at| of_type("text/html; charset=utf-16le", utf16(&html(at, "utf-16"))))
        .states(&["SAM"]);
    charset_said_in_the_page_only: Case::each(EVERY, |at| of_type("text/html", html(at, "utf-8"))).states(&["SAM"]);
    line_ends_become_crlf: Case::each(EVERY, |at| page(html(at, "utf-8").replace('\n', "\r\n"))).states(&["SAM"]);
    validators_are_no_longer_sent: Case::each(EVERY, |at| page(html(at, "utf-8"))).states(&["SAM"]);
    validators_are_new_at_every_answer: Case::each(EVERY, |at| dynamic(move |request: &Request| {
        let tag = format!("\"{}-{:?}\"", request.connection, request.at);
        page(html(at, "utf-8")).with_header("ETag", &tag)
    })).states(&["SAM"]);
    modified_in_the_future: Case::each(EVERY, |at| {
        page(html(at, "utf-8")).with_header("Last-Modified", "Sun, 01 Mar 2099 10:00:00 GMT")
    }).states(&["SAM"]);
    markup_changes_and_text_does_not: Case::each(EVERY, |at| {
        page(html(at, "utf-8").replace("<main>", "<!-- v2 --><main class=\"x9f\" data-build=\"8812\">"))
    }).states(&["SAM"]);
}

/// The server says 304 whatever happened. While it lies nothing else can be known; the first whole answer puts it right.
#[test]
fn hc015_a_tag_that_never_changes_with_304() {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    let changed = |is_lying: bool| {
        dynamic(move |request: &Request| {
            let is_asked = request.header("if-none-match").is_some();
            if is_lying && is_asked {
                status(304)
            } else {
                page(html(61, "utf-8")).with_header("ETag", "\"v1\"")
            }
        })
    };
    server.route(PATHS[1], changed(true));
    let mut allowed = ALL_SAM;
    allowed[1] = &["SAM", "UPD"];
    let told = story.track(&[HERE]);
    expect_states(&told, &server, &allowed);
    let was_seen = told.state_of(&server.url_as(HOST, PATHS[1])) == "UPD";
    server.route(PATHS[1], changed(false));
    allowed[1] = if was_seen { &["SAM"] } else { &["UPD"] };
    let told = story.track(&[HERE]);
    expect_states(&told, &server, &allowed);
    third_act(&mut story, &server, &[HERE]);
}

/// A lie that lasts is found by looking at the whole page now and then, not after years.
#[test]
fn hc015_a_lie_that_lasts_is_found() {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    let lying = dynamic(|request: &Request| match request.header("if-none-match") {
        Some(_) => status(304),
        None => page(html(61, "utf-8")).with_header("ETag", "\"v1\""),
    });
    server.route(PATHS[1], lying);
    let url = server.url_as(HOST, PATHS[1]);
    let seen = (0..30).any(|_| story.track(&[HERE]).state_of(&url) == "UPD");
    assert!(seen, "thirty tracks, and never a whole page was asked for");
}

/// The tag stays while the content changes, and the whole page comes: content decides.
#[test]
fn hc015_a_tag_that_never_changes_with_200() {
    let server = HostileServer::start();
    let mut story = first_act(&server);
    server.route(PATHS[2], page(html(62, "utf-8")).with_header("ETag", "\"v2\""));
    let mut allowed = ALL_SAM;
    allowed[2] = &["UPD"];
    let told = story.track(&[HERE]);
    expect_states(&told, &server, &allowed);
    third_act(&mut story, &server, &[HERE]);
}

/// A site whose sitemap lists pages that nothing links to.
fn with_sitemap<'a>(server: &'a HostileServer, listed: &[&str]) -> &'a HostileServer {
    let entries: Vec<String> = listed
        .iter()
        .map(|path| format!("<url><loc>{}</loc></url>", server.url_as(HOST, path)))
        .collect();
    let entries = entries.concat();
    let map = format!(
        "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>"
    );
    server.route("/sitemap.xml", of_type("application/xml", map));
    let robots = format!(
        "User-agent: *\nSitemap: {}\n",
        server.url_as(HOST, "/sitemap.xml")
    );
    server.route("/robots.txt", text(robots))
}

/// HC061: a list that is suddenly empty deletes nothing; each page is asked for.
fn the_sitemap_breaks(broken: impl FnOnce(&HostileServer) -> &HostileServer) {
    let server = HostileServer::start();
    heal(&server);
    let hidden: Vec<String> = (0..20).map(|n| format!("/hidden/{n}.html")).collect();
    let names: Vec<&str> = hidden.iter().map(String::as_str).collect();
    for (n, path) in hidden.iter().enumerate() {
        // Pages without any link to them, each with its own text.
        let alone = html(100 + n, "utf-8").replace("href=", "data-to=");
        server.route(path, page(alone));
    }
    with_sitemap(&server, &names);
    let mut story = super::Story::new();
    let crawled = story.crawl(&server.url_as(HOST, "/"), &[HERE]);
    let count = PATHS.len() + hidden.len();
    assert_eq!(crawled.count("NEW"), count, "{crawled}");
    broken(&server);
    let told = story.track(&[HERE]);
    told.expect_all_same(count, "the sitemap is broken, the pages are there");
    with_sitemap(&server, &names);
    let told = story.track(&[HERE]);
    told.expect_all_same(count, "the sitemap is back");
    assert!(told.changes.iter().all(|change| !change.is_orphan), "{told}");
}

#[test]
fn hc061_the_sitemap_is_empty() {
    the_sitemap_breaks(|server| with_sitemap(server, &[]));
}

#[test]
fn hc061_the_sitemap_lists_one_page_only() {
    the_sitemap_breaks(|server| with_sitemap(server, &["/hidden/7.html"]));
}

#[test]
fn hc061_the_sitemap_is_gone() {
    the_sitemap_breaks(|server| server.route("/sitemap.xml", status(404)));
}

#[test]
fn hc061_the_sitemap_fails() {
    the_sitemap_breaks(|server| server.route("/sitemap.xml", status(500)));
}

#[test]
fn hc061_the_sitemap_leads_to_the_start_page() {
    the_sitemap_breaks(|server| server.route("/sitemap.xml", redirect("/")));
}
