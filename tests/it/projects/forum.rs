//! A forum behind a login (A2, A4): one-time tokens, a search by POST, results in another order each time, sessions that
//! end. PHP's own server on a copy of `sites/forum`, a project for it, and what that should collect.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use gleaner_testkit::Gleaner;
use gleaner_testkit::program::Finished;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub(super) const TOPICS: usize = 60;
pub(super) const PASSWORD: (&str, &str) = ("FORUM_PASSWORD", "sesame");

/// PHP's own server on a copy of the forum.
pub(super) struct Forum {
    php: Child,
    address: SocketAddr,
    folder: tempfile::TempDir,
}

impl Drop for Forum {
    fn drop(&mut self) {
        let _ = self.php.kill();
        let _ = self.php.wait();
    }
}

impl Forum {
    /// Sessions are good for so many requests; `expired` says how it shows that one has ended.
    pub(super) fn start(expires_after: u64, expired: &str) -> Option<Forum> {
        Command::new("php").arg("--version").output().ok()?;
        let folder = tempfile::tempdir().unwrap();
        let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("sites/forum");
        for entry in std::fs::read_dir(site).unwrap().flatten() {
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
        std::fs::create_dir(folder.path().join("sessions")).unwrap();
        let [_, a, b, c] = std::process::id().to_be_bytes();
        let ip = std::net::Ipv4Addr::new(127, 128 | (a & 63), b, c);
        let address = TcpListener::bind((ip, 0)).unwrap().local_addr().unwrap();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let php = Command::new("php")
            .args(["-n", "-d"])
            .arg(format!(
                "session.save_path={}",
                folder.path().join("sessions").display()
            ))
            .args(["-S", &address.to_string(), "-t"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let forum = Forum { php, address, folder };
        let topic = |number: usize| {
            let birds = if number.is_multiple_of(4) {
                "owls"
            } else {
                "finches"
            };
            let text = format!(
                "This is what topic number {number} says about {birds}, in words enough to be read as a text of its own."
            );
            (
                number.to_string(),
                json!({"board": 1 + number % 3, "title": format!("Topic {number}"), "text": text}),
            )
        };
        let topics: serde_json::Map<String, Value> = (1..=TOPICS).map(topic).collect();
        forum.write(&json!({
            "boards": {"1": "Birds", "2": "Trees", "3": "Stones"},
            "topics": topics, "expires_after": expires_after, "expired": expired,
        }));
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(20), "PHP does not answer");
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(forum)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, state: &Value) {
        std::fs::write(self.path("forum.json"), state.to_string()).unwrap();
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut serde_json::Map<String, Value>)) {
        let text = std::fs::read_to_string(self.path("forum.json")).unwrap();
        let mut state: Value = serde_json::from_str(&text).unwrap();
        change(state["topics"].as_object_mut().unwrap());
        self.write(&state);
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub(super) fn logins(&self) -> usize {
        std::fs::read_to_string(self.path("logins.txt")).map_or(0, |text| text.lines().count())
    }

    /// Requests for pages of the forum so far: neither the login nor robots.txt.
    pub(super) fn requests(&self) -> usize {
        let log = std::fs::read(self.path("log")).unwrap();
        let log = String::from_utf8_lossy(&log).into_owned();
        let asked = log
            .lines()
            .filter(|line| line.contains("]: GET /") || line.contains("]: POST /"));
        asked
            .filter(|line| !line.contains("/login.php") && !line.contains("/robots.txt"))
            .count()
    }

    pub(super) fn project(&self) -> String {
        let at = |path: &str| self.url(path);
        format!(
            r##"
name = "forum"

[manners]
delay = "0s"
private = true

[login]
url = "{login}"
fields = {{ user = "reader", password = "env:FORUM_PASSWORD" }}
must_have = "#out"
must_not_have = "form#login"

[[rule]]
deny = "glob:*/logout.php*"
note = "a visitor who leaves sees no more"

[[step]]
name = "search"
url = "{search}"
form = {{ id = "search" }}
fields = {{ q = "owls" }}
keep = false

[[step]]
name = "results"
links = "#results"

[[step]]
name = "boards"
url = "{boards}"
keep = false

[[step]]
name = "first board"
links = "a.board"
depth = 3
[[step.rule]]
allow = "regex:board[.]php[?]id=1(&page=[0-9]+)?$"
[[step.rule]]
allow = "glob:*/topic.php*"
[[step.rule]]
deny = "glob:*"
"##,
            login = at("login.php"),
            search = at("search.php"),
            boards = at("index.php"),
        )
    }
}

/// Topics about owls, and everything on the first board.
pub(super) fn expected() -> BTreeSet<String> {
    let owls = (1..=TOPICS).filter(|number| number.is_multiple_of(4));
    let first = (1..=TOPICS).filter(|number| number % 3 == 0);
    let topics = owls.chain(first).map(|number| format!("topic.php?id={number}"));
    let boards = ["board.php?id=1", "board.php?id=1&page=2"].map(str::to_owned);
    topics.chain(boards).collect()
}

pub(super) fn gleaner(forum: &Forum) -> Gleaner {
    let gleaner = Gleaner::new().with_env(PASSWORD.0, PASSWORD.1);
    let file = forum.path("forum.toml");
    std::fs::write(&file, forum.project()).unwrap();
    gleaner
        .run(&["project", "import", &file.display().to_string()])
        .expect_code(&[0]);
    gleaner
}

pub(super) fn track(gleaner: &Gleaner) -> Finished {
    gleaner.run(&["track", "forum", "--json"])
}

/// What a run told, by the ends of the addresses.
pub(super) fn told(gleaner: &Gleaner, forum: &Forum, finished: &Finished) -> BTreeMap<String, String> {
    finished.expect_code(&[0]);
    told_of_run(gleaner, forum, &finished.json()["run"].to_string())
}

pub(super) fn told_of_run(gleaner: &Gleaner, forum: &Forum, run: &str) -> BTreeMap<String, String> {
    let report = gleaner.run(&["report", run, "--format", "json"]);
    let lines = report.json_lines();
    let line = |line: &Value| {
        let url = line["url"].as_str().unwrap().to_owned();
        let name = url.strip_prefix(&forum.url("")).unwrap_or(&url).to_owned();
        assert!(line["orphan"] != true, "steps lead there: {line}");
        (name, line["state"].as_str().unwrap().to_owned())
    };
    lines.iter().map(line).collect()
}

pub(super) fn assert_all(told: &BTreeMap<String, String>, state: &str) {
    let names: BTreeSet<String> = told.keys().cloned().collect();
    assert_eq!(names, expected());
    assert!(told.values().all(|told| told == state), "{told:?}");
}

/// No login page is kept, whatever the server sent.
pub(super) fn assert_no_login_page(gleaner: &Gleaner) {
    for line in gleaner.run(&["ls", "--json"]).json_lines() {
        assert_ne!(line["title"], "Log in", "{line}");
    }
    assert_eq!(
        gleaner.sqlite_number("SELECT count(*) FROM versions WHERE title = 'Log in'"),
        0
    );
}
