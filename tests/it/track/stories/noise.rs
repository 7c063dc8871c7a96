//! Pages that are never twice the same, and addresses that are not (HC044, HC088).

use super::{Story, crawled, document, site};
use gleaner_testkit::hostile::{HostileServer, Reply, Request, dynamic, page};
use gleaner_testkit::restless::{ArticleEdit, ArticleEditKind, RestlessPage};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A text with a nonce, a clock, a counter and a list in random order around it.
fn restless(number: u64, edit: &str) -> Reply {
    let turn = AtomicU64::new(number * 1000);
    let edit = edit.to_owned();
    dynamic(move |_: &Request| {
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        let random = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut related = ["Lighthouses", "Windmills", "Canals", "Bridges", "Towers"];
        related.rotate_left((random >> 60) as usize % 5);
        let html = document(number, &["/"])
            .replace(
                "</head>",
                &format!("<meta name=\"csrf\" content=\"{random:016x}\"><script nonce=\"{random:x}\">go()</script></head>"),
            )
            .replace("</main>", &format!("{edit}</main><aside><h3>Related</h3><p>{}</p></aside>\
                <footer><p class=\"made\">Made at {:02}:{:02}:{:02}, visitor number {turn}, token {random:016x}</p></footer>",
                related.join(", "), turn % 24, turn % 60, (turn * 7) % 60));
        page(html)
    })
}

#[test]
fn hc088_a_page_that_changes_on_every_fetch_is_learned() {
    let paths = ["/one", "/two", "/three", "/four"];
    let server = site(&paths);
    for (at, path) in paths.iter().enumerate() {
        server.route(path, restless(at as u64 + 1, ""));
    }
    let mut story = crawled(&server, 5);
    // Learning may take a visit or two; not more.
    story.track(&[]);
    story.track(&[]);
    story.track(&[]).expect_all_same(5, "noise is no change");
    server.route(
        "/three",
        restless(3, "<p>The harbour is closed from Monday on.</p>"),
    );
    let told = story.track(&[]);
    assert_eq!(
        told.state_of(&server.url("/three")),
        "UPD",
        "a change inside noise is seen\n{told}"
    );
    assert_eq!((told.count("SAM"), told.count("UPD")), (4, 1), "{told}");
    story.track(&[]).expect_all_same(5, "and it is told once");
}

/// Six to twelve kinds of noise at once, names of classes and ids among them.
#[test]
fn case19_many_noises_at_once_are_learned_and_an_edit_beside_them_is_seen() {
    let paths = ["/story/one", "/story/two", "/story/three", "/story/four"];
    let server = site(&paths);
    let serve = |at: usize, edit: Option<ArticleEdit>| {
        let (made, fetch) = (
            RestlessPage::of(4, at as u64),
            AtomicU64::new(if edit.is_some() { 1000 } else { 0 }),
        );
        let reply = move |_: &Request| {
            let fetch = fetch.fetch_add(1, Ordering::Relaxed);
            let html = made.html(fetch, edit.as_ref());
            page(html.replace("</body>", "<a href=\"/\">All stories</a></body>"))
        };
        server.route(paths[at], dynamic(reply));
    };
    for at in 0..paths.len() {
        serve(at, None);
    }
    let mut story = crawled(&server, 5);
    story.track(&[]);
    story.track(&[]);
    story.track(&[]).expect_all_same(5, "noise is no change");
    serve(
        2,
        Some(ArticleEdit::make(
            &RestlessPage::of(4, 2),
            ArticleEditKind::ParagraphIn,
            1,
        )),
    );
    let told = story.track(&[]);
    assert_eq!(told.state_of(&server.url(paths[2])), "UPD", "{told}");
    assert_eq!((told.count("SAM"), told.count("UPD")), (4, 1), "{told}");
}

