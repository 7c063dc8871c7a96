//! No room: a crawl pauses, answers questions, and goes on (HC118).

use super::hands::SOON;
use crate::crash::{Left, assert_archive, assert_sound, site, spawn_crawl, undisturbed};
use gleaner_testkit::Gleaner;
use gleaner_testkit::disk::SmallDisk;
use gleaner_testkit::program::Running;
use std::time::Duration;

/// A crawl on a disk that is full pauses with one message, answers questions, and goes on when there is room.
fn a_full_disk(size_bytes: u64, files_max: u64) {
    let site = site(400, 5.0);
    let undisturbed = undisturbed(&site);
    let disk = match SmallDisk::new(size_bytes, files_max) {
        Ok(disk) => disk,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let gleaner = Gleaner::in_folder(disk.path().join("data"));
    let mut running = spawn_crawl(&gleaner, &site);
    assert!(running.wait_for_output("disk full", SOON), "{}", running.kill9());
    assert!(!running.has_ended());
    gleaner.run(&["report"]).expect_code(&[0]);
    gleaner.run(&["ls"]).expect_code(&[0]);

    disk.resize(512 * 1024 * 1024, 1000).unwrap();
    let finished = running.wait(Duration::from_mins(1));

    finished.expect_code(&[0]);
    assert_eq!(finished.stderr.matches("disk full").count(), 1, "{finished}");
    assert_sound(&gleaner, "after a full disk");
    Left::of(&gleaner).assert_same(&undisturbed, "after a full disk");
    assert_archive(&gleaner.data(), "after a full disk");
}

#[test]
fn hc118_disk_full() {
    a_full_disk(1152 * 1024, 1000);
}

#[test]
fn hc118_stopped_while_full() {
    let site = site(200, 0.0);
    let undisturbed = undisturbed(&site);
    let disk = match SmallDisk::new(1400 * 1024, 1000) {
        Ok(disk) => disk,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let gleaner = Gleaner::in_folder(disk.path().join("data"));
    let mut running = spawn_crawl(&gleaner, &site);
    assert!(running.wait_for_output("disk full", SOON), "{}", running.kill9());
    running.interrupt();
    let stopped = running.wait(Duration::from_secs(15));
    stopped.expect_code(&[3, 130]);

    disk.resize(512 * 1024 * 1024, 1000).unwrap();
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_sound(&gleaner, "stopped while full");
    Left::of(&gleaner).assert_same(&undisturbed, "stopped while full");
}

/// The catalog has room, the large document has not: it waits in the queue, is asked for once there is, and nobody hears
/// of an error.
#[test]
fn hc118_no_room_for_a_large_document() {
    let disk = match SmallDisk::new(6 * 1024 * 1024, 1000) {
        Ok(disk) => disk,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let server = gleaner_testkit::HostileServer::start();
    // Not to be packed smaller.
    let mut state = 1_u64;
    let large: String = (0..12 * 1024 * 1024)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b' ' + (state >> 58) as u8)
        })
        .collect();
    server
        .route(
            "/",
            gleaner_testkit::hostile::page("<a href=/large>l</a> <a href=/small>s</a>"),
        )
        .route("/large", gleaner_testkit::hostile::text(&large))
        .route("/small", gleaner_testkit::hostile::page("small"));
    let gleaner = Gleaner::in_folder(disk.path().join("data"));
    let start = server.url("/");
    let mut running = Running::start(gleaner.command(&["crawl", &start, "--delay", "0", "--json"])).unwrap();
    assert!(running.wait_for_output("disk full", SOON), "{}", running.kill9());
    assert!(!running.has_ended());
    gleaner.run(&["ls"]).expect_code(&[0]);
    let asked = server.requests_to("/large").len();
    assert!(
        asked <= 2,
        "the document is not sent for nothing again and again: {asked}"
    );

    disk.resize(512 * 1024 * 1024, 1000).unwrap();
    let finished = running.wait(Duration::from_mins(1));

    finished.expect_code(&[0]);
    assert_eq!(finished.stderr.matches("disk full").count(), 1, "{finished}");
    assert_eq!(
        finished.stderr.matches("there is space again").count(),
        1,
        "{finished}"
    );
    let summary = finished.json();
    assert_eq!(
        (&summary["new"], &summary["errors"]),
        (&3.into(), &0.into()),
        "{finished}"
    );
    assert!(gleaner.run(&["cat", &server.url("/large")]).stdout == large);
    assert_sound(&gleaner, "after a full disk");
}

#[test]
fn hc118_no_inodes_left() {
    // Enough for everything but the first archive file.
    a_full_disk(512 * 1024 * 1024, 8);
}
