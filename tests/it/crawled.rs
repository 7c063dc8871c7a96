//! What came of a crawl? One run of the binary with a test's usual settings, and the questions that every case asks of it.

use gleaner_testkit::program::Finished;
use gleaner_testkit::{Gleaner, HostileServer};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// No waiting between requests, one try, short patience. What a test gives itself comes instead.
const USUAL: [(&str, &str); 5] = [
    ("--delay", "0"),
    ("--tries", "1"),
    ("--connect-timeout", "5"),
    ("--read-timeout", "5"),
    ("--fetch-timeout", "30"),
];

/// `gleaner crawl URL` with the usual settings and these; several URLs may stand at the head of `more`.
pub(crate) fn crawl(gleaner: &Gleaner, url: &str, more: &[&str]) -> Finished {
    gleaner.run(&arguments(url, more))
}

/// The arguments of [`crawl`].
pub(crate) fn arguments<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["crawl", url, "--json"];
    arguments.extend(more);
    for (flag, value) in USUAL {
        if !more.contains(&flag) {
            arguments.extend([flag, value]);
        }
    }
    arguments
}

/// As [`crawl`], and its end is "done, with documents" (C1).
pub(crate) fn crawl_well(gleaner: &Gleaner, url: &str, more: &[&str]) -> Finished {
    let finished = crawl(gleaner, url, more);
    finished.expect_code(&[0]);
    finished
}

/// State and reason of every URL the newest run reports on.
pub(crate) fn changes(gleaner: &Gleaner) -> BTreeMap<String, (String, String)> {
    let report = gleaner.run(&["report", "--format", "json"]);
    report.expect_code(&[0]);
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("").to_owned();
    report
        .json_lines()
        .iter()
        .map(|line| (text(&line["url"]), (text(&line["state"]), text(&line["reason"]))))
        .collect()
}

/// The URLs of one state in the newest run.
pub(crate) fn urls_in_state(gleaner: &Gleaner, state: &str) -> BTreeSet<String> {
    let changes = changes(gleaner).into_iter();
    changes
        .filter(|(_, (of, _))| of == state)
        .map(|(url, _)| url)
        .collect()
}

/// What the newest run did about one URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Visit {
    pub(crate) status: String,
    pub(crate) reason: String,
    pub(crate) detail: String,
    pub(crate) depth: u32,
}

pub(crate) fn visits(gleaner: &Gleaner) -> BTreeMap<String, Visit> {
    let rows = gleaner.sqlite(
        "SELECT r.url, v.status, v.reason, v.detail, v.depth FROM visits v JOIN resources r ON r.id = v.resource
         WHERE v.run = (SELECT max(id) FROM runs)",
    );
    rows.into_iter()
        .map(|row| {
            let [url, status, reason, detail, depth] = <[String; 5]>::try_from(row).expect("five columns");
            (
                url,
                Visit {
                    status,
                    reason,
                    detail,
                    depth: depth.parse().expect("a number"),
                },
            )
        })
        .collect()
}

/// The reason of one URL's visit; the test ends if there was none.
pub(crate) fn reason_of(gleaner: &Gleaner, url: &str) -> String {
    let visits = visits(gleaner);
    let visit = visits
        .get(url)
        .unwrap_or_else(|| panic!("not taken up: {url}\n{visits:#?}"));
    visit.reason.clone()
}

/// How much the newest run left out, by reason.
pub(crate) fn cuts(gleaner: &Gleaner) -> BTreeMap<String, u64> {
    let rows = gleaner
        .sqlite("SELECT reason, sum(count) FROM cuts WHERE run = (SELECT max(id) FROM runs) GROUP BY reason");
    rows.into_iter()
        .map(|row| (row[0].clone(), row[1].parse().expect("a number")))
        .collect()
}

/// The documents that are kept.
pub(crate) fn documents(gleaner: &Gleaner) -> BTreeSet<String> {
    let listed = gleaner.run(&["ls", "--json"]);
    listed.expect_code(&[0]);
    listed
        .json_lines()
        .iter()
        .map(|line| line["url"].as_str().unwrap_or("").to_owned())
        .collect()
}

/// C7 and C8: nothing is damaged, nothing is queued after the end, nothing lies outside the data folder.
pub(crate) fn expect_sound(gleaner: &Gleaner) {
    let verified = gleaner.run(&["verify", "--json"]);
    verified.expect_code(&[0]);
    assert_eq!(verified.json()["ok"], true, "{verified}");
    let unfinished = gleaner.sqlite(
        "SELECT r.url FROM frontier f JOIN resources r ON r.id = f.resource JOIN runs ON runs.id = f.run
         WHERE runs.status = 'finished' LIMIT 5",
    );
    assert!(
        unfinished.is_empty(),
        "finished, and still queued: {unfinished:?}"
    );
    let data = gleaner.data();
    let names = |folder: &std::path::Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("the folder is there");
        entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    };
    assert_eq!(names(data.parent().expect("a parent")), ["data"]);
    for name in names(&data) {
        let is_ours = name.starts_with("gleaner.") || name == "archive" || name == "spool";
        assert!(is_ours, "unexpected in the data folder: {name}");
    }
    assert_eq!(names(&data.join("spool")), [""; 0]);
}

/// C6: a secret shows nowhere that people look.
pub(crate) fn expect_hidden(gleaner: &Gleaner, finished: &Finished, secret: &str) {
    let shown = [
        finished.to_string(),
        gleaner.run(&["report"]).to_string(),
        gleaner.run(&["report", "--format", "json"]).to_string(),
        gleaner.run(&["ls", "--json"]).to_string(),
        gleaner.run(&["runs", "--json"]).to_string(),
    ];
    for text in shown {
        assert!(!text.contains(secret), "a secret is shown: {text}");
    }
}

/// Runs to the end and says how much memory was in use at most, in MiB.
pub(crate) fn crawl_measured(gleaner: &Gleaner, url: &str, more: &[&str]) -> (Finished, u64) {
    let mut running = gleaner.spawn(&arguments(url, more));
    let status = format!("/proc/{}/status", running.id());
    let mut most_kib = 0;
    while !running.has_ended() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most_kib = most_kib.max(now.unwrap_or(0));
        running.wait_for_output("\u{0}", Duration::from_millis(20));
    }
    (running.wait(Duration::from_mins(1)), most_kib / 1024)
}

/// Anchors to these.
pub(crate) fn links<I: IntoIterator<Item = T>, T: std::fmt::Display>(hrefs: I) -> String {
    hrefs.into_iter().fold(String::new(), |html, href| {
        html + &format!("<a href=\"{href}\">link</a>\n")
    })
}

/// The paths asked for, each as often as it was. What every host is asked for once is left out: robots.txt, and a sitemap
/// where sitemaps usually lie.
pub(crate) fn asked(server: &HostileServer) -> Vec<String> {
    let mut targets = asked_with_lists(server);
    targets.retain(|target| target != "/sitemap.xml");
    targets
}

/// The same with the sitemap.
pub(crate) fn asked_with_lists(server: &HostileServer) -> Vec<String> {
    let mut targets: Vec<String> = server
        .requests()
        .into_iter()
        .map(|request| request.target)
        .filter(|t| t != "/robots.txt")
        .collect();
    targets.sort();
    targets
}
