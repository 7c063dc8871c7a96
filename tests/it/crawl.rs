//! A crawl from its first URL to its report: scope, limits, types, states, and a site whose every page is known.

use crate::crawled::{
    arguments, asked, changes, crawl, crawl_well, cuts, documents, expect_sound, links, reason_of,
    urls_in_state, visits,
};
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use gleaner_testkit::hostile::{
    Action, Gate, HostileServer, Reply, Request, Script, dynamic, page, redirect, sequence, status, text,
};
use gleaner_testkit::{Gleaner, SynthOptions, SynthSite};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::net::IpAddr;
use std::time::Duration;

const SOON: Duration = Duration::from_mins(1);

#[test]
fn a5_each_scope_takes_what_it_says_and_records_the_rest_as_links() {
    let resolve = [
        "--allow-private",
        "--resolve",
        "www.site.test=127.0.0.1",
        "--resolve",
        "blog.site.test=127.0.0.1",
        "--resolve",
        "far.test=127.0.0.1",
    ];
    let cases: [(&str, &[&str]); 5] = [
        ("list", &["www/docs/start"]),
        ("subtree", &["www/docs/start", "www/docs/a"]),
        ("host", &["www/docs/start", "www/docs/a", "www/other"]),
        (
            "domain",
            &["www/docs/start", "www/docs/a", "www/other", "blog/docs/b"],
        ),
        (
            "web",
            &[
                "www/docs/start",
                "www/docs/a",
                "www/other",
                "blog/docs/b",
                "far/docs/c",
            ],
        ),
    ];
    for (scope, wanted) in cases {
        let (gleaner, server) = (Gleaner::new(), HostileServer::start());
        let hrefs = [
            "/docs/a".into(),
            "/other".into(),
            server.url_as("blog.site.test", "/docs/b"),
            server.url_as("far.test", "/docs/c"),
        ];
        server
            .route("/docs/start", page(links(&hrefs)))
            .route("/*", page("page"));
        let start = server.url_as("www.site.test", "/docs/start");
        crawl_well(&gleaner, &start, &[&["--scope", scope], &resolve[..]].concat());
        let got: BTreeSet<String> = server
            .requests()
            .iter()
            .filter(|request| request.path() != "/robots.txt")
            .map(|request| {
                format!(
                    "{}{}",
                    request
                        .header("host")
                        .unwrap_or("")
                        .split('.')
                        .next()
                        .unwrap_or(""),
                    request.target
                )
            })
            .collect();
        assert_eq!(
            got,
            wanted.iter().map(|path| (*path).to_owned()).collect(),
            "{scope}"
        );
        let out = gleaner.run(&["links", &start, "--json"]);
        assert_eq!(
            out.json_lines().len(),
            4,
            "{scope}: foreign links are links too: {out}"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn a5_the_host_that_a_seed_leads_to_belongs_to_the_crawl() {
    let more = [
        "--allow-private",
        "--resolve",
        "site.test=127.0.0.1",
        "--resolve",
        "www.site.test=127.0.0.1",
        "--resolve",
        "far.test=127.0.0.1",
    ];
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let www = server.url_as("www.site.test", "/");
    server.route(
        "/",
        dynamic(move |request: &Request| match request.header("host") {
            Some(host) if host.starts_with("www.") => page(links(["/inside"])),
            _ => redirect(&www),
        }),
    );
    server.route("/inside", page("inside"));
    crawl_well(&gleaner, &server.url_as("site.test", "/"), &more);
    assert_eq!(documents(&gleaner).len(), 2);
    // The second run knows it from the start.
    let again = crawl_well(&gleaner, &server.url_as("site.test", "/"), &more);
    assert_eq!(again.json()["same"], 2, "{again}");
    let explained = gleaner.run(&["explain", &server.url_as("www.site.test", "/inside")]);
    assert!(!explained.stdout.contains("NO "), "{explained}");

    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server
        .route("/", redirect(&server.url_as("far.test", "/away")))
        .route("/away", page("away"));
    let finished = crawl(&gleaner, &server.url_as("site.test", "/"), &more);
    finished.expect_code(&[1]);
    assert_eq!(server.hits("/away"), 0);
    assert!(
        finished.stderr.contains("nothing was collected: out-of-scope"),
        "{finished}"
    );
}

/// `/0` links to `/1`, and so on.
fn staircase(steps: u32) -> HostileServer {
    let server = HostileServer::start();
    for n in 0..steps {
        server.route(
            &format!("/{n}"),
            page(links([format!("/{}", n + 1), "/0".into()]) + &format!("step {n}")),
        );
    }
    server
}

#[test]
fn a12_depth_is_counted_in_links() {
    let server = staircase(6);
    for depth in [0, 1, 3] {
        let gleaner = Gleaner::new();
        server.forget();
        crawl_well(&gleaner, &server.url("/0"), &["--depth", &depth.to_string()]);
        let wanted: Vec<String> = (0..=depth).map(|n| format!("/{n}")).collect();
        assert_eq!(asked(&server), wanted, "--depth {depth}");
        assert!(cuts(&gleaner).contains_key("too-deep"), "--depth {depth}");
        assert_eq!(visits(&gleaner)[&server.url(&format!("/{depth}"))].depth, depth);
    }
}

/// A start page that links to many others, each with text of its own.
fn fan(server: &HostileServer, count: usize) {
    server.route("/", page(links((1..count).map(|n| format!("/page/{n}")))));
    server.route(
        "/page/*",
        dynamic(|request: &Request| page(format!("<p>{}</p>", request.target.repeat(20)))),
    );
}

#[test]
fn a12_a_limit_of_n_pages_means_n_pages() {
    let server = HostileServer::start();
    fan(&server, 300);
    for (limit, per_host) in [
        (1, "16"),
        (7, "16"),
        (50, "16"),
        (50, "1"),
        (300, "16"),
        (400, "16"),
    ] {
        let gleaner = Gleaner::new();
        server.forget();
        let finished = crawl_well(
            &gleaner,
            &server.url("/"),
            &["--max-pages", &limit.to_string(), "--per-host", per_host],
        );
        let wanted = limit.min(300);
        assert_eq!(
            documents(&gleaner).len(),
            wanted,
            "{limit} pages, {per_host} connections: {finished}"
        );
        assert_eq!(
            asked(&server).len(),
            wanted,
            "{limit} pages, {per_host} connections"
        );
        assert_eq!(
            cuts(&gleaner).get("limit-pages").copied().unwrap_or(0),
            300 - wanted as u64,
            "{limit}"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn a12_pages_per_host_are_exact_over_a_stop_too() {
    let addresses: Vec<IpAddr> = ["127.0.0.1", "127.0.0.2"]
        .map(|a| a.parse().expect("an address"))
        .to_vec();
    let server = HostileServer::start_on(&addresses);
    fan(&server, 200);
    let gleaner = Gleaner::new();
    let more = [
        &server.url_on(1, "/"),
        "--max-pages-per-host",
        "20",
        "--per-host",
        "16",
        "--concurrency",
        "64",
    ];
    crawl_well(&gleaner, &server.url_on(0, "/"), &more);
    let per_host = gleaner
        .sqlite("SELECT count(*) FROM documents d JOIN resources r ON r.id = d.resource GROUP BY r.host");
    assert_eq!(per_host, [["20"], ["20"]]);
    assert_eq!(asked(&server).len(), 40);
    assert_eq!(cuts(&gleaner).get("limit-pages"), Some(&360));
    expect_sound(&gleaner);

    let (gleaner, server, gate) = (Gleaner::new(), HostileServer::start(), Gate::closed());
    fan(&server, 200);
    let held = Script::new()
        .then(Action::Hold(gate.clone()))
        .send(page("late").to_bytes("GET"));
    server.route("/page/5", held);
    let start = server.url("/");
    let mut running = gleaner.spawn(&arguments(&start, &["--max-pages-per-host", "20"]));
    assert!(server.wait_until(SOON, |server| server.hits("/page/5") == 1));
    running.interrupt();
    assert!(running.wait_for_output("in flight", SOON));
    gate.open();
    let stopped = running.wait(SOON);
    stopped.expect_code(&[130]);
    assert_eq!(stopped.json()["status"], "stopped");
    let resumed = gleaner.run(&["resume", "--json"]);
    resumed.expect_code(&[0]);
    assert_eq!(resumed.json()["new"], 20, "{resumed}");
    assert_eq!(asked(&server).len(), 20);
    expect_sound(&gleaner);
}

#[test]
fn a12_limits_on_bytes_and_time() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    fan(&server, 300);
    server.route(
        "/page/*",
        dynamic(|request: &Request| page(request.target.clone() + &"x".repeat(20_000))),
    );
    let finished = crawl_well(&gleaner, &server.url("/"), &["--max-bytes", "400k"]);
    let bytes = finished.json()["bytes"].as_u64().expect("a number");
    assert!((400 * 1024..450 * 1024).contains(&bytes), "{bytes} bytes");
    assert!(cuts(&gleaner).contains_key("limit-bytes"), "{:?}", cuts(&gleaner));
    expect_sound(&gleaner);

    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    fan(&server, 300);
    let slow = Script::new()
        .then(Action::Wait(Duration::from_millis(200)))
        .send(page("slow").to_bytes("GET"));
    server.route("/page/*", slow);
    let finished = crawl_well(&gleaner, &server.url("/"), &["--max-time", "2s"]);
    let seconds = finished.json()["seconds"].as_f64().expect("a number");
    assert!((1.5..10.0).contains(&seconds), "{seconds} s");
    assert_eq!(
        finished.json()["note"]
            .as_str()
            .map(|note| note.starts_with("limit-time")),
        Some(true),
        "{finished}"
    );
    expect_sound(&gleaner);
}

#[test]
fn a6_unwanted_types_are_left_out_before_they_cost_anything() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(
            links(["/pic.png", "/film", "/sheet.css", "/doc.pdf", "/mystery", "/text"])
                + "<img src=/logo.gif>",
        ),
    );
    let endless = |kind: &str| {
        Script::new()
            .send(format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: 4000000000\r\n\r\n"
            ))
            .send_forever([0; 4096])
    };
    server.route("/film", endless("video/mp4"));
    let png = b"\x89PNG\r\n\x1a\n0000".repeat(100);
    server.route(
        "/mystery",
        status(200)
            .with_header("Content-Type", "application/octet-stream")
            .with_body(&png),
    );
    server.route(
        "/doc.pdf",
        status(200)
            .with_header("Content-Type", "application/pdf")
            .with_body("%PDF-1.4 small"),
    );
    server.route("/text", text("plain words"));
    let gif = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
    server.route(
        "/pic.png",
        status(200)
            .with_header("Content-Type", "image/png")
            .with_body(&png),
    );
    server.route(
        "/logo.gif",
        status(200)
            .with_header("Content-Type", "image/gif")
            .with_body(gif),
    );
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(asked(&server), ["/", "/doc.pdf", "/film", "/mystery", "/text"]);
    assert!(
        server.bytes_sent() < 16 * 1024 * 1024,
        "{} bytes of the film were sent",
        server.bytes_sent()
    );
    assert_eq!(reason_of(&gleaner, &server.url("/film")), "unwanted-type");
    assert_eq!(
        reason_of(&gleaner, &server.url("/mystery")),
        "unwanted-type",
        "the bytes tell"
    );
    assert_eq!(
        cuts(&gleaner).get("unwanted-type"),
        Some(&3),
        "by extension: {:?}",
        cuts(&gleaner)
    );
    let wanted: BTreeSet<String> = ["/", "/doc.pdf", "/text"]
        .iter()
        .map(|path| server.url(path))
        .collect();
    assert_eq!(documents(&gleaner), wanted);
    expect_sound(&gleaner);

    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--types", "images,documents"]);
    let wanted: BTreeSet<String> = ["/pic.png", "/logo.gif", "/doc.pdf", "/mystery"]
        .iter()
        .map(|path| server.url(path))
        .collect();
    assert_eq!(documents(&gleaner), wanted, "HTML is walked over and not kept");
    expect_sound(&gleaner);
}

#[test]
fn a3_rules_come_before_the_scope() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let far = server.url_as("far.test", "/wanted/1");
    server
        .route("/", page(links([far.as_str(), "/shop/1", "/shop/keep", "/ok"])))
        .route("/*", page("page"));
    let more = [
        "--allow",
        "^http://far\\.test(:\\d+)?/wanted/",
        "--deny",
        "/shop/\\d",
        "--resolve",
        "far.test=127.0.0.1",
        "--allow-private",
    ];
    crawl_well(&gleaner, &server.url("/"), &more);
    assert_eq!(asked(&server), ["/", "/ok", "/shop/keep", "/wanted/1"]);
    assert_eq!(cuts(&gleaner).get("rule-denied"), Some(&1));
    expect_sound(&gleaner);
}

#[test]
fn cookies_last_for_a_run_and_over_its_resume() {
    let (gleaner, server, gate) = (Gleaner::new(), HostileServer::start(), Gate::closed());
    server.route(
        "/",
        page(links(["/held", "/later"])).with_header("Set-Cookie", "visitor=42; Path=/"),
    );
    server.route(
        "/held",
        Script::new()
            .then(Action::Hold(gate.clone()))
            .send(page("held").to_bytes("GET")),
    );
    server.route("/later", page("later"));
    let start = server.url("/");
    let mut running = gleaner.spawn(&arguments(&start, &[]));
    assert!(server.wait_until(SOON, |server| server.hits("/held") == 1));
    running.interrupt();
    assert!(running.wait_for_output("in flight", SOON));
    gate.open();
    running.wait(SOON).expect_code(&[130]);
    assert_eq!(server.hits("/later"), 0);
    gleaner.run(&["resume", "--json"]).expect_code(&[0]);
    assert_eq!(
        server.requests_to("/later")[0].header("cookie"),
        Some("visitor=42")
    );
    server.forget();
    crawl_well(&gleaner, &start, &[]);
    assert_eq!(
        server.requests_to("/")[0].header("cookie"),
        None,
        "a new run is a new visitor"
    );
    expect_sound(&gleaner);
}

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

#[test]
fn b1_a_second_crawl_tells_new_updated_same_missing_and_errors_apart() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let all = [
        "/same",
        "/changed",
        "/gone",
        "/gone-for-good",
        "/broken",
        "/closed",
        "/typed",
        "/empty",
        "/dead",
    ];
    server
        .route("/", page(links(all)))
        .route("/same", page("same"))
        .route("/changed", page("before"));
    for path in &all[2..8] {
        server.route(path, page(format!("content of {path}")));
    }
    let first = crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(
        (&first.json()["new"], &first.json()["dead_links"]),
        (&9.into(), &1.into()),
        "{first}"
    );
    assert_eq!(first.json()["missing"], 0, "a dead link never was a document");

    server
        .route("/", page(links(all.iter().chain(&["/fresh"]))))
        .route("/fresh", page("fresh"))
        .route("/changed", page("after"));
    server
        .remove("/gone")
        .route("/gone-for-good", status(410))
        .route("/broken", status(500))
        .route("/closed", status(403));
    server
        .route(
            "/typed",
            status(200)
                .with_header("Content-Type", "image/png")
                .with_body("\u{89}PNG"),
        )
        .route("/empty", page(""));
    let second = crawl_well(&gleaner, &server.url("/"), &[]);
    let of = |path: &str| changes(&gleaner)[&server.url(path)].clone();
    let pair = |state: &str, reason: &str| (state.to_owned(), reason.to_owned());
    assert_eq!(of("/"), pair("UPD", ""));
    assert_eq!(of("/same"), pair("SAM", ""));
    assert_eq!(of("/changed"), pair("UPD", ""));
    assert_eq!(of("/fresh"), pair("NEW", ""));
    assert_eq!(of("/gone"), pair("MIS", "http-404"));
    assert_eq!(of("/gone-for-good"), pair("MIS", "http-410"));
    assert_eq!(of("/broken"), pair("ERR", "http-5xx"));
    assert_eq!(of("/closed"), pair("ERR", "http-403"));
    assert_eq!(of("/typed"), pair("OUT", "unwanted-type"));
    assert_eq!(of("/empty"), pair("ERR", "became-empty"));
    let summary = second.json();
    let counts: Vec<u64> = ["new", "updated", "same", "missing", "errors", "out", "dead_links"]
        .iter()
        .map(|k| summary[k].as_u64().expect("a number"))
        .collect();
    assert_eq!(counts, [1, 2, 1, 2, 3, 1, 1], "{second}");
    for path in &all[2..8] {
        assert_eq!(
            gleaner.run(&["cat", &server.url(path)]).stdout,
            format!("content of {path}"),
            "old versions stay"
        );
    }
    assert_eq!(gleaner.run(&["cat", &server.url("/changed")]).stdout, "after");
    expect_sound(&gleaner);
}

