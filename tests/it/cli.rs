//! The command line as people and scripts meet it: shapes, exit codes, sentences.

mod demo;
mod examples;
mod given;
mod mistakes;
mod world;

use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, status, text};
use gleaner_testkit::program::{Finished, Running, find_binary};
use serde_json::Value;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::Duration;

fn small_site() -> HostileServer {
    let server = HostileServer::start();
    server.route("/robots.txt", text("User-agent: *\nDisallow: /closed"));
    server.route(
        "/",
        page(links(["/a", "/dead", "/broken", "/closed", "/a"]) + "<title>Start</title>"),
    );
    server
        .route("/a", page("<title>A</title>"))
        .route("/broken", status(500));
    server
}

fn has_keys(value: &Value, keys: &[&str]) {
    for key in keys {
        assert!(value.get(key).is_some(), "{key} is missing: {value}");
    }
}

#[test]
fn json_shapes_are_as_promised() {
    let (gleaner, server) = (Gleaner::new(), small_site());
    let crawled = crawl_well(&gleaner, &server.url("/"), &["--name", "small"]);
    let summary = crawled.json();
    let last = crawled.stdout.lines().last().expect("a line");
    assert_eq!(
        serde_json::from_str::<Value>(last).expect("the last line is JSON"),
        summary
    );
    has_keys(
        &summary,
        &[
            "project", "run", "status", "fetched", "new", "updated", "same", "missing", "errors", "bytes",
            "seconds",
        ],
    );
    assert_eq!(
        (&summary["project"], &summary["run"], &summary["status"]),
        (&"small".into(), &1.into(), &"finished".into())
    );
    assert_eq!(
        (&summary["fetched"], &summary["new"], &summary["errors"]),
        (&4.into(), &2.into(), &1.into()),
        "{crawled}"
    );
    assert!(summary["bytes"].as_u64().is_some_and(|bytes| bytes > 100) && summary["seconds"].is_f64());

    for arguments in [&["report", "--format", "json"][..], &["report", "1", "--json"]] {
        let report = gleaner.run(arguments).json_lines();
        assert_eq!(report.len(), 3);
        for line in &report {
            has_keys(line, &["state", "id", "url", "type", "size", "reason"]);
        }
        let broken = report
            .iter()
            .find(|line| line["state"] == "ERR")
            .expect("an error");
        assert_eq!(
            (&broken["reason"], &broken["url"]),
            (&"http-5xx".into(), &server.url("/broken").into())
        );
    }
    let only = gleaner
        .run(&["report", "--state", "err", "--format", "json"])
        .json_lines();
    assert_eq!(only.len(), 1);
    let csv = gleaner.run(&["report", "--format", "csv"]);
    assert!(
        csv.stdout.starts_with("state,id,url,type,size,reason\n") && csv.stdout.lines().count() == 4,
        "{csv}"
    );

    let listed = gleaner.run(&["ls", "--json"]).json_lines();
    assert_eq!(listed.len(), 2);
    for line in &listed {
        has_keys(line, &["id", "url", "type", "size", "fetched_at"]);
        assert!(
            line["id"].is_i64() && line["size"].is_u64() && line["type"] == "text/html",
            "{line}"
        );
        // By number and by address it is the same document.
        let by_id = gleaner.run(&["cat", &line["id"].to_string()]);
        assert_eq!(
            by_id.stdout,
            gleaner.run(&["cat", line["url"].as_str().expect("text")]).stdout
        );
    }
    let runs = gleaner.run(&["runs", "--json"]).json_lines();
    assert_eq!((runs.len(), &runs[0]["status"]), (1, &"finished".into()));

    let out = gleaner.run(&["links", &server.url("/"), "--json"]).json_lines();
    has_keys(&out[0], &["url", "kind", "count", "anchor"]);
    let to_a = out
        .iter()
        .find(|link| link["url"] == server.url("/a"))
        .expect("a link");
    assert_eq!(
        (&to_a["count"], &to_a["kind"], &to_a["anchor"]),
        (&2.into(), &"anchor".into(), &"link".into())
    );
    let inward = gleaner
        .run(&["links", &server.url("/a"), "--in", "--json"])
        .json_lines();
    assert_eq!((inward.len(), &inward[0]["url"]), (1, &server.url("/").into()));

    let explained = gleaner.run(&["explain", &server.url("/closed"), "--json"]).json();
    has_keys(&explained, &["url", "steps", "answer"]);
    let verified = gleaner.run(&["verify", "--json"]).json();
    has_keys(&verified, &["ok", "findings", "records", "versions"]);
    assert_eq!(verified["ok"], true);
}

