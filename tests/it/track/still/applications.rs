//! Real applications and sites of our own, left alone between two tracks.

use super::super::Story;
use super::super::shop::Shop;
use gleaner_testkit::servers::{Context, DokuWiki, PhpServer, TomcatServer};
use gleaner_testkit::{SynthOptions, SynthSite};

fn stays(url: &str, flags: &[&str]) {
    let mut story = Story::new();
    let told = story.crawl(url, flags);
    assert!(told.count("NEW") > 5, "{told}");
    story.expect_still();
}

#[test]
fn case27_the_synthetic_site_stays_as_it_is() {
    let site = SynthSite::start(SynthOptions::pages(300));
    stays(site.seed_url(), &["--per-host", "8"]);
}

#[test]
fn case27_php_stays_as_it_is() {
    match PhpServer::start(|site| Shop::write(site, "php")) {
        Ok(server) => stays(&server.url("/"), &[]),
        Err(why) => println!("skipped: {why:#}"),
    }
}

#[test]
fn case27_tomcat_stays_as_it_is() {
    match TomcatServer::start(|site| Shop::write(site, "jsp")) {
        Ok(server) => stays(&server.url(Context::CookiesOff, "/"), &["--scope", "subtree"]),
        Err(why) => println!("skipped: {why:#}"),
    }
}

#[test]
fn case27_dokuwiki_stays_as_it_is() {
    let page = |id: &str, text: &str| (id.to_owned(), format!("====== {id} ======\n\n{text}\n"));
    let pages = [
        page(
            "start",
            "Welcome. Read about [[birds:heron]] and [[birds:stork]].",
        ),
        page(
            "birds:heron",
            "A heron stands in the water. It is no [[birds:stork]].",
        ),
        page(
            "birds:stork",
            "A stork stands on the roof, and [[start]] is where we began.",
        ),
    ];
    match DokuWiki::start(&pages) {
        Ok(wiki) => stays(
            &wiki.url("/doku.php?id=start"),
            // The feeds carry the time at which they were made.
            &["--depth", "2", "--ignore-robots", "--deny", "/feed\\.php"],
        ),
        Err(why) => println!("skipped: {why:#}"),
    }
}
