//! A library on the small topical web: it keeps what is good, tells copies, lives with a broken search service and with kills.

use super::small_web;
use crate::crawled::expect_sound;
use gleaner_testkit::Gleaner;
use gleaner_testkit::topical::{SearchMode, TopicWeb};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A library of the web's topic that may spend so many requests in a cycle.
fn library_file(web: &TopicWeb, folder: &Path, order: &str, pages: u64) -> PathBuf {
    let info = web.info();
    let mut topic = vec![info.topic.replace('-', " ")];
    topic.extend(info.words.iter().take(5).cloned());
    let text = format!(
        "name = \"topic\"\ntopic = {topic:?}\nexamples = {:?}\nsites = {:?}\norder = \"{order}\"\n\n[budget]\npages = {pages}\n\n[manners]\ndelay = \"0s\"\nprivate = true\n\n[[service]]\nname = \"searx\"\nurl = {:?}\n",
        info.examples, info.known_sites, info.search
    );
    let file = folder.join("topic.toml");
    std::fs::write(&file, text).expect("room for a file");
    file
}

fn run(gleaner: &Gleaner, file: &Path, cycles: &str) -> gleaner_testkit::program::Finished {
    let file = file.to_str().expect("a path of the test's own");
    let finished = gleaner.run(&["library", "run", file, "--cycles", cycles, "--json"]);
    finished.expect_code(&[0, 1]);
    finished
}

/// Verdicts by address.
fn verdicts(gleaner: &Gleaner) -> BTreeMap<String, String> {
    let told = gleaner.run(&["library", "documents", "topic", "--json"]);
    told.expect_code(&[0]);
    let text = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let mut verdicts = BTreeMap::new();
    for line in told.json_lines() {
        let url = text(&line, "url");
        let before = verdicts.insert(url.clone(), text(&line, "verdict"));
        assert!(before.is_none(), "told twice: {url}");
    }
    verdicts
}

fn accepted(gleaner: &Gleaner) -> BTreeSet<String> {
    let all = verdicts(gleaner).into_iter();
    all.filter(|(_, verdict)| verdict == "accepted")
        .map(|(url, _)| url)
        .collect()
}

#[test]
fn a_library_keeps_good_documents_and_little_else() {
    let Some(web) = small_web(21) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gleaner = Gleaner::new();
    let file = library_file(&web, folder.path(), "best-first", 400);
    run(&gleaner, &file, "3");
    expect_sound(&gleaner);

    let truth: BTreeMap<String, _> = web
        .truth()
        .into_iter()
        .map(|truth| (truth.url.clone(), truth))
        .collect();
    let accepted = accepted(&gleaner);
    let of = |accept: &str| {
        let right = accepted.iter().filter_map(|url| truth.get(url));
        right.filter(|truth| truth.accept == accept).count()
    };
    let (right, wrong) = (of("yes"), of("no"));
    let works: BTreeSet<u32> = accepted.iter().filter_map(|url| truth.get(url)?.work).collect();
    assert!(
        works.len() * 3 >= web.info().good_works,
        "{} of {}",
        works.len(),
        web.info().good_works
    );
    assert!(right >= 4 * wrong, "{right} right, {wrong} wrong");
}

#[test]
fn a_broken_search_service_ends_no_cycle() {
    let Some(web) = small_web(22) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for mode in [
        SearchMode::Down,
        SearchMode::Html,
        SearchMode::Big,
        SearchMode::Same,
        SearchMode::Empty,
        SearchMode::Broken,
    ] {
        web.set_search(mode);
        let gleaner = Gleaner::new();
        let file = library_file(&web, folder.path(), "best-first", 60);
        let finished = run(&gleaner, &file, "1");
        assert!(!verdicts(&gleaner).is_empty(), "{mode:?}: {finished}");
    }
}

/// Kills at any moments; what was accepted stays, nothing is told twice, and hardly anything is fetched again.
fn kills(kills: u64, seed: u64) {
    let Some(web) = small_web(seed) else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let gleaner = Gleaner::new();
    let file = library_file(&web, folder.path(), "best-first", 500);
    let path = file.to_str().expect("a path of the test's own");
    let mut before = BTreeSet::new();
    let mut landed = 0;
    for kill in 0..kills {
        let mut running = gleaner.spawn(&["library", "run", path, "--cycles", "1", "--json"]);
        // Not a multiple of anything, so that all moments have their turn.
        std::thread::sleep(Duration::from_millis(150 + (kill * 397 + seed * 131) % 900));
        landed += u64::from(!running.has_ended());
        running.kill9();
        let now = accepted(&gleaner);
        assert!(
            now.is_superset(&before),
            "lost by kill {kill}: {:?}",
            before.difference(&now)
        );
        before = now;
    }
    assert!(landed > 0, "no kill came in time");
    run(&gleaner, &file, "1");
    expect_sound(&gleaner);
    assert!(accepted(&gleaner).is_superset(&before));
    let mut times: BTreeMap<String, u64> = BTreeMap::new();
    for fetch in web.log() {
        if fetch.status == 200 && fetch.truth.is_document {
            *times.entry(fetch.truth.url).or_default() += 1;
        }
    }
    let again: u64 = times.values().map(|times| times - 1).sum();
    // As in a crawl: what was in flight, and what waited for one commit.
    assert!(again <= kills * 64, "{again} fetched again in {kills} kills");
}

#[test]
fn a_library_survives_five_kills() {
    kills(5, 31);
}

#[test]
#[ignore = "minutes"]
fn soak_fifty_kills_of_a_library() {
    kills(50, 32);
}
