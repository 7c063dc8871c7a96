//! Servers that list what they have: the same story on each, and only what changed is transferred (A1, B2).

mod endless;
mod folders;
mod kills;
mod large;
mod news;
mod oai;
mod relay;
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

    /// Whether documents that are as they were cost no request at all.
    fn is_listed(&self) -> bool {
        true
    }

    /// Names of files, as paths below the root, that were transferred since the last call; `None` where nobody counts.
    fn transfers(&mut self) -> Option<BTreeSet<String>>;
}

/// What a run told, by paths below the root.
struct Told {
    states: BTreeMap<String, String>,
    moved: BTreeMap<String, String>,
    reasons: BTreeMap<String, String>,
    fetched: u64,
}

impl Told {
    fn count(&self, state: &str) -> usize {
        self.states.values().filter(|told| *told == state).count()
    }
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
    let (mut states, mut moved, mut reasons) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for line in report.json_lines() {
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        let name = path(&text("url"));
        if name.is_empty() || name.ends_with('/') {
            continue; // A web server's page about a folder.
        }
        let twice = states.insert(name.clone(), text("state"));
        assert_eq!(twice, None, "told twice: {line}");
        if let Some(reason) = line["reason"].as_str() {
            reasons.insert(name.clone(), reason.to_owned());
        }
        if let Some(from) = line["moved_from"].as_str() {
            moved.insert(name, path(from));
        }
    }
    Told {
        states,
        moved,
        reasons,
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
    let gleaner = Gleaner::new().without_pass();
    let url = server.url();
    let told = run(&gleaner, server, &["crawl", &url, "--name", "tree"]);
    assert_eq!(told.count("NEW"), tree::FILES);
    server.transfers();

    let told = run(&gleaner, server, &["track", "tree"]);
    assert_eq!(told.count("SAM"), tree::FILES);
    assert_eq!(told.states.len(), tree::FILES);
    let nothing = BTreeSet::new();
    expect_transfers(server, &told, &nothing, "nothing changed");

    let mut truth: Truth = tree.change();
    let growth = tree.grow();
    let mut told = run(&gleaner, server, &["track", "tree"]);
    drop(growth);
    let grown = told.states.remove(tree::GROWING);
    expect_states(&told, &truth.states, "after the changes");
    assert_eq!(told.moved, truth.moved, "what has another name is told as moved");
    expect_growing(&gleaner, server, tree, grown.as_deref());
    // It was asked for, whatever came of it.
    truth.fetched.insert(tree::GROWING.to_owned());
    if let Some(transfers) = server.transfers() {
        let others = |all: &BTreeSet<String>| {
            all.iter()
                .filter(|path| *path != tree::GROWING)
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(
            others(&transfers),
            others(&truth.fetched),
            "only what changed is transferred"
        );
    }

    truth = tree.calm(&truth);
    let told = run(&gleaner, server, &["track", "tree"]);
    expect_states(&told, &truth.states, "when all is calm again");
    expect_transfers(server, &told, &truth.fetched, "when all is calm again");
    let stored = gleaner.run(&["cat", &format!("{url}{}", tree::GROWING)]);
    let served = std::fs::read_to_string(tree.root.join(tree::GROWING)).expect("the file");
    assert!(stored.stdout == served, "the growing file is stored as it is now");

    let told = run(&gleaner, server, &["track", "tree"]);
    expect_transfers(server, &told, &nothing, "it is told once");
    gleaner.run(&["verify"]).expect_code(&[0]);
    crate::crash::assert_archive(&gleaner.data(), "a listed tree");
}

fn expect_transfers(server: &mut dyn Server, told: &Told, expected: &BTreeSet<String>, story: &str) {
    if let Some(transfers) = server.transfers() {
        assert_eq!(&transfers, expected, "{story}: transfers");
    }
    if server.is_listed() {
        assert_eq!(told.fetched, expected.len() as u64, "{story}");
    }
}

/// Of a file that is written while it is read nothing can be told, or a moment of it was seen: never two halves.
fn expect_growing(gleaner: &Gleaner, server: &dyn Server, tree: &Tree, state: Option<&str>) {
    match state {
        Some("ERR") => {
            let url = format!("{}{}", server.url(), tree::GROWING);
            let reason = "SELECT c.reason FROM changes c JOIN resources r ON r.id = c.resource
                          WHERE r.url = 'URL' ORDER BY c.run DESC LIMIT 1";
            let rows = gleaner.sqlite(&reason.replace("URL", &url));
            assert_eq!(rows, [["changed-while-read"]]);
        }
        Some("UPD") => {
            let stored = gleaner.run(&["cat", &format!("{}{}", server.url(), tree::GROWING)]);
            let now = std::fs::read_to_string(tree.root.join(tree::GROWING)).expect("the file");
            assert!(now.starts_with(&stored.stdout), "a moment of the file");
        }
        other => panic!("the growing file is told as {other:?}"),
    }
}
