//! Graphs with published or independently computed values.

use gleaner_graph::{
    EdgeList, HitsOptions, PageRankOptions, hits, pagerank, parse_edges, strong_components, weak_components,
};
use std::io::Read as _;
use std::path::{Path, PathBuf};

fn corpora() -> Option<PathBuf> {
    gleaner_fixtures::corpus("link-graph")
}

fn unpacked(path: &Path) -> Vec<u8> {
    let packed = std::fs::read(path).expect("a file of the corpus");
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut bytes)
        .expect("gzip");
    bytes
}

/// Every graph of the corpus: its links, its ranks as rows of columns, its figures.
fn graphs() -> Vec<(String, EdgeList, Vec<Vec<String>>, serde_json::Value)> {
    let Some(folder) = corpora() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the corpus") {
        let name = entry
            .expect("an entry")
            .file_name()
            .into_string()
            .expect("a name");
        let Some(stem) = name.strip_suffix(".edges.tsv.gz") else {
            continue;
        };
        let list = parse_edges(&unpacked(&folder.join(&name)), 10);
        assert_eq!(list.broken, 0, "{name}");
        let ranks = String::from_utf8(unpacked(&folder.join(format!("{stem}.ranks.tsv.gz")))).expect("text");
        let rows = ranks.lines().skip(1);
        let rows = rows.map(|row| row.split('\t').map(str::to_owned).collect());
        let stats = std::fs::read(folder.join(format!("{stem}.stats.json"))).expect("figures");
        let stats = serde_json::from_slice(&stats).expect("JSON");
        found.push((stem.to_owned(), list, rows.collect(), stats));
    }
    found
}

/// The greatest difference from a column of the reference.
fn difference(list: &EdgeList, scores: &[f64], rows: &[Vec<String>], column: usize) -> f64 {
    let differences = rows.iter().map(|row| {
        let node = list.names.find(&row[0]).expect("a node of the graph");
        (scores[node as usize] - row[column].parse::<f64>().expect("a number")).abs()
    });
    differences.fold(0.0, f64::max)
}

fn top(list: &EdgeList, scores: &[f64], rows: &[Vec<String>], column: usize) -> (Vec<String>, Vec<String>) {
    // Scores that the reference cannot tell apart are ordered by name in both.
    let sorted = |mut pairs: Vec<(i64, String)>| -> Vec<String> {
        pairs.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
        pairs.into_iter().take(100).map(|(_, name)| name).collect()
    };
    let rounded = |score: f64| (score * 1e10).round() as i64;
    let ours = list
        .names
        .iter()
        .zip(scores)
        .map(|(name, &score)| (rounded(score), name));
    let theirs = rows
        .iter()
        .map(|row| (rounded(row[column].parse().expect("a number")), row[0].clone()));
    (sorted(ours.collect()), sorted(theirs.collect()))
}

#[test]
fn ranks_and_components_are_those_of_the_references() {
    for (name, list, rows, stats) in graphs() {
        let graph = &list.graph;
        assert_eq!(graph.nodes(), rows.len(), "{name}");
        let links = graph.links() + graph.self_links().len();
        assert_eq!(links as u64, stats["edges"], "{name}");

        let ranks = pagerank(graph, &PageRankOptions::default());
        assert!(ranks.change < 1e-12, "{name}: {}", ranks.change);
        assert!(difference(&list, &ranks.scores, &rows, 1) < 1e-6, "{name}");
        let (ours, theirs) = top(&list, &ranks.scores, &rows, 1);
        assert_eq!(ours, theirs, "{name}");

        let found = hits(graph, &HitsOptions::default());
        assert!(
            found.change < 1e-12,
            "{name}: {} after {}",
            found.change,
            found.rounds
        );
        for (column, scores) in [(2, &found.authorities), (3, &found.hubs)] {
            let off = difference(&list, scores, &rows, column);
            assert!(off < 1e-6, "{name}, column {column}: {off}");
            let (ours, theirs) = top(&list, scores, &rows, column);
            assert_eq!(ours, theirs, "{name}, column {column}");
        }

        let (strong, weak) = (strong_components(graph), weak_components(graph));
        let figures = [
            (strong.count() as u64, "scc_count"),
            (u64::from(strong.sizes[0]), "largest_scc"),
            (weak.count() as u64, "wcc_count"),
            (u64::from(weak.sizes[0]), "largest_wcc"),
        ];
        for (figure, key) in figures {
            assert_eq!(figure, stats[key], "{name}, {key}");
        }
    }
}

#[test]
fn the_published_example_has_its_published_values() {
    let Some(folder) = corpora() else {
        return;
    };
    let text = std::fs::read(folder.join("langville-meyer.json")).expect("the example");
    let example: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let graph_of = |part: &serde_json::Value| {
        let links = part["edges"].as_array().expect("links").iter();
        let lines: Vec<String> = links.map(|link| format!("{}\t{}", link[0], link[1])).collect();
        parse_edges(lines.join("\n").as_bytes(), 0)
    };
    let check = |list: &EdgeList, scores: &[f64], expected: &serde_json::Value, tolerance: f64| {
        for (name, value) in expected.as_object().expect("values") {
            let node = list.names.find(name).expect("a node");
            let off = (scores[node as usize] - value.as_f64().expect("a number")).abs();
            assert!(off < tolerance, "node {name}: {off}");
        }
    };
    let part = &example["pagerank"];
    let list = graph_of(part);
    let options = PageRankOptions {
        damping: part["alpha"].as_f64().expect("a number"),
        rounds_max: 1_000,
        ..PageRankOptions::default()
    };
    let ranks = pagerank(&list.graph, &options);
    check(
        &list,
        &ranks.scores,
        &part["expected"],
        part["tolerance"].as_f64().expect("a number"),
    );
    let part = &example["hits"];
    let list = graph_of(part);
    let found = hits(&list.graph, &HitsOptions::default());
    check(&list, &found.authorities, &part["authority"], 1e-4);
    check(&list, &found.hubs, &part["hub"], 1e-4);
}
