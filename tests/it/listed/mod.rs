//! Servers that list what they have: the same story on each, and only what changed is transferred (A1, B2).

mod folders;
mod servers;
mod tree;

use gleaner_testkit::Gleaner;
use std::collections::{BTreeMap, BTreeSet};
use tree::{Tree, Truth};

/// A server in the story.
trait Server {
    /// The folder that is served, as a URL that ends with a slash.
    fn url(&self) -> String;

    /// Flags that every run needs.
    fn flags(&self) -> Vec<String> {
        Vec::new()
    }

    /// Names of files, as paths below the root, that were transferred since the last call; `None` where nobody counts.
    fn transfers(&mut self) -> Option<BTreeSet<String>>;
}

/// What a run told, by paths below the root.
struct Told {
    states: BTreeMap<String, String>,
    moved: BTreeMap<String, String>,
    fetched: u64,
}

fn run(gleaner: &Gleaner, server: &dyn Server, arguments: &[&str]) -> Told {
    let flags = server.flags();
    let mut all: Vec<&str> = arguments.to_vec();
    all.extend(flags.iter().map(String::as_str));
    all.push("--json");
    let finished = gleaner.run(&all);
    finished.expect_code(&[0, 1]);
    let summary = finished.json();
    assert_eq!(summary["status"], "finished", "{finished}");
    let root = server.url();
    let path = |url: &str| {
        let rest = url.strip_prefix(&root).unwrap_or(url);
        String::from_utf8_lossy(&decoded(rest)).into_owned()
    };
    let run = summary["run"].to_string();
    let report = gleaner.run(&["report", &run, "--format", "json"]);
    report.expect_code(&[0]);
    let (mut states, mut moved) = (BTreeMap::new(), BTreeMap::new());
    for line in report.json_lines() {
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let name = path(&text("url"));
        let twice = states.insert(name.clone(), text("state"));
        assert_eq!(twice, None, "told twice: {line}");
        if let Some(from) = line["moved_from"].as_str() {
            moved.insert(name, path(from));
        }
    }
    Told {
        states,
        moved,
        fetched: summary["fetched"].as_u64().unwrap_or_default(),
    }
}

/// The bytes of a name in a URL.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next(), bytes.next()].map(|digit| digit.map_or('0', char::from));
        let value = digits.map(|digit| digit.to_digit(16).unwrap_or_default() as u8);
        out.push(value[0] * 16 + value[1]);
    }
    out
}

fn expect_states(told: &Told, expected: &BTreeMap<String, &'static str>, story: &str) {
    let mut wrong = Vec::new();
    for (path, state) in expected {
        let found = told.states.get(path).map_or("nothing", String::as_str);
        if found != *state {
            wrong.push(format!("{path}: told {found}, true is {state}"));
        }
    }
    for (path, state) in &told.states {
        if !expected.contains_key(path) {
            wrong.push(format!("{path}: told {state}, and is none"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{story}: {} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}

/// Crawl, track an unchanged tree, change it, track it: exactly that is told, and only that is fetched.
fn tell_the_story(server: &mut dyn Server, tree: &Tree) {
    let gleaner = Gleaner::new();
    let url = server.url();
    let told = run(&gleaner, server, &["crawl", &url, "--name", "tree"]);
    assert_eq!(
        told.states.values().filter(|state| *state == "NEW").count(),
        tree::FILES
    );
    server.transfers();

    let told = run(&gleaner, server, &["track", "tree"]);
    assert_eq!(
        told.states.values().filter(|state| *state == "SAM").count(),
        tree::FILES
    );
    assert_eq!(told.states.len(), tree::FILES);
    if let Some(transfers) = server.transfers() {
        assert_eq!(
            transfers,
            BTreeSet::new(),
            "nothing changed, and nothing is transferred"
        );
    }
    assert_eq!(told.fetched, 0, "nothing changed");

    let truth: Truth = tree.change();
    let told = run(&gleaner, server, &["track", "tree"]);
    expect_states(&told, &truth.states, "after the changes");
    assert_eq!(told.moved, truth.moved, "what has another name is told as moved");
    if let Some(transfers) = server.transfers() {
        assert_eq!(transfers, truth.fetched, "only what changed is transferred");
    }
    assert_eq!(told.fetched, truth.fetched.len() as u64);

    let told = run(&gleaner, server, &["track", "tree"]);
    assert_eq!(told.fetched, 0, "and it is told once");
    gleaner.run(&["verify"]).expect_code(&[0]);
    crate::crash::assert_archive(&gleaner.data(), "a listed tree");
}
