//! What is left after a death at any moment? Nothing lost, nothing twice, and the archive readable by others (A13, HC116, HC117).
//!
//! A crawl is killed and resumed until it is finished, and what it left is compared, row by row, with what an undisturbed
//! crawl of the same site leaves. The `soak_` tests do the same for hours; they run in `make soak` only.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot be set up ends; what was measured is told"
)]

use gleaner_testkit::disk::PowerDisk;
use gleaner_testkit::program::Running;
use gleaner_testkit::warcio::warcio_check;
use gleaner_testkit::{Gleaner, SynthOptions, SynthSite, crash};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

/// At once eight connections.
const CONCURRENCY: u64 = 8;
const UNKEPT_MAX: u64 = unkept_max(CONCURRENCY);

/// What a kill may cost: the pages in flight, and those that wait for their commit, which are at most twice as many.
const fn unkept_max(concurrency: u64) -> u64 {
    3 * concurrency
}

/// A site whose pages are small, so that tests are about commits and not about bytes.
pub(crate) fn site(pages: u64, latency_ms: f64) -> SynthSite {
    SynthSite::start(SynthOptions {
        min_kb: 2.0,
        max_kb: 8.0,
        latency_ms,
        ..SynthOptions::pages(pages)
    })
}

pub(crate) fn crawl_args(site: &SynthSite) -> Vec<String> {
    crawl_args_with(site, CONCURRENCY)
}

fn crawl_args_with(site: &SynthSite, concurrency: u64) -> Vec<String> {
    let connections = concurrency.to_string();
    let args = [
        "crawl",
        site.seed_url(),
        "--name",
        "site",
        "--delay",
        "0",
        "--per-host",
        &connections,
        "--concurrency",
        &connections,
    ];
    args.map(str::to_owned).to_vec()
}

