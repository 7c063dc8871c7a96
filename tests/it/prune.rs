//! What is no longer wanted leaves, and nothing else: retention and compaction by the whole program (B7), killed at any
//! moment (HC116), without power (HC117), without room (HC118), beside readers (HC121).

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up ends; what was measured is told"
)]

use crate::crash::{assert_archive, record_heads};
use crate::crawled::{crawl_well, expect_sound};
use crate::storage::hands::{archive_files, copy_folder, copy_of};
use gleaner_testkit::disk::{PowerDisk, SmallDisk};
use gleaner_testkit::hostile::{HostileServer, page, redirect, status};
use gleaner_testkit::{Gleaner, crash};
use std::collections::BTreeMap;
use std::time::Duration;

/// Text that says which it is and cannot be packed small.
fn text(path: &str, turn: u64) -> String {
    let mut state = turn * 1_000_003 + path.bytes().map(u64::from).sum::<u64>();
    let noise: String = (0..4000)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + ((state >> 33) % 26) as u8)
        })
        .collect();
    format!("<title>{path}</title><p>turn {turn} of {path}</p><p>{noise}</p>")
}

const CHANGING: [&str; 4] = ["/a", "/b", "/c", "/d"];
const TURNS: u64 = 5;

/// Four pages that change at every turn, one that never does, one redirect, one dead link.
fn take_turn(server: &HostileServer, turn: u64) {
    let home = "<a href=/a>a</a><a href=/b>b</a><a href=/c>c</a><a href=/d>d</a>\
                <a href=/still>s</a><a href=/moved>m</a><a href=/dead>x</a>";
    server
        .route("/", page(home))
        .route("/still", page(text("/still", 0)))
        .route("/moved", redirect("/still"))
        .route("/dead", status(404).with_body("nothing here"));
    for path in CHANGING {
        server.route(path, page(text(path, turn)));
    }
}

/// The site crawled once a turn, with nothing dropped yet.
fn five_turns(keep: &str) -> (Gleaner, HostileServer) {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    for turn in 1..=TURNS {
        take_turn(&server, turn);
        crawl_well(&gleaner, &server.url("/"), &["--name", "site", "--keep", keep]);
    }
    (gleaner, server)
}

/// What of a store must be the same however a prune came to its end: no places, no file names.
#[derive(Debug, PartialEq, Eq)]
struct Stock {
    versions: Vec<Vec<String>>,
    bodies: Vec<Vec<String>>,
    changes: Vec<Vec<String>>,
    leftovers: Vec<Vec<String>>,
    records: Vec<String>,
}

impl Stock {
    fn of(gleaner: &Gleaner) -> Stock {
        let mut records: Vec<String> = archive_files(gleaner)
            .iter()
            .flat_map(|file| record_heads(file))
            .filter(|head| !head.contains("WARC-Type: warcinfo"))
            .collect();
        records.sort();
        Stock {
            versions: gleaner.sqlite("SELECT v.id, v.document, v.run, b.digest FROM versions v JOIN bodies b ON b.id = v.body ORDER BY 1"),
            bodies: gleaner.sqlite("SELECT digest, size, resource, stored_at, is_lost FROM bodies ORDER BY 1"),
            changes: gleaner.sqlite("SELECT run, resource, version, state FROM changes ORDER BY id"),
            leftovers: gleaner.sqlite("SELECT name FROM doomed UNION ALL SELECT archive || ' ' || offset FROM dropped"),
            records,
        }
    }
}

/// What `cat` gives for every document.
fn contents(gleaner: &Gleaner) -> BTreeMap<String, String> {
    let rows = gleaner.run(&["ls", "--json"]).json_lines();
    let urls = rows.iter().filter_map(|row| row["url"].as_str());
    urls.map(|url| (url.to_owned(), gleaner.run(&["cat", "--headers", url]).stdout))
        .collect()
}

