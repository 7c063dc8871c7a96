//! The stage of a hostile case: a server that plays it, a healthy host beside it, and the program that meets both.
//!
//! [`Stage::crawl`] checks after every crawl what holds in every case: the program ended well (C1), the healthy host's pages
//! are all there (C3), the report knows every outcome (C4), no secret was printed (C6), `verify` is clean (C7) and nothing
//! was written outside the data folder (C8). [`three_acts`] adds the rest: healthy, broken, healed, so that what could not
//! be told is never taken for a change (C5), with memory compared between the acts (C2).

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gleaner_testkit::hostile::{HostileServer, Reply, page, text};
use gleaner_testkit::program::{Finished, Gleaner, Running};
use serde_json::Value;
use tempfile::TempDir;

/// How much more memory than a healthy run a case may take (C2).
const EXTRA_KIB_MAX: u64 = 64 * 1024;

/// No crawl of these tests has a reason to take longer, on the slowest machine.
const DEADLINE: Duration = Duration::from_mins(1);

/// Set by the healthy host as a cookie; must not be printed by anything (C6).
const SECRET: &str = "sid-of-the-visitor";

pub(crate) const WELL_PATHS: [&str; 4] = ["/", "/a", "/b", "/c"];

pub(crate) struct Stage {
    /// Plays the case, for every host name below `.test`.
    pub(crate) server: HostileServer,
    /// A host with four pages and no surprises.
    pub(crate) well: HostileServer,
    pub(crate) gleaner: Gleaner,
    /// Where the program runs, and what it takes for home and temporary folder: stays empty.
    elsewhere: TempDir,
}

