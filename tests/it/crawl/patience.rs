//! Failures that pass, hosts that want a pause, and many hosts at once.

use super::limits::fan;
use crate::crawled::{asked, changes, crawl_well, documents, expect_sound, links};
use gleaner_testkit::hostile::{HostileServer, Reply, Request, Script, dynamic, page, sequence, status};
use gleaner_testkit::{Gleaner, SynthOptions, SynthSite};
use std::collections::BTreeMap;
use std::net::IpAddr;

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
    // On a busy machine some answers are overdue, and then a few more are asked for.
    assert!(
        stats.max_inflight <= 3 * 8 && stats.max_host_inflight <= 1,
        "{stats:?}"
    );
    assert!(stats.robots <= 60, "{stats:?}");
    expect_sound(&gleaner);
}
