//! URLs and scope: odd links, tricks with hosts, and places that make URLs without end (HC032–HC044).

use crate::crawled::{
    asked, changes, crawl, crawl_measured, crawl_well, cuts, documents, expect_sound, links, reason_of,
    urls_in_state, visits,
};
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page, text};
use gleaner_testkit::{DnsServer, Gleaner, dns};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn hc032_other_schemes_are_counted_and_never_fetched() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let odd = [
        "javascript:alert(1)",
        "javascript:void(0)",
        "data:text/html,hello",
        "mailto:a@example.test",
        "MAILTO:b@example.test",
        "about:blank",
        "blob:http://127.0.0.1/1234",
        "tel:+49123",
        "made-up:thing",
        "file:///etc/passwd",
        "ftp://127.0.0.1/pub/",
    ];
    server
        .route("/", page(links(odd.iter().chain(&["/ok"]))))
        .route("/ok", page("ok"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(asked(&server), ["/", "/ok"]);
    let counted = gleaner.sqlite("SELECT shape, count FROM cuts WHERE shape <> '' ORDER BY shape");
    let count = |shape: &str| {
        counted
            .iter()
            .find(|row| row[0] == shape)
            .map_or("0", |row| row[1].as_str())
    };
    assert_eq!(
        (count("javascript:"), count("mailto:"), count("data:")),
        ("2", "2", "1"),
        "{counted:?}"
    );
    assert_eq!(
        (count("about:"), count("blob:"), count("other:")),
        ("1", "1", "1"),
        "{counted:?}"
    );
    assert_eq!(count("file:"), "1", "{counted:?}");
    let out = gleaner.run(&["links", &server.url("/"), "--json"]);
    let targets: Vec<String> = out
        .json_lines()
        .iter()
        .map(|l| l["url"].as_str().unwrap_or("").to_owned())
        .collect();
    assert!(
        targets.contains(&"ftp://127.0.0.1/pub/".to_owned()),
        "recorded as a link: {targets:?}"
    );
    assert!(visits(&gleaner).keys().all(|url| url.starts_with("http:")));
    expect_sound(&gleaner);
}

#[test]
fn hc033_broken_links_are_repaired_and_stay_on_their_host() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let authority = server.address().to_string();
    let cases = [
        ("http:/one".to_owned(), "/one"),
        ("  /two  ".to_owned(), "/two"),
        ("/th\n\tree".to_owned(), "/three"),
        ("\\four\\deep".to_owned(), "/four/deep"),
        ("/five six".to_owned(), "/five%20six"),
        ("&quot;/seven&quot;".to_owned(), "/seven"),
        (format!("http:\\\\{authority}\\eight"), "/eight"),
        (format!("http:///{authority}/ten"), "/ten"),
        (format!("http://http://{authority}/eleven"), "/eleven"),
    ];
    server
        .route("/", page(links(cases.iter().map(|(href, _)| href))))
        .route("/*", page("here"));
    crawl_well(&gleaner, &server.url("/"), &["--scope", "web"]);
    let mut wanted: Vec<&str> = cases.iter().map(|(_, path)| *path).chain(["/"]).collect();
    wanted.sort_unstable();
    assert_eq!(asked(&server), wanted);
    let hosts = gleaner.sqlite("SELECT name FROM hosts");
    assert_eq!(hosts, [["127.0.0.1"]], "a repair made up a host");
    expect_sound(&gleaner);
}