#[test]
fn b7_versions_beyond_the_retention_leave_catalog_and_archive() {
    let (gleaner, server) = five_turns("2");
    let before = contents(&gleaner);
    let size = |gleaner: &Gleaner| -> u64 {
        let files = archive_files(gleaner);
        files
            .iter()
            .map(|file| std::fs::metadata(file).unwrap().len())
            .sum()
    };
    let bytes_before = size(&gleaner);

    let trial = gleaner.run(&["prune", "--dry-run", "--json"]).json();
    assert_eq!(trial["versions_dropped"], 12);
    assert_eq!(
        (
            size(&gleaner),
            gleaner.sqlite_number("SELECT count(*) FROM versions")
        ),
        (bytes_before, 22)
    );
    let pruned = gleaner.run(&["prune", "site", "--json"]);
    pruned.expect_code(&[0]);
    let told = pruned.json();

    assert_eq!(
        (
            &told["versions_dropped"],
            &told["bodies_dropped"],
            &told["files_rewritten"]
        ),
        (&12.into(), &12.into(), &1.into()),
        "{pruned}"
    );
    assert_eq!(told["bytes_freed"], trial["bytes_freed"]);
    let bytes_after = size(&gleaner);
    assert!(
        bytes_after * 3 < bytes_before * 2,
        "{bytes_after} of {bytes_before} bytes are left"
    );
    assert_eq!(contents(&gleaner), before, "what is current is what it was");
    let heads: Vec<String> = archive_files(&gleaner)
        .iter()
        .flat_map(|file| record_heads(file))
        .collect();
    let of = |path: &str, kind: &str| {
        let uri = format!("WARC-Target-URI: {}\r\n", server.url(path));
        let kind = format!("WARC-Type: {kind}\r\n");
        heads
            .iter()
            .filter(|head| head.contains(&uri) && head.contains(&kind))
            .count()
    };
    for path in CHANGING {
        assert_eq!(
            (of(path, "response"), of(path, "request"), of(path, "metadata")),
            (2, 2, 2),
            "{path}"
        );
    }
    // Answers that are no versions stay: the page that is the same each time, the dead link, and the redirect, which not
    // every run asks for.
    for path in ["/still", "/dead"] {
        assert_eq!(of(path, "response") + of(path, "revisit"), 5, "{path}");
    }
    let looks = gleaner.sqlite_number(
        "SELECT count(*) FROM visits v JOIN resources r ON r.id = v.resource WHERE r.url LIKE '%/moved' AND v.status > 0",
    );
    assert_eq!(of("/moved", "response") + of("/moved", "revisit"), looks as usize);
    assert!(looks > 0);
    // What was found stays told.
    for run in 1..=5 {
        let report = gleaner.run(&["report", &run.to_string(), "--format", "json"]);
        let changed = if run == 1 { "NEW" } else { "UPD" };
        let count = report
            .json_lines()
            .iter()
            .filter(|line| line["state"] == changed)
            .count();
        assert_eq!(count, if run == 1 { 6 } else { 4 }, "{report}");
    }
    assert_archive(&gleaner.data(), "pruned");
    expect_sound(&gleaner);

    // And the site is crawled as before.
    take_turn(&server, TURNS + 1);
    let again = crawl_well(&gleaner, &server.url("/"), &["--name", "site", "--keep", "2"]).json();
    assert_eq!(
        (&again["updated"], &again["same"]),
        (&4.into(), &2.into()),
        "{again}"
    );
    assert_eq!(gleaner.run(&["prune", "--json"]).json()["versions_dropped"], 4);
    assert_archive(&gleaner.data(), "pruned again");
    expect_sound(&gleaner);
}

