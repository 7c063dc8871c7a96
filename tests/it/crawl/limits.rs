//! Where does a crawl stop? Depth, pages, bytes, time (A12).

use crate::crawled::{arguments, asked, crawl_well, cuts, documents, expect_sound, links, visits};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{Action, Gate, HostileServer, Request, Script, dynamic, page};
use std::net::IpAddr;
use std::time::Duration;

const SOON: Duration = Duration::from_mins(1);

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
pub(super) fn fan(server: &HostileServer, count: usize) {
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