#[test]
fn b1_a_large_section_that_stays_the_same_is_no_trap() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    fan(&server, 300);
    crawl_well(&gleaner, &server.url("/"), &["--per-host", "4"]);
    for _ in 0..2 {
        let again = crawl_well(&gleaner, &server.url("/"), &["--per-host", "4"]);
        assert_eq!(
            (&again.json()["same"], &again.json()["errors"]),
            (&300.into(), &0.into()),
            "{again}\n{:?}",
            cuts(&gleaner)
        );
    }
    expect_sound(&gleaner);
}

#[test]
fn failures_that_pass_are_tried_again_and_none_is_forgotten() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let count = 60;
    server.route("/", page(links((0..count).map(|n| format!("/{n}")))));
    for n in 0..count {
        let good: Reply = page(format!("page {n}")).into();
        let bad: Reply = if n % 2 == 0 {
            status(500).into()
        } else {
            Script::new()
                .send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf")
                .close()
                .into()
        };
        server.route(&format!("/{n}"), sequence([bad, good]));
    }
    let finished = crawl_well(&gleaner, &server.url("/"), &["--tries", "2", "--per-host", "8"]);
    assert_eq!(
        (&finished.json()["new"], &finished.json()["errors"]),
        (&(count + 1).into(), &0.into()),
        "{finished}"
    );
    assert_eq!(asked(&server).len(), 2 * count + 1);
    expect_sound(&gleaner);
}

