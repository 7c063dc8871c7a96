//! What if the disk is the enemy? Full, failing, read-only, removed, damaged, from another time (HC118–HC124); and stopping on
//! request, which leaves the same state behind as all of these (A13).

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up ends; what was measured is told"
)]

use crate::crash::{
    Left, assert_archive, assert_sound, crawl, crawl_args, record_heads, site, spawn_crawl, status,
    undisturbed,
};
use gleaner_testkit::disk::SmallDisk;
use gleaner_testkit::hostile::page;
use gleaner_testkit::program::{Finished, Running};
use gleaner_testkit::{Gleaner, HostileServer, SynthSite, crash};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const SOON: Duration = Duration::from_secs(30);

/// Waits for a condition; the test ends if it does not come true soon.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + SOON;
    while !holds() {
        assert!(Instant::now() < end, "not within {SOON:?}: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Pages that are safe: those a second process can read.
fn kept(gleaner: &Gleaner) -> i64 {
    match status(gleaner) {
        Some(_) => gleaner.sqlite_number("SELECT count(*) FROM changes"),
        None => 0,
    }
}

fn archive_files(gleaner: &Gleaner) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(gleaner.data().join("archive"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".warc.gz"))
        .collect();
    files.sort();
    files
}

/// Turns one bit of a file around.
fn flip_bit(path: &Path, at: u64) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[usize::try_from(at).unwrap()] ^= 1;
    write_at(path, at, &bytes[at as usize..=at as usize]);
}

