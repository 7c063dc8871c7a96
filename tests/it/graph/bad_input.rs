//! Input that is bad gets one clear sentence.

use super::graph;
use crate::crawled::{arguments, crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page};
use std::io::Write;
use std::time::Duration;

/// What was said, when it could not be done.
fn said(gleaner: &Gleaner, words: &[&str], code: i32) -> String {
    let mut all = vec!["graph"];
    all.extend(words);
    let finished = gleaner.run(&all);
    finished.expect_code(&[code]);
    assert_eq!(finished.stderr.lines().count(), 1, "one sentence: {finished}");
    finished.stderr
}

#[test]
fn one_page_without_links_is_no_graph() {
    let server = HostileServer::start();
    server.route("/", page("<title>Alone</title>"));
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--name", "alone"]);
    let told = said(&gleaner, &["summary"], 3);
    assert!(told.contains("no links to look at: 1 page"), "{told}");
    let told = said(&gleaner, &["rank", "--project", "nobody"], 3);
    assert!(told.contains("there is no such project"), "{told}");
    let told = said(&gleaner, &["rank", "--run", "77"], 3);
    assert!(told.contains("77"), "{told}");
}

#[test]
fn a_page_that_links_50_000_times_to_itself_counts_them_apart() {
    let server = HostileServer::start();
    let selves = "<a href='/'>again</a>".repeat(50_000);
    server.route("/", page(selves + &links(["/other"])));
    server.route("/other", page(links(["/"])));
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--name", "selves"]);
    let told = graph(&gleaner, &["summary", "--json"]).json();
    assert_eq!(
        (&told["nodes"], &told["links"], &told["self_links"]),
        (&2.into(), &2.into(), &1.into())
    );
    let lines = graph(&gleaner, &["export", "--format", "weighted-edges"]).stdout;
    let own = format!("{0}\t{0}\t50000\n", server.url("/"));
    assert!(lines.contains(&own), "{lines}");
}

#[test]
fn pages_that_are_not_joined_have_no_way_between_them() {
    let server = HostileServer::start();
    server.route("/", page(links(["/end"])));
    server.route("/end", page("<title>End</title>"));
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--name", "ends"]);
    let told = said(&gleaner, &["path", &server.url("/end"), &server.url("/")], 1);
    assert!(
        told.contains("in the other direction the path has 1 link"),
        "{told}"
    );
    let told = said(
        &gleaner,
        &["path", &server.url("/end"), "http://nowhere.test/"],
        3,
    );
    assert!(told.contains("no such page in the graph"), "{told}");
}

#[test]
fn a_run_that_was_cut_short_is_named() {
    let server = HostileServer::start();
    let paths: Vec<String> = (0..200).map(|at| format!("/{at}")).collect();
    server.route("/", page(links(&paths)));
    for path in &paths {
        server.route(path, page(links(["/"])));
    }
    let gleaner = Gleaner::new();
    let (url, more) = (server.url("/"), ["--name", "short", "--delay", "100"]);
    let running = gleaner.spawn(&arguments(&url, &more));
    while server.requests().len() < 5 {
        std::thread::yield_now();
    }
    running.interrupt();
    running.wait(Duration::from_mins(2));
    for words in [vec!["rank", "--json"], vec!["rank", "--run", "1", "--json"]] {
        let told = graph(&gleaner, &words);
        assert!(told.stderr.contains("run 1 is not finished (stopped)"), "{told}");
        assert_eq!(told.stderr.lines().count(), 1, "one sentence: {told}");
        assert!(!told.json_lines().is_empty());
    }
}

#[test]
fn broken_lines_of_an_edge_file_are_named_skipped_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("links.tsv");
    std::fs::write(&plain, "# a graph\na\tb\nb\ta\t2\nalone\nb\tc\tnothing\n\n").expect("a file");
    let gleaner = Gleaner::new();
    let finished = gleaner.run(&[
        "graph",
        "rank",
        "--edges",
        plain.to_str().expect("a path"),
        "--json",
    ]);
    finished.expect_code(&[0]);
    assert!(
        finished.stderr.contains("2 lines skipped that are not links"),
        "{finished}"
    );
    assert!(
        finished.stderr.contains("line 4") && finished.stderr.contains("line 5"),
        "{finished}"
    );
    assert_eq!(finished.json_lines().len(), 2, "{finished}");

    let packed = folder.path().join("links.tsv.gz");
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(b"a\tb\nb\ta\n").expect("packed");
    std::fs::write(&packed, writer.finish().expect("packed")).expect("a file");
    let rows = graph(
        &gleaner,
        &["rank", "--edges", packed.to_str().expect("a path"), "--json"],
    )
    .json_lines();
    assert_eq!(rows.len(), 2);

    std::fs::write(&plain, "nothing of use\n").expect("a file");
    let told = said(&gleaner, &["rank", "--edges", plain.to_str().expect("a path")], 3);
    assert!(told.contains("no line of the file is a link"), "{told}");
    let told = said(
        &gleaner,
        &["mirrors", "--edges", packed.to_str().expect("a path")],
        3,
    );
    assert!(told.contains("leave out --edges"), "{told}");
}