#[test]
fn a_host_that_wants_a_long_pause_does_not_hold_up_the_end() {
    let addresses: Vec<IpAddr> = ["127.0.0.1", "127.0.0.2"]
        .map(|a| a.parse().expect("an address"))
        .to_vec();
    let (gleaner, server) = (Gleaner::new(), HostileServer::start_on(&addresses));
    fan(&server, 30);
    let crowded = addresses[1];
    server.route(
        "/page/9",
        dynamic(move |request: &Request| {
            if request.local.ip() == crowded {
                status(503).with_header("Retry-After", "36000")
            } else {
                page("nine")
            }
        }),
    );
    let finished = crawl_well(&gleaner, &server.url_on(0, "/"), &[&server.url_on(1, "/")]);
    assert!(finished.took < Duration::from_secs(20), "{:?}", finished.took);
    assert_eq!(finished.json()["missing"], 0);
    let changes = changes(&gleaner);
    let of_host = |host: usize| {
        changes
            .iter()
            .filter(|(url, _)| url.starts_with(&server.url_on(host, "/")))
            .collect::<BTreeMap<_, _>>()
    };
    assert!(
        of_host(0).values().all(|(state, _)| state == "NEW"),
        "{changes:#?}"
    );
    let paused = of_host(1)
        .values()
        .filter(|(_, reason)| reason == "host-paused")
        .count();
    assert!(paused >= 15, "{paused} pages wait for the next run: {changes:#?}");
    // And in the next run they come.
    server.route("/page/9", page("nine"));
    let next = crawl_well(&gleaner, &server.url_on(0, "/"), &[&server.url_on(1, "/")]);
    assert_eq!(
        (&next.json()["errors"], documents(&gleaner).len()),
        (&0.into(), 60),
        "{next}"
    );
    expect_sound(&gleaner);
}

