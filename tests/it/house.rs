//! Rules of the house that a machine can check: which room may know which, which names are given once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the workspace")
}

/// The rooms and whom each may use.
fn allowed() -> BTreeMap<&'static str, Vec<&'static str>> {
    let pure = vec!["model"];
    BTreeMap::from([
        ("model", vec![]),
        ("settings", pure.clone()),
        ("units", pure.clone()),
        ("frontier", pure.clone()),
        ("parse", pure.clone()),
        ("judge", pure.clone()),
        ("words", pure.clone()),
        ("search", vec!["model", "words"]),
        ("concepts", vec!["model", "words"]),
        ("graph", pure.clone()),
        ("library", vec!["model", "words", "parse", "frontier", "judge"]),
        ("store", pure),
        ("readers", vec!["model", "parse"]),
        ("history", vec!["model", "frontier", "parse", "judge", "store"]),
        (
            "run",
            vec![
                "model", "units", "frontier", "parse", "judge", "store", "history", "readers",
            ],
        ),
        (
            "collect",
            vec![
                "model", "words", "parse", "frontier", "library", "store", "history", "readers",
            ],
        ),
        (
            "text",
            vec![
                "model", "parse", "words", "search", "concepts", "store", "history", "readers",
            ],
        ),
        (
            "publish",
            vec![
                "model", "parse", "judge", "words", "search", "concepts", "graph", "store", "history",
                "readers", "text",
            ],
        ),
    ])
}

fn metadata() -> serde_json::Value {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

#[test]
fn neighbours_do_not_know_each_other() {
    let metadata = metadata();
    let allowed = allowed();
    let mut seen = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let Some(room) = package["name"].as_str().unwrap().strip_prefix("gleaner-") else {
            continue;
        };
        let Some(may_use) = allowed.get(room) else {
            continue;
        };
        seen.insert(room.to_owned());
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_dev = dependency["kind"] == "dev";
            let Some(other) = dependency["name"].as_str().unwrap().strip_prefix("gleaner-") else {
                continue;
            };
            assert!(
                is_dev || may_use.contains(&other),
                "the room `{room}` may not use `{other}`"
            );
        }
    }
    assert_eq!(seen.len(), allowed.len(), "a room is missing: {seen:?}");
}

#[test]
fn each_craft_stays_in_its_room() {
    let crafts = [
        ("rusqlite", vec!["store", "testkit"]),
        ("tokio-rustls", vec!["units", "testkit"]),
        ("hickory-resolver", vec!["units"]),
        ("tantivy", vec!["search"]),
        ("frostem", vec!["words"]),
        ("whatlang", vec!["words"]),
        ("clap", vec!["gleaner"]),
        ("toml", vec!["settings"]),
        ("pdf_oxide", vec!["readers"]),
        ("indicatif", vec!["gleaner"]),
        ("parquet", vec!["publish"]),
        ("tracing", vec!["run", "units", "store", "readers", "gleaner"]),
        ("tracing-subscriber", vec!["gleaner"]),
    ];
    let metadata = metadata();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let room = name.strip_prefix("gleaner-").unwrap_or(name);
        if room == "tests" {
            continue;
        }
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = dependency["name"].as_str().unwrap();
            for (craft, rooms) in &crafts {
                assert!(
                    *craft != other || dependency["kind"] == "dev" || rooms.contains(&room),
                    "only {rooms:?} may use {craft}, but `{room}` does"
                );
            }
        }
    }
}

/// Public types of the rooms that share a name, each with the reason.
const SHARED_TYPE_NAMES: [(&str, &str); 0] = [];

/// One name, one type: a reader who meets a type's name in any room knows which type it is.
#[test]
fn public_type_names_are_unique() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut open: Vec<_> = std::fs::read_dir(root().join("crates"))
        .expect("a folder")
        .flatten()
        .map(|room| room.path().join("src"))
        .collect();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                if !path.ends_with("tests") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
                let text = std::fs::read_to_string(&path).expect("a file");
                for (at, line) in text.lines().enumerate() {
                    if let Some(name) = public_type(line) {
                        let place = format!("{}:{}", path.display(), at + 1);
                        places.entry(name.to_owned()).or_default().push(place);
                    }
                }
            }
        }
    }
    assert!(
        places.len() > 500,
        "only {} public types were found",
        places.len()
    );
    let shared: BTreeMap<_, _> = places.iter().filter(|(_, at)| at.len() > 1).collect();
    let not_allowed: Vec<_> = shared
        .iter()
        .filter(|(name, _)| {
            !SHARED_TYPE_NAMES
                .iter()
                .any(|(allowed, _)| *allowed == name.as_str())
        })
        .map(|(name, at)| format!("{name}: {}", at.join(", ")))
        .collect();
    assert!(
        not_allowed.is_empty(),
        "these names stand for more than one public type:\n{}",
        not_allowed.join("\n")
    );
    for (name, _) in SHARED_TYPE_NAMES {
        assert!(
            places.get(name).is_some_and(|at| at.len() > 1),
            "`{name}` is unique now: take it off the list"
        );
    }
}

/// Who names the database beside the store's own folder for it, each with the reason.
const NAME_THE_DATABASE: [(&str, &str); 13] = [
    (
        "crates/testkit/src/program.rs",
        "tests look rows up that no command shows",
    ),
    ("tests/it/cli/mistakes.rs", "makes a catalog from the future"),
    ("tests/it/crawl/scope.rs", "looks up which visits there are"),
    (
        "tests/it/graph/exported.rs",
        "reads the database that is exported",
    ),
    ("tests/it/house.rs", "this list"),
    ("tests/it/listings.rs", "edits a row as an older program left it"),
    ("tests/it/output.rs", "edits a row as an older program left it"),
    ("tests/it/prune.rs", "looks up what is left of a body"),
    ("tests/it/report.rs", "makes a catalog of a million changes"),
    ("tests/it/robots.rs", "edits when robots.txt was read"),
    ("tests/it/storage/formats.rs", "makes catalogs of older formats"),
    ("tests/it/storage/queue.rs", "looks up the rows of the frontier"),
    ("tests/it/track/lastmod.rs", "looks up what is noted of lists"),
];

