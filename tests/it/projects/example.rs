//! The project files in `examples/`, run as they stand, against an application on this machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use gleaner_model::Url;
use gleaner_testkit::Gleaner;
use gleaner_testkit::program::Finished;
use gleaner_testkit::servers::ApplicationRequest;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// Where the examples say that their application is.
const ADDRESS: &str = "127.0.0.1:8080";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// A project of the examples, kept in a catalog of its own.
pub(super) struct Example {
    name: &'static str,
    address: SocketAddr,
    pub(super) gleaner: Gleaner,
    folder: tempfile::TempDir,
}

impl Example {
    pub(super) fn of(name: &'static str, address: SocketAddr) -> Example {
        let example = Example {
            name,
            address,
            gleaner: Gleaner::new(),
            folder: tempfile::tempdir().unwrap(),
        };
        example.import(|text| text);
        example
    }

    /// With the password in its variable for what follows.
    pub(super) fn with_password(mut self, password: &str) -> Example {
        let variable = format!("{}_PASSWORD", self.name.to_uppercase());
        self.gleaner = self.gleaner.with_env(&variable, password);
        self
    }

    /// The file as it stands, but for the address and what `change` makes of it.
    pub(super) fn import(&self, change: impl FnOnce(String) -> String) {
        let text = std::fs::read_to_string(folder().join(format!("{}.toml", self.name))).unwrap();
        let here = self.address.to_string();
        let text = text
            .replace(ADDRESS, &here)
            .replace(&ADDRESS.replace('.', r"\."), &here.replace('.', r"\."));
        let file = self.folder.path().join(format!("{}.toml", self.name));
        std::fs::write(&file, change(text)).unwrap();
        let file = file.display().to_string();
        self.gleaner
            .run(&["project", "import", &file, "--replace"])
            .expect_code(&[0]);
    }

    /// Without waiting between requests: the host is the test's own.
    pub(super) fn track(&self) -> Finished {
        self.gleaner.run(&["track", self.name, "--delay", "0", "--json"])
    }

    /// A wrong password is told in one sentence, and before anything but the login is asked for.
    pub(super) fn assert_wrong_password_is_told(
        self,
        asked: impl Fn() -> Vec<ApplicationRequest>,
        is_login: impl Fn(&str) -> bool,
    ) -> Example {
        let before = asked().len();
        let example = self.with_password("wrong-1234");
        let failed = example.track();
        failed.expect_code(&[3]);
        assert!(failed.stderr.contains("the login failed"), "{failed}");
        assert!(!failed.to_string().contains("wrong-1234"), "{failed}");
        for asked in &asked()[before..] {
            assert!(is_login(&asked.target), "{asked:?}");
        }
        example
    }

    /// What a trial says that a run would collect; nothing is stored by it.
    pub(super) fn predicted(&self) -> BTreeSet<String> {
        let runs = || self.gleaner.sqlite_number("SELECT count(*) FROM runs");
        let before = runs();
        let words = [
            "project", "try", self.name, "--max", "300", "--delay", "0", "--json",
        ];
        let tried = self.gleaner.run(&words);
        tried.expect_code(&[0]);
        let told = tried.json();
        assert_eq!(told["complete"], true, "{tried}");
        assert_eq!(runs(), before);
        let collected = told["collected"].as_array().unwrap().iter();
        collected
            .map(|one| one["url"].as_str().unwrap().to_owned())
            .collect()
    }

    /// What a run told of each address.
    pub(super) fn told(&self, finished: &Finished) -> BTreeMap<String, String> {
        finished.expect_code(&[0]);
        let run = finished.json()["run"].to_string();
        let report = self.gleaner.run(&["report", &run, "--format", "json"]);
        let line = |line: &Value| {
            let text = |key: &str| line[key].as_str().unwrap().to_owned();
            (text("url"), text("state"))
        };
        report.json_lines().iter().map(line).collect()
    }

    /// The addresses of all documents.
    pub(super) fn listed(&self) -> BTreeSet<String> {
        let lines = self.gleaner.run(&["ls", "--json"]).json_lines();
        lines
            .iter()
            .map(|line| line["url"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Fails where one of the documents is in another state than the truth says, and tells what became of it.
    pub(super) fn assert_told(&self, finished: &Finished, truth: &BTreeMap<String, String>) {
        let found = self.told(finished);
        let differs = |(url, state): &(&String, &String)| truth.get(*url) != Some(*state);
        let wrong: Vec<_> = found.iter().filter(differs).collect();
        let absent: Vec<_> = truth.keys().filter(|url| !found.contains_key(*url)).collect();
        let diff = |(url, _): &(&String, &String)| self.gleaner.run(&["diff", url]).to_string();
        let diffs: Vec<String> = wrong.iter().take(3).map(diff).collect();
        assert!(
            wrong.is_empty() && absent.is_empty(),
            "wrong: {wrong:?}, absent: {absent:?}\n{finished}\n{}\n{}",
            self.gleaner.run(&["report"]),
            diffs.join("\n")
        );
    }
}

/// Every address in one state.
pub(super) fn all(urls: &BTreeSet<String>, state: &str) -> BTreeMap<String, String> {
    urls.iter().map(|url| (url.clone(), state.to_owned())).collect()
}

/// As Gleaner spells it.
pub(super) fn canonical(url: &str) -> String {
    Url::parse(url).unwrap().to_string()
}

/// The canonical addresses of what was asked for.
pub(super) fn addresses(asked: &[ApplicationRequest], address: SocketAddr) -> BTreeSet<String> {
    asked
        .iter()
        .map(|asked| canonical(&format!("http://{address}{}", asked.target)))
        .collect()
}

#[test]
fn every_example_passes_the_check() {
    let gleaner = Gleaner::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let checked = gleaner.run(&["project", "check", &path.display().to_string()]);
            checked.expect_code(&[0]);
            count += 1;
        }
    }
    assert!(count >= 2, "only {count} examples");
}