#[test]
fn hc034_one_parser_decides_the_host_for_scope_guard_and_connection() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let elsewhere = HostileServer::start_on(&["127.0.0.2".parse().expect("an address")]);
    let (port, other) = (server.address().port(), elsewhere.address().port());
    let tricks = [
        format!("http://good.test:{port}@bad.test:{port}/1"),
        format!("http://good.test%40bad.test:{port}/2"),
        format!("http://good.test;x@bad.test:{port}/3"),
        format!("http://bad.test:{port}\\@good.test:{port}/4"),
        format!("http://good.test@127.0.0.2:{other}/5"),
        format!("http://127.0.0.2:{other}#@good.test:{port}/6"),
        format!("http://127.0.0.2:{other}?@good.test:{port}/7"),
        format!("http://bad.test:{port}@good.test:{port}/fine"),
    ];
    server
        .route("/", page(links(&tricks)))
        .route("/fine", page("fine"));
    let resolve = [
        "--resolve",
        "good.test=127.0.0.1",
        "--resolve",
        "bad.test=127.0.0.1",
    ];
    crawl_well(&gleaner, &server.url_as("good.test", "/"), &resolve);
    assert_eq!(asked(&server), ["/", "/fine"]);
    for request in server.requests() {
        assert_eq!(request.header("host"), Some(format!("good.test:{port}").as_str()));
        assert_eq!(
            request.header("authorization"),
            None,
            "userinfo of a link was sent"
        );
    }
    // The guard sees the same host as the scope does, so with every host in scope it still closes 127.0.0.2.
    crawl_well(
        &gleaner,
        &server.url_as("good.test", "/"),
        &[&resolve[..], &["--scope", "web"]].concat(),
    );
    assert_eq!(elsewhere.connections(), 0);
    assert!(!documents(&gleaner).iter().any(|url| url.contains('@')));
    expect_sound(&gleaner);
}

#[test]
fn hc035_separators_in_the_host_are_refused() {
    let (gleaner, server, dns) = (Gleaner::new(), HostileServer::start(), DnsServer::start());
    dns.set("*.test", [dns::DnsAnswer::addresses(&["127.0.0.1"])]);
    let hosts = [
        "a%2Fb.test",
        "a%00b.test",
        "a%2e%2e.test",
        "..",
        "a%23b.test",
        "a%3Ab.test",
        "a%5Cb.test",
        "a b.test",
    ];
    let port = server.address().port();
    server.route(
        "/",
        page(links(hosts.iter().map(|host| format!("http://{host}:{port}/x")))),
    );
    let resolver = dns.address().to_string();
    let more = ["--scope", "web", "--allow-private", "--dns-server", &resolver];
    crawl_well(&gleaner, &server.url("/"), &more);
    assert_eq!(asked(&server), ["/"]);
    assert_eq!(
        gleaner.sqlite("SELECT name FROM hosts WHERE name LIKE '%/%' OR name LIKE '%#%'"),
        [[""; 0]; 0]
    );
    for host in &hosts[..3] {
        let refused = Gleaner::new().run(&["crawl", &format!("http://{host}/")]);
        refused.expect_code(&[2]);
        assert_eq!(refused.stderr.lines().count(), 1, "{refused}");
    }
    expect_sound(&gleaner);
}