#[test]
fn results_go_to_the_output_and_messages_to_the_error_output() {
    let (gleaner, server) = (Gleaner::new(), small_site());
    let crawled = crawl_well(&gleaner, &server.url("/"), &[]);
    assert_eq!(crawled.stdout.lines().count(), 1, "{crawled}");
    for arguments in [
        &["ls"][..],
        &["runs"],
        &["report"],
        &["verify"],
        &["links", "1"],
        &["cat", "1"],
        &["explain", "x.test"],
    ] {
        let finished = gleaner.run(arguments);
        finished.expect_code(&[0]);
        assert!(
            !finished.stdout.is_empty() && finished.stderr.is_empty(),
            "{arguments:?}: {finished}"
        );
    }
    let plain = gleaner.run(&["crawl", &server.url("/"), "--delay", "0", "--tries", "1"]);
    assert!(
        plain.stdout.contains("2 same") && plain.stdout.contains("gleaner report 2"),
        "{plain}"
    );
}

/// One line on the error output, nothing on the output, no trace of the program's inside.
fn expect_sentence(finished: &Finished, code: i32, words: &[&str]) {
    finished.expect_code(&[code]);
    assert!(finished.stdout.is_empty(), "{finished}");
    for word in words {
        assert!(finished.stderr.contains(word), "{word:?} is missing: {finished}");
    }
    for inside in ["panicked", "Error {", "Err(", ".rs:", "anyhow"] {
        assert!(!finished.stderr.contains(inside), "{finished}");
    }
    let is_ours = finished.stderr.starts_with("gleaner: ");
    assert!(is_ours || code == 2, "{finished}");
    if is_ours {
        assert_eq!(finished.stderr.lines().count(), 1, "{finished}");
    }
}

