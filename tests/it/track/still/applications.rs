//! Real applications and sites of our own, left alone between two tracks.

use super::super::Story;
use super::super::shop::Shop;
use gleaner_testkit::servers::{ApplicationRequest, Context, DokuWiki, PhpServer, TomcatServer, WordPress};
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
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}

#[test]
fn case27_tomcat_stays_as_it_is() {
    match TomcatServer::start(|site| Shop::write(site, "jsp")) {
        Ok(server) => stays(&server.url(Context::CookiesOff, "/"), &["--scope", "subtree"]),
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
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
            &["--depth", "2", "--ignore-robots"],
        ),
        Err(why) => gleaner_fixtures::skip(format!("{why:#}")),
    }
}

const POSTS: usize = 12;
/// One process serves, and takes long for a page on a busy machine.
const PATIENT: [&str; 6] = ["--per-host", "1", "--read-timeout", "60", "--concurrency", "4"];

/// How many of the requests are for addresses that hold this.
fn count(asked: &[ApplicationRequest], what: &str) -> usize {
    asked.iter().filter(|asked| asked.target.contains(what)).count()
}

/// Posts, pages, categories and feeds stay; what brings nothing is asked for once, and then in one run of five.
#[test]
fn case27_case32_wordpress_stays_as_it_is() {
    let blog = match WordPress::start(POSTS) {
        Ok(blog) => blog,
        Err(why) => {
            gleaner_fixtures::skip(format!("{why:#}"));
            return;
        }
    };
    let mut story = Story::new();
    let told = story.crawl(&blog.url("/"), &PATIENT);
    for post in 0..POSTS {
        assert_eq!(
            told.state_of(&blog.url(&format!("/sighting-{post}/"))),
            "NEW",
            "{told}"
        );
    }
    let asked = blog.asked();
    let replies = count(&asked, "replytocom");
    // As many as may wait to be read, of three for each post.
    assert!(replies <= 24, "{replies} answers to comments for {POSTS} posts");
    let documents = told.count("NEW");
    let mut before = asked.len();
    for _ in 0..3 {
        let told = story.track(&PATIENT);
        told.expect_all_same(documents, "nothing changed");
        let asked = blog.asked();
        let asked = &asked[before..];
        before += asked.len();
        println!(
            "WordPress: {documents} documents, {} requests in a track: {} oEmbed, {} others of its API, {} short links",
            asked.len(),
            count(asked, "oembed"),
            count(asked, "wp-json") - count(asked, "oembed"),
            count(asked, "?p=")
        );
        assert_eq!(count(asked, "replytocom"), 0);
        assert!(
            asked.len() < 2 * documents,
            "{} requests for {documents} documents",
            asked.len()
        );
    }
}