#[test]
fn hc036_long_urls_and_long_queries_are_recorded_and_not_fetched() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let many: String = (0..10_000).fold(String::new(), |mut query, n| {
        let _ = write!(query, "&p{n}={n}");
        query
    });
    let some: String = (0..60).fold(String::new(), |mut query, n| {
        let _ = write!(query, "&p{n}={n}");
        query
    });
    let long = "x".repeat(100 * 1024);
    server.route(
        "/",
        page(links([
            format!("/{long}"),
            format!("/q?{many}"),
            format!("/q?{some}"),
            "/ok".into(),
        ])),
    );
    server.route("/ok", page("ok")).route("/q", page("query"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(asked(&server), ["/", "/ok"]);
    let cuts = cuts(&gleaner);
    assert_eq!(cuts.get("url-too-long"), Some(&2), "{cuts:?}");
    assert_eq!(cuts.get("trap-parameters"), Some(&1), "{cuts:?}");
    let report = gleaner.run(&["report"]);
    assert!(report.stdout.contains("url-too-long"), "{report}");
    expect_sound(&gleaner);
}

#[test]
fn hc037_spellings_of_one_host_are_one_and_two_hosts_stay_two() {
    let (gleaner, server, dns) = (Gleaner::new(), HostileServer::start(), DnsServer::start());
    dns.set("*.test", [dns::DnsAnswer::addresses(&["127.0.0.1"])]);
    let port = server.address().port();
    let label = "a".repeat(70);
    let hosts = [
        "b\u{fc}cher.test",
        "B\u{dc}CHER.TEST",
        "xn--bcher-kva.test",
        "bu\u{308}cher.test",
        "bucher.test",
        "under_score.test",
        "a..test",
        &format!("{label}.test"),
        "xn--ascii-.test",
        "xn--zzzzzzzzz.test",
        "\u{430}pple.test",
        "apple.test",
    ];
    server
        .route(
            "/",
            page(links(
                hosts.iter().map(|host| format!("http://{host}:{port}/same")),
            )),
        )
        .route("/same", page("same"));
    let resolver = dns.address().to_string();
    let more = ["--scope", "web", "--allow-private", "--dns-server", &resolver];
    crawl_well(&gleaner, &server.url("/"), &more);
    let mut asked: Vec<String> = server
        .requests_to("/same")
        .iter()
        .map(|request| {
            request
                .header("host")
                .unwrap_or("")
                .trim_end_matches(&format!(":{port}"))
                .to_owned()
        })
        .collect();
    asked.sort();
    let distinct: BTreeSet<&String> = asked.iter().collect();
    assert_eq!(distinct.len(), asked.len(), "one host was asked twice: {asked:?}");
    for host in [
        "xn--bcher-kva.test",
        "bucher.test",
        "under_score.test",
        "apple.test",
        "xn--pple-43d.test",
    ] {
        assert!(asked.contains(&host.to_owned()), "{host} is missing: {asked:?}");
    }
    assert!(
        !asked.contains(&"ascii.test".to_owned()),
        "a broken name became another: {asked:?}"
    );
    expect_sound(&gleaner);
}

#[test]
fn hc038_canonical_forms_are_stable_over_runs() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let odd = [
        "/%",
        "/%zz",
        "/%2",
        "/%25",
        "/%2525",
        "/%ff",
        "/%C3%A9",
        "/é",
        "/%c3%a9",
        "/a%2Fb",
        "/a%2fb",
        "/%7Euser",
        "/~user",
        "/x/../y",
        "/y",
        "/q?a=%",
        "/q?a=%zz",
        "/q?a=b%20c",
        "/q?a=b c",
    ];
    server.route(
        "/*",
        dynamic(|request: &Request| page(format!("page {}", request.target))),
    );
    server.route("/", page(links(odd)));
    crawl_well(&gleaner, &server.url("/"), &[]);
    let first = asked(&server);
    let distinct: BTreeSet<&String> = first.iter().collect();
    assert_eq!(distinct.len(), first.len(), "asked twice for one: {first:?}");
    assert_eq!(server.hits("/y"), 1);
    server.forget();
    let again = crawl_well(&gleaner, &server.url("/"), &[]);
    // The home page once more: a track looks whether the site's URLs carry sessions.
    let mut second = asked(&server);
    second.dedup();
    assert_eq!(second, first);
    assert_eq!(
        (&again.json()["new"], &again.json()["errors"]),
        (&0.into(), &0.into()),
        "{again}"
    );
    // Given by hand, the stored form means the same document.
    for url in documents(&gleaner) {
        gleaner.run(&["cat", &url]).expect_code(&[0]);
    }
    expect_sound(&gleaner);
}

/// Honest pages beside a trap: none of them may be lost to it.
fn add_articles(server: &HostileServer, count: usize) -> String {
    for n in 0..count {
        server.route(
            &format!("/article/{n}"),
            page(format!(
                "<title>Article {n}</title>Its own text: {}",
                "word ".repeat(n)
            )),
        );
    }
    links((0..count).map(|n| format!("/article/{n}")))
}

fn articles_kept(gleaner: &Gleaner) -> usize {
    documents(gleaner)
        .iter()
        .filter(|url| url.contains("/article/"))
        .count()
}

#[test]
fn hc039_a_link_that_appends_to_the_path_is_bounded() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let articles = add_articles(&server, 30);
    server.route("/", page(links(["/loop/a/b/"]) + &articles));
    server.route(
        "/loop/*",
        dynamic(|request: &Request| page(format!("<p>{}</p><a href=\"a/b/\">on</a>", request.target))),
    );
    crawl_well(&gleaner, &server.url("/"), &[]);
    let walked = asked(&server)
        .iter()
        .filter(|path| path.starts_with("/loop/"))
        .count();
    assert!((1..=25).contains(&walked), "{walked} pages of the loop");
    let cuts = cuts(&gleaner);
    assert!(
        cuts.contains_key("trap-repeating") || cuts.contains_key("trap-depth"),
        "{cuts:?}"
    );
    assert!(
        gleaner.run(&["report"]).stdout.contains("trap-"),
        "the report says what was cut"
    );
    assert_eq!(articles_kept(&gleaner), 30);
    expect_sound(&gleaner);
}

