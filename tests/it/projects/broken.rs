//! Broken project files and what is said about them: each mistake with its line, its column and what would be right.
//!
//! `broken/NN-*.toml` is the file, `NN-*.txt` beside it what `gleaner project check` prints; `UPDATE_SNAPSHOTS=1` writes the
//! second anew. Read the difference before you keep it: it is what a person sees who made a mistake.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use gleaner_testkit::Gleaner;
use gleaner_testkit::program::{Finished, Running};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("it/projects/broken")
}

fn files() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    names
}

/// From inside the folder, so that no path of this machine is in the answer.
fn check(name: &str, flags: &[&str]) -> Finished {
    let gleaner = Gleaner::new();
    let file = format!("{name}.toml");
    let mut arguments = vec!["project", "check", &file];
    arguments.extend(flags);
    let mut command = gleaner.command(&arguments);
    command.current_dir(folder());
    Running::start(command).unwrap().wait(Duration::from_mins(1))
}

#[test]
fn every_broken_file_is_explained() {
    let is_update = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    let here = folder().display().to_string();
    let mut different = Vec::new();
    let names = files();
    assert!(names.len() >= 30, "only {} broken files", names.len());
    for name in &names {
        let finished = check(name, &[]);
        // The last are only warned of.
        let code = i32::from(!finished.stdout.contains("no mistakes"));
        finished.expect_code(&[code]);
        assert!(finished.stderr.is_empty(), "{finished}");
        let said = finished.stdout.replace(&here, "FOLDER");
        assert!(!said.contains("hunter2"), "a secret is shown: {said}");
        let path = folder().join(format!("{name}.txt"));
        if is_update {
            std::fs::write(&path, &said).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if said != expected {
            different.push(format!("--- {name}, expected\n{expected}+++ found\n{said}"));
        }
    }
    assert!(
        different.is_empty(),
        "{}\nUPDATE_SNAPSHOTS=1 keeps what was found",
        different.join("\n")
    );
}

#[test]
fn every_mistake_has_its_place_and_a_way_out() {
    let mut sentences = BTreeSet::new();
    for name in files() {
        let text = std::fs::read_to_string(folder().join(format!("{name}.toml"))).unwrap();
        let answer = check(&name, &["--json"]).json();
        let all = ["mistakes", "warnings"]
            .map(|key| answer[key].as_array().unwrap().clone())
            .concat();
        assert!(!all.is_empty(), "{name}: nothing was found");
        for one in all {
            let line = one["line"].as_u64().unwrap() as usize;
            let column = one["column"].as_u64().unwrap() as usize;
            let length = text.lines().nth(line - 1).map_or(0, |line| line.chars().count());
            assert!(column >= 1 && column <= length + 1, "{name}: {one}");
            assert!(
                !one["help"].as_str().unwrap().is_empty(),
                "{name}: no way out: {one}"
            );
            sentences.insert(one["what"].as_str().unwrap().to_owned());
        }
    }
    assert!(sentences.len() > 60, "{}", sentences.len());
}
