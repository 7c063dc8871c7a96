//! Summary, ranks, components, ways, neighbours and broken links, against the catalog.

use super::{crawled, graph};
use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, redirect, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Who links to whom, as the view of the catalog says: distinct pairs, links of a page to itself left out.
fn pairs(gleaner: &Gleaner) -> BTreeSet<(String, String)> {
    let rows = gleaner.sqlite(
        "SELECT DISTINCT s.url, t.url FROM links l JOIN resources s ON s.id = l.source JOIN resources t ON t.id = l.target
         JOIN link_kinds k ON k.id = l.kind WHERE l.gone_run IS NULL AND k.name NOT IN ('sitemap', 'in-script', 'get-form') AND s.id <> t.id",
    );
    rows.into_iter()
        .map(|row| (row[0].clone(), row[1].clone()))
        .collect()
}

/// The rank of pages as its definition has it, links of a page to itself counted.
fn plain_pagerank(gleaner: &Gleaner) -> BTreeMap<String, f64> {
    let mut links = pairs(gleaner);
    let selves = gleaner.sqlite(
        "SELECT DISTINCT s.url FROM links l JOIN resources s ON s.id = l.source JOIN link_kinds k ON k.id = l.kind
         WHERE l.gone_run IS NULL AND k.name NOT IN ('sitemap', 'in-script', 'get-form') AND l.target = s.id",
    );
    links.extend(selves.into_iter().map(|row| (row[0].clone(), row[0].clone())));
    let documents = gleaner.sqlite("SELECT r.url FROM documents d JOIN resources r ON r.id = d.resource");
    let mut nodes: BTreeSet<String> = documents.into_iter().map(|row| row[0].clone()).collect();
    nodes.extend(links.iter().flat_map(|(from, to)| [from.clone(), to.clone()]));
    let mut out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in &links {
        out.entry(from).or_default().push(to);
    }
    let count = nodes.len() as f64;
    let mut ranks: BTreeMap<&str, f64> = nodes.iter().map(|node| (node.as_str(), 1.0 / count)).collect();
    for _ in 0..150 {
        let lost: f64 = nodes
            .iter()
            .filter(|node| !out.contains_key(node.as_str()))
            .map(|node| ranks[node.as_str()])
            .sum();
        let base = 0.15 / count + 0.85 * lost / count;
        let mut next: BTreeMap<&str, f64> = nodes.iter().map(|node| (node.as_str(), base)).collect();
        for (from, targets) in &out {
            for to in targets {
                *next.get_mut(to).expect("a node") += 0.85 * ranks[from] / targets.len() as f64;
            }
        }
        ranks = next;
    }
    ranks
        .into_iter()
        .map(|(node, rank)| (node.to_owned(), rank))
        .collect()
}

#[test]
fn e4_ranks_equal_their_definition_on_the_links_of_the_catalog() {
    let (_site, gleaner) = crawled(3, 90);
    let truth = plain_pagerank(&gleaner);
    let rows = graph(&gleaner, &["rank", "--json"]).json_lines();
    assert_eq!(rows.len(), truth.len());
    let mut last = f64::MAX;
    for row in &rows {
        let (url, score) = (
            row["url"].as_str().expect("a URL"),
            row["score"].as_f64().expect("a score"),
        );
        assert_eq!(
            row.as_object().map(serde_json::Map::len),
            Some(2),
            "url and score: {row}"
        );
        assert!(
            (score - truth[url]).abs() < 1e-9,
            "{url}: {score}, true is {}",
            truth[url]
        );
        assert!(score <= last, "the best first");
        last = score;
    }
    let top = graph(&gleaner, &["rank", "--top", "3", "--csv"]).stdout;
    assert_eq!(top.lines().count(), 4, "{top}");
    assert!(top.starts_with("url,score\n"), "{top}");
    let hosts = graph(&gleaner, &["rank", "--level", "host", "--json"]).json_lines();
    assert_eq!(hosts.len(), 3);
}

#[test]
fn e4_a_second_look_reads_the_stored_graph_and_tells_the_same() {
    let (_site, gleaner) = crawled(1, 40);
    let first = graph(&gleaner, &["rank", "--json"]);
    let second = graph(&gleaner, &["rank", "--json"]);
    assert_eq!(first.stdout, second.stdout);
    assert!(second.stderr.is_empty(), "{second}");
    let files = |folder: std::path::PathBuf| {
        let names = std::fs::read_dir(folder).expect("derived");
        names
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| {
                path.file_name()
                    .is_some_and(|name| name.to_string_lossy().starts_with("graph-"))
            })
            .collect::<Vec<_>>()
    };
    let stored = files(gleaner.data().join("derived"));
    assert_eq!(stored.len(), 1, "{stored:?}");
    let bytes = std::fs::read(&stored[0]).expect("the file");

    std::fs::write(&stored[0], &bytes[..bytes.len() / 2]).expect("cut");
    let again = graph(&gleaner, &["rank", "--json"]);
    assert_eq!(again.stdout, first.stdout);
    assert!(again.stderr.contains("its stored file was cut off"), "{again}");

    let mut other = bytes.clone();
    other[14] = 99; // The number of the format follows the name of the program.
    std::fs::write(&stored[0], &other).expect("another format");
    let again = graph(&gleaner, &["rank", "--json"]);
    assert_eq!(again.stdout, first.stdout);
    assert!(again.stderr.contains("format 99"), "{again}");

    std::fs::write(&stored[0], "somebody's notes").expect("foreign");
    let again = graph(&gleaner, &["rank", "--json"]);
    assert_eq!(again.stdout, first.stdout);
    assert!(again.stderr.contains("belongs to another catalog"), "{again}");
}

