//! robots.txt, robots meta and manners, as a site's owner sees them (HC045–HC055).

use crate::crawled::{
    arguments, asked, changes, crawl, crawl_measured, crawl_well, cuts, documents, expect_sound, links,
    reason_of, urls_in_state,
};
use gleaner_testkit::hostile::{
    Action, Flaw, Gate, HostileServer, Reply, Response, Script, Tls, page, redirect, status, text,
};
use gleaner_testkit::program::Running;
use gleaner_testkit::{DnsServer, Gleaner, dns};
use std::io::Write;
use std::time::{Duration, Instant};

/// A server with a start page, `/yes` and `/no`, and this robots.txt.
fn site(robots: impl Into<Reply>) -> HostileServer {
    let server = HostileServer::start();
    server.route("/robots.txt", robots);
    server
        .route("/", page(links(["/yes", "/no"])))
        .route("/yes", page("yes"))
        .route("/no", page("no"));
    server
}

#[test]
fn hc045_unreachable_robots_close_the_host() {
    let silence: Reply = Script::new().wait_close().into();
    let cases: [(&str, Reply); 5] = [
        ("500", status(500).into()),
        ("503", status(503).with_header("Retry-After", "7200").into()),
        ("429", status(429).into()),
        ("reset", Script::new().reset().into()),
        ("silence", silence),
    ];
    for (name, robots) in cases {
        let gleaner = Gleaner::new();
        let server = site(text("User-agent: *\nDisallow:"));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(documents(&gleaner).len(), 3, "{name}");
        server.forget();
        server.route("/robots.txt", robots);
        let closed = crawl(&gleaner, &server.url("/"), &["--read-timeout", "0.5"]);
        closed.expect_code(&[1]);
        assert_eq!(asked(&server), [""; 0], "{name}: pages were asked for");
        assert_eq!(
            changes(&gleaner)[&server.url("/")],
            ("ERR".to_owned(), "robots-unreachable".to_owned()),
            "{name}"
        );
        assert_eq!(closed.json()["missing"], 0, "{name}: {closed}");
        assert!(closed.stderr.contains("(robots-unreachable"), "{name}: {closed}");
        // Healed, all is as it was: nothing was lost by the failure.
        server.route("/robots.txt", status(404));
        let healed = crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(
            (&healed.json()["same"], &healed.json()["new"]),
            (&3.into(), &0.into()),
            "{name}: {healed}"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn case25_robots_that_did_not_come_whole_close_the_host() {
    let rules = "User-agent: *\nDisallow:\n# ".to_owned() + &"and so on ".repeat(500) + "\nDisallow: /no\n";
    let packed = gzip(rules.as_bytes());
    let mut damaged = packed.clone();
    let at = damaged.len() - 6;
    damaged[at] ^= 0xff;
    let encoded = |name: &str, bytes: &[u8]| text(bytes).with_header("Content-Encoding", name);
    let half = packed.len() / 2;
    let cases: [(&str, Reply); 6] = [
        ("gzip cut", encoded("gzip", &packed[..half]).into()),
        (
            "gzip cut at its end",
            encoded("gzip", &packed[..packed.len() - 3]).into(),
        ),
        ("gzip damaged", encoded("gzip", &damaged).into()),
        (
            "zstd cut",
            encoded("zstd", &[0x28, 0xb5, 0x2f, 0xfd, 0x00]).into(),
        ),
        ("unknown", encoded("rot13", b"Hfre-ntrag: *").into()),
        (
            "fewer bytes than announced",
            Script::new()
                .send("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\nUser-agent: *\n")
                .close()
                .into(),
        ),
    ];
    for (name, robots) in cases {
        let (gleaner, server) = (Gleaner::new(), site(robots));
        crawl(&gleaner, &server.url("/"), &[]).expect_code(&[1]);
        assert_eq!(asked(&server), [""; 0], "{name}: pages were asked for");
        assert_eq!(
            reason_of(&gleaner, &server.url("/")),
            "robots-unreachable",
            "{name}"
        );
    }
    // Whole, or called packed and not: read and obeyed.
    for robots in [encoded("gzip", &packed), encoded("gzip", rules.as_bytes())] {
        let (gleaner, server) = (Gleaner::new(), site(robots));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(server.hits("/no"), 0);
        assert_eq!(documents(&gleaner).len(), 2);
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).expect("memory takes all");
    out.finish().expect("memory takes all")
}

#[test]
fn hc045_the_report_says_why_robots_could_not_be_read() {
    let cases: [(&str, Reply, &str); 3] = [
        ("status", status(503).into(), "503"),
        ("reset", Script::new().reset().into(), "reset"),
        ("silence", Script::new().wait_close().into(), "timeout-first-byte"),
    ];
    for (name, robots, cause) in cases {
        let (gleaner, server) = (Gleaner::new(), site(robots));
        let urls = ["/yes", "/no"].map(|path| server.url(path));
        let more = [&urls[0], urls[1].as_str(), "--read-timeout", "0.5"];
        let finished = crawl(&gleaner, &server.url("/"), &more);
        finished.expect_code(&[1]);
        assert!(finished.stderr.contains(cause), "{name}: {finished}");
        let report = gleaner.run(&["report", "--format", "json"]).json_lines();
        assert_eq!(report.len(), 3, "{name}: a line for each URL");
        for line in &report {
            let detail = line["detail"].as_str().unwrap_or_default();
            assert!(detail.contains(cause), "{name}: {line}");
        }
        let text = gleaner.run(&["report"]).stdout;
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("ERR  ")).collect();
        assert_eq!(lines.len(), 1, "{name}: one line for the host\n{text}");
        assert!(
            lines[0].starts_with(&format!("ERR  {}", server.url("/")))
                && lines[0].contains(cause)
                && lines[0].ends_with("(3 URLs)"),
            "{name}: {text}"
        );
    }
}

#[test]
fn hc045_hosts_that_cannot_be_reached_at_all() {
    let tls = HostileServer::start_tls(&Tls::new(Flaw::SelfSigned));
    tls.route("/*", page("never"));
    let dns = DnsServer::start();
    dns.set("broken.test", [dns::DnsAnswer::ServFail]);
    let resolver = dns.address().to_string();
    for (url, reason) in [
        (tls.url("/"), "robots-unreachable"),
        ("http://broken.test/".to_owned(), "robots-unreachable"),
        ("http://nowhere.test/".to_owned(), "dns-not-found"),
    ] {
        let gleaner = Gleaner::new();
        let finished = crawl(&gleaner, &url, &["--dns-server", &resolver]);
        finished.expect_code(&[1]);
        assert_eq!(changes(&gleaner)[&url], ("ERR".to_owned(), reason.to_owned()));
        expect_sound(&gleaner);
    }
    assert_eq!(tls.requests().len(), 0);
}

#[test]
fn hc045_robots_are_asked_for_again_after_a_pause() {
    let gleaner = Gleaner::new();
    let server = HostileServer::start();
    let robots: Vec<Response> = vec![status(500), text("User-agent: *\nDisallow: /no")];
    server.route("/robots.txt", gleaner_testkit::hostile::sequence(robots));
    server
        .route("/", page(links(["/yes", "/no"])))
        .route("/yes", page("yes"));
    crawl_well(&gleaner, &server.url("/"), &["--tries", "2"]);
    assert_eq!(asked(&server), ["/", "/yes"]);
    let times: Vec<Instant> = server
        .requests_to("/robots.txt")
        .iter()
        .map(|request| request.at)
        .collect();
    assert_eq!(times.len(), 2);
    assert!(
        times[1] - times[0] >= Duration::from_millis(1900),
        "asked again at once"
    );
}

#[test]
fn hc046_no_robots_for_us_means_no_rules() {
    for code in [404, 410, 401, 403, 400] {
        let gleaner = Gleaner::new();
        let server = site(status(code).with_body("User-agent: *\nDisallow: /"));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(asked(&server), ["/", "/no", "/yes"], "{code}");
        assert_eq!(
            gleaner.sqlite("SELECT robots_status FROM hosts"),
            [[code.to_string()]]
        );
        let explained = gleaner.run(&["explain", &server.url("/no")]);
        assert!(
            explained.stdout.contains(&code.to_string()),
            "the status is shown: {explained}"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn hc047_redirects_of_robots() {
    let rules = || text("User-agent: *\nDisallow: /no");
    for (hops, obeyed) in [(1, true), (5, true), (6, false), (20, false)] {
        let (gleaner, server) = (Gleaner::new(), site(redirect("/r1")));
        for hop in 1..hops {
            server.route(&format!("/r{hop}"), redirect(&format!("/r{}", hop + 1)));
        }
        server.route(&format!("/r{hops}"), rules());
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(server.hits("/no"), usize::from(!obeyed), "{hops} hops");
        assert!(
            server.hits("/r6") == 0,
            "{hops} hops: the sixth redirect was followed"
        );
        expect_sound(&gleaner);
    }
    for to in [
        "/robots.txt",
        "ftp://127.0.0.1/robots.txt",
        "javascript:alert(1)",
        "",
    ] {
        let (gleaner, server) = (Gleaner::new(), site(redirect(to)));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(server.hits("/no"), 1, "{to}: unavailable, so no rules");
    }
}

#[test]
fn hc047_robots_of_another_host_count_for_the_first_and_private_ones_are_not_asked() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route("/elsewhere", text("User-agent: *\nDisallow: /no"));
    server.route("/robots.txt", redirect(&server.url_as("b.test", "/elsewhere")));
    server
        .route("/", page(links(["/yes", "/no"])))
        .route("/yes", page("yes"));
    let more = [
        "--resolve",
        "a.test=127.0.0.1",
        "--resolve",
        "b.test=127.0.0.1",
        "--allow-private",
    ];
    crawl_well(&gleaner, &server.url_as("a.test", "/"), &more);
    assert_eq!((server.hits("/no"), server.hits("/yes")), (0, 1));

    let inside = HostileServer::start_on(&["127.0.0.2".parse().expect("an address")]);
    inside.route("/*", text(""));
    let (gleaner, server) = (Gleaner::new(), site(redirect(&inside.url("/robots.txt"))));
    crawl(&gleaner, &server.url("/"), &[]).expect_code(&[1]);
    assert_eq!(inside.connections(), 0);
    assert_eq!(reason_of(&gleaner, &server.url("/")), "robots-unreachable");
    expect_sound(&gleaner);
}

#[test]
fn hc048_the_first_half_mebibyte_counts() {
    let calm = crawl_measured(&Gleaner::new(), &site(status(404)).url("/"), &[]).1;
    let mut body = b"User-agent: *\n".to_vec();
    let filler = |body: &mut Vec<u8>, to: usize| {
        while body.len() < to {
            body.extend_from_slice(b"# nothing to see here, please move along to the next line\n");
        }
    };
    filler(&mut body, 400 * 1024);
    body.extend_from_slice(b"Disallow: /no\n");
    filler(&mut body, 600 * 1024);
    body.extend_from_slice(b"Disallow: /yes\n");
    filler(&mut body, 50 * 1024 * 1024);
    let (gleaner, server) = (Gleaner::new(), site(text(&body)));
    let (finished, most_mib) = crawl_measured(&gleaner, &server.url("/"), &[]);
    finished.expect_code(&[0]);
    assert_eq!((server.hits("/no"), server.hits("/yes")), (0, 1));
    assert!(most_mib < calm + 64, "{most_mib} MiB, {calm} MiB without");
    expect_sound(&gleaner);
}

#[test]
fn hc049_odd_bytes_in_robots() {
    let long = format!(
        "User-agent: *\nDisallow: /{}\nDisallow: /no\n",
        "x".repeat(300 * 1024)
    );
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("one long line", long.into_bytes()),
        ("NUL bytes", b"User-agent: *\n\0\0\0\nDisallow: /no\n".to_vec()),
        ("CR only", b"User-agent: *\rDisallow: /no\r".to_vec()),
        ("BOM", b"\xef\xbb\xbfUser-agent: *\nDisallow: /no\n".to_vec()),
        (
            "Latin-1",
            b"User-agent: *\nDisallow: /caf\xe9\nDisallow: /no\n".to_vec(),
        ),
        (
            "spaces and tabs",
            b"  User-Agent \t: \t*  \n\tDISALLOW\t:\t/no   # why\n".to_vec(),
        ),
        ("no line end", b"User-agent: *\nDisallow: /no".to_vec()),
    ];
    for (name, body) in cases {
        let (gleaner, server) = (Gleaner::new(), site(text(&body)));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!((server.hits("/no"), server.hits("/yes")), (0, 1), "{name}");
        expect_sound(&gleaner);
    }
    let endless = vec![b'x'; 10 * 1024 * 1024];
    let (gleaner, server) = (Gleaner::new(), site(text(&endless)));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(server.hits("/no"), 1);
}

#[test]
fn hc050_patterns_are_linear_and_the_longest_wins() {
    let stars = format!("Disallow: /{}x$", "*a".repeat(1000));
    let cases = [
        ("many stars", stars.as_str(), true),
        ("a dollar in the middle", "Disallow: /n$o", true),
        ("a dollar at the end", "Disallow: /no$", false),
        ("nothing disallowed", "Disallow:", true),
        ("a tie", "Disallow: /no\nAllow: /no", true),
        ("the longer allow", "Disallow: /n\nAllow: /no", true),
        ("the longer disallow", "Allow: /n\nDisallow: /no", false),
        ("a star", "Disallow: /*o", false),
    ];
    for (name, rules, is_open) in cases {
        let (gleaner, server) = (Gleaner::new(), site(text(format!("User-agent: *\n{rules}\n"))));
        let long = format!("/{}", "a".repeat(5000));
        server
            .route("/", page(links(["/yes", "/no", &long])))
            .route(&long, page("long"));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(server.hits("/no"), usize::from(is_open), "{name}");
    }
}

#[test]
fn hc051_the_groups_that_name_us_count() {
    let cases = [
        (
            "two groups of ours",
            "User-agent: gleaner\nDisallow: /x\n\nUser-agent: *\nDisallow: /yes\n\nUser-agent: GLEANER\nDisallow: /no",
            false,
            true,
        ),
        (
            "ours before all",
            "User-agent: Gleaner\nDisallow: /no\n\nUser-agent: *\nDisallow: /yes",
            false,
            true,
        ),
        (
            "all before ours",
            "User-agent: *\nDisallow: /yes\n\nUser-agent: gleaner\nDisallow: /no",
            false,
            true,
        ),
        (
            "a longer name is another's",
            "User-agent: gleanerbot-images\nDisallow: /no\n\nUser-agent: *\nDisallow: /yes",
            true,
            false,
        ),
        (
            "with a version",
            "User-agent: gleaner/9.9\nDisallow: /no",
            false,
            true,
        ),
        (
            "several agents of one group",
            "User-agent: other\nUser-agent: gleaner\nDisallow: /no",
            false,
            true,
        ),
    ];
    for (name, robots, no, yes) in cases {
        let (gleaner, server) = (Gleaner::new(), site(text(robots)));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(
            (server.hits("/no") == 1, server.hits("/yes") == 1),
            (no, yes),
            "{name}"
        );
    }
}

#[test]
fn hc052_odd_crawl_delays_are_clamped() {
    for delay in ["0", "0.001", "-5", "fast", "", "1e-9"] {
        let gleaner = Gleaner::new();
        let server = site(text(format!(
            "User-agent: *\nCrawl-delay: {delay}\nDisallow: /no"
        )));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(asked(&server), ["/", "/yes"], "{delay}");
    }
    let server = site(text("User-agent: *\nCrawl-delay: 0.4"));
    let finished = crawl_well(&Gleaner::new(), &server.url("/"), &[]);
    assert!(
        finished.took >= Duration::from_millis(1200),
        "{:?}",
        finished.took
    );
}

#[test]
fn hc052_a_huge_crawl_delay_slows_its_own_host_only() {
    let gleaner = Gleaner::new();
    let (slow, quick) = (
        site(text("User-agent: *\nCrawl-delay: 86400")),
        HostileServer::start_on(&["127.0.0.2".parse().expect("an address")]),
    );
    quick
        .route("/", page(links((0..50).map(|n| format!("/{n}")))))
        .route("/*", page("quick"));
    let finished = crawl(&gleaner, &slow.url("/"), &[&quick.url("/"), "--max-time", "3s"]);
    finished.expect_code(&[0]);
    assert_eq!(asked(&quick).len(), 51);
    assert!(asked(&slow).len() <= 1, "{:?}", asked(&slow));
    assert!(cuts(&gleaner).contains_key("limit-time"), "{:?}", cuts(&gleaner));
    let explained = gleaner.run(&["explain", &slow.url("/")]);
    assert!(explained.stdout.contains("limit-time"), "{explained}");
}

/// Within a run the file is believed for 24 hours (a test of the frontier proves that queued URLs are checked again then);
/// here: the next run obeys the new file, and what it closes is ERR, not gone.
#[test]
fn hc053_robots_that_become_restrictive_are_obeyed_from_the_next_run() {
    let (gleaner, server) = (Gleaner::new(), site(text("User-agent: *\nDisallow:")));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(documents(&gleaner).len(), 3);
    server.forget();
    server.route("/robots.txt", text("User-agent: *\nDisallow: /no"));
    let second = crawl_well(&gleaner, &server.url("/"), &[]);
    // The home page twice: a track looks once whether the site's URLs carry sessions.
    assert_eq!(asked(&server), ["/", "/", "/yes"]);
    assert_eq!(
        changes(&gleaner)[&server.url("/no")],
        ("ERR".to_owned(), "robots-denied".to_owned())
    );
    assert_eq!(second.json()["missing"], 0);
    assert_eq!(
        gleaner.run(&["cat", &server.url("/no")]).stdout,
        "no",
        "the old version is kept"
    );
    server.route("/robots.txt", status(404));
    let third = crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(
        (&third.json()["same"], &third.json()["errors"]),
        (&3.into(), &0.into()),
        "{third}"
    );
    expect_sound(&gleaner);
}

#[test]
fn hc053_queued_urls_obey_robots_that_became_restrictive() {
    let gate = Gate::closed();
    let (gleaner, server) = (Gleaner::new(), site(text("User-agent: *\nDisallow:")));
    server.route(
        "/yes",
        Script::new()
            .then(Action::Hold(gate.clone()))
            .send(page("yes").to_bytes("GET")),
    );
    let start = server.url("/");
    let arguments = arguments(&start, &["--per-host", "1"]);
    let running = Running::start(gleaner.command(&arguments)).expect("it starts");
    let is_asked = |server: &HostileServer| !server.requests_to("/yes").is_empty();
    assert!(server.wait_until(Duration::from_secs(30), is_asked));
    running.kill9();
    gate.open();
    // A day goes by for the catalog, and the file changed meanwhile; the run it belongs to is the same.
    let catalog = rusqlite::Connection::open(gleaner.data().join("gleaner.db")).expect("the catalog");
    catalog
        .execute_batch(
            "UPDATE hosts SET robots_at = robots_at - 86400000;
             UPDATE runs SET started_at = started_at - 90000000;",
        )
        .expect("a day goes by");
    drop(catalog);
    server.forget();
    server.route("/robots.txt", text("User-agent: *\nDisallow: /no"));
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_eq!(
        server.requests_to("/robots.txt").len(),
        1,
        "it was asked for again"
    );
    assert_eq!(asked(&server), ["/yes"]);
    assert_eq!(reason_of(&gleaner, &server.url("/no")), "robots-denied");
    expect_sound(&gleaner);
}

#[test]
fn hc054_the_strictest_that_names_us_wins() {
    let meta = |name: &str, content: &str| format!("<meta name=\"{name}\" content=\"{content}\">");
    let cases: [(&str, String, Option<&str>, bool, bool); 10] = [
        ("nothing said", String::new(), None, true, true),
        ("noindex", meta("robots", "noindex"), None, false, true),
        ("nofollow", meta("robots", "NoFollow"), None, true, false),
        ("none", meta("robots", "none"), None, false, false),
        (
            "header noindex, meta index",
            meta("robots", "index, follow"),
            Some("noindex"),
            false,
            true,
        ),
        (
            "ours is stricter",
            meta("robots", "all") + &meta("gleaner", "nofollow"),
            None,
            true,
            false,
        ),
        (
            "all is stricter",
            meta("robots", "noindex") + &meta("gleaner", "index"),
            None,
            false,
            true,
        ),
        (
            "another's",
            meta("otherbot", "none"),
            Some("otherbot: none"),
            true,
            true,
        ),
        (
            "ours in the header",
            String::new(),
            Some("gleaner: none"),
            false,
            false,
        ),
        (
            "two metas",
            meta("robots", "noindex") + &meta("robots", "nofollow"),
            None,
            false,
            false,
        ),
    ];
    for (name, head, header, kept, followed) in cases {
        let (gleaner, server) = (Gleaner::new(), HostileServer::start());
        let mut marked = page(format!("<head>{head}</head><a href=\"/below\">below</a>"));
        if let Some(value) = header {
            marked = marked.with_header("X-Robots-Tag", value);
        }
        server
            .route("/", page(links(["/marked"])))
            .route("/marked", marked)
            .route("/below", page("below"));
        crawl_well(&gleaner, &server.url("/"), &[]);
        assert_eq!(
            documents(&gleaner).contains(&server.url("/marked")),
            kept,
            "{name}"
        );
        assert_eq!(server.hits("/below") == 1, followed, "{name}");
        let wanted = if kept { "" } else { "noindex" };
        assert_eq!(reason_of(&gleaner, &server.url("/marked")), wanted, "{name}");
        expect_sound(&gleaner);
        // Only for sites of one's own: everything is taken.
        let own = Gleaner::new();
        crawl_well(&own, &server.url("/"), &["--ignore-robots"]);
        assert_eq!(documents(&own).len(), 3, "{name}");
    }
}

#[test]
fn hc054_a_page_that_now_asks_not_to_be_kept_is_out() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route("/", page(links(["/a"]))).route("/a", page("a"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    server.route("/a", page("a").with_header("X-Robots-Tag", "noindex"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(
        changes(&gleaner)[&server.url("/a")],
        ("OUT".to_owned(), "noindex".to_owned())
    );
    assert_eq!(urls_in_state(&gleaner, "MIS").len(), 0);
}

/// Runs of two projects cannot meet: one process per data folder, one run per process.
#[test]
fn hc055_the_next_run_of_any_project_carries_the_pace_over() {
    const DELAY: Duration = Duration::from_millis(1500);
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route("/*", page("page"));
    let delay = DELAY.as_millis().to_string();
    for name in ["one", "other"] {
        let more = ["--name", name, "--depth", "0", "--delay", &delay];
        crawl_well(&gleaner, &server.url("/"), &more);
    }
    let mut times: Vec<Instant> = server.requests().iter().map(|request| request.at).collect();
    times.sort();
    assert_eq!(times.len(), 4, "robots.txt and a page, twice");
    for pair in times.windows(2) {
        let apart = pair[1] - pair[0];
        assert!(apart >= DELAY.mul_f64(0.9), "{apart:?} apart");
    }
    // A pause that the host asked for holds for every later run, until it is over or the user says that it is his host.
    server.route("/", status(503).with_header("Retry-After", "3600"));
    let more = ["--name", "one", "--depth", "0", "--delay", "10"];
    crawl(&gleaner, &server.url("/"), &more).expect_code(&[1]);
    server.forget();
    server.route("/", page("page"));
    let more = ["--name", "other", "--depth", "0", "--delay", "10"];
    let paused = crawl(&gleaner, &server.url("/"), &more);
    paused.expect_code(&[1]);
    assert_eq!(server.requests().len(), 0, "{paused}");
    assert_eq!(
        changes(&gleaner)[&server.url("/")],
        ("ERR".to_owned(), "host-paused".to_owned())
    );
    let more = ["--name", "other", "--depth", "0", "--delay", "0"];
    crawl_well(&gleaner, &server.url("/"), &more);
    expect_sound(&gleaner);
}

#[test]
fn hc055_hosts_on_one_address_share_its_pace() {
    const HOSTS: usize = 6;
    const PAGES: usize = 4;
    const DELAY_MS: u64 = 200;
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server
        .route("/", page(links((1..PAGES).map(|n| format!("/{n}")))))
        .route("/*", page("page"));
    let names: Vec<String> = (0..HOSTS).map(|n| format!("h{n}.test")).collect();
    let urls: Vec<String> = names.iter().map(|name| server.url_as(name, "/")).collect();
    let resolve: Vec<String> = names.iter().map(|name| format!("{name}=127.0.0.1")).collect();
    let delay = DELAY_MS.to_string();
    let mut more: Vec<&str> = urls[1..].iter().map(String::as_str).collect();
    more.extend(["--delay", &delay]);
    more.extend(resolve.iter().flat_map(|pair| ["--resolve", pair]));
    crawl_well(&gleaner, &urls[0], &more);
    let requests = server.requests();
    let mut times: Vec<Instant> = requests
        .iter()
        .filter(|request| !["/robots.txt", "/sitemap.xml"].contains(&request.path()))
        .map(|request| request.at)
        .collect();
    times.sort();
    assert_eq!(times.len(), HOSTS * PAGES);
    // Two connections' worth of requests for the address, so half the delay between two starts, however many hosts.
    let span = times[times.len() - 1] - times[0];
    let least = Duration::from_millis(DELAY_MS / 2) * (times.len() as u32 - 1);
    assert!(
        span >= least.mul_f64(0.9),
        "{span:?} for {} pages, at least {least:?} is due",
        times.len()
    );
    for name in &names {
        let mut times: Vec<Instant> = requests
            .iter()
            .filter(|r| r.header("host").is_some_and(|h| h.starts_with(name)))
            .map(|r| r.at)
            .collect();
        times.sort();
        let span = times[times.len() - 1] - times[0];
        let least = Duration::from_millis(DELAY_MS) * (times.len() as u32 - 1);
        assert!(
            span >= least.mul_f64(0.9),
            "{name}: {span:?}, at least {least:?} is due"
        );
    }
}