#[test]
fn a_crawl_that_collects_nothing_says_why() {
    let (server, closed) = (HostileServer::start(), HostileServer::start());
    server
        .route("/gone", status(404))
        .route("/shut", status(403))
        .route("/noindex", page("<meta name=robots content=noindex>"));
    server.route(
        "/pic.png",
        status(200)
            .with_header("Content-Type", "image/png")
            .with_body("\u{89}PNG"),
    );
    server.route("/moved", redirect("/gone"));
    closed.route("/robots.txt", text("User-agent: *\nDisallow: /"));
    let nobody = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        format!("http://{}/", listener.local_addr().expect("an address"))
    };
    let cases = [
        (closed.url("/x"), "robots-denied"),
        (server.url("/gone"), "http-404"),
        (server.url("/moved"), "http-404"),
        (server.url("/shut"), "http-403"),
        (server.url("/noindex"), "noindex"),
        (server.url("/pic.png"), "unwanted-type"),
        (nobody, "robots-unreachable"),
    ];
    for (url, reason) in cases {
        let gleaner = Gleaner::new();
        let finished = crawl(&gleaner, &url, &[]);
        finished.expect_code(&[1]);
        let sentence = format!("gleaner: nothing was collected: {reason}: ");
        assert_eq!(
            finished
                .stderr
                .lines()
                .filter(|line| line.starts_with(&sentence))
                .count(),
            1,
            "{url}: {finished}"
        );
        assert_eq!(finished.json()["status"], "finished", "{finished}");
        expect_sound(&gleaner);
    }
}

