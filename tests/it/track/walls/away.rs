//! All the ways in which a site can be away, at once: each is a host of one project.

use super::super::{Change, Story};
use super::{MANY, Sites};
use gleaner_testkit::away::{PATHS, WAYS};
use std::collections::BTreeMap;

/// The lines of a report that should not be there, by the way that its site is away.
fn by_way<'a>(
    sites: &Sites,
    changes: impl Iterator<Item = &'a Change>,
) -> BTreeMap<&'static str, Vec<String>> {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for change in changes {
        let way = WAYS
            .get(sites.of(change))
            .map_or("no site of ours", |way| way.name);
        let line = format!(
            "{} {} {} {}",
            change.state, change.url, change.reason, change.detail
        );
        found.entry(way).or_default().push(line);
    }
    found
}

#[test]
fn case11_case12_case13_a_site_that_is_away_has_nothing_gone_changed_or_new() {
    let sites = Sites::start(WAYS.len(), |asked, phase| match phase {
        0 => asked.site.healthy(asked).into(),
        _ => (WAYS[asked.site.0 as usize].answer)(asked),
    });
    let mut story = Story::new();
    let told = sites.crawl(&mut story);
    let count = WAYS.len() * PATHS.len();
    assert_eq!(told.count("NEW"), count, "{told}");

    sites.set(1);
    let told = story.track(&MANY);
    println!(
        "{} ways to be away: {} MIS, {} NEW, {} UPD",
        WAYS.len(),
        told.count("MIS"),
        told.count("NEW"),
        told.count("UPD")
    );
    let wrong = by_way(
        &sites,
        told.changes
            .iter()
            .filter(|change| ["MIS", "NEW", "UPD"].contains(&change.state.as_str())),
    );
    assert!(wrong.is_empty(), "{wrong:#?}\n{}", story.report_text());

    sites.set(0);
    let told = story.track(&MANY);
    let wrong = by_way(&sites, told.changes.iter().filter(|change| change.state != "SAM"));
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(told.count("SAM"), count, "{told}");
    assert!(
        told.changes.iter().all(|change| !change.is_orphan),
        "links are back too\n{told}"
    );
}

/// What the server itself says of every address is believed when it says so twice; a guess is not.
#[test]
fn case11_a_site_that_says_twice_that_all_is_gone_is_believed() {
    let names = [
        "404 for all",
        "410 for all",
        "parked with advertisements that rotate",
        "a login form",
    ];
    let ways: Vec<_> = names
        .iter()
        .map(|name| {
            WAYS.iter()
                .find(|way| way.name == *name)
                .expect("one of the ways")
        })
        .collect();
    let played = ways.clone();
    let sites = Sites::start(ways.len(), move |asked, phase| match phase {
        0 => asked.site.healthy(asked).into(),
        _ => (played[asked.site.0 as usize].answer)(asked),
    });
    let mut story = Story::new();
    sites.crawl(&mut story);
    sites.set(1);
    let told = story.track(&MANY);
    assert_eq!(
        (told.count("MIS"), told.count("ERR")),
        (0, 4 * PATHS.len()),
        "{told}"
    );
    let text = story.report_text();
    for host in 0..2 {
        let origin = sites.server.url_on(host, "");
        let lines: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with('!') && line.contains(&origin))
            .collect();
        assert_eq!(lines.len(), 1, "one line about {origin}: {lines:?}\n{text}");
    }
    for _ in 0..2 {
        let told = story.track(&MANY);
        assert_eq!(
            (told.count("UPD"), told.count("NEW")),
            (0, 0),
            "{told}\n{}",
            story.report_text()
        );
        for change in &told.changes {
            let expected = if sites.of(change) < 2 { "MIS" } else { "ERR" };
            assert_eq!(change.state, expected, "{change:?}");
        }
    }
}
