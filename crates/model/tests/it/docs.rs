//! The pages that list codes and numbers say what the code says.
//!
//! `UPDATE_DOCS=1 cargo test -p gleaner-model` writes them anew: docs/reasons.md as a whole, in docs/limits.md the
//! values, and rows for limits that have none yet. The words in docs/limits.md are written by hand and kept.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use gleaner_model::Reason;

const REMEDY: &str = "run `UPDATE_DOCS=1 cargo test -p gleaner-model` and read the difference";

fn page(name: &str) -> PathBuf {
    gleaner_fixtures::root().join("docs").join(name)
}

fn is_updating() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

#[test]
fn reasons() {
    let mut text = String::from(
        "# Reasons\n\n\
         Every page that was not fetched, or not kept, has one of these codes in the report. The codes are stable:\n\
         scripts may rely on them. A code never changes its meaning.\n\n\
         | code | meaning | what to do |\n|---|---|---|\n",
    );
    for reason in Reason::ALL {
        writeln!(
            text,
            "| `{}` | {} | {} |",
            reason.code(),
            reason.meaning(),
            reason.remedy().as_str()
        )
        .unwrap();
    }
    text.push_str(
        "\nMade from the list in `crates/model/src/reason.rs` by `UPDATE_DOCS=1 cargo test -p gleaner-model`.\n",
    );
    if is_updating() {
        fs::write(page("reasons.md"), &text).unwrap();
    }
    let found = fs::read_to_string(page("reasons.md")).unwrap_or_default();
    assert!(
        found == text,
        "docs/reasons.md is not the list in reason.rs: {REMEDY}"
    );
}

/// A constant of `defaults.rs`: its name and its value as people read it.
struct Limit {
    name: String,
    value: String,
}

/// Reads the source, because only there stand the names.
fn limits() -> Vec<Limit> {
    let source = include_str!("../../src/defaults.rs");
    let constants = source.split("pub const ").skip(1);
    constants
        .map(|constant| {
            let (name, rest) = constant.split_once(':').unwrap();
            let (_, value) = rest.split_once('=').unwrap();
            let value = value[..value.find(";\n").unwrap()].trim();
            Limit {
                name: name.to_owned(),
                value: shown(name, value),
            }
        })
        .collect()
}

fn shown(name: &str, value: &str) -> String {
    if let Some(list) = value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return list
            .split(',')
            .map(|item| shown(name, item.trim()))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(text) = value.strip_prefix('"') {
        return text.trim_end_matches('"').to_owned();
    }
    for (call, unit) in [("millis", "ms"), ("secs", "s"), ("mins", "min"), ("hours", "h")] {
        if let Some(number) = value.strip_prefix(&format!("Duration::from_{call}(")) {
            return format!("{} {unit}", grouped(number.trim_end_matches(')')));
        }
    }
    let factors: Vec<&str> = value.split('*').map(str::trim).collect();
    let kilos = factors.iter().filter(|factor| **factor == "1024").count();
    let has_bytes = name.contains("BYTES") || factors.len() > 1;
    match (factors.as_slice(), has_bytes) {
        (["1024"], true) => "1 KiB".to_owned(),
        (["1024", "1024"], true) => "1 MiB".to_owned(),
        (["1024", "1024", "1024"], true) => "1 GiB".to_owned(),
        ([number, ..], true) => {
            let unit = ["B", "KiB", "MiB", "GiB"][kilos.min(3)];
            format!("{} {unit}", grouped(number))
        }
        _ => grouped(value),
    }
}

/// `50_000` as `50,000`.
fn grouped(number: &str) -> String {
    number.replace('_', ",")
}

#[test]
fn defaults() {
    let mut text = fs::read_to_string(page("limits.md")).unwrap_or_default();
    if is_updating() {
        text = updated(&text);
        fs::write(page("limits.md"), &text).unwrap();
    }
    let limits = limits();
    for Limit { name, value } in &limits {
        let row = text
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/limits.md has no row for {name}: {REMEDY}"));
        assert!(
            row.starts_with(&format!("| `{name}` | {value} |")),
            "docs/limits.md should say {value}: {row}\n{REMEDY}"
        );
    }
    for row in text.lines().filter(|line| line.starts_with("| `")) {
        let name = row.trim_start_matches("| `").split('`').next().unwrap();
        assert!(
            limits.iter().any(|limit| limit.name == name),
            "docs/limits.md has a limit that is no more: {name}"
        );
    }
}

fn updated(text: &str) -> String {
    let limits = limits();
    let mut out = String::new();
    for line in text.lines() {
        let known = limits
            .iter()
            .find(|limit| line.starts_with(&format!("| `{}` |", limit.name)));
        match known {
            Some(Limit { name, value }) => {
                let words = line.splitn(4, '|').nth(3).unwrap_or(" |");
                writeln!(out, "| `{name}` | {value} |{words}").unwrap();
            }
            None => writeln!(out, "{line}").unwrap(),
        }
    }
    for Limit { name, value } in &limits {
        if !out.contains(&format!("| `{name}` |")) {
            writeln!(out, "| `{name}` | {value} | |").unwrap();
        }
    }
    out
}