fn write_at(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

fn cut(path: &Path, length: u64) {
    OpenOptions::new()
        .write(true)
        .open(path)
        .unwrap()
        .set_len(length)
        .unwrap();
}

/// The content of every document as `cat` gives it.
fn contents(gleaner: &Gleaner) -> BTreeMap<String, Finished> {
    let urls = gleaner.run(&["ls", "--json"]).json_lines();
    let urls = urls.iter().filter_map(|row| row["url"].as_str());
    urls.map(|url| (url.to_owned(), gleaner.run(&["cat", url])))
        .collect()
}

/// A finished crawl of a small site, and what `cat` gave then.
fn a_small_crawl(site: &SynthSite) -> (Gleaner, BTreeMap<String, Finished>) {
    let gleaner = Gleaner::new();
    crawl(&gleaner, site).expect_code(&[0]);
    let before = contents(&gleaner);
    assert!(before.len() > 20 && before.values().all(|cat| cat.code() == Some(0)));
    (gleaner, before)
}

/// What `cat` gives is what it gave before, or nothing.
fn assert_nothing_wrong_is_served(gleaner: &Gleaner, before: &BTreeMap<String, Finished>, story: &str) {
    for (url, cat) in before {
        let now = gleaner.run(&["cat", url]);
        match now.code() {
            Some(0) => assert_eq!(now.stdout, cat.stdout, "{story}: {url}"),
            Some(3) => assert!(now.stdout.is_empty(), "{story}: {url}: {now}"),
            _ => panic!("{story}: {url}: {now}"),
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The same data in a folder of its own, to be damaged.
fn copy_of(gleaner: &Gleaner) -> Gleaner {
    let copy = Gleaner::new();
    copy_folder(&gleaner.data(), &copy.data());
    copy
}

// ---- HC118: no room ----

/// A crawl on a disk that is full pauses with one message, answers questions, and goes on when there is room.
fn a_full_disk(size_bytes: u64, files_max: u64) {
    let site = site(400, 5.0);
    let undisturbed = undisturbed(&site);
    let disk = match SmallDisk::new(size_bytes, files_max) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why:#}"),
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
    a_full_disk(1024 * 1024, 1000);
}

#[test]
fn hc118_stopped_while_full() {
    let site = site(200, 0.0);
    let undisturbed = undisturbed(&site);
    let disk = match SmallDisk::new(700 * 1024, 1000) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why:#}"),
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
        Err(why) => return println!("skipped: {why:#}"),
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
    assert_eq!(finished.stderr.matches("space is back").count(), 1, "{finished}");
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

// ---- HC119: a sync that fails ----

#[test]
fn hc119_failed_sync() {
    if let Err(why) = crash::available() {
        return println!("skipped: {why:#}");
    }
    let site = site(150, 2.0);
    let undisturbed = undisturbed(&site);
    let args = crawl_args(&site);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let calls = ["fsync", "fdatasync"];
    let points = crash::points(&Gleaner::new().command(&args), &calls).unwrap();
    let mut failed = 0;
    // One failure, which later syncs know nothing of; and a disk that is broken from then on.
    for point in crash::sample(&points, 16, 119) {
        for when in [format!("{}", point.nth), format!("{}+", point.nth)] {
            let story = format!("{} fails at {when}", point.call);
            let gleaner = Gleaner::new();
            let command = gleaner.command(&args);
            let mut traced = Command::new("strace");
            let log = tempfile::NamedTempFile::new().unwrap();
            traced
                .args(["-f", "-y", "-qqq", "-e", &format!("trace={}", point.call), "-o"])
                .arg(log.path());
            traced.args([
                "-e",
                &format!("inject={}:error=EIO:when={when}", point.call),
                "--",
            ]);
            traced.arg(command.get_program()).args(command.get_args());
            let finished = Running::start(traced).unwrap().wait(Duration::from_mins(1));
            let log = std::fs::read_to_string(log.path()).unwrap();
            let is_file = |line: &&str| line.contains("gleaner.db") || line.contains(".warc.gz");
            if !log
                .lines()
                .filter(|line| line.contains("(INJECTED)"))
                .any(|line| is_file(&line))
            {
                // Runs differ a little in how often they sync. And of folders SQLite hides a failure; we sync them again.
                finished.expect_code(&[0, 3]);
                continue;
            }
            failed += 1;
            finished.expect_code(&[3]);
            let is_told = finished.stderr.contains("sync") || finished.stderr.contains("write-ahead log");
            assert!(is_told, "{story}: {finished}");
            assert!(
                !finished.stdout.contains("finished:"),
                "{story}: success reported: {finished}"
            );
            if status(&gleaner).as_deref() != Some("finished") {
                gleaner.run(&args).expect_code(&[0]);
            }
            assert_sound(&gleaner, &story);
            Left::of(&gleaner).assert_same(&undisturbed, &story);
        }
    }
    assert!(failed >= 16, "only {failed} runs saw the failure");
    println!("{failed} runs with a failed sync stopped, and went on from a known state");
}

// ---- HC120: a folder that cannot be used ----

#[test]
fn hc120_read_only_folder() {
    let disk = match SmallDisk::new(16 * 1024 * 1024, 1000) {
        Ok(disk) => disk,
        Err(why) => return println!("skipped: {why:#}"),
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
    assert!(refused.took < Duration::from_secs(10));
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

// ---- HC121: two at once ----

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
    gleaner.run(&["verify", "--fix"]).expect_code(&[0, 3]);

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

// ---- HC122: a damaged catalog ----

fn catalog(gleaner: &Gleaner) -> PathBuf {
    gleaner.data().join("gleaner.db")
}

/// The place of some text in a file, the `nth` time it occurs.
fn find(path: &Path, text: &str, nth: usize) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let found = bytes
        .windows(text.len())
        .enumerate()
        .filter(|(_, window)| *window == text.as_bytes());
    found
        .map(|(at, _)| at as u64)
        .nth(nth)
        .unwrap_or_else(|| panic!("{text} is not in {}", path.display()))
}

/// A story and what happens to the catalog in it.
type Damage<'a> = (&'a str, Box<dyn Fn(&Path) + 'a>);

#[test]
fn hc122_damaged_catalog_is_noticed_and_serves_nothing_wrong() {
    let site = site(60, 0.0);
    let (gleaner, before) = a_small_crawl(&site);
    let length = std::fs::metadata(catalog(&gleaner)).unwrap().len();
    let title = gleaner.sqlite("SELECT title FROM versions WHERE title <> '' LIMIT 1")[0][0].clone();
    let url = gleaner.sqlite("SELECT url FROM resources WHERE id = 30")[0][0].clone();
    let bit_in = |text: &str, nth| find(&catalog(&gleaner), text, nth) + text.len() as u64 - 1;
    let (title_at, url_at) = (bit_in(&title, 0), bit_in(&url, 0));

    let mut damages: Vec<Damage<'_>> = vec![
        ("cut in half", Box::new(|db| cut(db, length / 2))),
        ("last page cut off", Box::new(|db| cut(db, length - 8192))),
        ("header gone", Box::new(|db| write_at(db, 0, &[0; 100]))),
        ("a bit in a title", Box::new(|db| flip_bit(db, title_at))),
        ("a bit in a URL", Box::new(|db| flip_bit(db, url_at))),
    ];
    for page in [2, 5, 9, length / 8192 / 2] {
        damages.push((
            "a page zeroed",
            Box::new(move |db| write_at(db, page * 8192, &[0; 8192])),
        ));
    }
    for n in 0..12u64 {
        let at = 8192 + (n * 7919 * 131) % (length - 8192);
        damages.push(("a bit anywhere", Box::new(move |db| flip_bit(db, at))));
    }
    for (story, damage) in &damages {
        let copy = copy_of(&gleaner);
        damage(&catalog(&copy));
        let verified = copy.run(&["verify"]);
        assert_eq!(verified.code(), Some(1), "{story}: {verified}");
        assert!(
            verified.stdout.contains("gleaner.db"),
            "{story}: no place named: {verified}"
        );
        assert_nothing_wrong_is_served(&copy, &before, story);
        let refused = crawl(&copy, &site);
        assert_eq!(refused.code(), Some(3), "{story}: {refused}");
        // The way back: the file from a backup.
        std::fs::copy(catalog(&gleaner), catalog(&copy)).unwrap();
        for left in ["gleaner.db-wal", "gleaner.db-shm"] {
            let _may_not_be_there = std::fs::remove_file(copy.data().join(left));
        }
        let verified = copy.run(&["verify"]);
        assert_eq!(verified.code(), Some(0), "{story}, restored: {verified}");
    }
}

#[test]
fn hc122_a_changed_page_is_accepted_by_fix_only() {
    let site = site(30, 0.0);
    let (gleaner, _) = a_small_crawl(&site);
    let title = gleaner.sqlite("SELECT title FROM versions WHERE title <> '' LIMIT 1")[0][0].clone();
    flip_bit(&catalog(&gleaner), find(&catalog(&gleaner), &title, 0));

    let refused = crawl(&gleaner, &site);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("gleaner.db at byte"), "{refused}");
    gleaner.run(&["verify"]).expect_code(&[1]);
    gleaner.run(&["verify", "--fix"]).expect_code(&[0]);
    gleaner.run(&["verify"]).expect_code(&[0]);
    crawl(&gleaner, &site).expect_code(&[0]);
}

#[test]
fn hc122_lost_write_ahead_log() {
    let site = site(400, 10.0);
    let undisturbed = undisturbed(&site);
    let gleaner = Gleaner::new();
    let running = spawn_crawl(&gleaner, &site);
    wait_until("some commits are there", || kept(&gleaner) > 100);
    running.kill9();
    for left in ["gleaner.db-wal", "gleaner.db-shm"] {
        std::fs::remove_file(gleaner.data().join(left)).unwrap();
    }
    let lengths = || -> Vec<u64> {
        archive_files(&gleaner)
            .iter()
            .map(|file| std::fs::metadata(file).unwrap().len())
            .collect()
    };
    let before = lengths();

    let refused = crawl(&gleaner, &site);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("ahead of the catalog"), "{refused}");
    assert_eq!(lengths(), before, "bytes were cut that are the only copy");
    let verified = gleaner.run(&["verify"]);
    verified.expect_code(&[1]);
    assert!(verified.stdout.contains("catalog does not know"), "{verified}");

    gleaner.run(&["verify", "--fix"]).expect_code(&[0]);
    assert_eq!(lengths().len(), before.len());
    site.set_latency_ms(0);
    crawl(&gleaner, &site).expect_code(&[0]);
    assert_sound(&gleaner, "without its log");
    Left::of(&gleaner).assert_same(&undisturbed, "without its log");
    assert_archive(&gleaner.data(), "without its log");
}

// ---- HC123: a damaged archive ----

/// The place of the response of a URL.
fn response_place(gleaner: &Gleaner, url: &str) -> u64 {
    let query = format!(
        "SELECT v.offset FROM versions v JOIN documents d ON d.id = v.document JOIN resources r ON r.id = d.resource
         WHERE r.url = '{url}'"
    );
    gleaner.sqlite_number(&query).unsigned_abs()
}

/// After the damage: each is listed, nothing wrong is served, `--fix` marks, the next crawl heals.
fn heals(
    gleaner: &Gleaner,
    site: &SynthSite,
    before: &BTreeMap<String, Finished>,
    lost_min: usize,
    story: &str,
) {
    let verified = gleaner.run(&["verify"]);
    assert_eq!(verified.code(), Some(1), "{story}: {verified}");
    assert_nothing_wrong_is_served(gleaner, before, story);
    let files: Vec<_> = archive_files(gleaner)
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect();
    assert_eq!(gleaner.run(&["verify"]).code(), Some(1));
    let same: Vec<_> = archive_files(gleaner)
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect();
    assert!(files == same, "{story}: verify changed something");

    let fixed = gleaner.run(&["verify", "--fix"]);
    assert_eq!(fixed.code(), Some(0), "{story}: {fixed}");
    gleaner.run(&["verify"]).expect_code(&[0]);
    let lost: Vec<_> = before
        .keys()
        .filter(|url| gleaner.run(&["cat", url]).code() != Some(0))
        .collect();
    assert!(lost.len() >= lost_min, "{story}: only {lost:?} are lost");
    for url in &lost {
        let told = gleaner.run(&["cat", url]);
        assert!(told.stderr.contains("lost"), "{story}: {told}");
    }
    assert_nothing_wrong_is_served(gleaner, before, story);

    crawl(gleaner, site).expect_code(&[0]);
    for (url, cat) in before {
        let now = gleaner.run(&["cat", "--headers", url]);
        assert_eq!(now.code(), Some(0), "{story}: {url} was not fetched again: {now}");
        assert!(now.stdout.ends_with(&cat.stdout), "{story}: {url}");
    }
    let verified = gleaner.run(&["verify"]);
    assert_eq!(verified.code(), Some(0), "{story}: {verified}");
}

#[test]
fn hc123_damaged_archive() {
    let site = site(40, 0.0);
    let (gleaner, before) = a_small_crawl(&site);
    let file = archive_files(&gleaner).pop().unwrap();
    let name = file.file_name().unwrap();
    let length = std::fs::metadata(&file).unwrap().len();
    let url = before.keys().nth(7).unwrap();
    let at = response_place(&gleaner, url);

    for inside in [30, 200, 900] {
        let copy = copy_of(&gleaner);
        flip_bit(&copy.data().join("archive").join(name), at + inside);
        let verified = copy.run(&["verify"]);
        assert!(verified.stdout.contains(&format!("at byte {at}")), "{verified}");
        heals(&copy, &site, &before, 1, "a flipped bit");
    }
    for (story, length) in [
        ("the end cut off", length - 700),
        ("cut in half", length / 2),
        ("empty", 0),
    ] {
        let copy = copy_of(&gleaner);
        cut(&copy.data().join("archive").join(name), length);
        // A crawl does not go on as if nothing were: it says what helps.
        let refused = crawl(&copy, &site);
        refused.expect_code(&[3]);
        assert!(refused.stderr.contains("verify --fix"), "{story}: {refused}");
        heals(&copy, &site, &before, usize::from(length < 100_000), story);
        assert_archive(&copy.data(), story);
    }
    let copy = copy_of(&gleaner);
    std::fs::remove_file(copy.data().join("archive").join(name)).unwrap();
    heals(&copy, &site, &before, before.len(), "the file is missing");
    assert_archive(&copy.data(), "the file is missing");
}

#[test]
fn hc123_foreign_file() {
    let site = site(20, 0.0);
    let (gleaner, before) = a_small_crawl(&site);
    let notes = gleaner.data().join("archive/notes.txt");
    let other = gleaner.data().join("archive/other.warc.gz");
    std::fs::write(&notes, "mine").unwrap();
    std::fs::copy(archive_files(&gleaner).pop().unwrap(), &other).unwrap();

    for command in [&["verify"][..], &["verify", "--fix"]] {
        let verified = gleaner.run(command);
        verified.expect_code(&[1]);
        assert_eq!(verified.stdout.matches("foreign file").count(), 2, "{verified}");
    }
    crawl(&gleaner, &site).expect_code(&[0]);
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "mine");
    assert!(other.exists());
    assert_nothing_wrong_is_served(&gleaner, &before, "beside foreign files");
}

#[test]
fn hc123_damaged_revisit_and_request_records() {
    let server = same_pages();
    let gleaner = Gleaner::new();
    gleaner
        .run(&["crawl", &server.url("/"), "--delay", "0"])
        .expect_code(&[0]);
    let file = archive_files(&gleaner).pop().unwrap();
    let first_copy = gleaner.sqlite_number(
        "SELECT min(v.offset) FROM versions v JOIN bodies b ON b.id = v.body WHERE b.offset <> v.offset",
    );
    let revisit_at = u64::try_from(first_copy).unwrap();
    flip_bit(&file, revisit_at + 60);
    let verified = gleaner.run(&["verify"]);
    verified.expect_code(&[1]);
    assert!(
        verified.stdout.contains(&format!("at byte {revisit_at}")),
        "{verified}"
    );
    gleaner.run(&["verify", "--fix"]).expect_code(&[0]);
    // The bytes are whole; only the head of that one answer is gone, and that of its twin stands for it.
    for path in ["/a", "/b", "/c"] {
        let cat = gleaner.run(&["cat", &server.url(path)]);
        assert_eq!(
            (cat.code(), cat.stdout.as_str()),
            (Some(0), SAME),
            "{path}: {cat}"
        );
    }
    gleaner
        .run(&["crawl", &server.url("/"), "--delay", "0"])
        .expect_code(&[0]);
    gleaner.run(&["verify"]).expect_code(&[0]);
}

// ---- HC124: another format ----

fn user_version(gleaner: &Gleaner, version: i64) {
    let db = rusqlite::Connection::open(catalog(gleaner)).unwrap();
    db.pragma_update(None, "user_version", version).unwrap();
}

#[test]
fn hc124_from_the_future() {
    let site = site(5, 0.0);
    let gleaner = Gleaner::new();
    crawl(&gleaner, &site).expect_code(&[0]);
    user_version(&gleaner, 99);
    let before = std::fs::read(catalog(&gleaner)).unwrap();
    for command in [&["ls"][..], &["verify"], &["resume"], &["report"]] {
        let refused = gleaner.run(command);
        refused.expect_code(&[3]);
        assert!(refused.stderr.contains("newer gleaner"), "{command:?}: {refused}");
    }
    let refused = crawl(&gleaner, &site);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("newer gleaner (format 99"), "{refused}");
    assert!(
        std::fs::read(catalog(&gleaner)).unwrap() == before,
        "a refused catalog was changed"
    );
}

#[test]
fn hc124_from_the_past() {
    let site = site(20, 0.0);
    let (gleaner, before) = a_small_crawl(&site);
    let links = "SELECT source, target, kind, count, anchor, nofollow, gone_run FROM links ORDER BY 1, 2, 3";
    let links_before = gleaner.sqlite(links);
    assert!(!links_before.is_empty());
    // Format 1 had no list of damaged places, a row per link, and neither pace nor traps to remember.
    let db = rusqlite::Connection::open(catalog(&gleaner)).unwrap();
    db.execute_batch(
        "DROP TABLE damages; DROP TABLE trap_memories; ALTER TABLE hosts DROP COLUMN held_until;
         CREATE TABLE rows(source INTEGER NOT NULL, target INTEGER NOT NULL, kind INTEGER NOT NULL, count INTEGER NOT NULL,
             anchor TEXT, nofollow INTEGER, first_run INTEGER NOT NULL, gone_run INTEGER,
             PRIMARY KEY (source, target, kind)) STRICT, WITHOUT ROWID;
         INSERT INTO rows SELECT source, target, kind, count, anchor, nofollow, first_run, gone_run FROM links;
         DROP VIEW links; DROP TABLE page_links; DROP TABLE past_links; ALTER TABLE rows RENAME TO links;
         PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)",
    )
    .unwrap();
    drop(db);
    std::fs::remove_file(gleaner.data().join("gleaner.db-sums")).unwrap();
    assert_nothing_wrong_is_served(&gleaner, &before, "an older catalog");
    gleaner.run(&["verify"]).expect_code(&[0]);
    assert_eq!(gleaner.sqlite(links), links_before);
    crawl(&gleaner, &site).expect_code(&[0]);

    let empty = Gleaner::new();
    std::fs::create_dir_all(empty.data()).unwrap();
    std::fs::write(catalog(&empty), "").unwrap();
    crawl(&empty, &site).expect_code(&[0]);
    assert_sound(&empty, "from an empty file");
}

