//! Pages made to break their readers (HC081–HC085), met by the whole program.

use crate::http::stage::{Crawl, Stage};
use gleaner_testkit::hostile::page;

const EXTRA_KIB_MAX: u64 = 64 * 1024;

/// Crawls one page after a plain one, and compares the memory of both (C2).
fn crawl_one(stage: &Stage, body: impl AsRef<[u8]>, flags: &[&str]) -> (String, Crawl) {
    let url = stage.url("page", "/");
    stage.server.route("/", page("<title>plain</title>a plain page"));
    let plain = stage.crawl(std::slice::from_ref(&url), flags);
    stage.server.route("/", page(body));
    let crawl = stage.crawl(std::slice::from_ref(&url), flags);
    assert!(
        crawl.peak_kib < plain.peak_kib + EXTRA_KIB_MAX,
        "{} KiB instead of {}",
        crawl.peak_kib,
        plain.peak_kib
    );
    (url, crawl)
}

#[test]
fn hc081_a_million_nested_elements() {
    let stage = Stage::new();
    stage
        .server
        .route("/first", page("first"))
        .route("/last", page("last"));
    for element in ["div", "svg", "b", "table"] {
        let nested = format!(
            "<a href=/first>x</a>{}<a href=/last>x</a>",
            format!("<{element}>").repeat(1_000_000)
        );
        let (url, crawl) = crawl_one(&stage, nested, &[]);
        assert_eq!(crawl.told(&url).0, "UPD", "{element}");
        let first = stage.url("page", "/first");
        assert!(crawl.tells_of(&first), "{element}: links up to the cap are found");
    }
}

#[test]
fn hc082_a_hundred_mebibytes_in_one_line() {
    let stage = Stage::new();
    let words = "words without a tag ".repeat((99 << 20) / 20);
    let (url, crawl) = crawl_one(&stage, &words, &[]);
    assert_eq!(crawl.told(&url).0, "UPD");
    assert!(
        crawl.detail(&url).contains("bytes-cut"),
        "the cut is told: {}",
        crawl.detail(&url)
    );
    assert_eq!(stage.listed(&url)["size"], words.len());
}

#[test]
fn hc082_one_attribute_of_ninety_mebibytes() {
    let stage = Stage::new();
    let attribute = format!(
        "<a href=/first>x</a><p title=\"{}\"><a href=/last>x</a>",
        "x".repeat(90 << 20)
    );
    stage.server.route("/first", page("first"));
    let (url, crawl) = crawl_one(&stage, &attribute, &[]);
    assert_eq!(crawl.told(&url).0, "UPD");
    assert!(crawl.tells_of(&stage.url("page", "/first")));
    assert_eq!(stage.listed(&url)["size"], attribute.len());
}

#[test]
fn hc083_a_million_links() {
    let stage = Stage::new();
    let links: Vec<String> = (0..1_000_000).map(|n| format!("<a href={n}>")).collect();
    let (url, crawl) = crawl_one(&stage, links.concat(), &["--depth", "0"]);
    assert_eq!(crawl.told(&url).0, "UPD");
    assert!(crawl.detail(&url).contains("links-cut"), "{}", crawl.detail(&url));
    assert_eq!(stage.links(&url).len(), 50_000);
}

#[test]
fn hc083_one_link_a_million_times() {
    let stage = Stage::new();
    let (url, crawl) = crawl_one(&stage, "<a href=/x>".repeat(1_000_000), &["--depth", "0"]);
    assert_eq!(crawl.told(&url).0, "UPD");
    let links = stage.links(&url);
    assert_eq!(links.len(), 1);
    assert_eq!(links[0]["count"], 1_000_000, "repeats are weight");
}

#[test]
fn hc084_what_is_left_open() {
    let stage = Stage::new();
    stage.server.route("/*", page("linked"));
    let before = "<title>T</title><a href=/before>x</a>";
    // What comes behind an opening that is never closed, and whether a link in it is one.
    let cases = [
        ("comment", "<!-- open <a href=/comment>x</a>", false),
        ("script", "<script> open <a href=/script>x</a>", false),
        ("style", "<style> open <a href=/style>x</a>", false),
        ("title", "<svg><title> open <a href=/title>x</a>", true),
        ("textarea", "<textarea> open <a href=/textarea>x</a>", false),
        ("cdata", "<![CDATA[ open > <a href=/cdata>x</a>", true),
        ("attribute", "<a href='/attribute>x</a>", false),
        ("nul-in-name", "<a\0b href=/nul-in-name>x</a\0>", false),
        ("abrupt-comment", "<!--><a href=/abrupt-comment>x</a>", true),
    ];
    for (name, rest, _) in &cases {
        stage
            .server
            .route(&format!("/page/{name}"), page(format!("{before}{rest}")));
    }
    let urls: Vec<String> = cases
        .iter()
        .map(|(name, ..)| stage.url("open", &format!("/page/{name}")))
        .collect();
    let crawl = stage.crawl(&urls, &["--scope", "host"]);
    for ((name, _, is_link), url) in cases.iter().zip(&urls) {
        assert_eq!(crawl.told(url).0, "NEW", "{name}");
        assert_eq!(stage.listed(url)["title"], "T", "{name}");
        let links = stage.links(url);
        // What only looks like an address in there may be asked for, but is no link of the page.
        let has = |path: &str| {
            let links = links.iter().filter(|link| link["kind"] != "in-script");
            links
                .into_iter()
                .any(|link| link["url"] == stage.url("open", path).as_str())
        };
        assert!(has("/before"), "{name}");
        assert_eq!(has(&format!("/{name}")), *is_link, "{name}: {links:?}");
    }
}

#[test]
fn hc085_markup_where_words_belong() {
    let stage = Stage::new();
    let nasty = "\"'><script>alert(1)</script>&amp;\u{7}\t=1+1";
    let title = nasty.replace('<', "&lt;");
    stage.server.route(
        "/",
        page(format!(
            "<title>{title}</title><a href='/x?a=\"&lt;b&gt;'>{title}</a>"
        )),
    );
    stage.server.route("/*", page("linked"));
    let url = stage.url("nasty", "/");
    let crawl = stage.crawl(std::slice::from_ref(&url), &[]);
    assert_eq!(crawl.told(&url).0, "NEW");
    let listed = stage.listed(&url);
    assert!(
        listed["title"]
            .as_str()
            .unwrap_or_default()
            .contains("<script>alert(1)</script>&"),
        "stored as it is: {listed}"
    );
    let links = stage.links(&url);
    assert!(
        links[0]["anchor"]
            .as_str()
            .unwrap_or_default()
            .contains("<script>"),
        "{links:?}"
    );
    // The JSON lines above were read back, so nothing broke out of them; text for people has no control bytes, and
    // every line of the CSV has its six fields.
    for output in [
        stage.run(&["report"]),
        stage.run(&["ls"]),
        stage.run(&["links", &url]),
    ] {
        assert!(
            !output.stdout.contains(|c: char| c.is_control() && c != '\n'),
            "{:?}",
            output.stdout
        );
    }
    let csv = stage.run(&["report", "--format", "csv"]).stdout;
    for line in csv.lines() {
        assert_eq!(fields(line), 6, "{line}");
    }
}

/// How many fields a CSV line has (RFC 4180).
fn fields(line: &str) -> usize {
    let mut is_quoted = false;
    let commas = line.chars().filter(|c| {
        is_quoted ^= *c == '"';
        *c == ',' && !is_quoted
    });
    commas.count() + 1
}
