//! What lies in the folder is its owner's alone: rights, cookies, passwords (I3).

use super::hands::catalog;
use crate::crawled::{arguments, crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{Action, Gate, HostileServer, Script, page};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

const SOON: Duration = Duration::from_mins(1);

/// Everything in a folder, the folder too.
fn all_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(all_in(&path));
        } else {
            found.push(path);
        }
    }
    found
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn expect_private(folder: &Path, story: &str) {
    for path in all_in(folder) {
        let right = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), right, "{story}: {}", path.display());
    }
}

#[test]
fn case04_the_folder_is_its_owners_alone() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let gate = Gate::closed();
    let held = Script::new()
        .then(Action::Hold(gate.clone()))
        .send(page("held").to_bytes("GET"));
    server.route("/", page(links(["/held"]))).route("/held", held);
    let start = server.url("/");
    let running = gleaner.spawn(&arguments(&start, &["--name", "site"]));
    assert!(server.wait_until(SOON, |server| server.hits("/held") == 1));
    expect_private(&gleaner.data(), "while it runs");
    gate.open();
    running.wait(SOON).expect_code(&[0]);
    expect_private(&gleaner.data(), "after a run");
    gleaner.run(&["prune", "--all"]).expect_code(&[0]);
    expect_private(&gleaner.data(), "after a compaction");

    // A folder as older versions left it.
    for path in all_in(&gleaner.data()) {
        set_mode(&path, if path.is_dir() { 0o755 } else { 0o644 });
    }
    let track = ["track", "site", "--delay", "0"];
    gleaner.run(&track).expect_code(&[0]);
    expect_private(&gleaner.data(), "after an owner came by");

    // Where others have files of their own, the way to them stays open.
    let notes = gleaner.data().join("notes.txt");
    std::fs::write(&notes, "mine").unwrap();
    set_mode(&notes, 0o644);
    set_mode(&gleaner.data(), 0o755);
    gleaner.run(&track).expect_code(&[0]);
    assert_eq!((mode(&gleaner.data()), mode(&notes)), (0o755, 0o644));
    assert_eq!(mode(&catalog(&gleaner)), 0o600);
}

#[test]
fn case04_cookies_are_sealed_while_a_run_is_open_and_gone_when_it_has_ended() {
    const SECRET: &str = "0f8a61c2d3e4b5a6";
    let is_there = |gleaner: &Gleaner| {
        let files = all_in(&gleaner.data()).into_iter().filter(|path| path.is_file());
        files
            .filter(|path| path.to_string_lossy().contains("gleaner.db"))
            .any(|path| {
                let bytes = std::fs::read(path).unwrap();
                bytes
                    .windows(SECRET.len())
                    .any(|piece| piece == SECRET.as_bytes())
            })
    };
    let has_jar = "SELECT count(*) FROM runs WHERE cookies IS NOT NULL";
    for passphrase in [None, Some("correct horse")] {
        let (gleaner, server, gate) = (Gleaner::new(), HostileServer::start(), Gate::closed());
        let gleaner = match passphrase {
            Some(text) => gleaner.with_env("GLEANER_PASSPHRASE", text),
            None => gleaner,
        };
        let cookie = format!("sid={SECRET}; Path=/");
        server.route(
            "/",
            page(links(["/held", "/later"])).with_header("Set-Cookie", &cookie),
        );
        let held = Script::new()
            .then(Action::Hold(gate.clone()))
            .send(page("held").to_bytes("GET"));
        server.route("/held", held).route("/later", page("later"));
        let start = server.url("/");
        let mut running = gleaner.spawn(&arguments(&start, &["--name", "site"]));
        assert!(server.wait_until(SOON, |server| server.hits("/held") == 1));
        running.interrupt();
        assert!(running.wait_for_output("in flight", SOON));
        gate.open();
        running.wait(SOON).expect_code(&[130]);
        assert_eq!(gleaner.sqlite_number(has_jar), 1);
        assert!(!is_there(&gleaner), "a cookie lies there in the clear");

        gleaner.run(&["resume", "--json"]).expect_code(&[0]);
        let sent = server.requests_to("/later")[0]
            .header("cookie")
            .map(str::to_owned);
        assert_eq!(sent.as_deref(), Some(format!("sid={SECRET}").as_str()));
        assert_eq!(gleaner.sqlite_number(has_jar), 0);
        assert!(!is_there(&gleaner));
    }
}

#[test]
fn case04_no_command_shows_a_password_that_stands_in_a_url() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route("/", page(links(["/a"]))).route("/a", page("a"));
    crawl_well(&gleaner, &server.url("/"), &["--name", "site"]);
    let host = server.url("/").replace("http://", "").replace('/', "");
    let folder = gleaner.data().with_file_name("copy").display().to_string();
    let urls = [
        format!("http://ann:pw9secret@{host}/a"),
        format!("http://ann:pw9secret@{host}/none"),
        format!("ann:pw9secret@{host}/a"),
        format!("http://ann:pw9secret/x@{host}/a"),
        "http://ann:pw9secret@[bad/".to_owned(),
    ];
    for url in &urls {
        let url = url.as_str();
        let commands: [&[&str]; 14] = [
            &["cat", url],
            &["versions", url],
            &["diff", url],
            &["links", url],
            &["explain", url],
            &["crawl", url],
            &["mirror", url, &folder],
            &["track", url],
            &["resume", url],
            &["report", url],
            &["ls", "--host", url],
            &["rules", url],
            &["project", "new", "name", url],
            &["prune", url],
        ];
        for command in commands {
            for json in [false, true] {
                let mut args = command.to_vec();
                args.extend(json.then_some("--json"));
                let told = gleaner.run(&args);
                let shown = format!("{}{}", told.stdout, told.stderr);
                assert!(!shown.contains("pw9secret"), "{args:?}: {told}");
            }
        }
    }
    // With a scheme and without: refused, and what to do instead is named.
    for url in [&urls[0], &urls[2], &format!("ann@{host}/a")] {
        let refused = gleaner.run(&["crawl", url]);
        refused.expect_code(&[2]);
        assert!(refused.stderr.contains("--user"), "{url}: {refused}");
    }
}
