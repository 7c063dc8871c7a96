//! The synthetic site from epoch to epoch: do the states equal the published truth, page by page?
//!
//! A fifth of the pages carry noise that differs at every request, a third sends no validators. Truth is what the site says
//! of itself (`/truth?from=&to=`); it lists pages and hubs, and every document that is neither is a page of the session
//! areas, which never change.

use super::Story;
use gleaner_testkit::synth::SentValidators;
use gleaner_testkit::{SynthOptions, SynthSite};
use std::collections::{BTreeMap, BTreeSet};

const PAGES: u64 = 700;

fn options() -> SynthOptions {
    SynthOptions {
        noise_pct: 20.0,
        validators: SentValidators::Mix,
        min_kb: 4.0,
        max_kb: 16.0,
        ..SynthOptions::pages(PAGES)
    }
}

/// Every page with a state other than the true one, as a line.
fn differences(site: &SynthSite, told: &super::Told, from: u64, to: u64) -> Vec<String> {
    let mut truth: BTreeMap<String, (String, String)> = site
        .truth(from, to)
        .into_iter()
        .map(|truth| (truth.url, (truth.state, truth.detail)))
        .collect();
    let mut wrong = Vec::new();
    for change in &told.changes {
        let is_of_a_session = change.url.contains("/shop/") || change.url.contains("/store/");
        match truth.remove(&change.url) {
            Some((state, _)) if state == change.state => {}
            None if is_of_a_session && change.state == "SAM" => {}
            expected => wrong.push(format!(
                "epoch {to}: {} is {} {}, true is {expected:?}",
                change.url, change.state, change.reason
            )),
        }
    }
    for (url, expected) in truth {
        wrong.push(format!("epoch {to}: nothing told of {url}, true is {expected:?}"));
    }
    wrong
}

/// Crawls at epoch 0 and tracks at each of the three that follow.
fn three_epochs(options: SynthOptions, flags: &[&str]) {
    let (hosts, session_pages) = (options.hosts, options.session_pages);
    let site = SynthSite::start(options);
    let mut story = Story::new();
    let mut more = vec!["--per-host", "8", "--concurrency", "16"];
    more.extend(flags);
    let crawled = story.crawl(site.seed_url(), &more);
    let known = crawled.urls("NEW");
    let unseen: Vec<_> = site
        .urls()
        .into_iter()
        .filter(|url| !known.contains(url.as_str()))
        .collect();
    assert!(unseen.is_empty(), "not crawled: {unseen:?}\n{crawled}");
    let mut wrong = Vec::new();
    // Each host has both areas; its What's new page is a hub.
    let expected = PAGES + hosts + 2 * session_pages * hosts;
    if crawled.changes.len() as u64 != expected {
        let items: BTreeSet<&str> = known
            .iter()
            .copied()
            .filter(|url| url.contains("/shop/") || url.contains("/store/"))
            .collect();
        wrong.push(format!(
            "crawl: {} documents, true are {expected}; of the session areas {}, as {:?}",
            crawled.changes.len(),
            items.len(),
            items.iter().take(6).collect::<Vec<_>>()
        ));
    }
    for epoch in 1..=3 {
        site.set_epoch(epoch);
        site.reset();
        let told = story.track(&["--concurrency", "16"]);
        wrong.extend(differences(&site, &told, epoch - 1, epoch));
        let stats = site.stats();
        assert_eq!(stats.private_hits, 0, "robots.txt is obeyed in a track too");
        assert!(
            stats.not_modified > PAGES / 4,
            "pages with validators are asked conditionally (B3): {} times 304\n{told}",
            stats.not_modified
        );
        // Learning what is noise costs a few fetches, not a second crawl.
        assert!(
            stats.requests < 2 * (PAGES + 2 * session_pages * hosts) + 200,
            "epoch {epoch}: {} requests",
            stats.requests
        );
    }
    assert!(
        wrong.is_empty(),
        "{} wrong, the first:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}

#[test]
fn b1_three_epochs_every_state_right() {
    three_epochs(options(), &[]);
}

#[test]
fn b1_three_epochs_without_noise() {
    let quiet = SynthOptions {
        noise_pct: 0.0,
        seed: 5,
        ..options()
    };
    three_epochs(quiet, &[]);
}

#[test]
fn b1_an_epoch_without_validators() {
    let bare = SynthOptions {
        noise_pct: 0.0,
        validators: SentValidators::None,
        seed: 6,
        ..options()
    };
    let site = SynthSite::start(bare);
    let mut story = Story::new();
    story.crawl(site.seed_url(), &["--per-host", "8"]);
    site.set_epoch(1);
    let told = story.track(&[]);
    let wrong = differences(&site, &told, 0, 1);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn b4_three_epochs_with_session_pages() {
    let sessions = SynthOptions {
        session_pages: 30,
        seed: 2,
        ..options()
    };
    three_epochs(sessions, &[]);
}

#[test]
fn b1_three_epochs_with_gzip() {
    let packed = SynthOptions {
        gzip: true,
        seed: 3,
        ..options()
    };
    three_epochs(packed, &[]);
}

#[test]
fn b1_three_epochs_on_several_hosts() {
    let many = SynthOptions {
        hosts: 5,
        seed: 4,
        ..options()
    };
    three_epochs(many, &["--scope", "web", "--allow-private"]);
}

/// Epochs passed over in one step: what changed twice is one honest change, what came and went is nothing at all.
#[test]
fn b1_one_track_over_three_epochs() {
    let site = SynthSite::start(SynthOptions { seed: 7, ..options() });
    let mut story = Story::new();
    story.crawl(site.seed_url(), &["--per-host", "8"]);
    site.set_epoch(3);
    let told = story.track(&[]);
    let wrong = differences(&site, &told, 0, 3);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let documents = story.documents();
    let again = story.track(&[]);
    again.expect_all_same(documents, "nothing happened since");
}