/// A crawl that has ended, and what it said about each URL.
pub(crate) struct Crawl {
    pub(crate) finished: Finished,
    pub(crate) summary: Value,
    pub(crate) peak_kib: u64,
    changes: BTreeMap<String, Value>,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        Stage::with_server(HostileServer::start())
    }

    /// With a server of the test's own, as one that speaks TLS.
    pub(crate) fn with_server(server: HostileServer) -> Stage {
        let elsewhere = tempfile::tempdir().expect("a temporary folder");
        let folder = elsewhere.path().to_str().expect("a plain path").to_owned();
        let well = HostileServer::start_on(&["127.0.0.2".parse().expect("an address")]);
        let links = "<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>";
        well.route(
            "/",
            page(links).with_header("Set-Cookie", &format!("sid={SECRET}")),
        );
        for path in &WELL_PATHS[1..] {
            well.route(path, text(format!("all is well at {path}")));
        }
        let gleaner = Gleaner::new()
            .with_env("TMPDIR", &folder)
            .with_env("HOME", &folder);
        Stage {
            server,
            well,
            gleaner,
            elsewhere,
        }
    }

    /// The case's URL on a host of its own: a host that fails is slowed down, and its neighbours are not.
    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        self.server.url_as(&format!("{host}.test"), path)
    }

    pub(crate) fn well_url(&self, path: &str) -> String {
        self.well.url_as("well.test", path)
    }

    /// Crawls these URLs and the healthy host, and checks what holds in every case.
    pub(crate) fn crawl(&self, seeds: &[String], flags: &[&str]) -> Crawl {
        let (finished, peak_kib) = weigh(self.start(seeds, flags));
        self.review(finished, peak_kib)
    }

    /// Starts the same crawl; [`Stage::review`] ends it.
    pub(crate) fn start(&self, seeds: &[String], flags: &[&str]) -> Running {
        let well = WELL_PATHS.map(|path| self.well_url(path));
        let mut args = vec!["crawl", "--name", "case", "--json"];
        args.extend(seeds.iter().map(String::as_str));
        args.extend(well.iter().map(String::as_str));
        for (flag, value) in [
            ("--delay", "0"),
            ("--per-host", "8"),
            ("--tries", "1"),
            ("--connect-timeout", "10"),
            ("--read-timeout", "20"),
            ("--fetch-timeout", "30"),
        ] {
            if !flags.contains(&flag) {
                args.extend([flag, value]);
            }
        }
        args.extend(flags);
        let mut resolve = vec!["--resolve=well.test=127.0.0.2".to_owned()];
        for seed in seeds {
            let host = seed.split(['/', ':']).nth(3).unwrap_or_default();
            let is_ours = host.rsplit_once('.').is_some_and(|(_, last)| last == "test");
            if is_ours && !flags.iter().any(|flag| flag.contains(&format!("{host}="))) {
                resolve.push(format!("--resolve={host}=127.0.0.1"));
            }
        }
        args.extend(resolve.iter().map(String::as_str));
        self.spawn(&args)
    }

    /// What the program says about its crawl, after all that holds in every case was checked.
    pub(crate) fn review(&self, finished: Finished, peak_kib: u64) -> Crawl {
        finished.expect_code(&[0]);
        let report = self.run(&["report", "--format", "json"]);
        report.expect_code(&[0]);
        let mut changes = BTreeMap::new();
        for change in report.json_lines() {
            let url = change["url"].as_str().expect("a change has a URL").to_owned();
            assert!(changes.insert(url, change).is_none(), "told twice\n{report}");
        }
        let crawl = Crawl {
            summary: finished.json(),
            finished,
            peak_kib,
            changes,
        };
        assert_eq!(crawl.summary["status"], "finished", "{}", crawl.finished);
        assert_eq!(crawl.summary["queued"], 0, "{}", crawl.finished);
        for path in WELL_PATHS {
            let (state, reason) = crawl.told(&self.well_url(path));
            assert!(
                matches!(state, "NEW" | "SAM"),
                "the healthy host's {path} is {state} [{reason}]"
            );
        }
        for output in [
            self.run(&["report"]),
            self.run(&["ls"]),
            self.run(&["runs"]),
            report,
            crawl.finished.clone(),
        ] {
            assert!(
                !format!("{output}").contains(SECRET),
                "a secret was printed\n{output}"
            );
            assert!(!output.stderr.contains("panicked"), "{output}");
        }
        self.run(&["verify"]).expect_code(&[0]);
        let strays: Vec<_> = std::fs::read_dir(self.elsewhere.path())
            .expect("the folder is ours")
            .collect();
        assert!(strays.is_empty(), "written outside the data folder: {strays:?}");
        crawl
    }

    /// Runs another command on the same data folder.
    pub(crate) fn run(&self, args: &[&str]) -> Finished {
        self.spawn(args).wait(DEADLINE)
    }

    /// The document's content as it was first written.
    pub(crate) fn cat(&self, url: &str) -> String {
        let finished = self.run(&["cat", url]);
        finished.expect_code(&[0]).stdout.clone()
    }

    /// What `ls` says about a document.
    pub(crate) fn listed(&self, url: &str) -> Value {
        let documents = self.run(&["ls", "--json"]);
        let found = documents
            .json_lines()
            .into_iter()
            .find(|document| document["url"] == url);
        found.unwrap_or_else(|| panic!("not listed: {url}\n{documents}"))
    }

    /// The rows of `links`, by URL.
    pub(crate) fn links(&self, url: &str) -> Vec<Value> {
        let finished = self.run(&["links", url, "--json"]);
        finished.expect_code(&[0]).json_lines()
    }

    /// The cause behind `robots-unreachable`, as `explain` tells it.
    pub(crate) fn robots_cause(&self, url: &str) -> String {
        let finished = self.run(&["explain", url]);
        finished.expect_code(&[0]).stdout.clone()
    }

    fn spawn(&self, args: &[&str]) -> Running {
        let mut command = self.gleaner.command(args);
        command.current_dir(self.elsewhere.path());
        Running::start(command).expect("the gleaner binary starts")
    }
}

