//! A blog: most of what it links to brings nothing, and is not asked for again and again.

use super::super::Story;
use super::prose;
use crate::crawled::{cuts, visits};
use gleaner_testkit::Blog;

const POSTS: usize = 40;

fn blog() -> Blog {
    Blog::start(POSTS, 4, |post| {
        let number = post as u64;
        (prose::title(number), prose::html(number, 4, ""))
    })
}

fn asked(blog: &Blog, what: &str) -> usize {
    let requests = blog.server().requests();
    requests
        .iter()
        .filter(|request| request.target.contains(what))
        .count()
}

/// What was asked for that is no page.
fn others(blog: &Blog) -> Vec<String> {
    let requests = blog.server().requests();
    let targets = requests.into_iter().map(|request| request.target);
    targets
        .filter(|target| target != "/" && (!target.starts_with("/posts/") || target.contains('?')))
        .collect()
}

#[test]
fn case32_what_brings_nothing_is_asked_for_rarely() {
    let blog = blog();
    let mut story = Story::new();
    let told = story.crawl(
        &blog.server().url("/"),
        &["--types", "html,text", "--per-host", "2", "--concurrency", "4"],
    );
    let mut pages = blog.pages();
    pages.sort();
    assert_eq!(told.urls("NEW").into_iter().collect::<Vec<_>>(), pages, "{told}");
    // The page says that they are of a type that nobody wants.
    assert_eq!(
        (asked(&blog, "oembed"), asked(&blog, "wp/v2"), asked(&blog, "rsd")),
        (0, 0, 0)
    );
    assert!(
        cuts(&story.gleaner)["unwanted-type"] >= 3 * POSTS as u64,
        "{:?}",
        cuts(&story.gleaner)
    );
    // A hundred and sixty answers to comments: a few of them show what they are.
    let replies = asked(&blog, "replytocom");
    // On a busy machine as many are asked for as may wait to be read: those in flight and sixteen more.
    assert!((1..=24).contains(&replies), "{replies} answers to comments");
    assert!(cuts(&story.gleaner)["view"] > 100, "{:?}", cuts(&story.gleaner));
    assert_eq!(asked(&blog, "?p="), POSTS);

    let mut short_links = 0;
    // One run of thirteen asks for each of them: there are as many as posts.
    for _ in 0..13 {
        blog.server().forget();
        let told = story.track(&[]);
        assert_eq!(
            (told.count("SAM"), told.changes.len()),
            (POSTS + 1, POSTS + 1),
            "{told}"
        );
        let all = blog.server().requests().len();
        // At most a tenth of the requests brings nothing; the first track looks at the addresses too.
        let pages = POSTS + 1;
        assert!(
            (all - pages) * 10 <= all + 20,
            "{all} requests for {pages} pages: {:?}",
            others(&blog)
        );
        assert_eq!(asked(&blog, "replytocom"), 0);
        short_links += asked(&blog, "?p=");
        // They are told of as what they are, and are no documents.
        let rest = visits(&story.gleaner)
            .values()
            .filter(|visit| visit.reason == "as-before")
            .count();
        assert!(rest + asked(&blog, "?p=") >= POSTS, "{rest}");
    }
    assert_eq!(short_links, POSTS, "each had its turn");
}

/// What a short link led to is gone: it is asked for at once.
#[test]
fn case32_a_redirect_to_what_is_gone_is_asked_for() {
    let blog = blog();
    let mut story = Story::new();
    story.crawl(&blog.server().url("/"), &["--types", "html,text"]);
    blog.server()
        .route("/posts/post-7/", gleaner_testkit::hostile::status(404));
    let told = story.track(&[]);
    assert_eq!(told.urls("MIS").len(), 1, "{told}");
    let told = story.track(&[]);
    assert_eq!(
        (told.count("NEW"), told.count("UPD"), told.count("MIS")),
        (0, 0, 0),
        "{told}"
    );
}
