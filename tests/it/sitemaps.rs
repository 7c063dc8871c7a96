//! Sitemaps and feeds: they only ever add URLs, and none of them is worth more than its limits (HC056–HC061).

use crate::crawled::{
    asked_with_lists as asked, changes, crawl_measured, crawl_well, cuts, documents, expect_hidden,
    expect_sound, links, urls_in_state, visits,
};
use flate2::Compression;
use flate2::write::GzEncoder;
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Response, page, status, text};
use std::io::Write as _;

/// How much more memory than the same run without the case one may take (C2).
const GROWTH_MIB_MAX: u64 = 64;

/// A server whose robots.txt names `/sitemap.xml`, with a start page that links nowhere and pages `/p/…`.
fn site() -> HostileServer {
    let server = HostileServer::start();
    server.route(
        "/robots.txt",
        text(format!("Sitemap: {}\n", server.url("/sitemap.xml"))),
    );
    server.route("/", page("start")).route("/p/*", page("listed"));
    server
}

fn xml(body: impl AsRef<[u8]>) -> Response {
    status(200)
        .with_header("Content-Type", "application/xml")
        .with_body(body)
}

/// One text of many.
fn joined<T>(items: impl IntoIterator<Item = T>, text: impl Fn(T) -> String) -> String {
    items
        .into_iter()
        .fold(String::new(), |all, item| all + &text(item))
}

fn urlset(urls: impl IntoIterator<Item = String>) -> String {
    let entries = joined(urls, |url| format!("<url><loc>{url}</loc></url>\n"));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</urlset>"
    )
}