#[test]
fn hc040_a_calendar_ends_and_the_site_is_complete() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let articles = add_articles(&server, 100);
    server.route("/", page(links(["/calendar/2024/1"]) + &articles));
    server.route(
        "/calendar/*",
        dynamic(|request: &Request| {
            let parts: Vec<u32> = request
                .path()
                .split('/')
                .filter_map(|part| part.parse().ok())
                .collect();
            let (year, month) = (parts[0], parts[1]);
            let next = year * 12 + month;
            let link = links([format!("/calendar/{}/{}", next / 12, next % 12 + 1)]);
            page(format!(
                "<title>{month}/{year}</title><p>No events in {month}/{year}.</p>{link}"
            ))
        }),
    );
    crawl_well(&gleaner, &server.url("/"), &[]);
    let months = asked(&server)
        .iter()
        .filter(|path| path.starts_with("/calendar/"))
        .count();
    // Some are looked at; page after page without anything new ends it long before the year 9999.
    assert!((3..500).contains(&months), "{months} months");
    assert!(
        cuts(&gleaner).keys().any(|reason| reason.starts_with("trap-")),
        "{:?}",
        cuts(&gleaner)
    );
    assert_eq!(articles_kept(&gleaner), 100);
    expect_sound(&gleaner);
}

#[test]
fn hc041_filter_combinations_are_capped_and_the_rest_gets_its_share() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let articles = add_articles(&server, 200);
    server.route("/", page(links(["/list"]) + &articles));
    // Five filters of ten values: each page adds one filter, so that 100,000 combinations lie at depth 6 and below.
    server.route(
        "/list*",
        dynamic(|request: &Request| {
            let query = request
                .target
                .split_once('?')
                .map_or("", |(_, query)| query)
                .to_owned();
            let mut hrefs = Vec::new();
            for name in ["colour", "size", "brand", "price", "sort"] {
                if !query.contains(name) {
                    let separator = if query.is_empty() { "" } else { "&" };
                    hrefs.extend((0..10).map(|value| format!("/list?{query}{separator}{name}={value}")));
                }
            }
            page(format!("<h1>Shoes</h1><p>{query}</p>{}", links(hrefs)))
        }),
    );
    crawl_well(&gleaner, &server.url("/"), &["--per-host", "8"]);
    let combinations = server.hits("/list");
    assert!(combinations < 5_000, "{combinations} combinations");
    let cuts = cuts(&gleaner);
    assert!(cuts.keys().any(|reason| reason.starts_with("trap-")), "{cuts:?}");
    assert_eq!(articles_kept(&gleaner), 200);
    expect_sound(&gleaner);
}

/// The n-th address of a trap.
type Next = fn(u64) -> String;