#[test]
fn hc124_interrupted_migration() {
    if let Err(why) = crash::available() {
        return println!("skipped: {why:#}");
    }
    let server = HostileServer::start();
    server.route("/", page("<p>one page"));
    let url = server.url("/");
    let args = ["crawl", &url, "--depth", "0", "--delay", "0"];
    let points = crash::points(&Gleaner::new().command(&args), crash::WRITING_CALLS).unwrap();
    let mut killed = 0;
    for point in &points {
        let gleaner = Gleaner::new();
        killed += u64::from(
            crash::kill_at(&gleaner.command(&args), point)
                .unwrap()
                .was_killed(),
        );
        let story = format!("killed at {} {}", point.call, point.nth);
        let again = match status(&gleaner).as_deref() {
            None | Some("finished") => gleaner.run(&args),
            Some(_) => gleaner.run(&["resume"]),
        };
        assert_eq!(again.code(), Some(0), "{story}: {again}");
        assert_sound(&gleaner, &story);
        let cat = gleaner.run(&["cat", &url]);
        assert_eq!(cat.stdout, "<p>one page", "{story}");
    }
    println!(
        "{killed} kills at each of {} writing calls of a first crawl",
        points.len()
    );
}

// ---- A13: stopping on request ----

fn stops_and_resumes(signal: &str) {
    let site = site(600, 20.0);
    let undisturbed = undisturbed(&site);
    let gleaner = Gleaner::new();
    let running = spawn_crawl(&gleaner, &site);
    wait_until("some pages are kept", || kept(&gleaner) > 20);
    running.signal(signal);
    let stopped = running.wait(SOON);
    stopped.expect_code(&[130]);
    assert!(stopped.stdout.contains("gleaner resume"), "{stopped}");
    assert_eq!(status(&gleaner).as_deref(), Some("stopped"));
    gleaner.run(&["verify"]).expect_code(&[0]);
    // Everything in flight was finished and kept: nothing is fetched twice.
    site.set_latency_ms(0);
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_sound(&gleaner, signal);
    Left::of(&gleaner).assert_same(&undisturbed, signal);
    assert_eq!(site.stats().duplicate_pages, 0, "{signal}");
    gleaner.run(&["resume"]).expect_code(&[3]);
}