#[test]
fn bad_input_is_answered_with_one_sentence() {
    let (gleaner, server) = (Gleaner::new(), small_site());
    crawl_well(&gleaner, &server.url("/"), &[]);
    let start = server.url("/");
    let cases: [(&[&str], i32, &[&str]); 28] = [
        (&["crawl", "http://"], 2, &["this cannot be crawled"]),
        (
            &["crawl", "not a url"],
            2,
            &["not a file, a folder or an address"],
        ),
        (
            &["crawl", "/no/such/folder"],
            2,
            &["no such file or folder", "/no/such/folder"],
        ),
        (
            &["crawl", &start, "--option", "active"],
            2,
            &["--option", "ftp.active=yes"],
        ),
        (
            &["crawl", "mailto:a@b.test"],
            2,
            &["this cannot be crawled", "mailto"],
        ),
        (&["crawl", "http://user:hunter2@example.test/"], 2, &["password"]),
        (&["crawl", &start, "--deny", "(unclosed"], 2, &["(unclosed"]),
        (
            &["crawl", &start, "--scope", "x"],
            2,
            &["--scope", "host", "domain"],
        ),
        (
            &["crawl", &start, "--max-bytes", "lots"],
            2,
            &["--max-bytes", "500M"],
        ),
        (&["crawl", &start, "--max-time", "soon"], 2, &["--max-time"]),
        (&["crawl", &start, "--depth=-1"], 2, &["--depth"]),
        (
            &["crawl", &start, "--per-host", "0"],
            2,
            &["--per-host", "at least 1"],
        ),
        (
            &["crawl", &start, "--read-timeout", "NaN"],
            2,
            &["--read-timeout"],
        ),
        (&["crawl", &start, "--name", ""], 2, &["--name"]),
        (&["crawl", &start, "--user-agent", "a\r\nb"], 2, &["--user-agent"]),
        (
            &["crawl", &start, "--proxy", "socks5://me:hunter2@a.test"],
            2,
            &["proxy"],
        ),
        (&["resume", "--proxy", "nonsense"], 2, &["proxy"]),
        (&["resume", "first"], 2, &["first"]),
        (&["report", "--state", "OLD"], 2, &["--state"]),
        (&["frobnicate"], 2, &["frobnicate"]),
        (&["crawl"], 2, &["URL"]),
        (&["ls", "--project", "none"], 3, &["project", "none"]),
        (&["explain", &start, "--project", "none"], 3, &["project", "none"]),
        (&["report", "99"], 3, &["run", "99"]),
        (&["resume", "99"], 3, &["run", "99"]),
        (&["resume"], 3, &["no unfinished run"]),
        (&["cat", "9999"], 3, &["9999"]),
        (&["links", "http://never.test/"], 3, &["http://never.test/"]),
    ];
    for (arguments, code, words) in cases {
        let finished = gleaner.run(arguments);
        expect_sentence(&finished, code, words);
        assert!(
            !finished.stderr.contains("hunter2"),
            "a password is shown: {finished}"
        );
    }
    let cases: [(&[&str], i32, &str); 4] = [
        (&["report", "99", "--json"], 3, "99"),
        (&["crawl", "http://", "--json"], 2, "this cannot be crawled"),
        (&["crawl", &start, "--scope", "x", "--json"], 2, "--scope"),
        (&["resume", "99", "--json"], 3, "99"),
    ];
    for (arguments, code, word) in cases {
        let finished = gleaner.run(arguments);
        finished.expect_code(&[code]);
        let error = finished.json()["error"].as_str().unwrap_or_default().to_owned();
        assert!(error.contains(word), "{finished}");
    }
    assert_eq!(
        gleaner.run(&["runs"]).stdout.lines().count(),
        1,
        "no run was begun"
    );
}

/// A run that cannot go on says so in the words of every run, and what it found until then.
#[test]
fn a_run_that_fails_ends_with_its_summary() {
    let (gleaner, server) = (Gleaner::new(), small_site());
    let gate = gleaner_testkit::hostile::Gate::closed();
    server.route(
        "/a",
        gleaner_testkit::hostile::Script::new()
            .then(gleaner_testkit::hostile::Action::Hold(gate.clone()))
            .send(page("<title>A</title>").to_bytes("GET")),
    );
    let start = server.url("/");
    let arguments = crate::crawled::arguments(&start, &["--name", "small", "--per-host", "1"]);
    let running = Running::start(gleaner.command(&arguments)).expect("it starts");
    let is_asked = |server: &HostileServer| !server.requests_to("/a").is_empty();
    assert!(server.wait_until(Duration::from_secs(30), is_asked));
    // The folder goes away under the run.
    let away = gleaner.data().with_extension("away");
    std::fs::rename(gleaner.data(), &away).expect("renamed");
    gate.open();
    let finished = running.wait(Duration::from_mins(1));
    finished.expect_code(&[3]);
    let summary = finished.json();
    assert_eq!(
        (&summary["status"], &summary["run"], &summary["project"]),
        (&"failed".into(), &1.into(), &"small".into()),
        "{finished}"
    );
    let error = summary["error"].as_str().expect("an error");
    assert!(finished.stderr.contains(error), "{finished}");
    assert!(finished.stderr.contains("gleaner resume 1"), "{finished}");
    std::fs::rename(&away, gleaner.data()).expect("renamed");
    gleaner.run(&["resume", "--json"]).expect_code(&[0]);
    crate::crawled::expect_sound(&gleaner);
}