#[test]
fn b7_what_is_kept_can_be_said_in_days_or_once() {
    let (gleaner, _server) = five_turns("30d");
    let count = || gleaner.sqlite_number("SELECT count(*) FROM versions");
    let told = gleaner.run(&["prune"]);
    assert!(
        told.stdout
            .contains("versions of the last 30 days stay; 0 of 22 versions removed"),
        "{told}"
    );
    assert_eq!(count(), 22);
    // Months go by: only what was current then is left.
    rusqlite::Connection::open(gleaner.data().join("gleaner.db"))
        .unwrap()
        .execute(
            "UPDATE versions SET fetched_at = fetched_at - 31 * 86400000 WHERE run <= 3",
            [],
        )
        .unwrap();
    std::fs::remove_file(gleaner.data().join("gleaner.db-sums")).unwrap();
    gleaner.run(&["prune"]).expect_code(&[0]);
    assert_eq!(count(), 22 - 2 * 4, "the third was current until the fourth came");
    let told = gleaner.run(&["prune", "--keep", "1"]);
    assert!(
        told.stdout.contains("the newest version of each document stays"),
        "{told}"
    );
    assert_eq!(count(), 6);
    let told = gleaner.run(&["prune", "--keep", "all", "--all"]);
    told.expect_code(&[0]);
    assert_eq!(count(), 6);
    for (wrong, code) in [
        (&["prune", "--keep", "0"][..], 2),
        (&["prune", "--keep", "some"], 2),
        (&["prune", "nobody"], 3),
    ] {
        gleaner.run(wrong).expect_code(&[code]);
    }
    let empty = Gleaner::new();
    empty.run(&["prune"]).expect_code(&[3]);
    assert!(!empty.data().exists());
    assert_archive(&gleaner.data(), "pruned three times");
    expect_sound(&gleaner);
}

/// A store to be pruned, what it gives, and what an undisturbed prune makes of it.
struct Story {
    store: Gleaner,
    contents: BTreeMap<String, String>,
    pruned: Stock,
}

impl Story {
    fn new() -> Story {
        let (store, _server) = five_turns("2");
        let calm = copy_of(&store);
        calm.run(&["prune"]).expect_code(&[0]);
        Story {
            contents: contents(&store),
            pruned: Stock::of(&calm),
            store,
        }
    }

    /// After a death: all is sound as it lies there, and the next prune ends where the undisturbed one did.
    fn assert_heals(&self, gleaner: &Gleaner, story: &str) {
        let verified = gleaner.run(&["verify"]);
        assert_eq!(verified.code(), Some(0), "{story}: {verified}");
        assert!(contents(gleaner) == self.contents, "{story}: other content");
        let again = gleaner.run(&["prune"]);
        assert_eq!(again.code(), Some(0), "{story}: {again}");
        assert_eq!(Stock::of(gleaner), self.pruned, "{story}");
        let known = gleaner.sqlite("SELECT name FROM archives ORDER BY name");
        let there: Vec<Vec<String>> = archive_files(gleaner)
            .iter()
            .map(|file| vec![file.file_name().unwrap().to_string_lossy().into_owned()])
            .collect();
        assert_eq!(there, known, "{story}: files that nobody knows");
        let verified = gleaner.run(&["verify"]);
        assert_eq!(verified.code(), Some(0), "{story}: {verified}");
        assert!(contents(gleaner) == self.contents, "{story}: other content");
    }
}

#[test]
fn hc116_prune_killed_at_every_writing_call() {
    if let Err(why) = crash::available() {
        return gleaner_fixtures::skip(format!("{why:#}"));
    }
    let story = Story::new();
    let points = crash::points(&copy_of(&story.store).command(&["prune"]), crash::WRITING_CALLS).unwrap();
    let mut killed = 0;
    for (index, point) in points.iter().enumerate() {
        let copy = copy_of(&story.store);
        let ended = crash::kill_at(&copy.command(&["prune"]), point).unwrap();
        killed += u64::from(ended.was_killed());
        let name = format!("killed at {} {}", point.call, point.nth);
        story.assert_heals(&copy, &name);
        if index % 10 == 0 {
            assert_archive(&copy.data(), &name);
        }
    }
    assert_eq!(killed, points.len() as u64, "a prune does the same each time");
    println!(
        "{killed} kills at each of {} writing calls of a prune: nothing lost",
        points.len()
    );
}

/// Killed again and again, also while it puts right what the last kill left.
#[test]
fn hc116_prune_killed_twice() {
    if let Err(why) = crash::available() {
        return gleaner_fixtures::skip(format!("{why:#}"));
    }
    let story = Story::new();
    let points = crash::points(&copy_of(&story.store).command(&["prune"]), crash::WRITING_CALLS).unwrap();
    let mut killed = 0;
    for (index, first) in crash::sample(&points, 12, 116).iter().enumerate() {
        let copy = copy_of(&story.store);
        crash::kill_at(&copy.command(&["prune"]), first).unwrap();
        for second in crash::sample(&points, 3, index as u64) {
            killed += u64::from(
                crash::kill_at(&copy.command(&["prune"]), &second)
                    .unwrap()
                    .was_killed(),
            );
        }
        story.assert_heals(
            &copy,
            &format!("killed at {} {} and later", first.call, first.nth),
        );
    }
    println!("{killed} kills of prunes that had been killed before: nothing lost");
}