#[test]
fn many_hosts_get_their_turn() {
    let site = SynthSite::start(SynthOptions {
        pages: 600,
        hosts: 60,
        missing_pct: 0.0,
        ..SynthOptions::default()
    });
    let gleaner = Gleaner::new();
    let finished = crawl_well(
        &gleaner,
        site.seed_url(),
        &["--scope", "web", "--allow-private", "--concurrency", "8"],
    );
    let kept = documents(&gleaner);
    let missed: Vec<String> = site
        .urls()
        .into_iter()
        .filter(|url| !kept.contains(url))
        .collect();
    assert!(missed.is_empty(), "{missed:?}\n{finished}");
    let stats = site.stats();
    assert_eq!(
        (stats.duplicate_pages, stats.private_hits, stats.hosts_seen),
        (0, 0, 60),
        "{stats:?}"
    );
    assert!(
        stats.max_inflight <= 8 && stats.max_host_inflight <= 1,
        "{stats:?}"
    );
    assert!(stats.robots <= 60, "{stats:?}");
    expect_sound(&gleaner);
}

/// Anchors to pages, outside scripts and comments, counted without our parser.
fn anchors(html: &str) -> usize {
    let mut rest = html.to_owned();
    for (open, close) in [("<!--", "-->"), ("<script", "</script>")] {
        while let Some(at) = rest.find(open) {
            let end = rest[at..]
                .find(close)
                .map_or(rest.len(), |length| at + length + close.len());
            rest.replace_range(at..end, "");
        }
    }
    let unfetched =
        ["mailto:", "tel:", "javascript:"].map(|scheme| rest.matches(&format!("<a href=\"{scheme}")).count());
    rest.matches("<a ").count() - unfetched.iter().sum::<usize>()
}