/// Whose words a person reads: ours. Libraries that log are not heard.
#[test]
fn the_error_output_holds_our_sentences_only() {
    use gleaner_testkit::hostile::{Flaw, Tls};
    let gleaner = Gleaner::new().with_env("RUST_LOG", "trace");
    let server = HostileServer::start_tls(&Tls::new(Flaw::SelfSigned));
    server.route("/*", page("never"));
    let finished = crate::crawled::crawl(&gleaner, &server.url("/"), &["--ignore-robots"]);
    finished.expect_code(&[1]);
    assert!(!finished.stderr.is_empty(), "{finished}");
    for line in finished.stderr.lines() {
        assert!(line.starts_with("gleaner: "), "{line}\n{finished}");
    }
}

#[test]
fn a_type_that_is_not_taken_is_named() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let png: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
    server
        .route("/", page(links(["/film", "/unknown", "/a"])))
        .route(
            "/film",
            status(200)
                .with_header("Content-Type", "video/mp4")
                .with_body("x"),
        )
        .route(
            "/unknown",
            status(200)
                .with_header("Content-Type", "application/octet-stream")
                .with_body(png),
        )
        .route("/a", page("a"));
    crawl_well(&gleaner, &server.url("/"), &[]);
    let visits = crate::crawled::visits(&gleaner);
    for (path, media_type) in [("/film", "video/mp4"), ("/unknown", "image/png")] {
        let visit = &visits[&server.url(path)];
        assert_eq!(
            (visit.reason.as_str(), visit.detail.as_str()),
            ("unwanted-type", media_type),
            "{path}"
        );
    }
}

#[test]
fn a_folder_without_data_is_said_and_not_made() {
    let gleaner = Gleaner::new();
    for arguments in [
        &["ls"][..],
        &["runs"],
        &["report"],
        &["cat", "1"],
        &["links", "1"],
        &["verify"],
        &["resume"],
    ] {
        let finished = gleaner.run(arguments);
        expect_sentence(&finished, 3, &["data"]);
        assert!(!gleaner.data().exists(), "{arguments:?} made a folder");
    }
    // A file where the folder should be.
    std::fs::write(gleaner.data(), "not a folder").expect("a file");
    expect_sentence(&gleaner.run(&["crawl", "http://127.0.0.1:1/"]), 3, &["data"]);
    expect_sentence(&gleaner.run(&["ls"]), 3, &["data"]);
    assert_eq!(
        std::fs::read_to_string(gleaner.data()).expect("the file"),
        "not a folder"
    );
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_listing_quietly() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(links(
            (0..400).map(|n| format!("/{}-{n}", "long-name".repeat(40))),
        )),
    );
    server.route(
        "/*",
        gleaner_testkit::hostile::dynamic(|request: &gleaner_testkit::hostile::Request| {
            page(&request.target)
        }),
    );
    crawl_well(&gleaner, &server.url("/"), &["--per-host", "8"]);
    for arguments in [
        &["ls"][..],
        &["ls", "--json"],
        &["report"],
        &["report", "--format", "csv"],
        &["links", "1"],
        &["cat", "1"],
    ] {
        let mut command = gleaner.command(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut first = [0; 10];
        child
            .stdout
            .take()
            .expect("piped")
            .read_exact(&mut first)
            .expect("some output");
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && said.is_empty(),
            "{arguments:?}: {} {said}",
            output.status
        );
    }
}

