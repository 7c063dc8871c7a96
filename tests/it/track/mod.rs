//! Tracking: what changed, exactly? Crawl, change the site or break it, track, and compare with what is known to be true.
//!
//! [`Story`] is one project over several runs. After each run it checks what holds always (B1): every document that was there
//! before has exactly one state, nothing is told twice, the summary counts what the report lists, and `verify` is clean (C7).

mod engines;
mod epochs;
mod failures;
mod giving;
mod kills;
mod lastmod;
mod php;
mod prose;
mod shop;
mod still;
mod stories;
mod together;
mod tomcat;
mod upgrade;
mod walls;

use crate::crawled::arguments;
use gleaner_testkit::Gleaner;
use gleaner_testkit::program::Finished;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The name of every story's project.
const PROJECT: &str = "story";

/// What a track is told unless the test says otherwise: no waiting, one try, short patience.
const USUAL: [(&str, &str); 7] = [
    ("--delay", "0"),
    ("--tries", "1"),
    ("--per-host", "8"),
    ("--concurrency", "8"),
    ("--connect-timeout", "5"),
    ("--read-timeout", "5"),
    ("--fetch-timeout", "30"),
];

/// One project and all that was found about it.
pub(crate) struct Story {
    pub(crate) gleaner: Gleaner,
    /// Documents that are there, as far as the runs so far have told.
    known: BTreeSet<i64>,
}

/// One line of a report.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) state: String,
    pub(crate) id: Option<i64>,
    pub(crate) url: String,
    pub(crate) reason: String,
    pub(crate) detail: String,
    pub(crate) is_orphan: bool,
    pub(crate) moved_from: String,
}

/// What a run found.
pub(crate) struct Told {
    pub(crate) finished: Finished,
    pub(crate) run: i64,
    pub(crate) changes: Vec<Change>,
}

impl Story {
    pub(crate) fn new() -> Story {
        Story::of(Gleaner::new())
    }

    pub(crate) fn of(gleaner: Gleaner) -> Story {
        Story {
            gleaner,
            known: BTreeSet::new(),
        }
    }

    /// `gleaner crawl URL --name story …`, to its end.
    pub(crate) fn crawl(&mut self, url: &str, more: &[&str]) -> Told {
        let mut flags = vec!["--name", PROJECT];
        flags.extend(more);
        let args = arguments(url, &flags);
        let finished = self.gleaner.run(&args);
        finished.expect_code(&[0, 1]);
        self.review(finished)
    }

    /// Another crawl of the same project, as one makes it to change its settings. It tells of what it reached, and need not
    /// tell of every document.
    pub(crate) fn crawl_again(&mut self, url: &str, more: &[&str]) -> Told {
        let mut flags = vec!["--name", PROJECT];
        flags.extend(more);
        let finished = self.gleaner.run(&arguments(url, &flags));
        finished.expect_code(&[0, 1]);
        let told = Told::read(&self.gleaner, finished);
        self.remember(&told);
        told
    }

    /// `gleaner track story …`, to its end.
    pub(crate) fn track(&mut self, more: &[&str]) -> Told {
        let finished = self.gleaner.run(&track_arguments(more));
        finished.expect_code(&[0, 1]);
        self.review(finished)
    }

    /// Nothing changed since the last run, so no track calls anything new, changed or gone.
    pub(crate) fn expect_still(&mut self) {
        for _ in 0..2 {
            let told = self.track(&[]);
            for state in ["NEW", "UPD", "MIS"] {
                assert_eq!(
                    told.count(state),
                    0,
                    "{state} on a site that is as it was\n{told}"
                );
            }
        }
    }

    /// What the newest run found, after all that holds always was checked.
    pub(crate) fn review(&mut self, finished: Finished) -> Told {
        let told = Told::read(&self.gleaner, finished);
        let mut seen = BTreeSet::new();
        for change in &told.changes {
            match change.id {
                Some(id) => {
                    assert!(
                        seen.insert(id),
                        "document {id} was told twice: {change:?}\n{told}"
                    );
                    let is_new = change.state == "NEW";
                    assert_eq!(
                        is_new,
                        !self.known.contains(&id),
                        "NEW is what was not there before: {change:?}\n{told}"
                    );
                }
                // A link that could not be looked at: never a document, so nothing of the old ones.
                None => assert_eq!(change.state, "ERR", "no document: {change:?}\n{told}"),
            }
        }
        let untold: Vec<_> = self.known.difference(&seen).collect();
        assert!(
            untold.is_empty(),
            "documents without a state (old = UPD + SAM + MIS + ERR + OUT): {untold:?}\n{told}"
        );
        self.remember(&told);
        let verified = self.gleaner.run(&["verify", "--json"]);
        assert_eq!(verified.json()["ok"], true, "{verified}");
        told
    }

