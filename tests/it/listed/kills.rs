//! `kill -9` at any moment of transfers: nothing lost, nothing twice (A13, HC116).

use super::tree::{put, text};
use crate::crash::{Dice, Left, assert_archive, assert_sound, status};
use gleaner_testkit::Gleaner;
use gleaner_testkit::program::Running;
use gleaner_testkit::servers::{FtpProgram, FtpSecurity, FtpServer, SshServer};
use std::path::Path;
use std::time::Duration;

/// Kills of one run.
const KILLS: u32 = 12;
const SMALL_FILES: usize = 300;
const LARGE_FILES: usize = 6;
const LARGE_LINES: usize = 150_000;
const PATIENCE: Duration = Duration::from_mins(3);

/// Many small files and a few that take a while.
fn write(site: &Path) {
    for number in 0..SMALL_FILES {
        let path = format!("part-{}/file-{number}.txt", number % 7);
        put(site, &path, &text(number, "first"), 500);
    }
    for number in 0..LARGE_FILES {
        let line = format!("a line of large file {number}, again and again\n");
        put(
            site,
            &format!("large-{number}.txt"),
            &line.repeat(LARGE_LINES),
            500,
        );
    }
}

fn change(site: &Path) {
    for number in (0..SMALL_FILES).step_by(3) {
        let path = format!("part-{}/file-{number}.txt", number % 7);
        put(site, &path, &text(number, "second"), 300);
    }
    std::fs::remove_file(site.join("large-0.txt")).expect("a file");
    put(
        site,
        "large-1.txt",
        &"another line altogether\n".repeat(LARGE_LINES),
        300,
    );
}

/// Runs a command, killing it again and again after times of no rhythm, and resumes it until it is finished.
fn run_killed(gleaner: &Gleaner, arguments: &[&str], flags: &[&str], dice: &mut Dice) -> u32 {
    let start = |words: &[&str]| -> Running {
        gleaner.spawn(&words.iter().chain(flags).copied().collect::<Vec<_>>())
    };
    let mut kills = 0;
    let mut running = start(arguments);
    while kills < KILLS {
        std::thread::sleep(Duration::from_millis(dice.between(20, 180)));
        if running.has_ended() {
            break;
        }
        running.kill9();
        kills += 1;
        // Before the run was written down there is nothing to resume.
        let is_begun = status(gleaner).as_deref() == Some("running");
        running = start(if is_begun { &["resume"] } else { arguments });
    }
    running.wait(PATIENCE).expect_code(&[0, 1]);
    kills
}

fn is_safe(site: &Path, url: &str, flags: &[&str]) {
    let (killed, calm) = (Gleaner::new(), Gleaner::new());
    let run_calmly = |words: &[&str]| {
        let words: Vec<&str> = words.iter().chain(flags).copied().collect();
        calm.run(&words).expect_code(&[0, 1]);
    };
    let mut dice = Dice(7);
    run_calmly(&["crawl", url, "--name", "tree"]);
    let mut kills = run_killed(&killed, &["crawl", url, "--name", "tree"], flags, &mut dice);
    Left::of(&killed).assert_same(&Left::of(&calm), "a crawl of files, killed");
    change(site);
    run_calmly(&["track", "tree"]);
    kills += run_killed(&killed, &["track", "tree"], flags, &mut dice);
    Left::of(&killed).assert_same(&Left::of(&calm), "a track of files, killed");
    assert!(kills > KILLS / 2, "killed only {kills} times");
    assert_sound(&killed, "files, killed");
    assert_archive(&killed.data(), "files, killed");
}

#[test]
fn a13_kills_during_ftp_transfers_lose_nothing() {
    match FtpServer::start(FtpProgram::Proftpd, FtpSecurity::Plain, write) {
        Ok(server) => is_safe(&server.site(), &server.url("/"), &[]),
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}

#[test]
fn a13_kills_during_sftp_transfers_lose_nothing() {
    match SshServer::start(write) {
        Ok(server) => {
            let key = server.key_file().display().to_string();
            let flags = ["--user", server.user(), "--key-file", &key];
            is_safe(&server.site(), &server.url("/"), &flags);
        }
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}
