//! Addresses with something in them that is drawn anew for every link, or handed out with a session on a few links alone.

use super::super::Story;
use super::prose;
use crate::crawled::links;
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const PAGES: u64 = 24;

/// Another number at every call, far from the last.
fn drawn(calls: &AtomicU64) -> u64 {
    let call = calls.fetch_add(1, Ordering::Relaxed) + 1;
    call.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 24
}

/// A front and its pages, all linked from each other by addresses that `spell` makes; `plain` takes off what was drawn.
fn site(spell: fn(u64, u64) -> String, plain: fn(&str) -> Option<u64>) -> HostileServer {
    let server = HostileServer::start();
    let calls = Arc::new(AtomicU64::new(0));
    server.route(
        "/*",
        dynamic(move |request: &Request| {
            let number = match request.target.as_str() {
                "/" => PAGES,
                target => match plain(target).filter(|number| *number < PAGES) {
                    Some(number) => number,
                    None => return gleaner_testkit::hostile::status(404),
                },
            };
            let hrefs = (0..PAGES).map(|to| spell(to, drawn(&calls)));
            page(format!(
                "<title>{}</title>{}{}",
                prose::title(number),
                prose::html(number, 3, ""),
                links(hrefs)
            ))
        }),
    );
    server
}

fn number_in(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Every page is one document, and stays it.
fn expect_each_once(server: &HostileServer, plain: fn(&str) -> Option<u64>) {
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &["--max-pages", "500"]);
    let root = server.url("");
    let numbers: BTreeSet<u64> = told
        .urls("NEW")
        .iter()
        .filter_map(|url| plain(&url[root.len()..]))
        .collect();
    assert_eq!(numbers.len() as u64, PAGES, "{told}");
    assert_eq!(told.count("NEW") as u64, PAGES + 1, "{told}");
    story.expect_still();
}

#[test]
fn case15_a_folder_that_is_drawn_for_every_link_is_no_part_of_the_identity() {
    let plain = |target: &str| number_in(target.split_once("/p")?.1);
    let server = site(|to, drawn| format!("/x{drawn:010x}/p{to}.html"), plain);
    expect_each_once(&server, plain);
}

#[test]
fn case15_a_part_of_the_name_that_is_drawn_is_no_part_of_the_identity() {
    let plain = |target: &str| number_in(target.strip_prefix("/story-")?);
    let server = site(|to, drawn| format!("/story-{to}-{drawn:010x}.html"), plain);
    expect_each_once(&server, plain);
}

/// One page in the site has two links with an id, as the session example of Tomcat has; numbers stand on others.
#[test]
fn case16_an_id_on_two_links_of_one_page_is_found() {
    let server = HostileServer::start();
    let lists = ["a", "b", "c", "d"].map(|name| format!("/{name}/list"));
    let hrefs = lists.iter().cloned().chain(["/s/session".to_owned()]);
    server.route("/", page(format!("{}{}", prose::html(0, 3, ""), links(hrefs))));
    for (number, list) in (1..).zip(&lists) {
        let items =
            (0..8).map(|item| format!("{list}/item?n={}", (item * 7_919 + number * 104_729) % 90_000));
        server.route(
            list,
            page(format!("{}{}", prose::html(number, 3, ""), links(items))),
        );
        server.route(
            &format!("{list}/item*"),
            dynamic(|request: &Request| {
                let own = request
                    .target
                    .bytes()
                    .map(u64::from)
                    .fold(0, |sum, byte| sum * 31 % 65_521 + byte);
                page(prose::html(1_000 + own, 2, ""))
            }),
        );
    }
    let calls = AtomicU64::new(0);
    server.route(
        "/s/session*",
        dynamic(move |request: &Request| {
            // A session that is carried on is taken up; else a new one begins.
            let given = request.target.split_once(";jsessionid=");
            let id = match given.and_then(|(_, rest)| rest.get(..32)) {
                Some(id) => id.to_owned(),
                None => format!("{:016X}{:016X}", drawn(&calls), drawn(&calls)),
            };
            let link = |query: &str| format!("<a href=\"/s/session;jsessionid={id}?{query}\">{query}</a>");
            page(format!(
                "<title>Session</title>{}{} {}",
                prose::html(77, 3, ""),
                link("name=a"),
                link("name=b&amp;v=1")
            ))
        }),
    );
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), 1 + 4 + 4 * 8 + 3, "{told}");
    story.expect_still();
}