pub(crate) fn crawl(gleaner: &Gleaner, site: &SynthSite) -> gleaner_testkit::program::Finished {
    let args = crawl_args(site);
    gleaner.run(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

pub(crate) fn spawn_crawl(gleaner: &Gleaner, site: &SynthSite) -> Running {
    let args = crawl_args(site);
    gleaner.spawn(&args.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What a finished crawl left, in rows that two crawls can be compared by: no times, no places, no order. Which
/// addresses of scripts (kind 20) are asked for is learnt on the way, so visits to those do not count.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Left {
    versions: Vec<Vec<String>>,
    changes: Vec<Vec<String>>,
    visits: Vec<Vec<String>>,
    links: Vec<Vec<String>>,
}

impl Left {
    pub(crate) fn of(gleaner: &Gleaner) -> Left {
        Left {
            versions: gleaner.sqlite(
                "SELECT r.url, v.status, v.type, v.charset, v.title, v.size, b.digest FROM documents d
                 JOIN resources r ON r.id = d.resource JOIN versions v ON v.document = d.id
                 JOIN bodies b ON b.id = v.body ORDER BY 1, v.id",
            ),
            changes: gleaner.sqlite(
                "SELECT c.run, r.url, c.state, c.reason FROM changes c JOIN resources r ON r.id = c.resource ORDER BY 1, 2",
            ),
            visits: gleaner.sqlite(
                "SELECT v.run, r.url, v.at IS NULL, v.status, v.reason FROM visits v
                 JOIN resources r ON r.id = v.resource
                 WHERE r.id NOT IN (SELECT target FROM links WHERE kind = 20) ORDER BY 1, 2",
            ),
            links: gleaner.sqlite(
                "SELECT s.url, t.url, l.kind, l.count, l.anchor, l.nofollow, l.gone_run FROM links l
                 JOIN resources s ON s.id = l.source JOIN resources t ON t.id = l.target ORDER BY 1, 2, 3",
            ),
        }
    }

    /// The same with answers that say "as before" counted as whole ones: which pages a track looks at whole is chance.
    pub(crate) fn with_304_as_200(mut self) -> Left {
        for visit in &mut self.visits {
            if visit[3] == "304" {
                "200".clone_into(&mut visit[3]);
            }
        }
        self
    }

    /// URLs that have a document.
    pub(crate) fn urls(&self) -> BTreeSet<&str> {
        self.versions.iter().map(|row| row[0].as_str()).collect()
    }

    /// The first rows that differ say more than two thousand rows side by side.
    pub(crate) fn assert_same(&self, undisturbed: &Left, story: &str) {
        let parts = [
            ("versions", &self.versions, &undisturbed.versions),
            ("changes", &self.changes, &undisturbed.changes),
            ("visits", &self.visits, &undisturbed.visits),
            ("links", &self.links, &undisturbed.links),
        ];
        for (name, found, expected) in parts {
            let (found_set, expected_set): (BTreeSet<_>, BTreeSet<_>) =
                (found.iter().collect(), expected.iter().collect());
            let lost: Vec<_> = expected_set.difference(&found_set).take(5).collect();
            let added: Vec<_> = found_set.difference(&expected_set).take(5).collect();
            assert!(
                lost.is_empty() && added.is_empty(),
                "{story}: {name}: lost {lost:#?}, added {added:#?}"
            );
            assert_eq!(found.len(), expected.len(), "{story}: {name} twice");
        }
    }
}

/// What an undisturbed crawl leaves, proved against the site's own truth.
pub(crate) fn undisturbed(site: &SynthSite) -> Left {
    let gleaner = Gleaner::new();
    crawl(&gleaner, site).expect_code(&[0]);
    let left = Left::of(&gleaner);
    let urls = left.urls();
    for url in site.urls() {
        assert!(urls.contains(url.as_str()), "an undisturbed crawl misses {url}");
    }
    assert!(
        left.visits.iter().all(|row| row[2] == "0"),
        "a visit without an outcome"
    );
    site.reset();
    left
}

/// `gleaner verify` finds nothing, nothing waits, and each change was told once.
pub(crate) fn assert_sound(gleaner: &Gleaner, story: &str) {
    let verified = gleaner.run(&["verify"]);
    assert_eq!(verified.code(), Some(0), "{story}: {verified}");
    assert_eq!(
        gleaner.sqlite_number("SELECT count(*) FROM frontier"),
        0,
        "{story}"
    );
    assert_eq!(
        gleaner.sqlite_number("SELECT count(*) FROM visits WHERE at IS NULL"),
        0,
        "{story}"
    );
    assert_eq!(
        gleaner.sqlite_number("SELECT count(*) - count(DISTINCT run || ' ' || resource) FROM changes"),
        0,
        "{story}: told twice"
    );
}

/// Others read the archive too, and every response carries both digests.
pub(crate) fn assert_archive(data: &Path, story: &str) {
    match warcio_check(&data.join("archive")) {
        Ok(verdicts) => {
            assert!(!verdicts.is_empty(), "{story}: no archive");
            for (file, verdict) in verdicts {
                assert!(
                    verdict.is_ok(),
                    "{story}: {}: {}",
                    file.display(),
                    verdict.unwrap_err()
                );
            }
        }
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
    for entry in std::fs::read_dir(data.join("archive")).unwrap() {
        for head in record_heads(&entry.unwrap().path()) {
            let is_response = head.contains("WARC-Type: response\r\n");
            let has_both =
                head.contains("WARC-Block-Digest: sha256:") && head.contains("WARC-Payload-Digest: sha256:");
            assert!(
                !is_response || has_both,
                "{story}: a response without digests: {head}"
            );
        }
    }
}

/// The WARC header of every record of a file.
pub(crate) fn record_heads(path: &Path) -> Vec<String> {
    let mut input = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut heads = Vec::new();
    loop {
        if std::io::BufRead::fill_buf(&mut input).unwrap().is_empty() {
            return heads;
        }
        let mut member = flate2::bufread::GzDecoder::new(&mut input);
        let mut record = Vec::new();
        member.read_to_end(&mut record).unwrap();
        let text = String::from_utf8_lossy(&record);
        heads.push(text.split("\r\n\r\n").next().unwrap_or_default().to_owned() + "\r\n");
    }
}

/// How the newest run stands; none before the first one has begun.
pub(crate) fn status(gleaner: &Gleaner) -> Option<String> {
    let runs = gleaner.run(&["runs", "--json"]).json_lines().pop()?;
    runs["status"].as_str().map(str::to_owned)
}

/// The newest run was killed when all was done but its end: another `crawl` or `track` would end it and begin a new one.
pub(crate) fn is_settled(gleaner: &Gleaner) -> bool {
    gleaner.sqlite_number("SELECT count(*) FROM frontier") == 0
}

/// Small, seeded and good enough to choose moments.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        low + (self.0 >> 33) % (high - low)
    }
}

/// Starts or goes on with the crawl, in one of the two ways a person would.
fn go_on(gleaner: &Gleaner, site: &SynthSite, dice: &mut Dice) -> Running {
    match status(gleaner) {
        Some(_) if dice.between(0, 2) == 0 || is_settled(gleaner) => gleaner.spawn(&["resume"]),
        _ => spawn_crawl(gleaner, site),
    }
}

/// How long something is waited for that must come.
const PATIENCE: Duration = Duration::from_mins(2);

/// Waits until the site was asked for something more, and says how long that took.
fn until_asked(site: &SynthSite, running: &mut Running, before: u64) -> Duration {
    let begin = Instant::now();
    while site.stats().requests <= before {
        assert!(
            begin.elapsed() < PATIENCE,
            "no page is asked for after the restart"
        );
        if running.has_ended() {
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    begin.elapsed()
}

/// Kills crawls of one site at random moments, `kills` times in all, and compares each with the undisturbed one.
fn random_kills(kills: u64, pages: u64, seed: u64) {
    let site = site(pages, 25.0);
    let undisturbed = undisturbed(&site);
    let mut dice = Dice(seed);
    let (mut killed, mut crawls, mut again, mut slowest) = (0, 0, 0, Duration::ZERO);
    while killed < kills {
        let gleaner = Gleaner::new();
        let (mut here, mut is_first) = (0, true);
        while status(&gleaner).as_deref() != Some("finished") {
            let before = site.stats().requests;
            let mut running = go_on(&gleaner, &site, &mut dice);
            if killed == kills {
                running.wait(Duration::from_mins(2)).expect_code(&[0]);
                break;
            }
            if here > 0 && is_first {
                is_first = false;
                slowest = slowest.max(until_asked(&site, &mut running, before));
            }
            // The moment of death is the fault itself, not a way of waiting for something.
            std::thread::sleep(Duration::from_millis(dice.between(20, 400)));
            let finished = running.kill9();
            if finished.code().is_none() {
                (killed, here) = (killed + 1, here + 1);
            } else {
                finished.expect_code(&[0]);
            }
        }
        crawls += 1;
        let story = format!("crawl {crawls} (seed {seed}), {here} kills");
        assert_sound(&gleaner, &story);
        Left::of(&gleaner).assert_same(&undisturbed, &story);
        assert_archive(&gleaner.data(), &story);
        let stats = site.stats();
        assert!(
            stats.duplicate_pages <= here * UNKEPT_MAX,
            "{story}: {} pages again",
            stats.duplicate_pages
        );
        again += stats.duplicate_pages;
        site.reset();
    }
    println!(
        "{killed} kills in {crawls} crawls of {pages} pages: nothing lost, nothing twice; {again} pages fetched again \
         ({:.1} per kill, at most {UNKEPT_MAX} allowed); slowest restart to first fetch {slowest:?}",
        again as f64 / killed as f64
    );
}

#[test]
fn hc116_fifty_random_kills() {
    random_kills(50, 600, 116);
}

/// Each crawl dies once, at a moment of no rhythm, and what the site was asked for twice is counted.
#[test]
fn case24_a_kill_costs_no_more_than_what_was_in_flight_and_one_commit() {
    const CONNECTIONS: u64 = 16;
    const KILLS: u64 = 12;
    let site = site(700, 25.0);
    let args = crawl_args_with(&site, CONNECTIONS);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let mut dice = Dice(24);
    let (mut killed, mut all, mut most) = (0, 0, 0);
    while killed < KILLS {
        site.reset();
        let gleaner = Gleaner::new();
        let mut running = gleaner.spawn(&args);
        let moment = dice.between(50, 550);
        while site.stats().requests < moment && !running.has_ended() {
            std::thread::sleep(Duration::from_millis(1));
        }
        if running.kill9().code().is_some() {
            continue; // It was done before.
        }
        killed += 1;
        gleaner.run(&["resume"]).expect_code(&[0]);
        assert_sound(&gleaner, "killed once");
        let again = site.stats().duplicate_pages;
        assert!(
            again <= unkept_max(CONNECTIONS),
            "{again} pages were fetched again, killed after {moment} requests"
        );
        (all, most) = (all + again, most.max(again));
    }
    println!(
        "{killed} kills at {CONNECTIONS} connections: {:.1} pages fetched again on average, {most} at most, {} allowed",
        all as f64 / killed as f64,
        unkept_max(CONNECTIONS)
    );
}

/// Kills one crawl per point, resumes it, and compares.
fn kills_at_calls(every: usize, pages: u64) {
    if let Err(why) = crash::available() {
        return gleaner_fixtures::skip(format!("{why:#}"));
    }
    let site = site(pages, 8.0);
    let undisturbed = undisturbed(&site);
    let args = crawl_args(&site);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let points = crash::points(&Gleaner::new().command(&args), crash::WRITING_CALLS).unwrap();
    let chosen: Vec<_> = points.iter().step_by(every).collect();
    let mut killed = 0;
    for (index, point) in chosen.iter().enumerate() {
        let story = format!("killed at {} {}", point.call, point.nth);
        let gleaner = Gleaner::new();
        let ended = crash::kill_at(&gleaner.command(&args), point).unwrap();
        killed += u64::from(ended.was_killed());
        match status(&gleaner).as_deref() {
            Some("finished") => {}
            Some(_) if index % 2 == 0 || is_settled(&gleaner) => {
                gleaner.run(&["resume"]).expect_code(&[0]);
            }
            _ => drop(gleaner.run(&args).expect_code(&[0])),
        }
        assert_sound(&gleaner, &story);
        Left::of(&gleaner).assert_same(&undisturbed, &story);
        if index % 10 == 0 || index + 1 == chosen.len() {
            assert_archive(&gleaner.data(), &story);
        }
    }
    // Runs differ a little in how often they write, so the last points of each call may not be reached.
    assert!(
        killed * 2 >= chosen.len() as u64,
        "only {killed} of {} points were reached",
        chosen.len()
    );
    println!(
        "{killed} kills at {} of {} writing calls: nothing lost, nothing twice",
        chosen.len(),
        points.len()
    );
}

#[test]
fn hc116_kill_at_every_20th_writing_call() {
    kills_at_calls(20, 200);
}

/// Crawls on a disk whose power is cut, `losses` times in all.
fn power_losses(losses: u64, pages: u64, seed: u64) {
    let site = site(pages, 15.0);
    let undisturbed = undisturbed(&site);
    let mut dice = Dice(seed);
    let (mut lost, mut crawls) = (0, 0);
    while lost < losses {
        let mut disk = match PowerDisk::new(256) {
            Ok(disk) => disk,
            Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
        };
        let gleaner = Gleaner::in_folder(disk.path().join("data"));
        let mut here = 0;
        while status(&gleaner).as_deref() != Some("finished") {
            let before = site.stats().requests;
            let mut running = go_on(&gleaner, &site, &mut dice);
            if lost == losses {
                running.wait(Duration::from_mins(2)).expect_code(&[0]);
                break;
            }
            until_asked(&site, &mut running, before);
            std::thread::sleep(Duration::from_millis(dice.between(20, 600)));
            // What another process can read is acknowledged: it has to be there when the power is back.
            let acknowledged = told(&gleaner);
            disk.cut_power().unwrap();
            running.kill9();
            disk.power_on().unwrap();
            (lost, here) = (lost + 1, here + 1);
            let found = told(&gleaner);
            assert!(
                found >= acknowledged,
                "power loss {lost}: {found} of {acknowledged} changes are left"
            );
        }
        crawls += 1;
        let story = format!("crawl {crawls} (seed {seed}), {here} power losses");
        assert_sound(&gleaner, &story);
        Left::of(&gleaner).assert_same(&undisturbed, &story);
        assert_archive(&gleaner.data(), &story);
        site.reset();
    }
    println!("{lost} power losses in {crawls} crawls of {pages} pages: nothing acknowledged was lost");
}

/// Changes reported so far; 0 before there is a catalog.
fn told(gleaner: &Gleaner) -> i64 {
    match status(gleaner) {
        Some(_) => gleaner.sqlite_number("SELECT count(*) FROM changes"),
        None => 0,
    }
}

#[test]
fn hc117_power_loss() {
    power_losses(4, 300, 117);
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_a_thousand_random_kills() {
    random_kills(1000, 2000, 1);
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_kill_at_every_writing_call() {
    kills_at_calls(1, 200);
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_a_hundred_power_losses() {
    power_losses(100, 600, 2);
}