#[test]
fn hc042_never_repeating_links_to_the_same_content_are_stopped() {
    let calm = {
        let (gleaner, server) = (Gleaner::new(), HostileServer::start());
        let articles = add_articles(&server, 50);
        server.route("/", page(articles));
        crawl_measured(&gleaner, &server.url("/"), &[]).1
    };
    let shapes: [(&str, Next); 3] = [
        ("numbers", |n| format!("/deep/{n}")),
        ("words", |n| {
            format!("/deep/{:016x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        }),
        ("queries", |n| {
            format!("/deep?id={:x}", n.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        }),
    ];
    for (name, next) in shapes {
        let (gleaner, server) = (Gleaner::new(), HostileServer::start());
        let articles = add_articles(&server, 50);
        let counter = AtomicU64::new(1);
        server.route("/", page(links(["/deep"]) + &articles));
        server.route(
            "/deep*",
            dynamic(move |_: &Request| {
                let hrefs: Vec<String> = (0..100)
                    .map(|_| next(counter.fetch_add(1, Ordering::Relaxed)))
                    .collect();
                page(format!("<h1>Always the same</h1>{}", links(hrefs)))
            }),
        );
        let (finished, most_mib) = crawl_measured(&gleaner, &server.url("/"), &["--per-host", "4"]);
        finished.expect_code(&[0]);
        let fetched = asked(&server)
            .iter()
            .filter(|path| path.starts_with("/deep"))
            .count();
        assert!(fetched < 1_000, "{name}: {fetched} pages of the trap");
        // A parameter that is new on every link and changes nothing is learned as such; then there is no trap left, and one page.
        let rules = gleaner.run(&["rules", "--json"]).to_string();
        let deep = documents(&gleaner)
            .iter()
            .filter(|url| url.contains("/deep"))
            .count();
        let is_learned = name == "queries" && fetched < 20 && rules.contains("\"?id=\"") && deep == 1;
        assert!(
            is_learned || cuts(&gleaner).contains_key("trap-copies"),
            "{name}: {fetched} pages, {:?}",
            cuts(&gleaner)
        );
        assert_eq!(articles_kept(&gleaner), 50, "{name}");
        assert!(
            most_mib < calm + 64,
            "{name}: {most_mib} MiB, {calm} MiB without the trap"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn hc043_rules_cannot_cost_more_than_linear_time() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let bad = format!("/{}b", "a".repeat(4000));
    server
        .route("/", page(links([&bad, "/ok"])))
        .route("/ok", page("ok"))
        .route("/a*", page("long"));
    crawl_well(
        &gleaner,
        &server.url("/"),
        &["--deny", r"/(a+)+$", "--deny", r"(a|aa)+c", "--deny", "(.*)*x$"],
    );
    assert_eq!(asked(&server), ["/", &bad, "/ok"]);

    let rules: Vec<String> = (0..10_000).map(|n| format!("/rule-{n}/[a-z]+")).collect();
    let flags = |count: usize| {
        rules[..count]
            .iter()
            .flat_map(|rule| ["--deny", rule])
            .collect::<Vec<_>>()
    };
    crawl_well(
        &Gleaner::new(),
        &server.url("/"),
        &[&flags(4_000)[..], &["--deny", "/ok$"]].concat(),
    );
    assert_eq!(server.hits("/ok"), 1, "denied in the second crawl only");
    let refused = crawl(&Gleaner::new(), &server.url("/"), &flags(10_000));
    refused.expect_code(&[2]);
    assert!(refused.stderr.contains("10000 rules"), "{refused}");

    // As long as one argument can be.
    let huge = "x".repeat(120_000);
    for pattern in [
        huge.as_str(),
        "(?:(?:a{1000}){1000}){100}",
        "(unclosed",
        "*a",
        "[z-a]",
    ] {
        let fresh = Gleaner::new();
        let refused = crawl(&fresh, &server.url("/"), &["--deny", pattern]);
        refused.expect_code(&[2]);
        assert!(
            refused.stderr.lines().count() <= 2 && refused.stderr.len() < 1_000,
            "{refused}"
        );
        assert!(!fresh.data().exists(), "a refused rule made a data folder");
    }
}

#[test]
fn hc044_true_identifiers_are_never_merged() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let one = "/doc?id=0123456789abcdef0123456789abcdef";
    let two = "/doc?id=0123456789abcdef0123456789abcdee";
    let session = "/s?x=1&PHPSESSID=00112233445566778899aabbccddeeff";
    server.route("/", page(links([one, two, session])));
    server
        .route(one, page("the first document"))
        .route(two, page("the second document"))
        .route("/s", page("session"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    let kept = documents(&gleaner);
    assert!(
        kept.contains(&server.url(one)) && kept.contains(&server.url(two)),
        "{kept:?}"
    );
    assert_eq!(
        gleaner.run(&["cat", &server.url(one)]).stdout,
        "the first document"
    );
    assert_eq!(
        gleaner.run(&["cat", &server.url(two)]).stdout,
        "the second document"
    );
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(urls_in_state(&gleaner, "NEW").len(), 0, "{:?}", changes(&gleaner));
    expect_sound(&gleaner);
}

#[test]
fn a_refused_url_says_why() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route("/robots.txt", text("User-agent: *\nDisallow: /closed"));
    server
        .route("/", page(links(["/closed/1", "/open"])))
        .route("/open", page("open"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(reason_of(&gleaner, &server.url("/closed/1")), "robots-denied");
    let explained = gleaner.run(&["explain", &server.url("/closed/1")]);
    assert!(explained.stdout.contains("Disallow: /closed"), "{explained}");
}
