//! Honest pages that sound like errors, on servers that make it hard to tell.

use super::super::{Story, Told};
use super::{MANY, Sites};
use gleaner_testkit::away::{HONEST, SERVERS, Server, Site, SiteRequest, framed_with, paragraphs, title};
use gleaner_testkit::hostile::{Reply, page};
use std::collections::BTreeSet;

/// Half of the sites have their honest pages from the first day; the others get them in the phases 1 and 2.
fn answer(asked: &SiteRequest, phase: u64) -> Reply {
    let kind = SERVERS[asked.site.0 as usize % SERVERS.len()];
    let is_old = (asked.site.0 as usize) < SERVERS.len();
    let start = start(asked.site, kind);
    if kind.is_start(asked) {
        return page(start).into();
    }
    let Some(n) = kind.page(&asked.target).filter(|n| *n < HONEST.len()) else {
        return kind.absent(asked.site, &start);
    };
    let wave = if n % 3 == 0 { 1 } else { 2 };
    let seed = asked.site.0 * 1000 + n as u64;
    let html = if is_old || phase >= wave {
        framed_with(
            asked.site,
            HONEST[n].title,
            &format!("<p>{}</p>", HONEST[n].text),
            &["/"],
        )
    } else {
        framed_with(asked.site, &title(seed), &paragraphs(seed + 500, 2), &["/"])
    };
    page(html).into()
}

fn start(site: Site, kind: Server) -> String {
    let links: Vec<String> = (0..HONEST.len())
        .map(|n| format!("<li><a href=\"{}\">Page {n}</a></li>", kind.path(n)))
        .collect();
    let links = links.concat();
    framed_with(
        site,
        "All pages",
        &format!("<p>Everything that we have written so far.</p><ul>{links}</ul>"),
        &["/"],
    )
}

/// The pages of a wave that were told as updated.
fn updated(told: &Told, into: &mut BTreeSet<String>) {
    for change in told.changes.iter().filter(|change| change.state == "UPD") {
        assert!(into.insert(change.url.clone()), "told twice: {}", change.url);
    }
}

#[test]
fn case08_honest_pages_that_sound_like_errors_are_neither_dropped_nor_frozen() {
    let sites = Sites::start(2 * SERVERS.len(), answer);
    let mut story = Story::new();
    let told = sites.crawl(&mut story);
    let pages = 2 * SERVERS.len() * (HONEST.len() + 1);
    assert_eq!(told.count("NEW"), pages, "{told}\n{}", story.report_text());
    let mut seen = BTreeSet::new();
    let mut at_once = 0;
    for wave in [1, 2] {
        sites.set(wave);
        for look in 0..2 {
            let told = story.track(&MANY);
            assert_eq!((told.count("MIS"), told.count("NEW")), (0, 0), "{told}");
            updated(&told, &mut seen);
            at_once += if look == 0 { told.count("UPD") } else { 0 };
            if look == 1 {
                assert_eq!(told.count("ERR"), 0, "frozen: {told}");
            }
        }
    }
    let edits = SERVERS.len() * HONEST.len();
    println!(
        "{} honest pages: {} of {edits} edits seen, {at_once} of them at once",
        HONEST.len(),
        seen.len()
    );
    assert_eq!(seen.len(), edits);
    story.track(&MANY).expect_all_same(pages, "nothing changed since");
}