    fn remember(&mut self, told: &Told) {
        for change in &told.changes {
            if let Some(id) = change.id {
                match change.state.as_str() {
                    "MIS" => self.known.remove(&id),
                    _ => self.known.insert(id),
                };
            }
        }
    }

    /// How many documents are there, as far as the runs have told.
    pub(crate) fn documents(&self) -> usize {
        self.known.len()
    }

    /// The text of the newest report, as a person reads it.
    pub(crate) fn report_text(&self) -> String {
        let report = self.gleaner.run(&["report"]);
        report.expect_code(&[0]);
        report.stdout
    }
}

/// The arguments of a track with the usual settings and these.
pub(crate) fn track_arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["track", PROJECT, "--json"];
    args.extend(more);
    for (flag, value) in USUAL {
        if !more.contains(&flag) {
            args.extend([flag, value]);
        }
    }
    args
}

impl Told {
    pub(crate) fn read(gleaner: &Gleaner, finished: Finished) -> Told {
        let summary = finished.json();
        let run = summary["run"].as_i64().expect("the summary names its run");
        let report = gleaner.run(&["report", &run.to_string(), "--format", "json"]);
        report.expect_code(&[0]);
        let changes = report.json_lines().iter().map(Change::read).collect();
        let told = Told {
            finished,
            run,
            changes,
        };
        for (name, state) in [
            ("new", "NEW"),
            ("updated", "UPD"),
            ("same", "SAM"),
            ("missing", "MIS"),
            ("errors", "ERR"),
            ("out", "OUT"),
        ] {
            assert_eq!(
                summary[name].as_u64(),
                Some(told.count(state) as u64),
                "the summary counts other {name} than the report lists\n{told}"
            );
        }
        told
    }

    pub(crate) fn count(&self, state: &str) -> usize {
        self.changes.iter().filter(|change| change.state == state).count()
    }

    /// The URLs of one state.
    pub(crate) fn urls(&self, state: &str) -> BTreeSet<&str> {
        let changes = self.changes.iter().filter(|change| change.state == state);
        changes.map(|change| change.url.as_str()).collect()
    }

    /// What was told about a URL; the test ends when nothing was.
    pub(crate) fn of(&self, url: &str) -> &Change {
        let change = self.changes.iter().find(|change| change.url == url);
        change.unwrap_or_else(|| panic!("nothing was told about {url}\n{self}"))
    }

    pub(crate) fn state_of(&self, url: &str) -> &str {
        &self.of(url).state
    }

    pub(crate) fn status(&self) -> String {
        let summary = self.finished.json();
        summary["status"].as_str().unwrap_or_default().to_owned()
    }

    /// Every document is as it was.
    pub(crate) fn expect_all_same(&self, count: usize, story: &str) {
        assert_eq!(
            (self.count("SAM"), self.changes.len()),
            (count, count),
            "{story}: all {count} should be SAM\n{self}"
        );
    }
}

impl Change {
    fn read(line: &Value) -> Change {
        let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
        Change {
            state: text("state"),
            id: line["id"].as_i64(),
            url: text("url"),
            reason: text("reason"),
            detail: text("detail"),
            is_orphan: line["orphan"].as_bool().unwrap_or(false),
            moved_from: text("moved_from"),
        }
    }
}

/// A run in a few lines: how it ended, and everything that is not SAM.
impl std::fmt::Display for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "run {}: {}", self.run, self.finished.stdout.trim_end())?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for change in &self.changes {
            let count = counts.entry(&change.state).or_default();
            *count += 1;
            if change.state != "SAM" && *count <= 15 {
                writeln!(
                    f,
                    "  {} {} {} {}",
                    change.state, change.url, change.reason, change.moved_from
                )?;
            }
        }
        writeln!(f, "  {counts:?}")
    }
}