#[test]
fn the_synthetic_site_is_collected_exactly_and_its_changes_are_found() {
    let site = SynthSite::start(SynthOptions {
        gzip: true,
        ..SynthOptions::pages(2000)
    });
    let gleaner = Gleaner::new();
    let more = ["--per-host", "8"];
    let first = crawl_well(&gleaner, site.seed_url(), &more);
    let pages: BTreeSet<String> = site.urls().into_iter().collect();
    let kept = documents(&gleaner);
    assert_eq!(pages.len(), 2000);
    assert!(
        pages.is_subset(&kept),
        "{:?}",
        pages.difference(&kept).take(5).collect::<Vec<_>>()
    );
    let beside: Vec<&String> = kept.difference(&pages).collect();
    assert!(
        beside.iter().all(|url| url.ends_with("/whatsnew.html")),
        "{beside:?}"
    );
    let stats = site.stats();
    assert_eq!(
        (stats.distinct_pages, stats.duplicate_pages, stats.private_hits),
        (2000, 0, 0),
        "{stats:?}"
    );
    assert_eq!(
        (&first.json()["missing"], &first.json()["errors"]),
        (&0.into(), &0.into()),
        "{first}"
    );
    assert_eq!(first.json()["dead_links"], stats.not_found, "{first}");
    for url in pages.iter().step_by(97) {
        let html = gleaner.run(&["cat", url]).stdout;
        let out = gleaner.run(&["links", url, "--json"]);
        let of_anchors = out
            .json_lines()
            .into_iter()
            .filter(|link| link["kind"] == "anchor");
        let weights: u64 = of_anchors
            .map(|link| link["count"].as_u64().expect("a number"))
            .sum();
        assert_eq!(weights, anchors(&html) as u64, "{url}");
    }

    site.set_epoch(1);
    site.reset();
    crawl_well(&gleaner, site.seed_url(), &more);
    let found = changes(&gleaner);
    let mut wrong = Vec::new();
    let mut judged = 0;
    for truth in site.truth(0, 1) {
        match found.get(&truth.url) {
            Some((state, _)) if *state == truth.state => judged += 1,
            // A page that vanished is met only where a link still leads to it.
            None if truth.state == "MIS" => {}
            other => wrong.push((truth, other.cloned())),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong, as {:?}",
        wrong.len(),
        wrong.first()
    );
    assert!(judged > 1900, "{judged}");
    assert!(!found.values().any(|(state, _)| state == "ERR"));
    assert_eq!((site.stats().duplicate_pages, site.stats().private_hits), (0, 0));
    assert!(urls_in_state(&gleaner, "NEW").len() >= 40);
    expect_sound(&gleaner);
}