fn prune_without_power(losses: u64) {
    let story = Story::new();
    let took = copy_of(&story.store).run(&["prune"]).took;
    let took_ms = u64::try_from(took.as_millis()).unwrap() + 10;
    let mut in_time = 0;
    for loss in 0..losses {
        let mut disk = match PowerDisk::new(64) {
            Ok(disk) => disk,
            Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
        };
        let gleaner = Gleaner::in_folder(disk.path().join("data"));
        copy_folder(&story.store.data(), &gleaner.data());
        std::process::Command::new("sync").status().unwrap();
        let mut running = gleaner.spawn(&["prune"]);
        // The moment is the fault itself, not a way of waiting for something.
        std::thread::sleep(Duration::from_millis(took_ms * loss / losses));
        in_time += u64::from(!running.has_ended());
        disk.cut_power().unwrap();
        running.kill9();
        disk.power_on().unwrap();
        story.assert_heals(&gleaner, &format!("power loss {loss}"));
        assert_archive(&gleaner.data(), &format!("power loss {loss}"));
    }
    println!(
        "{losses} power losses around a prune of {took_ms} ms, {in_time} of them during it: nothing lost"
    );
}

#[test]
fn hc117_prune_without_power() {
    prune_without_power(6);
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_prune_without_power() {
    prune_without_power(100);
}

#[test]
fn hc118_prune_without_room() {
    let story = Story::new();
    let used: u64 = ["archive", ""]
        .iter()
        .flat_map(|part| std::fs::read_dir(story.store.data().join(part)).unwrap())
        .filter_map(|entry| entry.unwrap().metadata().ok().filter(std::fs::Metadata::is_file))
        .map(|meta| meta.len().next_multiple_of(4096) + 4096)
        .sum();
    let disk = match SmallDisk::new(64 * 1024 * 1024, 1000) {
        Ok(disk) => disk,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let gleaner = Gleaner::in_folder(disk.path().join("data"));
    copy_folder(&story.store.data(), &gleaner.data());
    let mut refused = 0;
    for room in [16, 48, 64, 96, 128, 160, 200] {
        disk.resize(used + room * 1024, 1000).unwrap();
        let pruned = gleaner.run(&["prune"]);
        pruned.expect_code(&[0, 3]);
        refused += u64::from(pruned.code() == Some(3));
        if pruned.code() == Some(3) {
            assert!(pruned.stderr.contains("disk full"), "{pruned}");
        }
        disk.resize(64 * 1024 * 1024, 1000).unwrap();
        let verified = gleaner.run(&["verify"]);
        assert_eq!(verified.code(), Some(0), "{room} KiB: {verified}");
        assert!(contents(&gleaner) == story.contents, "{room} KiB");
    }
    assert!(refused > 0, "there was always room");
    story.assert_heals(&gleaner, "with room again");
}

/// Readers take no lock, and get the right bytes whatever happens to the files.
#[test]
fn hc121_readers_beside_a_prune() {
    let (gleaner, server) = five_turns("all");
    let before = contents(&gleaner);
    let url = server.url("/a");
    let expected = &before[&url];
    for keep in ["4", "3", "2", "1"] {
        let mut pruning = gleaner.spawn(&["prune", "--keep", keep, "--all"]);
        let mut reads = 0;
        while !pruning.has_ended() || reads == 0 {
            let cat = gleaner.run(&["cat", "--headers", &url]);
            assert_eq!((cat.code(), &cat.stdout), (Some(0), expected), "{cat}");
            let verified = gleaner.run(&["verify"]);
            assert_eq!(verified.code(), Some(0), "{verified}");
            reads += 1;
        }
        pruning.wait(Duration::from_secs(30)).expect_code(&[0]);
    }
    assert_eq!(gleaner.run(&["prune"]).code(), Some(0));
    assert_eq!(
        archive_files(&gleaner).len(),
        1,
        "old files are gone when nobody reads"
    );
    expect_sound(&gleaner);
}
