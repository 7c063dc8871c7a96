//! The same content at many addresses: files that every folder has, and traps beside them.

use super::super::Story;
use super::prose;
use crate::crawled::{arguments, documents, links};
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page, text};

/// Folders, each with a page of its own, and beside it what is the same in all of them.
fn folders(count: u64, same: &[&str]) -> HostileServer {
    let server = HostileServer::start();
    server.route("/", page(links((0..count).map(|i| format!("/d{i}/")))));
    for i in 0..count {
        let body = format!(
            "<h1>{}</h1>{}{}",
            prose::title(i),
            prose::html(i, 3, ""),
            links(same)
        );
        server.route(&format!("/d{i}/"), page(body));
        for name in same {
            let reply = match name.rsplit_once('.') {
                Some((_, "css")) => text("p { margin: 0 }").with_header("content-type", "text/css"),
                _ => page(format!(
                    "<p>The terms of {name} hold for everybody and do not change.</p>"
                )),
            };
            server.route(&format!("/d{i}/{name}"), reply);
        }
    }
    server
}

#[test]
fn case27_files_that_every_folder_has_are_all_kept() {
    let server = folders(80, &["a.css", "legal.html"]);
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &["--types", "all"]);
    assert_eq!(told.count("NEW"), 241, "{told}");
    story.expect_still();
}

/// A year by months and days, most of them without an event: all of it is listed.
#[test]
fn case27_a_calendar_that_ends_is_kept_whole() {
    let server = HostileServer::start();
    let month_at = |month: u64| format!("/cal/2024/{month:02}");
    let day_at = |month: u64, day: u64| format!("/cal/2024/{month:02}/{day:02}");
    server.route("/", page(links((1..=12).map(month_at))));
    for month in 1..=12 {
        let days = (1..=28).map(|day| day_at(month, day));
        server.route(
            &month_at(month),
            page(format!("<h1>Month {month}</h1>{}", links(days))),
        );
        for day in 1..=28 {
            let beside = [day_at(month, (day - 1).max(1)), day_at(month, (day + 1).min(28))];
            let text = match day % 9 {
                0 => prose::html(month * 100 + day, 1, ""),
                _ => "<p>No events.</p>".to_owned(),
            };
            server.route(
                &day_at(month, day),
                page(format!("<h1>Day</h1>{text}{}", links(beside))),
            );
        }
    }
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &["--per-host", "4"]);
    assert_eq!(told.count("NEW"), 1 + 12 + 12 * 28, "{told}");
    story.expect_still();
}

/// Nothing is a copy because another project has it.
#[test]
fn case27_another_project_of_the_same_site_has_all_of_it() {
    let server = folders(60, &[]);
    let mut story = Story::new();
    assert_eq!(story.crawl(&server.url("/"), &[]).count("NEW"), 61);
    let second = story
        .gleaner
        .run(&arguments(&server.url("/"), &["--name", "second"]));
    second.expect_code(&[0]);
    assert_eq!(second.json()["new"], 61, "{second}");
}

/// Real pages beside traps: every page links to new addresses with one content, a walk over numbers that never ends, a folder
/// that holds itself, a calendar, and filters that are combined.
#[test]
fn case26_what_a_trap_rule_closed_stays_closed() {
    let server = folders(30, &["legal.html"]);
    let entrances = [
        "/maze/0",
        "/more?page=1",
        "/again/a/b/",
        "/calendar/2024/1",
        "/list",
    ];
    let hrefs = (0..30)
        .map(|i| format!("/d{i}/"))
        .chain(entrances.map(str::to_owned));
    server.route("/", page(links(hrefs)));
    server.route(
        "/calendar/*",
        dynamic(|request: &Request| {
            let numbers = request.path().split('/').filter_map(|part| part.parse().ok());
            let [year, month] =
                <[u32; 2]>::try_from(numbers.collect::<Vec<_>>()).expect("a year and a month");
            let next = year * 12 + month;
            let next = links([format!("/calendar/{}/{}", next / 12, next % 12 + 1)]);
            page(format!(
                "<title>{month}/{year}</title><p>No events in {month}/{year}.</p>{next}"
            ))
        }),
    );
    server.route(
        "/list*",
        dynamic(|request: &Request| {
            let query = request.target.split_once('?').map_or("", |(_, query)| query);
            let open = ["colour", "size", "brand"]
                .into_iter()
                .filter(|name| !query.contains(name));
            let between = if query.is_empty() { "" } else { "&" };
            let hrefs = open
                .flat_map(|name| (0..6).map(move |value| format!("/list?{query}{between}{name}={value}")));
            page(format!("<h1>Shoes</h1><p>{query}</p>{}", links(hrefs)))
        }),
    );
    server.route(
        "/maze/*",
        dynamic(|request: &Request| {
            // The same links whenever the same page is asked for.
            let own: u64 = request.path()[6..].parse().unwrap_or(0);
            page(format!(
                "<h1>Always the same</h1>{}",
                links((1..20).map(|i| format!("/maze/{}", own * 20 + i)))
            ))
        }),
    );
    server.route(
        "/more*",
        dynamic(|request: &Request| {
            let number: u64 = request
                .target
                .rsplit('=')
                .next()
                .and_then(|n| n.parse().ok())
                .unwrap_or(0);
            let next = links([format!("/more?page={}", number + 1)]);
            page(format!(
                "<h1>Results, page {number}</h1><p>There are no more.</p>{next}"
            ))
        }),
    );
    server.route(
        "/again/*",
        dynamic(|request: &Request| page(format!("<p>{}</p><a href=\"a/b/\">on</a>", request.target))),
    );
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    let honest = |url: &&str| url.contains("/d");
    assert_eq!(told.urls("NEW").into_iter().filter(honest).count(), 60, "{told}");
    assert!(told.count("NEW") < 61 + 220, "{told}");
    story.expect_still();
    assert_eq!(documents(&story.gleaner).len(), told.count("NEW"));
}

/// A page that is new among others which differ from it in one word is seen, in a first crawl and later.
#[test]
fn case15_a_new_page_among_siblings_that_differ_in_one_word_is_seen() {
    let words = [
        "heron", "stork", "crane", "egret", "ibis", "gull", "tern", "rail", "coot", "swan", "duck", "teal",
    ];
    let server = HostileServer::start();
    let put = |sections: usize, count: usize| {
        let at = |section: usize, word: &str| format!("/s{section}?bird={word}");
        let fronts = (0..sections).map(|section| at(section, words[0]));
        server.route("/", page(links(fronts)));
        for section in 0..sections {
            let menu = links(words[..count].iter().map(|word| at(section, word)));
            for word in &words[..count] {
                let body = format!(
                    "<title>Birds</title><p>All that is known in part {section} about the {word}.</p>{menu}"
                );
                server.route(&at(section, word), page(body));
            }
        }
    };
    put(6, 11);
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), 1 + 6 * 11, "{told}");
    put(6, 12);
    let told = story.track(&[]);
    assert_eq!((told.count("NEW"), told.count("MIS")), (6, 0), "{told}");
    story.expect_still();
}