#[test]
fn a13_interrupt_stops_and_resume_completes() {
    stops_and_resumes("INT");
}

#[test]
fn a13_terminate_stops_and_resume_completes() {
    stops_and_resumes("TERM");
}

#[test]
fn a13_second_interrupt_ends_at_once() {
    let site = site(300, 10.0);
    let undisturbed = undisturbed(&site);
    let gleaner = Gleaner::new();
    let mut running = spawn_crawl(&gleaner, &site);
    wait_until("some pages are kept", || kept(&gleaner) > 20);
    // Answers that never seem to come: only the second signal ends it.
    site.set_latency_ms(60_000);
    running.interrupt();
    assert!(running.wait_for_output("once more to stop at once", SOON));
    running.interrupt();
    let stopped = running.wait(Duration::from_secs(10));
    stopped.expect_code(&[130]);
    site.set_latency_ms(0);
    gleaner.run(&["resume"]).expect_code(&[0]);
    assert_sound(&gleaner, "stopped at once");
    Left::of(&gleaner).assert_same(&undisturbed, "stopped at once");
}

// ---- the same bytes are stored once ----

const SAME: &str = "<title>same</title><p>The same words under three addresses.";

fn same_pages() -> HostileServer {
    let server = HostileServer::start();
    server.route("/", page("<a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>"));
    for (path, tag) in [("/a", "one"), ("/b", "two"), ("/c", "three")] {
        server.route(path, page(SAME).with_header("X-Page", tag));
    }
    server
}

