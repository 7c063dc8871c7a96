//! Death during a track (A13, HC116): the same guarantees as for a crawl, and every state true in the end.
//!
//! A site is crawled once; each killed track begins from a copy of that folder, is resumed until it is finished, and is
//! compared with what an undisturbed track leaves and with the site's own truth.

#![expect(clippy::print_stdout, reason = "what was measured is told")]

use super::{PROJECT, track_arguments};
use crate::crash::{Left, assert_archive, assert_sound, is_settled, status};
use gleaner_testkit::program::Running;
use gleaner_testkit::synth::SentValidators;
use gleaner_testkit::{Gleaner, SynthOptions, SynthSite, crash};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

/// Then a track is left to end, so that the deaths of a test lie in different tracks.
const KILLS_PER_TRACK: u64 = 4;
const PATIENCE: Duration = Duration::from_mins(2);

/// A site that was crawled at epoch 0 and stands at epoch 1.
struct Before {
    site: SynthSite,
    crawled: Gleaner,
}

impl Before {
    fn new(options: SynthOptions) -> Before {
        let site = SynthSite::start(SynthOptions {
            min_kb: 2.0,
            max_kb: 8.0,
            validators: SentValidators::Mix,
            // Enough of each state in a small site.
            new_pct: 5.0,
            del_pct: 5.0,
            ..options
        });
        let crawled = Gleaner::new();
        let args = [
            "crawl",
            site.seed_url(),
            "--name",
            PROJECT,
            "--delay",
            "0",
            "--per-host",
            "8",
        ];
        crawled.run(&args).expect_code(&[0]);
        site.set_epoch(1);
        Before { site, crawled }
    }

    /// The folder as the crawl left it, in a place of its own.
    fn copy(&self) -> (TempDir, Gleaner) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = folder.path().join("data");
        copy_folder(&self.crawled.data(), &data);
        (folder, Gleaner::in_folder(data))
    }

    /// Every page has its true state, once.
    fn expect_truth(&self, gleaner: &Gleaner, story: &str) {
        let report = gleaner.run(&["report", "2", "--format", "json"]);
        report.expect_code(&[0]);
        let mut told: BTreeMap<String, String> = BTreeMap::new();
        for line in report.json_lines() {
            let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            let twice = told.insert(text("url"), text("state"));
            assert_eq!(twice, None, "{story}: told twice: {line}");
        }
        let mut wrong = Vec::new();
        for truth in self.site.truth(0, 1) {
            let state = told.remove(&truth.url).unwrap_or_default();
            if state != truth.state {
                wrong.push(format!("{}: told {state}, true is {}", truth.url, truth.state));
            }
        }
        wrong.extend(
            told.iter()
                .map(|(url, state)| format!("{url}: told {state}, and is none")),
        );
        assert!(
            wrong.is_empty(),
            "{story}: {} wrong:\n{}",
            wrong.len(),
            wrong[..wrong.len().min(20)].join("\n")
        );
    }
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder to copy") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

/// How many runs there are: the first is the crawl.
fn runs(gleaner: &Gleaner) -> usize {
    gleaner.run(&["runs", "--json"]).json_lines().len()
}

/// Whether the track has begun and ended.
fn is_done(gleaner: &Gleaner) -> bool {
    runs(gleaner) >= 2 && status(gleaner).as_deref() == Some("finished")
}

/// Begins the track or goes on with it, in one of the two ways a person would.
fn go_on(gleaner: &Gleaner, resumes: bool) -> Running {
    if runs(gleaner) >= 2 && (resumes || is_settled(gleaner)) {
        gleaner.spawn(&["resume"])
    } else {
        gleaner.spawn(&track_arguments(&[]))
    }
}

fn expect_whole(before: &Before, gleaner: &Gleaner, story: &str) {
    assert_eq!(
        runs(gleaner),
        2,
        "{story}: a killed track goes on, it does not begin again"
    );
    assert_sound(gleaner, story);
    before.expect_truth(gleaner, story);
}

/// Kills tracks at random moments, `kills` times in all. A fifth of the pages is noise, so states are compared, not bytes.
fn random_kills(kills: u64, pages: u64, seed: u64) {
    let before = Before::new(SynthOptions {
        noise_pct: 20.0,
        latency_ms: 20.0,
        seed: 3,
        ..SynthOptions::pages(pages)
    });
    let (mut killed, mut tracks, mut dice) = (0, 0, seed);
    while killed < kills {
        let (_folder, gleaner) = before.copy();
        let mut here = 0;
        while !is_done(&gleaner) {
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let running = go_on(&gleaner, dice >> 63 == 0);
            if killed == kills || here == KILLS_PER_TRACK {
                running.wait(PATIENCE).expect_code(&[0]);
                continue;
            }
            // The moment of death is the fault itself, not a way of waiting for something.
            std::thread::sleep(Duration::from_millis(20 + (dice >> 33) % 380));
            let finished = running.kill9();
            match finished.code() {
                None => (killed, here) = (killed + 1, here + 1),
                Some(_) => drop(finished.expect_code(&[0])),
            }
        }
        tracks += 1;
        let story = format!("track {tracks} (seed {seed}), {here} kills");
        expect_whole(&before, &gleaner, &story);
        assert_archive(&gleaner.data(), &story);
    }
    println!(
        "{killed} kills in {tracks} tracks of {pages} pages: nothing lost, nothing twice, every state true"
    );
}

#[test]
fn hc116_random_kills_during_a_track() {
    random_kills(20, 300, 1160);
}

/// Kills one track per point, goes on with it, and compares it row by row with an undisturbed one.
fn kills_at_calls(every: usize, pages: u64) {
    if let Err(why) = crash::available() {
        return gleaner_fixtures::skip(format!("{why:#}"));
    }
    let before = Before::new(SynthOptions {
        latency_ms: 5.0,
        ..SynthOptions::pages(pages)
    });
    let args = track_arguments(&[]);
    let (_folder, undisturbed) = before.copy();
    undisturbed.run(&args).expect_code(&[0]);
    before.expect_truth(&undisturbed, "undisturbed");
    let expected = Left::of(&undisturbed).with_304_as_200();
    let (_counted_folder, counted) = before.copy();
    let points = crash::points(&counted.command(&args), crash::WRITING_CALLS).expect("strace counts");
    let chosen: Vec<_> = points.iter().step_by(every).collect();
    let mut killed = 0;
    for (index, point) in chosen.iter().enumerate() {
        let story = format!("track killed at {} {}", point.call, point.nth);
        let (_folder, gleaner) = before.copy();
        let ended = crash::kill_at(&gleaner.command(&args), point).expect("strace kills");
        killed += u64::from(ended.was_killed());
        if !is_done(&gleaner) {
            let finished = go_on(&gleaner, index % 2 == 0).wait(PATIENCE);
            assert_eq!(finished.code(), Some(0), "{story}: {finished}");
        }
        expect_whole(&before, &gleaner, &story);
        Left::of(&gleaner)
            .with_304_as_200()
            .assert_same(&expected, &story);
        if index % 10 == 0 {
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
        "{killed} kills at {} of {} writing calls of a track",
        chosen.len(),
        points.len()
    );
}

#[test]
fn hc116_kill_at_every_20th_writing_call_of_a_track() {
    kills_at_calls(20, 150);
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_many_random_kills_during_tracks() {
    random_kills(500, 1000, 2);
}

#[test]
#[ignore = "takes hours: make soak"]
fn soak_kill_at_every_writing_call_of_a_track() {
    kills_at_calls(1, 150);
}