/// The store is a contract: only one folder knows that SQLite serves it.
#[test]
fn only_the_folder_of_sqlite_names_the_database() {
    let mut naming = BTreeSet::new();
    let mut open = vec![
        root().join("crates"),
        root().join("tests/it"),
        root().join("bench"),
    ];
    while let Some(folder) = open.pop() {
        if folder.ends_with("store/src/sqlite") || folder.ends_with("target") {
            continue;
        }
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("a file");
                if text.contains("rusqlite") || text.contains("SqliteLedger") {
                    let place = path.strip_prefix(root()).expect("it lies there");
                    naming.insert(place.display().to_string());
                }
            }
        }
    }
    let allowed: BTreeSet<String> = NAME_THE_DATABASE
        .iter()
        .map(|(place, _)| (*place).to_owned())
        .collect();
    assert_eq!(naming, allowed, "left: who names the database; right: who may");
}

/// The name of the public type that begins in this line.
fn public_type(line: &str) -> Option<&str> {
    let declaration = line.trim_start().strip_prefix("pub ")?;
    let declaration = declaration.strip_prefix("unsafe ").unwrap_or(declaration);
    let name = ["struct ", "enum ", "trait ", "type ", "union "]
        .iter()
        .find_map(|kind| declaration.strip_prefix(kind))?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&name[..end.unwrap_or(name.len())])
}

/// What is logged is chosen value by value: the `Debug` form of a type shows whatever it is made of, today and later.
#[test]
fn nothing_is_logged_in_its_debug_form() {
    let macros = ["trace", "debug", "info", "warn", "error"];
    let mut open = vec![root().join("crates")];
    let (mut events, mut wrong) = (0, Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("a file");
                for begin in macros
                    .iter()
                    .flat_map(|name| [format!("{name}!("), format!("{name}_span!(")])
                {
                    for (at, _) in text.match_indices(&begin) {
                        // Another macro that ends alike, as debug_assert.
                        if text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                            continue;
                        }
                        events += 1;
                        let told = arguments_at(&text[at + begin.len()..]);
                        let has_sign = |sign: &str| told.contains(sign);
                        if [" ?", "(?", "=?", ",?", ":?}", ":#?}"]
                            .iter()
                            .any(|sign| has_sign(sign))
                            || told.starts_with('?')
                        {
                            wrong.push(format!("{}: {begin}{told}", path.display()));
                        }
                    }
                }
            }
        }
    }
    assert!(events > 40, "only {events} were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What stands before the parenthesis that closes.
fn arguments_at(text: &str) -> &str {
    let mut depth = 1;
    let end = text.find(|c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    });
    &text[..end.unwrap_or(text.len())]
}

#[test]
fn the_repository_speaks_only_of_gleaner() {
    let output = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output();
    let Ok(output) = output else {
        gleaner_fixtures::skip("no git");
        return;
    };
    let machine_paths = [
        concat!("/work", "/main"),
        concat!("/work", "/shared"),
        concat!("/ro", "ot/"),
    ];
    for name in output.stdout.split(|&b| b == 0).filter(|n| !n.is_empty()) {
        let name = String::from_utf8_lossy(name).into_owned();
        let Ok(text) = std::fs::read_to_string(root().join(&name)) else {
            continue;
        };
        for path in machine_paths {
            assert!(!text.contains(path), "{name} names a path of one machine: {path}");
        }
    }
}

/// `make test` names the commit that passed, and only one that passed whole with nothing changed beside it.
#[test]
fn the_commit_that_passed_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    for part in ["repo/tools", "bin", "target"] {
        std::fs::create_dir_all(at(part)).expect("a folder");
    }
    std::fs::copy(root().join("Makefile"), at("repo/Makefile")).expect("the Makefile");
    std::fs::write(at("repo/tools/setup.sh"), "true\n").expect("a file");
    // Stands in for cargo: only the tests may fail.
    let cargo = "#!/bin/sh\ncase \"$1 $2\" in 'nextest --version') exit 1;; test*) exit $TESTS_END;; esac\n";
    std::fs::write(at("bin/cargo"), cargo).expect("a file");
    let run = |program: &str, words: &[&str], end: &str| {
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new(program)
            .args(words)
            .current_dir(at("repo"))
            .env("PATH", format!("{}:{path}", at("bin").display()))
            .env("CARGO_TARGET_DIR", at("target"))
            .env("TESTS_END", end)
            .output()
            .expect("it runs")
    };
    run("chmod", &["+x", "../bin/cargo"], "0");
    run("git", &["init", "-q", "."], "0");
    run("git", &["add", "-A"], "0");
    let author = ["-c", "user.name=a", "-c", "user.email=a@a.test"];
    run("git", &[&author[..], &["commit", "-qm", "all"]].concat(), "0");
    let head = String::from_utf8(run("git", &["rev-parse", "HEAD"], "0").stdout).expect("text");
    let passed = || std::fs::read_to_string(at("target/passed")).ok();

    assert!(run("make", &["test"], "0").status.success());
    assert_eq!(passed().as_deref(), Some(head.as_str()));
    assert!(!run("make", &["test"], "1").status.success());
    assert_eq!(passed(), None, "a test failed");
    std::fs::write(at("repo/new.rs"), "").expect("a file");
    assert!(run("make", &["test"], "0").status.success());
    assert_eq!(passed(), None, "something is not committed");
}