impl Crawl {
    /// State and reason of a URL (empty where there is none).
    pub(crate) fn told(&self, url: &str) -> (&str, &str) {
        let Some(change) = self.changes.get(url) else {
            panic!("nothing is told about {url}\n{:#?}", self.changes)
        };
        (
            change["state"].as_str().unwrap_or_default(),
            change["reason"].as_str().unwrap_or_default(),
        )
    }

    pub(crate) fn detail(&self, url: &str) -> &str {
        self.changes[url]["detail"].as_str().unwrap_or_default()
    }

    pub(crate) fn tells_of(&self, url: &str) -> bool {
        self.changes.contains_key(url)
    }

    pub(crate) fn count(&self, what: &str) -> u64 {
        self.summary[what]
            .as_u64()
            .unwrap_or_else(|| panic!("no count `{what}`: {}", self.summary))
    }
}

/// Waits for the end and tells the most memory that was in use on the way.
pub(crate) fn weigh(mut running: Running) -> (Finished, u64) {
    let status = format!("/proc/{}/status", running.id());
    let end = Instant::now() + DEADLINE;
    let mut peak_kib = 0;
    // The kernel keeps the peak, so looking now and then misses only the last moment.
    while !running.has_ended() && Instant::now() < end {
        let status = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|kib| kib.trim().trim_end_matches(" kB").parse().ok());
        peak_kib = peak_kib.max(peak.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    (running.wait(Duration::ZERO), peak_kib)
}

/// One way of being broken: its name, what the server does, and the reason the report gives.
pub(crate) type Case = (&'static str, Reply, &'static str);

pub(crate) fn case(name: &'static str, broken: impl Into<Reply>, reason: &'static str) -> Case {
    (name, broken.into(), reason)
}

/// Healthy, broken, healed. In the second act each case is ERR with its reason and nothing else is told, and the old
/// versions stay readable; the third gives the right answer again. Returns the second act.
pub(crate) fn three_acts(stage: &Stage, cases: Vec<Case>, flags: &[&str]) -> Crawl {
    let url = |name: &str| stage.url(name, &format!("/{name}"));
    let urls: Vec<String> = cases.iter().map(|(name, ..)| url(name)).collect();
    for (name, ..) in &cases {
        stage.server.route(
            &format!("/{name}"),
            page(format!("<title>{name}</title>first words of {name}")),
        );
    }
    let healthy = stage.crawl(&urls, flags);
    for url in &urls {
        assert_eq!(healthy.told(url), ("NEW", ""), "{url}");
    }

    let names: Vec<_> = cases.iter().map(|(name, _, reason)| (*name, *reason)).collect();
    for (name, broken, _) in cases {
        stage.server.route(&format!("/{name}"), broken);
    }
    stage.server.forget();
    let broken = stage.crawl(&urls, flags);
    for (name, reason) in &names {
        assert_eq!(
            broken.told(&url(name)),
            ("ERR", *reason),
            "{name}: {}",
            broken.detail(&url(name))
        );
        assert!(
            stage.cat(&url(name)).contains("first words"),
            "the old version of {name} is readable"
        );
    }
    assert_eq!(
        (broken.count("missing"), broken.count("updated")),
        (0, 0),
        "{}",
        broken.finished
    );
    assert!(
        broken.peak_kib < healthy.peak_kib + EXTRA_KIB_MAX,
        "{} KiB instead of {}",
        broken.peak_kib,
        healthy.peak_kib
    );

    for (name, _) in &names {
        stage.server.route(
            &format!("/{name}"),
            page(format!("<title>{name}</title>healed words of {name}")),
        );
    }
    let healed = stage.crawl(&urls, flags);
    for (name, _) in &names {
        assert_eq!(healed.told(&url(name)), ("UPD", ""), "{name}");
        assert!(stage.cat(&url(name)).contains("healed words"), "{name}");
    }
    broken
}
