//! All the ways in which a site can be away, at once: each is a host of one project.

use super::super::{Change, Story, Told};
use super::{MANY, Sites};
use gleaner_testkit::away::{
    Outage, PATHS, SiteRequest, framed, paragraphs, resting, start_page_alone, title, ways,
};
use gleaner_testkit::hostile::{Reply, page};
use std::collections::BTreeMap;

/// What the sites do: all well, all away, well again, and one page of each edited.
const WELL: u64 = 0;
const AWAY: u64 = 1;
const EDITED: u64 = 2;
/// The page that is edited.
const EDITED_PAGE: usize = 1;
/// How many runs meet a site that is away.
const TRACKS_AWAY: usize = 3;

/// Sites that go away, each in its own way.
fn start(ways: &[Outage]) -> Sites {
    let played = ways.to_vec();
    Sites::start(ways.len(), move |asked, phase| match phase {
        AWAY => {
            let way = played[asked.site.0 as usize];
            // A robots.txt that fails would keep the run from the pages.
            if asked.target == "/robots.txt" && !way.name.contains("robots") {
                return asked.site.healthy(asked).into();
            }
            (way.answer)(asked)
        }
        EDITED if asked.page() == Some(EDITED_PAGE) => edited(asked),
        _ => asked.site.healthy(asked).into(),
    })
}

/// The page with another last paragraph.
fn edited(asked: &SiteRequest) -> Reply {
    let seed = asked.site.0 * 100 + EDITED_PAGE as u64;
    let main = paragraphs(seed, 4) + &paragraphs(seed + 77_000, 1);
    page(framed(asked.site, &title(seed), &main)).into()
}

/// The lines of a report that should not be there, by the way that their site is away.
fn by_way<'a>(
    sites: &Sites,
    ways: &[Outage],
    changes: impl Iterator<Item = &'a Change>,
) -> BTreeMap<&'static str, Vec<String>> {
    let mut found: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for change in changes {
        let way = ways
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

/// What is called gone, new or changed, by way.
fn believed(sites: &Sites, ways: &[Outage], told: &Told) -> BTreeMap<&'static str, Vec<String>> {
    let is_believed = |change: &&Change| ["MIS", "NEW", "UPD"].contains(&change.state.as_str());
    by_way(sites, ways, told.changes.iter().filter(is_believed))
}

/// The lines about a host in the report of the newest run.
fn lines_about(story: &Story, sites: &Sites, host: usize) -> Vec<String> {
    let origin = sites.server.url_on(host, "");
    let text = story.report_text();
    let is_about = |line: &&str| line.starts_with('!') && line.contains(&format!("{origin}: "));
    text.lines().filter(is_about).map(str::to_owned).collect()
}