fn index(urls: impl IntoIterator<Item = String>) -> String {
    let entries = joined(urls, |url| format!("<sitemap><loc>{url}</loc></sitemap>\n"));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{entries}</sitemapindex>"
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn hc056_indexes_that_list_themselves_or_each_other() {
    let (gleaner, server) = (Gleaner::new(), site());
    server.route(
        "/sitemap.xml",
        xml(index(
            ["/sitemap.xml", "/b.xml", "/pages.xml"].map(|p| server.url(p)),
        )),
    );
    server.route(
        "/b.xml",
        xml(index(["/sitemap.xml", "/b.xml", "/c.xml"].map(|p| server.url(p)))),
    );
    server.route("/c.xml", xml(index(["/d.xml", "/b.xml"].map(|p| server.url(p)))));
    server.route("/d.xml", xml(urlset([server.url("/p/too-deep")])));
    server.route(
        "/pages.xml",
        xml(urlset([server.url("/p/1"), server.url("/p/2")])),
    );
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(
        asked(&server),
        [
            "/",
            "/b.xml",
            "/c.xml",
            "/p/1",
            "/p/2",
            "/pages.xml",
            "/sitemap.xml"
        ]
    );
    assert!(cuts(&gleaner).contains_key("too-deep"), "{:?}", cuts(&gleaner));
    assert_eq!(
        documents(&gleaner).len(),
        3,
        "sitemaps are no documents: {:?}",
        documents(&gleaner)
    );
    expect_sound(&gleaner);
}

#[test]
fn hc057_an_index_of_a_hundred_thousand_is_cut() {
    let calm = crawl_measured(&Gleaner::new(), &site().url("/"), &[]).1;
    let (gleaner, server) = (Gleaner::new(), site());
    server.route(
        "/sitemap.xml",
        xml(index((0..100_000).map(|n| server.url(&format!("/s/{n}.xml"))))),
    );
    server.route("/s/*", xml(urlset([server.url("/p/1"), server.url("/p/2")])));
    let (finished, most_mib) = crawl_measured(&gleaner, &server.url("/"), &["--per-host", "8"]);
    finished.expect_code(&[0]);
    let read = asked(&server)
        .iter()
        .filter(|path| path.starts_with("/s/"))
        .count();
    assert!((900..=1000).contains(&read), "{read} sitemaps were read");
    let cuts = cuts(&gleaner);
    assert!(
        cuts.get("limit-sitemaps").is_some_and(|count| *count >= 49_000),
        "{cuts:?}"
    );
    assert_eq!(
        visits(&gleaner)[&server.url("/sitemap.xml")].detail,
        "entries-cut"
    );
    assert!(gleaner.run(&["report"]).stdout.contains("limit-sitemaps"));
    assert!(
        most_mib <= calm + GROWTH_MIB_MAX,
        "{most_mib} MiB, {calm} MiB without"
    );
    assert_eq!(documents(&gleaner).len(), 3);
    expect_sound(&gleaner);
}

#[test]
fn hc057_a_sitemap_of_more_than_its_entries_and_one_that_expands() {
    let (gleaner, server) = (Gleaner::new(), site());
    server.route(
        "/sitemap.xml",
        xml(urlset((0..60_000).map(|n| server.url(&format!("/p/{n}"))))),
    );
    let calm = crawl_measured(&Gleaner::new(), &site().url("/"), &[]).1;
    let (finished, most_mib) = crawl_measured(&gleaner, &server.url("/"), &["--max-pages", "20"]);
    finished.expect_code(&[0]);
    assert_eq!(
        visits(&gleaner)[&server.url("/sitemap.xml")].detail,
        "entries-cut"
    );
    assert!(
        most_mib <= calm + GROWTH_MIB_MAX,
        "{most_mib} MiB, {calm} MiB without"
    );
    assert_eq!(documents(&gleaner).len(), 20);
    expect_sound(&gleaner);

    let mut bomb = urlset([server.url("/p/before")]).into_bytes();
    bomb.resize(300 * 1024 * 1024, b' ');
    let bomb = gzip(&bomb);
    assert!(bomb.len() < 1024 * 1024);
    for response in [
        xml(&bomb).with_header("Content-Encoding", "gzip"),
        status(200)
            .with_header("Content-Type", "application/gzip")
            .with_body(&bomb),
    ] {
        let (gleaner, server) = (Gleaner::new(), site());
        server.route("/sitemap.xml", response);
        let (finished, most_mib) = crawl_measured(&gleaner, &server.url("/"), &[]);
        finished.expect_code(&[0]);
        let visit = visits(&gleaner)[&server.url("/sitemap.xml")].clone();
        assert!(
            !visit.reason.is_empty() || !visit.detail.is_empty(),
            "the cut is recorded: {visit:?}"
        );
        assert!(
            most_mib <= calm + GROWTH_MIB_MAX,
            "{most_mib} MiB, {calm} MiB without"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn hc058_entities_reach_neither_files_nor_the_network() {
    let secret = Gleaner::new();
    let marker = "private-marker-4711";
    let file = secret.data().with_extension("txt");
    std::fs::write(&file, marker).expect("a file");
    let (gleaner, server) = (Gleaner::new(), site());
    let laughs = joined(1..10, |n| {
        format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10))
    });
    let cases = [
        format!(
            "<!DOCTYPE urlset [<!ENTITY l0 \"ha\">{laughs}]><urlset><url><loc>{}</loc></url><url><loc>/p/&l9;</loc></url></urlset>",
            server.url("/p/1")
        ),
        format!(
            "<!DOCTYPE urlset [<!ENTITY x SYSTEM \"file://{}\">]><urlset><url><loc>{}?&x;</loc></url></urlset>",
            file.display(),
            server.url("/p/2")
        ),
        format!(
            "<!DOCTYPE urlset SYSTEM \"{}\"><urlset><url><loc>{}</loc></url></urlset>",
            server.url("/outside.dtd"),
            server.url("/p/3")
        ),
        format!(
            "<!DOCTYPE urlset [<!ENTITY % e SYSTEM \"{}\"> %e;]><urlset><url><loc>{}</loc></url></urlset>",
            server.url("/outside.ent"),
            server.url("/p/4")
        ),
    ];
    let names: Vec<String> = (0..cases.len()).map(|n| format!("/s{n}.xml")).collect();
    server.route(
        "/robots.txt",
        text(joined(&names, |name| format!("Sitemap: {}\n", server.url(name)))),
    );
    for (name, body) in names.iter().zip(&cases) {
        server.route(name, xml(format!("<?xml version=\"1.0\"?>{body}")));
    }
    let (finished, _) = crawl_measured(&gleaner, &server.url("/"), &[]);
    finished.expect_code(&[0]);
    let paths = asked(&server);
    assert!(
        !paths
            .iter()
            .any(|path| path.contains("outside") || path.contains(marker) || path.contains("haha")),
        "{paths:?}"
    );
    assert!(
        paths.contains(&"/p/1".to_owned()) && paths.contains(&"/p/3".to_owned()),
        "{paths:?}"
    );
    expect_hidden(&gleaner, &finished, marker);
    expect_sound(&gleaner);
}

#[test]
fn hc059_xml_beyond_its_limits() {
    let attributes = joined(0..1_000_000, |n| format!(" a{n}=\"\""));
    let spaces = joined(0..1_000_000, |n| format!(" xmlns:a{n}=\"u\""));
    let (server, calm) = (site(), crawl_measured(&Gleaner::new(), &site().url("/"), &[]).1);
    let first = format!("<url><loc>{}</loc></url>", server.url("/p/1"));
    let cases = [
        (
            "attributes",
            format!("<urlset>{first}<url{attributes}></url></urlset>"),
        ),
        (
            "name spaces",
            format!("<urlset>{first}<url{spaces}></url></urlset>"),
        ),
        ("nesting", format!("<urlset>{first}{}", "<url>".repeat(1_000_000))),
    ];
    for (name, body) in cases {
        let gleaner = Gleaner::new();
        server.route("/sitemap.xml", xml(body));
        server.forget();
        let (finished, most_mib) = crawl_measured(&gleaner, &server.url("/"), &[]);
        finished.expect_code(&[0]);
        assert_eq!(server.hits("/p/1"), 1, "{name}: what came before is used");
        let visit = visits(&gleaner)[&server.url("/sitemap.xml")].clone();
        assert!(
            visit.detail.contains("xml-too-complex") || visit.reason == "xml-too-complex",
            "{name}: {visit:?}"
        );
        assert!(
            most_mib <= calm + GROWTH_MIB_MAX,
            "{name}: {most_mib} MiB, {calm} MiB without"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn hc060_sitemaps_that_are_broken_or_none() {
    let server = site();
    let one = format!("<url><loc>{}</loc></url>", server.url("/p/1"));
    let list = format!("{}\n{}\n", server.url("/p/1"), server.url("/p/2"));
    let whole = urlset([server.url("/p/1")]);
    let latin = format!("<?xml version=\"1.0\" encoding=\"utf-16\"?><urlset>{one}</urlset>");
    let cases: [(&str, Response, bool, &str); 8] = [
        (
            "broken in the middle",
            xml(format!("<urlset>{one}<url><loc></wrong></urlset>")),
            true,
            "partial",
        ),
        (
            "cut off",
            xml(format!("<urlset>{one}<url><loc>http://x")),
            true,
            "partial",
        ),
        ("wrong encoding declared", xml(latin), true, ""),
        ("plain text", text(&list), true, ""),
        (
            "HTML instead",
            page("<title>Not found</title><p>Sorry</p>"),
            false,
            "not-a-sitemap",
        ),
        (
            "gzip by name",
            status(200)
                .with_header("Content-Type", "application/octet-stream")
                .with_body(gzip(whole.as_bytes())),
            true,
            "",
        ),
        ("empty", xml(""), false, "not-a-sitemap"),
        ("gone", status(404), false, "http-404"),
    ];
    for (name, response, found, noted) in cases {
        let gleaner = Gleaner::new();
        server.route("/sitemap.xml", response);
        server.forget();
        let finished = crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(server.hits("/p/1"), usize::from(found), "{name}");
        let visit = visits(&gleaner)[&server.url("/sitemap.xml")].clone();
        let said = format!("{} {}", visit.reason, visit.detail);
        assert!(said.contains(noted), "{name}: {said:?}");
        assert_eq!(finished.json()["missing"], 0, "{name}");
        expect_sound(&gleaner);
    }
}

#[test]
fn hc061_a_listing_that_shrinks_makes_nothing_missing() {
    let (gleaner, server) = (Gleaner::new(), site());
    let all: Vec<String> = (0..100).map(|n| server.url(&format!("/p/{n}"))).collect();
    server.route("/sitemap.xml", xml(urlset(all.clone())));
    server.route(
        "/p/*",
        gleaner_testkit::hostile::dynamic(|request: &gleaner_testkit::hostile::Request| {
            page(&request.target)
        }),
    );
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(documents(&gleaner).len(), 101);
    for left in [1, 0] {
        server.route("/sitemap.xml", xml(urlset(all[..left].to_vec())));
        let finished = crawl_well(&gleaner, &server.url("/"), &[]);
        let summary = finished.json();
        assert_eq!(
            (&summary["missing"], &summary["errors"]),
            (&0.into(), &0.into()),
            "{left}: {finished}"
        );
        assert_eq!(
            summary["same"], 101,
            "{left}: every document is asked for by itself: {finished}"
        );
        assert_eq!(documents(&gleaner).len(), 101, "{left}: documents stay");
    }
    // Only the server's own word makes a document missing.
    server.route("/sitemap.xml", xml(urlset(all.clone())));
    server.route("/p/7", status(404));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(
        urls_in_state(&gleaner, "MIS").into_iter().collect::<Vec<_>>(),
        [server.url("/p/7")]
    );
    assert_eq!(urls_in_state(&gleaner, "SAM").len(), 100);
    expect_sound(&gleaner);
}

#[test]
fn sitemaps_by_choice() {
    let server = site();
    server.route(
        "/sitemap.xml",
        xml(urlset([
            server.url("/p/1"),
            "http://other.test/foreign".to_owned(),
        ])),
    );
    let cases: [(&[&str], bool); 6] = [
        (&[], true),
        (&["--sitemaps", "on", "--depth", "1"], true),
        (&["--depth", "1"], false),
        (&["--sitemaps", "off"], false),
        (&["--scope", "list"], false),
        (&["--ignore-robots"], false),
    ];
    for (more, read) in cases {
        let gleaner = Gleaner::new();
        server.forget();
        crawl_well(&gleaner, &server.url("/"), more);
        assert_eq!(
            (server.hits("/sitemap.xml") == 1, server.hits("/p/1") == 1),
            (read, read),
            "{more:?}"
        );
        assert!(
            !changes(&gleaner).keys().any(|url| url.contains("other.test")),
            "{more:?}"
        );
    }
}

#[test]
fn an_index_cannot_send_us_to_strangers() {
    let (gleaner, server) = (Gleaner::new(), site());
    server.route(
        "/sitemap.xml",
        xml(index([
            server.url_as("stranger.test", "/s.xml"),
            server.url("/s.xml"),
        ])),
    );
    server.route("/s.xml", xml(urlset([server.url("/p/1")])));
    crawl_well(
        &gleaner,
        &server.url("/"),
        &["--resolve", "stranger.test=127.0.0.1", "--allow-private"],
    );
    let hosts: Vec<_> = server
        .requests()
        .iter()
        .filter_map(|r| r.header("host").map(str::to_owned))
        .collect();
    assert!(
        !hosts.iter().any(|host| host.starts_with("stranger")),
        "{hosts:?}"
    );
    assert_eq!(server.hits("/p/1"), 1);
}

#[test]
fn feeds_are_sources_of_links() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page("<link rel=alternate type=\"application/rss+xml\" href=\"/feed.xml\">"),
    );
    let rss = format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\"><channel><title>News</title><item><title>One</title><link>{}</link></item></channel></rss>",
        server.url("/item/1")
    );
    server.route(
        "/feed.xml",
        status(200)
            .with_header("Content-Type", "application/rss+xml")
            .with_body(rss),
    );
    server.route("/item/1", page(links(["/"])));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(asked(&server), ["/", "/feed.xml", "/item/1", "/sitemap.xml"]);
}
