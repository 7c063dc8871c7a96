//! A folder that cannot be used, goes away, or is used by another (HC120, HC121).

use super::hands::{kept, wait_until};
use crate::crash::{assert_sound, crawl, site, spawn_crawl};
use gleaner_testkit::Gleaner;
use gleaner_testkit::disk::SmallDisk;
use std::process::Command;
use std::time::Duration;

#[test]
fn hc120_read_only_folder() {
    let disk = match SmallDisk::new(16 * 1024 * 1024, 1000) {
        Ok(disk) => disk,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let mount = |options: &str| {
        let done = Command::new("mount")
            .args(["-o", options])
            .arg(disk.path())
            .status();
        assert!(done.is_ok_and(|status| status.success()), "{options}");
    };
    let site = site(5, 0.0);
    mount("remount,ro");
    let fresh = Gleaner::in_folder(disk.path().join("data"));
    let refused = crawl(&fresh, &site);
    refused.expect_code(&[3]);
    assert!(
        refused.stderr.contains("cannot be used") && !fresh.data().exists(),
        "{refused}"
    );

    mount("remount,rw");
    crawl(&fresh, &site).expect_code(&[0]);
    mount("remount,ro");
    let refused = crawl(&fresh, &site);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("ead-only"), "{refused}");
    // What is there can still be read.
    fresh.run(&["ls"]).expect_code(&[0]);
    fresh.run(&["verify"]).expect_code(&[0]);
}

#[test]
fn hc120_a_file_in_place_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    std::fs::write(&place, "not a folder").unwrap();
    let site = site(5, 0.0);

    let refused = crawl(&Gleaner::in_folder(&place), &site);

    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("cannot be used"), "{refused}");
    assert_eq!(std::fs::read_to_string(&place).unwrap(), "not a folder");
}

#[test]
fn hc120_removed_while_running() {
    let site = site(2000, 40.0);
    let gleaner = Gleaner::new();
    let running = spawn_crawl(&gleaner, &site);
    wait_until("some pages are kept", || kept(&gleaner) > 0);

    // Once more if a file was made in between.
    wait_until("the folder is removed", || {
        std::fs::remove_dir_all(gleaner.data()).is_ok()
    });
    let finished = running.wait(Duration::from_secs(10));

    finished.expect_code(&[3]);
    assert!(finished.stderr.contains("removed or replaced"), "{finished}");
    assert!(!gleaner.data().exists(), "a half-made folder took its place");
}

/// To put right is to write: only one writes. To look is allowed at any time.
#[test]
fn case06_verify_fix_is_refused_while_a_crawl_goes_on() {
    let site = site(1500, 20.0);
    let gleaner = Gleaner::new();
    let mut running = spawn_crawl(&gleaner, &site);
    wait_until("some pages are kept", || kept(&gleaner) > 20);
    for _ in 0..3 {
        let refused = gleaner.run(&["verify", "--fix"]);
        refused.expect_code(&[3]);
        let pid = format!("process {}", running.id());
        assert!(refused.stderr.contains(&pid), "{refused}");
        gleaner.run(&["verify"]).expect_code(&[0]);
    }
    assert!(
        !running.has_ended(),
        "the crawl was over too soon to prove anything"
    );
    running.kill9();
    gleaner.run(&["verify", "--fix"]).expect_code(&[0]);
    site.set_latency_ms(0);
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_sound(&gleaner, "after a refused repair");

    let nothing = Gleaner::new();
    nothing.run(&["verify", "--fix"]).expect_code(&[3]);
    assert!(!nothing.data().exists(), "to put right makes no folder");
}

#[test]
fn hc121_second_gleaner_is_refused_and_readers_are_not() {
    let site = site(1500, 20.0);
    let gleaner = Gleaner::new();
    let mut running = spawn_crawl(&gleaner, &site);
    wait_until("some pages are kept", || kept(&gleaner) > 20);

    let second = crawl(&gleaner, &site);
    second.expect_code(&[3]);
    assert!(
        second.stderr.contains(&format!("process {}", running.id())),
        "{second}"
    );
    gleaner.run(&["resume"]).expect_code(&[3]);

    for _ in 0..5 {
        for listing in [&["ls"][..], &["report"], &["runs"], &["verify"]] {
            let listed = gleaner.run(listing);
            assert_eq!(listed.code(), Some(0), "{listing:?}: {listed}");
        }
    }
    assert!(
        !running.has_ended(),
        "the crawl was over too soon to prove anything"
    );

    // A dead process holds nothing, though its number still stands in the file.
    let pid = running.id();
    running.kill9();
    let lock = std::fs::read_to_string(gleaner.data().join("gleaner.lock")).unwrap();
    assert_eq!(lock.trim(), pid.to_string());
    site.set_latency_ms(0);
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_sound(&gleaner, "after a stale lock");
}
