//! A site whose every page is known is collected exactly.

use crate::crawled::{changes, crawl_well, documents, expect_sound, urls_in_state};
use gleaner_testkit::{Gleaner, SynthOptions, SynthSite};
use std::collections::BTreeSet;

/// Anchors to pages, outside scripts and comments, counted without our parser.
fn anchors(html: &str) -> usize {
    let mut rest = html.to_owned();
    for (open, close) in [("<!--", "-->"), ("<script", "</script>")] {
        while let Some(at) = rest.find(open) {
            let end = rest[at..]
                .find(close)
                .map_or(rest.len(), |length| at + length + close.len());
            rest.replace_range(at..end, "");
        }
    }
    let unfetched =
        ["mailto:", "tel:", "javascript:"].map(|scheme| rest.matches(&format!("<a href=\"{scheme}")).count());
    rest.matches("<a ").count() - unfetched.iter().sum::<usize>()
}

#[test]
fn the_synthetic_site_is_collected_exactly_and_its_changes_are_found() {
    let site = SynthSite::start(SynthOptions {
        gzip: true,
        ..SynthOptions::pages(2000)
    });
    let gleaner = Gleaner::new();
    let more = ["--per-host", "8"];
    let first = crawl_well(&gleaner, site.seed_url(), &more);
    let pages: BTreeSet<String> = site.urls().into_iter().collect();
    let kept = documents(&gleaner);
    assert_eq!(pages.len(), 2000);
    assert!(
        pages.is_subset(&kept),
        "{:?}",
        pages.difference(&kept).take(5).collect::<Vec<_>>()
    );
    let beside: Vec<&String> = kept.difference(&pages).collect();
    assert!(
        beside.iter().all(|url| url.ends_with("/whatsnew.html")),
        "{beside:?}"
    );
    let stats = site.stats();
    assert_eq!(
        (stats.distinct_pages, stats.duplicate_pages, stats.private_hits),
        (2000, 0, 0),
        "{stats:?}"
    );
    assert_eq!(
        (&first.json()["missing"], &first.json()["errors"]),
        (&0.into(), &0.into()),
        "{first}"
    );
    // A few addresses of scripts are asked for in vain, and are no dead links.
    let dead = first.json()["dead_links"].as_u64().expect("a number");
    assert!(
        (dead..=dead + 4).contains(&stats.not_found),
        "{} {first}",
        stats.not_found
    );
    for url in pages.iter().step_by(97) {
        let html = gleaner.run(&["cat", url]).stdout;
        let out = gleaner.run(&["links", url, "--json"]);
        let of_anchors = out
            .json_lines()
            .into_iter()
            .filter(|link| link["kind"] == "anchor");
        let weights: u64 = of_anchors
            .map(|link| link["count"].as_u64().expect("a number"))
            .sum();
        assert_eq!(weights, anchors(&html) as u64, "{url}");
    }

    site.set_epoch(1);
    site.reset();
    crawl_well(&gleaner, site.seed_url(), &more);
    let found = changes(&gleaner);
    let mut wrong = Vec::new();
    let mut judged = 0;
    for truth in site.truth(0, 1) {
        match found.get(&truth.url) {
            Some((state, _)) if *state == truth.state => judged += 1,
            // A page that vanished is met only where a link still leads to it.
            None if truth.state == "MIS" => {}
            other => wrong.push((truth, other.cloned())),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} are wrong, as {:?}",
        wrong.len(),
        wrong.first()
    );
    assert!(judged > 1900, "{judged}");
    assert!(!found.values().any(|(state, _)| state == "ERR"));
    // Pages that changed are looked at once more until the noise of their kind is known. This site answers so fast that all
    // of them may have come before the first has its second look.
    let stats = site.stats();
    let changed = found.values().filter(|(state, _)| state == "UPD").count() as u64;
    assert!(
        stats.duplicate_pages <= changed + 20,
        "{} second looks at {changed} pages that changed",
        stats.duplicate_pages
    );
    assert_eq!(stats.private_hits, 0);
    assert!(urls_in_state(&gleaner, "NEW").len() >= 40);
    expect_sound(&gleaner);
}
