//! Lists of links that others made: every question that needs only links takes them, plain and packed, with what is broken in them named.

use super::graph;
use gleaner_testkit::Gleaner;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

fn packed(folder: &Path, name: &str, text: &str) -> PathBuf {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text.as_bytes()).expect("packed");
    let file = folder.join(name);
    std::fs::write(&file, writer.finish().expect("packed")).expect("a file");
    file
}

/// Two domains with three hosts, addresses as a web scientist brings them.
const LINKS: &str = "# source\ttarget\tweight\r\n\
    http://a.example/\thttp://a.example/one\n\
    http://a.example/one\thttp://a.example/\t2.5\n\
    \n\
    http://a.example/one\thttp://b.example/\n\
    http://b.example/\thttp://www.b.example/ü\n\
    http://www.b.example/ü\thttp://a.example/\n\
    http://b.example/\thttp://b.example/\n";
/// Two lines that are no links.
const BROKEN: &str = "nothing\nhttp://a.example/\thttp://b.example/\tmuch\n";

#[test]
fn e4_every_question_about_links_takes_a_list_of_links() {
    let folder = tempfile::tempdir().expect("a folder");
    let plain = folder.path().join("links.tsv");
    std::fs::write(&plain, LINKS).expect("a file");
    let broken = packed(folder.path(), "links.tsv.gz", &(LINKS.to_owned() + BROKEN));
    let gleaner = Gleaner::new();
    let place = |name: &str| folder.path().join(name).display().to_string();
    let (plain, broken) = (plain.display().to_string(), broken.display().to_string());
    let (start, end) = ("http://a.example/", "http://www.b.example/ü");
    let printed: [&[&str]; 19] = [
        &["summary", "--json"],
        &["summary", "--level", "host", "--json"],
        &["rank", "--json"],
        &["rank", "--by", "hubs", "--json"],
        &["rank", "--by", "authorities", "--guarded", "--json"],
        &["rank", "--by", "in", "--weighted", "--json"],
        &["rank", "--by", "out", "--csv"],
        &["rank", "--by", "citations", "--json"],
        &["rank", "--by", "core", "--level", "domain", "--json"],
        &["hosts", "--json"],
        &["components", "--json"],
        &["path", start, end, "--json"],
        &["path", "a.example", "www.b.example", "--level", "host", "--csv"],
        &["near", start, "--hops", "2", "--json"],
        &["export", "--format", "edges"],
        &["export", "--format", "weighted-edges"],
        &["export", "--format", "graphml"],
        &["export", "--format", "json"],
        &["export", "--format", "dot", "--level", "domain"],
    ];
    for words in printed {
        let asked = |file: &str| graph(&gleaner, &[words, &["--edges", file]].concat());
        let (whole, with_broken) = (asked(&plain), asked(&broken));
        assert!(
            !whole.stdout.is_empty() && whole.stderr.is_empty(),
            "{words:?}: {whole}"
        );
        // The summary and the exports name the file; all else is the same.
        let without_name = |text: &str| text.replace("links.tsv.gz", "links.tsv");
        assert_eq!(whole.stdout, without_name(&with_broken.stdout), "{words:?}");
        let said = &with_broken.stderr;
        assert!(
            said.contains("2 lines skipped that are not links: line 9") && said.contains("line 10"),
            "{words:?}: {said}"
        );
    }
    for (words, name) in [
        (vec!["export", "--format", "gexf"], "g.gexf"),
        (vec!["export", "--format", "parquet"], "tables"),
        (vec!["draw"], "drawn.html"),
        (vec!["draw", "--picture", "matrix"], "drawn.svg"),
    ] {
        let to = place(name);
        graph(
            &gleaner,
            &[&words[..], &["--to", &to, "--edges", &plain]].concat(),
        );
        assert!(Path::new(&to).exists(), "{words:?}");
    }
    // What needs more than links says so.
    for words in [
        &["mirrors"][..],
        &["broken"],
        &["types"],
        &["rank", "--by", "depth"],
        &["export", "--format", "s4-sql"],
    ] {
        let refused = gleaner.run(&[&["graph"], words, &["--edges", &plain]].concat());
        refused.expect_code(&[3]);
        assert!(
            refused.stderr.contains("leave out --edges"),
            "{words:?}: {refused}"
        );
        assert_eq!(refused.stderr.lines().count(), 1, "{words:?}: {refused}");
    }
    let hosts = graph(&gleaner, &["hosts", "--edges", &plain, "--json"]).json_lines();
    let names: BTreeSet<&str> = hosts.iter().filter_map(|row| row["host"].as_str()).collect();
    assert_eq!(names, BTreeSet::from(["a.example", "b.example", "www.b.example"]));
    let domains = graph(&gleaner, &["summary", "--edges", &plain, "--json"]).json();
    assert_eq!(
        (&domains["domains"], &domains["self_links"]),
        (&2.into(), &1.into())
    );
}

#[test]
fn a_list_that_cannot_be_read_is_told_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let gleaner = Gleaner::new();
    let torn = packed(folder.path(), "torn.gz", &LINKS.repeat(50));
    let bytes = std::fs::read(&torn).expect("a file");
    std::fs::write(&torn, &bytes[..bytes.len() / 2]).expect("cut");
    let empty = folder.path().join("empty.tsv");
    std::fs::write(&empty, "# nothing yet\n").expect("a file");
    let nowhere = folder.path().join("nowhere.tsv");
    for (file, says) in [
        (torn, "torn.gz"),
        (empty, "no line of the file is a link"),
        (nowhere, "nowhere.tsv"),
    ] {
        let refused = gleaner.run(&["graph", "rank", "--edges", &file.display().to_string()]);
        refused.expect_code(&[3]);
        assert!(refused.stderr.contains(says), "{refused}");
        assert_eq!(refused.stderr.lines().count(), 1, "one sentence: {refused}");
    }
}

#[test]
fn a_host_with_a_million_pages_is_told() {
    const PAGES: usize = 1_000_000;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("large.tsv");
    let mut text = String::with_capacity(PAGES * 64);
    for page in 1..PAGES {
        let _never_fails = writeln!(text, "http://large.example/\thttp://large.example/{page:07}");
        if page % 10 == 0 {
            let _never_fails = writeln!(text, "http://large.example/{page:07}\thttp://large.example/");
        }
    }
    text += "http://small.example/\thttp://large.example/0000007\n";
    std::fs::write(&file, text).expect("a file");
    let gleaner = Gleaner::new();
    let file = file.display().to_string();
    let told = graph(&gleaner, &["summary", "--edges", &file, "--json"]).json();
    assert_eq!(
        (&told["nodes"], &told["hosts"], &told["links"]),
        (
            &(PAGES + 1).into(),
            &2.into(),
            &(PAGES - 1 + (PAGES - 1) / 10 + 1).into()
        )
    );
    assert_eq!(told["components"]["bow_tie"]["core"], 1 + (PAGES - 1) / 10);
    let hosts = graph(&gleaner, &["hosts", "--edges", &file, "--json"]).json_lines();
    let large: &Value = hosts
        .iter()
        .find(|row| row["host"] == "large.example")
        .expect("a row");
    assert_eq!(large["links_in"], 1, "{large}");
}
