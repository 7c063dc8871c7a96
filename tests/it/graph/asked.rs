//! Mirrors, hosts, types, citations, cores, depths; which links count; every answer as a table for spreadsheets.

use super::{crawled, graph};
use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Forty words that no other page has, with every tenth exchanged where `edit` says so.
fn words(page: usize, site: &str, edit: Option<&str>) -> String {
    let word = |at: usize| match edit {
        Some(edit) if at % 10 == 3 => format!("{edit}{at}"),
        _ => format!("{site}{page}x{at}"),
    };
    let words: Vec<String> = (0..40).map(word).collect();
    format!("<p>{}.</p>", words.join(" "))
}

/// A host with thirty pages whose index names them.
fn host(address: &str, index: &str, text: impl Fn(usize) -> String) -> HostileServer {
    let server = HostileServer::start_on(&[address.parse().expect("an address")]);
    let paths: Vec<String> = (0..30).map(|at| format!("/part/text-{at}.html")).collect();
    let all = links(paths.iter().map(String::as_str));
    server.route(index, page(format!("<title>Index</title>{all}")));
    for (at, path) in paths.iter().enumerate() {
        server.route(path, page(format!("<title>Text {at}</title>{}", text(at))));
    }
    server
}

#[test]
fn e5_a_mirror_with_its_own_words_and_index_is_found_and_a_look_alike_is_not() {
    let original = host("127.0.0.1", "/", |at| words(at, "a", None));
    let mirror = host("127.0.0.2", "/index.html", |at| words(at, "a", Some("copy")));
    let alike = host("127.0.0.3", "/", |at| words(at, "b", None));
    let gleaner = Gleaner::new();
    let second = mirror.url("/index.html");
    let third = alike.url("/");
    crawl_well(
        &gleaner,
        &original.url("/"),
        &[&second, &third, "--name", "copies", "--allow-private"],
    );
    let rows = graph(&gleaner, &["mirrors", "--json"]).json_lines();
    assert_eq!(rows.len(), 1, "{rows:?}");
    let pair: BTreeSet<&str> = ["host", "mirror"]
        .iter()
        .filter_map(|key| rows[0][key].as_str())
        .collect();
    assert_eq!(pair, BTreeSet::from(["127.0.0.1", "127.0.0.2"]));
    assert!(
        rows[0]["same_texts"].as_f64().is_some_and(|share| share > 0.9),
        "{rows:?}"
    );
    let table = graph(&gleaner, &["mirrors", "--csv"]).stdout;
    assert_eq!(table.lines().count(), 2, "{table}");
}

/// Two hosts that link to each other and a document; one link says nofollow, one is a picture.
fn small_web() -> (HostileServer, HostileServer, Gleaner) {
    let one = HostileServer::start_on(&["127.0.0.1".parse().expect("an address")]);
    let other = HostileServer::start_on(&["127.0.0.2".parse().expect("an address")]);
    one.route(
        "/",
        page(format!(
            "<a href='/a'>a</a><a href='/a'>a again</a><img src='/p.png'><a rel=nofollow href='{}'>away</a>",
            other.url("/")
        )),
    );
    one.route("/a", page("<a href='/b'>b</a>"));
    one.route("/b", page("<a href='/'>home</a><a href='/t.txt'>text</a>"));
    one.route("/t.txt", text("plain text of some length"));
    other.route("/", page(format!("<a href='{}'>a</a>", one.url("/a"))));
    let gleaner = Gleaner::new();
    crawl_well(
        &gleaner,
        &one.url("/"),
        &[
            &other.url("/"),
            "--name",
            "small",
            "--allow-private",
            "--types",
            "all",
        ],
    );
    (one, other, gleaner)
}

#[test]
fn e4_hosts_types_citations_cores_and_depths_are_told() {
    let (one, other, gleaner) = small_web();
    let rows = graph(&gleaner, &["hosts", "--json"]).json_lines();
    let of = |host: &str| {
        rows.iter()
            .find(|row| row["host"] == host)
            .expect("a host")
            .clone()
    };
    let (first, second) = (of("127.0.0.1"), of("127.0.0.2"));
    assert_eq!(
        (&first["links_out"], &first["links_in"]),
        (&1.into(), &1.into()),
        "{first}"
    );
    assert_eq!(
        (&second["links_inside"], &second["links_out"]),
        (&0.into(), &1.into()),
        "{second}"
    );
    assert_eq!(second["inside_share"], 0.0);

    let rows = graph(&gleaner, &["types", "--json"]).json_lines();
    let to: BTreeMap<String, u64> = rows
        .iter()
        .filter(|row| row["from_type"] == "text/html")
        .map(|row| {
            (
                row["to_type"].as_str().unwrap_or("").to_owned(),
                row["links"].as_u64().unwrap_or(0),
            )
        })
        .collect();
    assert_eq!(to.get("text/html"), Some(&5), "{to:?}");

    let score = |by: &str, url: &str| -> Value {
        let rows = graph(&gleaner, &["rank", "--by", by, "--json"]).json_lines();
        rows.iter().find(|row| row["url"] == url).expect("a row").clone()
    };
    let cited = score("citations", &one.url("/a"));
    assert_eq!(
        (&cited["score"], &cited["links"], &cited["foreign_links"]),
        (&1.0.into(), &2.into(), &1.into())
    );
    assert_eq!(score("depth", &one.url("/b"))["score"], 2.0);
    assert_eq!(score("depth", &other.url("/"))["score"], 0.0);
    assert!(
        score("core", &one.url("/a"))["score"]
            .as_f64()
            .is_some_and(|core| core >= 2.0)
    );
}

