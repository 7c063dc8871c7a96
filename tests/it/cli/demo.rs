//! `make demo`: what a new user sees first. The script runs with the programs under test, and shows the changes that it promises.

use gleaner_testkit::program::find_binary;
use std::process::Command;

#[test]
fn row9_the_demo_shows_what_changed_and_what_to_try_next() {
    let binary = find_binary().expect("the binary");
    let programs = binary.parent().expect("a folder");
    if !programs.join("townlibrary").exists() {
        return gleaner_fixtures::skip("the demo's site is not built beside gleaner");
    }
    let done = Command::new("sh")
        .arg(gleaner_fixtures::root().join("tools/demo.sh"))
        .arg(programs)
        .env("NO_COLOR", "1")
        .output()
        .expect("sh runs");
    let text = String::from_utf8_lossy(&done.stdout);
    let shown = format!("{text}\n{}", String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{shown}");
    // Longer hours, a new event, a corrected phone number, a notice taken down, a page moved.
    for what in [
        "UPD",
        "NEW",
        "MIS",
        "moved from",
        "opening-hours.html",
        "poetry-evening.html",
        "contact.html",
        "notices/roof.html",
        "all good",
        "What to try next",
    ] {
        assert!(text.contains(what), "{what}: {shown}");
    }
}