/// However long it lasts.
#[test]
fn case11_case12_case13_a_site_that_is_away_has_nothing_gone_changed_or_new() {
    let ways = ways();
    let sites = start(&ways);
    let mut story = Story::new();
    let told = sites.crawl(&mut story);
    let count = ways.len() * PATHS.len();
    assert_eq!(told.count("NEW"), count, "{told}");

    sites.set(AWAY);
    let mut wrong = Vec::new();
    for track in 1..=TRACKS_AWAY {
        let told = story.track(&MANY);
        println!(
            "{} ways to be away, track {track}: {} MIS, {} NEW, {} UPD",
            ways.len(),
            told.count("MIS"),
            told.count("NEW"),
            told.count("UPD")
        );
        wrong.push(believed(&sites, &ways, &told));
    }
    let is_right = wrong.iter().all(BTreeMap::is_empty);
    assert!(is_right, "{wrong:#?}\n{}", story.report_text());

    sites.set(WELL);
    let told = story.track(&MANY);
    let wrong = by_way(
        &sites,
        &ways,
        told.changes.iter().filter(|change| change.state != "SAM"),
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(told.count("SAM"), count, "{told}");
    assert!(
        told.changes.iter().all(|change| !change.is_orphan),
        "links are back too\n{told}"
    );

    // What was seen meanwhile is not taken for the way this site is.
    sites.set(EDITED);
    let told = story.track(&MANY);
    let is_edited = |change: &Change| change.url.ends_with(PATHS[EDITED_PAGE]) == (change.state == "UPD");
    let wrong = by_way(
        &sites,
        &ways,
        told.changes.iter().filter(|change| !is_edited(change)),
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(told.count("UPD"), ways.len(), "{told}");
}

/// Answers after which a host rests: a run does not wait for it.
#[test]
fn case11_a_site_that_is_to_be_left_alone_has_nothing_gone() {
    let ways = resting();
    let sites = start(&ways);
    let mut story = Story::new();
    sites.crawl(&mut story);
    sites.set(AWAY);
    let mut flags = MANY.to_vec();
    flags.extend(["--max-time", "2"]);
    for _ in 0..TRACKS_AWAY {
        let told = story.track(&flags);
        let wrong = believed(&sites, &ways, &told);
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
    sites.set(WELL);
    let told = story.track(&MANY);
    told.expect_all_same(ways.len() * PATHS.len(), "all are back");
}

fn named(name: &str) -> Outage {
    let ways = ways();
    *(ways.iter().find(|way| way.name == name)).unwrap_or_else(|| panic!("no such way: {name}"))
}

/// One line says what happened and what to do, and what a person says counts.
#[test]
fn case11_a_site_that_is_gone_is_believed_when_a_person_says_so() {
    let ways = [
        named("404 for all"),
        named("410 for all"),
        named("the server's own page and nothing else"),
        named("parked with one page"),
        named("half pages with the length of the half"),
        named("nothing at all"),
    ];
    let sites = start(&ways);
    let mut story = Story::new();
    sites.crawl(&mut story);
    sites.set(AWAY);
    for _ in 0..TRACKS_AWAY {
        let told = story.track(&MANY);
        assert_eq!(told.count("ERR"), ways.len() * PATHS.len(), "{told}");
        for (host, way) in ways.iter().enumerate() {
            let lines = lines_about(&story, &sites, host);
            let is_told = lines.len() == 1 && lines[0].contains("--believe-empty");
            assert!(is_told, "{}: {lines:?}", way.name);
        }
    }
    let mut flags = MANY.to_vec();
    flags.push("--believe-empty");
    let told = story.track(&flags);
    let states = |host: usize| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for change in told.changes.iter().filter(|change| sites.of(change) == host) {
            *counts.entry(&change.state).or_default() += 1;
        }
        counts
    };
    let all = PATHS.len();
    let expected = [
        BTreeMap::from([("MIS", all)]),
        BTreeMap::from([("MIS", all)]),
        BTreeMap::from([("MIS", all - 1), ("UPD", 1)]),
        BTreeMap::from([("MIS", all - 1), ("UPD", 1)]),
        BTreeMap::from([("UPD", all)]),
        BTreeMap::from([("UPD", all)]),
    ];
    for (host, expected) in expected.iter().enumerate() {
        assert_eq!(&states(host), expected, "{}\n{told}", ways[host].name);
    }
}

/// The home page answers as ever: the others are gone when the server says so twice, and a guess waits for a person.
#[test]
fn case11_pages_that_stay_gone_beside_their_home_page_are_gone() {
    let ways = [
        start_page_alone(),
        named("404 for all"),
        named("only the start page works"),
    ];
    let played = ways;
    // The second site's home page comes back after a run.
    let sites = Sites::start(ways.len(), move |asked, phase| {
        match (phase, asked.site.0, asked.page()) {
            (WELL, ..) | (EDITED, 1, Some(0)) => asked.site.healthy(asked).into(),
            _ => (played[asked.site.0 as usize].answer)(asked),
        }
    });
    let mut story = Story::new();
    sites.crawl(&mut story);
    sites.set(AWAY);
    let told = story.track(&MANY);
    assert_eq!(told.count("MIS"), 0, "{told}");
    sites.set(EDITED);
    let told = story.track(&MANY);
    for change in &told.changes {
        let is_home = change.url.ends_with(":/") || PATHS[1..].iter().all(|path| !change.url.ends_with(path));
        let expected = match sites.of(change) {
            _ if is_home => "SAM",
            0 | 1 => "MIS",
            _ => "ERR",
        };
        assert_eq!(change.state, expected, "{change:?}\n{told}");
    }
}