#[test]
fn e4_a_way_is_as_short_as_any() {
    let (site, gleaner) = crawled(1, 120);
    let links = pairs(&gleaner);
    let start = site.seed_url();
    let mut steps: BTreeMap<&str, usize> = BTreeMap::from([(start, 0)]);
    let mut open = VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for (_, to) in links.iter().filter(|(from, _)| from == at) {
            if !steps.contains_key(to.as_str()) {
                steps.insert(to, steps[at] + 1);
                open.push_back(to);
            }
        }
    }
    let (furthest, count) = steps.iter().max_by_key(|(_, count)| **count).expect("pages");
    let rows = graph(&gleaner, &["path", start, furthest, "--json"]).json_lines();
    assert_eq!(rows.last().expect("a summary")["steps"], *count);
    let way: Vec<&str> = rows.iter().filter_map(|row| row["url"].as_str()).collect();
    assert_eq!((way.first(), way.last()), (Some(&start), Some(furthest)));
    for pair in way.windows(2) {
        assert!(
            links.contains(&(pair[0].to_owned(), pair[1].to_owned())),
            "{pair:?}"
        );
    }
    let near = graph(&gleaner, &["near", start, "--along", "out", "--json"]).json_lines();
    let told: BTreeSet<&str> = near.iter().filter_map(|row| row["url"].as_str()).collect();
    let truth: BTreeSet<&str> = links
        .iter()
        .filter(|(from, _)| from == start)
        .map(|(_, to)| to.as_str())
        .collect();
    assert_eq!(told, truth);
}

#[test]
fn e4_dead_links_are_told_with_who_has_them() {
    let (_site, gleaner) = crawled(1, 150);
    let truth: BTreeMap<String, BTreeSet<String>> = pairs(&gleaner)
        .into_iter()
        .filter(|(_, to)| to.contains("/gone/"))
        .fold(BTreeMap::new(), |mut all, (from, to)| {
            all.entry(to).or_default().insert(from);
            all
        });
    assert!(!truth.is_empty(), "the site has dead links");
    let rows = graph(&gleaner, &["broken", "--json"]).json_lines();
    let told: BTreeMap<String, BTreeSet<String>> = rows
        .iter()
        .filter(|row| row["status"] == 404)
        .map(|row| {
            let from = row["from"].as_array().expect("a list");
            let from = from.iter().filter_map(Value::as_str).map(str::to_owned);
            (row["url"].as_str().expect("a URL").to_owned(), from.collect())
        })
        .collect();
    assert_eq!(told, truth);
}

#[test]
fn e4_pages_that_nothing_links_to_and_redirects_one_after_the_other_are_told() {
    let server = HostileServer::start();
    let entry = |path: &str| format!("<url><loc>{}</loc></url>", server.url(path));
    let sitemap = format!(
        "<?xml version=\"1.0\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{}{}</urlset>",
        entry("/alone"),
        entry("/linked")
    );
    server
        .route("/", page(links(["/linked", "/one", "/short"])))
        .route(
            "/linked",
            page("<title>Linked</title><p>Somebody links here.</p>"),
        )
        .route(
            "/alone",
            page("<title>Alone</title><a href='/'>home</a><a href='/alone'>me</a>"),
        )
        .route("/one", redirect("/two"))
        .route("/two", redirect("/three"))
        .route("/three", page("<title>Three</title><p>The end of the way.</p>"))
        .route("/short", redirect("/linked"))
        .route(
            "/sitemap.xml",
            text(sitemap).with_header("Content-Type", "application/xml"),
        );
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--name", "site"]);
    let rows = graph(&gleaner, &["broken", "--json"]).json_lines();
    let orphans: Vec<&Value> = rows.iter().filter_map(|row| row.get("orphan")).collect();
    assert_eq!(
        orphans,
        [&Value::from(server.url("/alone"))],
        "the start is none: {rows:?}"
    );
    let ways: Vec<&Value> = rows.iter().filter_map(|row| row.get("way")).collect();
    let way: Vec<String> = ["/one", "/two", "/three"].map(|path| server.url(path)).into();
    assert_eq!(ways, [&Value::from(way)], "one redirect is no chain: {rows:?}");
    let told = rows.last().expect("a summary");
    assert_eq!(
        (&told["redirect_chains"], &told["orphans"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn e4_the_summary_is_one_screen_and_says_what_a_bow_tie_depends_on() {
    let (_site, gleaner) = crawled(2, 60);
    let told = graph(&gleaner, &["summary"]).stdout;
    assert!(told.lines().count() <= 40, "one screen:\n{told}");
    assert!(told.replace('\n', " ").contains("depend on the crawl"), "{told}");
    assert!(told.contains("per document"), "what it costs:\n{told}");
    let json = graph(&gleaner, &["summary", "--json", "--forecast", "5000"]).json();
    assert_eq!(json["links"], pairs(&gleaner).len());
    assert_eq!(json["hosts"], 2);
    assert_eq!(json["storage"]["forecast_pages"], 5000);
    let parts = &json["components"]["bow_tie"];
    let sum: u64 = ["core", "in", "out", "tubes", "tendrils", "apart"]
        .iter()
        .filter_map(|part| parts[part].as_u64())
        .sum();
    assert_eq!(json["nodes"], sum);
}
