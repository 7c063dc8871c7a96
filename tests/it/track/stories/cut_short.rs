//! A run that was cut short calls nothing gone that it did not ask for (B1), and goes on where it stopped (A13).

use super::{Story, crawled, document, site, track_arguments};
use gleaner_testkit::hostile::{Action, Gate, HostileServer, Script, page};
use std::time::Duration;

const PATHS: [&str; 10] = ["/0", "/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"];
const SOON: Duration = Duration::from_secs(30);

/// Half of the pages are really gone, so that guessing would be told apart from asking.
fn remove_half(server: &HostileServer) {
    for path in PATHS.iter().step_by(2) {
        server.remove(path);
    }
}

/// MIS only for pages that were asked for, and said so; the others are ERR.
fn expect_honest(told: &super::super::Told, server: &HostileServer) {
    for change in &told.changes {
        let path = format!("/{}", change.url.rsplit('/').next().unwrap_or_default());
        match change.state.as_str() {
            "MIS" => assert!(
                server.hits(&path) > 0,
                "gone, and never asked for: {change:?}\n{told}"
            ),
            "SAM" => {}
            "ERR" => assert!(
                ["cut-short", "limit-pages", "limit-time", "limit-bytes"].contains(&change.reason.as_str()),
                "{change:?}\n{told}"
            ),
            _ => panic!("{change:?}\n{told}"),
        }
    }
}

/// Tracks under a limit and then without it.
fn limited(flags: &[&str]) {
    let server = site(&PATHS);
    let mut story = crawled(&server, 11);
    remove_half(&server);
    server.forget();
    let mut slowly = vec!["--per-host", "1", "--concurrency", "1"];
    slowly.extend(flags);
    let told = story.track(&slowly);
    expect_honest(&told, &server);
    assert!(told.count("ERR") > 0, "the limit was not reached\n{told}");
    then_without_limits(&mut story, &server, told.count("MIS"));
}

fn then_without_limits(story: &mut Story, server: &HostileServer, gone: usize) {
    let told = story.track(&[]);
    assert_eq!(
        (told.count("ERR"), told.count("MIS"), told.count("SAM")),
        (0, 5 - gone, 6),
        "{gone} were gone before\n{told}"
    );
    for path in PATHS.iter().skip(1).step_by(2) {
        assert_eq!(told.state_of(&server.url(path)), "SAM", "{told}");
    }
}

#[test]
fn b1_a_limit_on_pages() {
    limited(&["--max-pages", "3"]);
}

#[test]
fn b1_a_limit_on_bytes() {
    limited(&["--max-bytes", "6k"]);
}

/// The limit is the project's own, set by another crawl.
#[test]
fn b1_a_limit_of_the_project() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 11);
    story.crawl_again(&server.url("/"), &["--max-pages", "3"]);
    remove_half(&server);
    server.forget();
    let told = story.track(&["--per-host", "1", "--concurrency", "1"]);
    expect_honest(&told, &server);
    assert!(told.count("ERR") > 0, "the limit was not reached\n{told}");
    story.crawl_again(&server.url("/"), &[]);
    let told = story.track(&[]);
    assert_eq!((told.count("ERR"), told.count("SAM")), (0, 6), "{told}");
}

#[test]
fn b1_a_limit_on_time() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 11);
    let gate = Gate::closed();
    // One page is never answered while the run has time; those behind it in the queue are not asked for.
    for path in PATHS {
        let held = Script::new().then(Action::Hold(gate.clone())).close();
        server.route(path, held);
    }
    let told = story.track(&[
        "--max-time",
        "1",
        "--per-host",
        "1",
        "--concurrency",
        "1",
        "--read-timeout",
        "3",
    ]);
    gate.open();
    assert_eq!(
        (told.count("MIS"), told.count("UPD"), told.count("NEW")),
        (0, 0, 0),
        "{told}"
    );
    assert!(told.count("ERR") >= 9, "{told}");
}

/// Stops a track while one page is being waited for. What is in flight is still taken; nothing more is asked for.
fn stop(server: &HostileServer, story: &Story) {
    let gate = Gate::closed();
    let whole = page(document(8, &["/"])).to_bytes("GET");
    let held = Script::new().then(Action::Hold(gate.clone())).send(whole).close();
    server.route("/7", held);
    server.forget();
    let args = track_arguments(&["--per-host", "1", "--concurrency", "1", "--read-timeout", "60"]);
    let mut running = story.gleaner.spawn(&args);
    assert!(
        server.wait_until(SOON, |server| server.hits("/7") == 1),
        "/7 is asked for"
    );
    running.interrupt();
    assert!(
        running.wait_for_output("has begun; press Ctrl-C again", SOON),
        "the signal is seen"
    );
    gate.open();
    running.wait(SOON).expect_code(&[130]);
}

#[test]
fn a13_ctrl_c_and_resume() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 11);
    remove_half(&server);
    stop(&server, &story);
    let report = story.gleaner.run(&["report", "--format", "json"]);
    for line in report.json_lines() {
        let url = line["url"].as_str().unwrap_or_default();
        let path = format!("/{}", url.rsplit('/').next().unwrap_or_default());
        assert!(
            line["state"] != "MIS" || server.hits(&path) > 0,
            "gone, and never asked for: {line}\n{report}"
        );
    }
    let resumed = story.gleaner.run(&["resume", "--json"]);
    resumed.expect_code(&[0]);
    let told = story.review(resumed);
    assert_eq!(told.status(), "finished", "{told}");
    assert_eq!(
        (told.count("MIS"), told.count("SAM"), told.changes.len()),
        (5, 6, 11),
        "{told}"
    );
}

/// Instead of `resume` the same command again: it goes on with the run that was stopped.
#[test]
fn a13_ctrl_c_and_track_again() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 11);
    remove_half(&server);
    stop(&server, &story);
    let told = story.track(&[]);
    assert_eq!(told.run, 2, "it is the same run\n{told}");
    assert_eq!(
        (told.count("MIS"), told.count("SAM"), told.changes.len()),
        (5, 6, 11),
        "{told}"
    );
}