#[test]
fn help_tells_commands_defaults_and_exit_codes() {
    let gleaner = Gleaner::new();
    let help = gleaner.run(&["--help"]);
    help.expect_code(&[0]);
    for word in [
        "crawl",
        "resume",
        "runs",
        "report",
        "ls",
        "cat",
        "links",
        "explain",
        "verify",
        "completions",
        "--data",
        "gleaner-data",
        "GLEANER_DATA",
        "--json",
        "Exit codes: 0 done",
    ] {
        assert!(help.stdout.contains(word), "{word}: {help}");
    }
    let crawl = gleaner.run(&["crawl", "--help"]).stdout;
    for (flag, default) in [
        ("--scope", "host"),
        ("--types", "html xml text documents"),
        ("--sitemaps", "auto"),
        ("--concurrency", "16"),
        ("--per-host", "1"),
        ("--delay", "1000"),
        ("--tries", "3"),
        ("--connect-timeout", "10"),
        ("--read-timeout", "30"),
        ("--fetch-timeout", "600"),
        ("--max-body", "100M"),
    ] {
        let at = crawl
            .find(&format!("{flag} "))
            .unwrap_or_else(|| panic!("{flag} is missing\n{crawl}"));
        let about: String = crawl[at..]
            .split_whitespace()
            .take(80)
            .collect::<Vec<_>>()
            .join(" ");
        let its = about
            .split_once("[default: ")
            .map_or("", |(_, rest)| rest.split(']').next().unwrap_or(""));
        assert_eq!(its.replace(',', ""), default, "{flag}: {about}");
    }
    assert!(
        crawl.contains("[default: the first URL's host, or the name of the list]"),
        "{crawl}"
    );
    assert_eq!(
        gleaner.run(&["--version"]).stdout.trim(),
        format!("gleaner {}", env!("CARGO_PKG_VERSION"))
    );
    for shell in ["bash", "zsh", "fish"] {
        assert!(
            gleaner.run(&["completions", shell]).stdout.contains("gleaner"),
            "{shell}"
        );
    }
    assert!(!gleaner.data().exists());
}

#[test]
fn the_first_command_works_in_an_empty_folder() {
    let server = small_site();
    let folder = tempfile::tempdir().expect("a folder");
    let start = |arguments: &[&str]| {
        let mut command = Command::new(find_binary().expect("the binary"));
        command
            .args(arguments)
            .current_dir(folder.path())
            .env_remove("GLEANER_DATA");
        Running::start(command)
            .expect("it starts")
            .wait(Duration::from_mins(1))
    };
    start(&["crawl", &server.url("/"), "--delay", "0", "--tries", "1"]).expect_code(&[0]);
    let names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    assert_eq!(names, ["gleaner-data"]);
    assert!(start(&["ls"]).stdout.contains(&server.url("/a")));
    // Without a scheme, as people type it.
    let bare = server.url("/").replace("http://", "");
    let again = start(&["crawl", &bare, "--delay", "0", "--tries", "1", "--json"]);
    assert_eq!(again.json()["same"], 2, "{again}");
}

#[test]
fn secrets_of_the_environment_are_not_shown() {
    let gleaner = Gleaner::new().with_env("GLEANER_PROXY", "http://me:hunter2@127.0.0.1:9/");
    let help = gleaner.run(&["crawl", "--help"]);
    assert!(!help.stdout.contains("hunter2"), "{help}");
    let finished = gleaner.run(&[
        "crawl",
        "http://127.0.0.1:1/",
        "--tries",
        "1",
        "--delay",
        "0",
        "--connect-timeout",
        "1",
    ]);
    assert!(!finished.to_string().contains("hunter2"), "{finished}");
    let shown = gleaner.run(&["report"]).to_string() + &gleaner.run(&["runs", "--json"]).to_string();
    assert!(!shown.contains("hunter2"), "{shown}");
    let stored = gleaner.sqlite("SELECT settings FROM runs UNION ALL SELECT settings FROM projects");
    assert!(!format!("{stored:?}").contains("hunter2"));
}

#[test]
fn limits_at_their_ends_do_not_hang() {
    let server = small_site();
    for more in [
        &["--max-pages", "0"][..],
        &["--max-bytes", "0"],
        &["--max-time", "0"],
        &["--depth", "0"],
        &["--concurrency", "1", "--per-host", "64"],
        &["--tries", "0"],
    ] {
        let gleaner = Gleaner::new();
        let finished = crate::crawled::crawl(&gleaner, &server.url("/"), more);
        finished.expect_code(&[0, 1]);
        crate::crawled::expect_sound(&gleaner);
    }
    for flag in ["--concurrency", "--per-host"] {
        crate::crawled::crawl(&Gleaner::new(), &server.url("/"), &[flag, "0"]).expect_code(&[2]);
    }
}