/// The same without a second chance: two fetches at first sight must do.
#[test]
fn hc088_noise_is_silent_from_the_first_track() {
    let paths = ["/one", "/two", "/three", "/four"];
    let server = site(&paths);
    for (at, path) in paths.iter().enumerate() {
        server.route(path, restless(at as u64 + 1, ""));
    }
    let mut story = crawled(&server, 5);
    story.track(&[]).expect_all_same(5, "noise is no change");
}

/// A clock without seconds stands still while a page is looked at twice.
#[test]
fn hc088_a_clock_that_shows_minutes_is_no_change() {
    let paths = ["/one", "/two", "/three", "/four"];
    let server = site(&paths);
    let show = |number: u64, date: &'static str, shown: &str| {
        let clock =
            format!("<p>Our editors work around the clock; this page was made on {shown}.</p></main>");
        let html = document(number, &["/"]).replace("</main>", &clock);
        page(html).with_header("Date", date)
    };
    let set = |date: &'static str, shown: &str| {
        for (at, path) in paths.iter().enumerate() {
            server.route(path, show(at as u64 + 1, date, shown));
        }
    };
    set(
        "Mon, 16 Nov 2026 16:01:20 GMT",
        "Monday, November 16, 2026 at 17:01",
    );
    let mut story = crawled(&server, 5);
    set(
        "Tue, 17 Nov 2026 09:45:02 GMT",
        "Tuesday, November 17, 2026 at 10:45",
    );
    let told = story.track(&[]);
    told.expect_all_same(5, "only time has passed");
    server.route(
        "/two",
        show(2, "Tue, 17 Nov 2026 09:46:02 GMT", "Friday, May 1, 2026 at 10:46"),
    );
    let told = story.track(&[]);
    assert_eq!(
        told.state_of(&server.url("/two")),
        "UPD",
        "another date is news\n{told}"
    );
}

/// Papers named by digests that differ in one letter, on a site that puts a session into every link.
#[test]
fn hc044_real_identifiers_are_never_taken_for_sessions() {
    let papers: Vec<String> = (0..8)
        .map(|n| format!("5f2b8c1e9a7d4f60b3c8e1d2a495{:04x}", n * 4099 + 17))
        .collect();
    let server = HostileServer::start();
    let sessions = Arc::new(AtomicU64::new(1));
    let give = {
        let (papers, sessions) = (papers.clone(), sessions.clone());
        move |number: u64, request: &Request| {
            let sid = if let Some((_, rest)) = request.target.split_once("sid=") {
                rest.split('&').next().unwrap_or_default().to_owned()
            } else {
                let next = sessions.fetch_add(1, Ordering::Relaxed);
                let high = next.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                format!("{high:016x}{:016x}", high.rotate_left(29) ^ next)
            };
            let links: Vec<String> = papers
                .iter()
                .map(|paper| format!("/paper?sid={sid}&amp;ref={paper}"))
                .chain([format!("/?sid={sid}")])
                .collect();
            page(document(
                number,
                &links.iter().map(String::as_str).collect::<Vec<_>>(),
            ))
        }
    };
    let home = give.clone();
    server.route("/", dynamic(move |request: &Request| home(0, request)));
    let all = papers.clone();
    server.route(
        "/paper*",
        dynamic(move |request: &Request| {
            let number = all
                .iter()
                .position(|paper| request.target.contains(paper.as_str()));
            give(number.map_or(99, |at| at as u64 + 1), request)
        }),
    );
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(
        told.count("NEW"),
        9,
        "the start page and eight papers, each once\n{told}"
    );
    for round in 1..=2 {
        // A new server: other sessions from now on.
        sessions.fetch_add(1000, Ordering::Relaxed);
        let told = story.track(&[]);
        told.expect_all_same(9, &format!("track {round}, in other sessions"));
        for paper in &papers {
            let lines = told
                .changes
                .iter()
                .filter(|change| change.url.contains(paper.as_str()));
            assert_eq!(lines.count(), 1, "{paper} is one document of its own\n{told}");
        }
    }
}
