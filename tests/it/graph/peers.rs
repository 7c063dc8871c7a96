//! Graphs of many kinds, brought as lists of links: what is told of them is what networkx finds.

use super::{graph, python};
use gleaner_testkit::Gleaner;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const PEERS: &str = include_str!("peers.py");

type Scores = BTreeMap<String, f64>;

fn scores(value: &Value) -> Scores {
    let scores = value.as_object().expect("scores").iter();
    let number = |value: &Value| value.as_f64().expect("a number");
    scores
        .map(|(name, score)| (name.clone(), number(score)))
        .collect()
}

fn ranked(gleaner: &Gleaner, file: &str, words: &[&str]) -> Scores {
    let mut all = vec!["rank", "--edges", file, "--json"];
    all.extend(words);
    let told = graph(gleaner, &all);
    assert!(told.stderr.is_empty(), "settled: {told}");
    let rows = told.json_lines();
    let row = |row: &Value| {
        let name = row["url"].as_str().expect("a name").to_owned();
        (name, row["score"].as_f64().expect("a score"))
    };
    rows.iter().map(row).collect()
}

fn assert_near(ours: &Scores, theirs: &Value, tolerance: f64, what: &str) {
    let theirs = scores(theirs);
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (name, score) in ours {
        let off = (score - theirs[name]).abs();
        assert!(
            off < tolerance,
            "{what}, {name}: {score} and {}, {off:.1e} apart",
            theirs[name]
        );
    }
}

#[test]
fn e4_graphs_of_many_kinds_are_told_as_networkx_tells_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("a path");
    let Some(found) = python(PEERS, &[path]) else {
        return;
    };
    let found: BTreeMap<String, Value> = serde_json::from_str(&found).expect("JSON");
    assert!(found.len() >= 9);
    let gleaner = Gleaner::new();
    for (name, truth) in &found {
        let file = format!("{path}/{name}.tsv");
        let check = |what: &str, tolerance: f64, words: &[&str]| {
            let ours = ranked(&gleaner, &file, words);
            assert_near(&ours, &truth[what], tolerance, &format!("{name}, {what}"));
        };
        check("pagerank", 1e-9, &[]);
        check("pagerank, weighted", 1e-9, &["--weighted"]);
        check("pagerank, damped", 1e-9, &["--damping", "0.5"]);
        let seen_from: Vec<&str> = truth["seen_from"]
            .as_array()
            .expect("names")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let words: Vec<&str> = seen_from.iter().flat_map(|from| ["--from", *from]).collect();
        check("pagerank, seen from three", 1e-9, &words);
        check("hubs", 1e-6, &["--by", "hubs"]);
        check("authorities", 1e-6, &["--by", "authorities"]);
        for by in ["in", "out", "core"] {
            check(by, 1e-9, &["--by", by]);
        }

        let rows = graph(&gleaner, &["components", "--edges", &file, "--json"]).json_lines();
        for kind in ["strong", "weak"] {
            let sizes: Vec<&Value> = rows
                .iter()
                .filter(|row| row["kind"] == kind)
                .map(|row| &row["size"])
                .collect();
            let theirs: Vec<&Value> = truth[kind].as_array().expect("sizes").iter().collect();
            assert_eq!(sizes, theirs, "{name}, {kind}");
        }
        let told = rows.last().expect("a summary");
        if truth["several_cores"] == false {
            for part in ["core", "in", "out"] {
                assert_eq!(told["bow_tie"][part], truth["bow_tie"][part], "{name}, {part}");
            }
        }
        let told = graph(&gleaner, &["summary", "--edges", &file, "--json"]).json();
        let off =
            told["reciprocity"].as_f64().expect("a share") - truth["reciprocity"].as_f64().expect("a share");
        assert!(off.abs() < 1e-9, "{name}, reciprocity: {off}");

        let centre = truth["centre"].as_str().expect("a name");
        let around = graph(
            &gleaner,
            &["near", centre, "--hops", "2", "--edges", &file, "--json"],
        )
        .json_lines();
        let around: BTreeSet<&str> = around.iter().filter_map(|row| row["url"].as_str()).collect();
        let theirs = truth["near"]
            .as_array()
            .expect("names")
            .iter()
            .filter_map(Value::as_str);
        assert_eq!(around, theirs.collect(), "{name}, around {centre}");
        let steps = scores(&truth["steps"]);
        for (to, count) in steps.iter().step_by(steps.len().div_ceil(4)) {
            let way = graph(&gleaner, &["path", centre, to, "--edges", &file, "--json"]).json_lines();
            let ours = way.last().expect("a count")["steps"].as_f64();
            assert_eq!(ours, Some(*count), "{name}, from {centre} to {to}");
        }
    }
}