#[test]
fn e4_kinds_and_nofollow_decide_which_links_count() {
    let (one, other, gleaner) = small_web();
    let pairs = |words: &[&str]| -> BTreeSet<(String, String)> {
        let mut all = vec!["export", "--format", "edges"];
        all.extend(words);
        let told = graph(&gleaner, &all).stdout;
        let pairs = told.lines().filter_map(|line| line.split_once('\t'));
        pairs.map(|(from, to)| (from.to_owned(), to.to_owned())).collect()
    };
    let (picture, away) = ((one.url("/"), one.url("/p.png")), (one.url("/"), other.url("/")));
    let all = pairs(&[]);
    assert!(all.contains(&picture) && all.contains(&away), "{all:?}");
    let anchors = pairs(&["--kinds", "anchor"]);
    assert!(
        !anchors.contains(&picture) && anchors.contains(&away),
        "{anchors:?}"
    );
    let followed = pairs(&["--no-nofollow"]);
    assert!(
        followed.contains(&picture) && !followed.contains(&away),
        "{followed:?}"
    );
    let wrong = gleaner.run(&["graph", "rank", "--kinds", "nothing"]);
    wrong.expect_code(&[2]);
    assert!(wrong.stderr.contains("anchor"), "{wrong}");
}

/// The rows of a CSV file, its head first; no cell of these tests has a line end in it.
fn rows_of(table: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| {
        let mut cells = vec![String::new()];
        let mut is_quoted = false;
        for sign in line.chars() {
            match sign {
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => cells.push(String::new()),
                other => cells.last_mut().expect("a cell").push(other),
            }
        }
        cells
    };
    table.lines().map(cells).collect()
}

#[test]
fn e4_every_answer_is_a_table_too() {
    let (site, gleaner) = crawled(2, 60);
    let start = site.seed_url();
    for words in [
        vec!["summary"],
        vec!["rank", "--by", "authorities", "--guarded"],
        vec!["hosts"],
        vec!["types"],
        vec!["components"],
        vec!["mirrors"],
        vec!["broken"],
        vec!["path", start, start],
        vec!["near", start, "--hops", "2"],
    ] {
        let mut asked = words.clone();
        asked.push("--csv");
        let table = rows_of(&graph(&gleaner, &asked).stdout);
        let columns = table[0].len();
        assert!(
            columns > 1 && table.iter().all(|row| row.len() == columns),
            "{words:?}: {table:?}"
        );
        asked.pop();
        asked.push("--json");
        let told = graph(&gleaner, &asked).json_lines();
        assert!(words[0] == "mirrors" || !told.is_empty(), "{words:?}");
    }
    let broken = rows_of(&graph(&gleaner, &["broken", "--csv"]).stdout);
    assert!(
        broken.iter().any(|row| row[0] == "broken" && row[2] == "404"),
        "{broken:?}"
    );
    let figures = graph(&gleaner, &["summary", "--csv"]).stdout;
    assert!(figures.contains("\ncomponents.bow_tie.core,"), "{figures}");
    assert!(figures.contains("\ntop.1.url,http"), "{figures}");
}

#[test]
fn e4_ranks_that_did_not_settle_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("ring.tsv");
    // A long ring with one shortcut: the walk forgets slowly.
    let ring: Vec<String> = (0..400).map(|at| format!("n{at}\tn{}", (at + 1) % 400)).collect();
    let ring = ring.join("\n") + "\n";
    std::fs::write(&file, ring + "n0\tn200\n").expect("a file");
    let gleaner = Gleaner::new();
    let path = file.to_str().expect("a path");
    let told = graph(
        &gleaner,
        &["rank", "--edges", path, "--damping", "0.999", "--json"],
    );
    assert!(told.stderr.contains("after 200 rounds"), "{told}");
    assert_eq!(told.json_lines().len(), 400);
    let told = graph(&gleaner, &["rank", "--edges", path, "--json"]);
    assert!(told.stderr.is_empty(), "{told}");
}

#[test]
fn e4_several_projects_are_one_graph() {
    let (one, other, gleaner) = small_web();
    let lone = HostileServer::start_on(&["127.0.0.4".parse().expect("an address")]);
    lone.route("/", page(format!("<a href='{}'>a</a>", one.url("/a"))));
    crawl_well(
        &gleaner,
        &lone.url("/"),
        &["--name", "lone", "--allow-private", "--depth", "0"],
    );
    let nodes = |words: &[&str]| -> BTreeSet<String> {
        let mut all = vec!["rank", "--level", "host", "--json"];
        all.extend(words);
        let rows = graph(&gleaner, &all).json_lines();
        rows.iter()
            .filter_map(|row| row["url"].as_str())
            .map(str::to_owned)
            .collect()
    };
    let hosts = |list: &[&str]| {
        list.iter()
            .map(|host| (*host).to_owned())
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(nodes(&["--project", "lone"]), hosts(&["127.0.0.1", "127.0.0.4"]));
    assert_eq!(nodes(&["--project", "small"]), hosts(&["127.0.0.1", "127.0.0.2"]));
    let both = hosts(&["127.0.0.1", "127.0.0.2", "127.0.0.4"]);
    assert_eq!(nodes(&["--project", "small", "--project", "lone"]), both);
    assert_eq!(nodes(&[]), both);
    drop(other);
}