#[test]
fn same_bytes_are_stored_once() {
    let server = same_pages();
    let gleaner = Gleaner::new();
    gleaner
        .run(&["crawl", &server.url("/"), "--delay", "0"])
        .expect_code(&[0]);
    // A second project meets the same bytes in another batch.
    gleaner
        .run(&[
            "crawl",
            &server.url("/a"),
            "--name",
            "two",
            "--depth",
            "0",
            "--delay",
            "0",
        ])
        .expect_code(&[0]);

    let heads: Vec<String> = archive_files(&gleaner)
        .iter()
        .flat_map(|file| record_heads(file))
        .collect();
    let digest = gleaner.sqlite(
        "SELECT DISTINCT hex(b.digest) FROM bodies b JOIN versions v ON v.body = b.id WHERE v.title = 'same'",
    );
    assert_eq!(digest.len(), 1);
    let is_same = |head: &&String| {
        ["/a", "/b", "/c"]
            .iter()
            .any(|path| head.contains(&format!("WARC-Target-URI: {}\r\n", server.url(path))))
    };
    let count = |kind: &str| {
        let kind = format!("WARC-Type: {kind}\r\n");
        heads
            .iter()
            .filter(is_same)
            .filter(|head| head.contains(&kind))
            .count()
    };
    assert_eq!((count("response"), count("revisit")), (1, 3));
    for (path, tag) in [("/a", "one"), ("/b", "two"), ("/c", "three")] {
        let cat = gleaner.run(&["cat", &server.url(path)]);
        assert_eq!((cat.code(), cat.stdout.as_str()), (Some(0), SAME), "{path}");
        let with_head = gleaner.run(&["cat", "--headers", &server.url(path)]);
        assert!(
            with_head.stdout.contains(&format!("X-Page: {tag}")),
            "{path}: not its own head: {with_head}"
        );
    }
    assert_archive(&gleaner.data(), "same bytes");
    gleaner.run(&["verify"]).expect_code(&[0]);
}
