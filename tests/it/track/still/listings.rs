//! Folders that a server shows as lists, which can be sorted.

use super::super::Story;
use super::prose;
use crate::crawled::links;
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page};
use gleaner_testkit::servers::{ApacheServer, NginxServer};
use std::path::Path;

const FOLDERS: u64 = 12;
const FILES: u64 = 6;
/// The lists, that of the root counted, and the files.
const DOCUMENTS: usize = 1 + (FOLDERS + FOLDERS * FILES) as usize;

fn write(site: &Path) {
    for folder in 0..FOLDERS {
        let place = site.join(format!("folder{folder}"));
        std::fs::create_dir(&place).expect("a folder");
        for file in 0..FILES {
            // Sizes in another order than the names.
            let number = folder * FILES + file;
            let text = prose::html(number, 1 + (file as usize * 5) % 7, "");
            std::fs::write(place.join(format!("page{file}.html")), text).expect("a file");
        }
    }
}

#[test]
fn case28_lists_in_another_order_are_one_document() {
    let server = match ApacheServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    let kept = told.urls("NEW");
    assert!(kept.iter().all(|url| !url.contains('?')), "{told}");
    assert_eq!(kept.len(), DOCUMENTS, "{told}");
    let asked = |server: &ApacheServer| server.log().iter().filter(|line| line.contains('?')).count();
    let wasted = asked(&server);
    assert!(
        (1..=12).contains(&wasted),
        "{wasted} requests for lists in another order"
    );
    story.expect_still();
    let more = asked(&server) - wasted;
    assert_eq!(more, 0, "requests for lists in another order in later runs");
}

/// Two lists of one script, each with its own number, that can be sorted by what is added to their addresses.
#[test]
fn case28_lists_with_a_number_of_their_own_are_sorted_too() {
    const ITEMS: u64 = 20;
    let server = HostileServer::start();
    server.route("/", page(links((1..=2).map(|list| format!("/list?cat={list}")))));
    server.route(
        "/list*",
        dynamic(|request: &Request| {
            let value = |name: &str| {
                let (_, rest) = request.target.split_once(&format!("{name}="))?;
                rest.split('&').next().map(str::to_owned)
            };
            let list: u64 = value("cat").and_then(|list| list.parse().ok()).unwrap_or(0);
            let mut items: Vec<u64> = (0..ITEMS).map(|item| list * ITEMS + item).collect();
            match value("sort").as_deref() {
                Some("size") => items.sort_by_key(|item| item * 7 % 19),
                Some("date") => items.sort_by_key(|item| item * 11 % 17),
                Some(_) => {}
                // As they were added: an order of its own.
                None => items.sort_by_key(|item| item * 13 % 23),
            }
            if value("dir").as_deref() == Some("d") {
                items.reverse();
            }
            let sorts = ["name", "size", "date"].iter().flat_map(|key| {
                ["a", "d"].map(|dir| format!("/list?cat={list}&amp;sort={key}&amp;dir={dir}"))
            });
            let rows = items.into_iter().map(|item| format!("/item/{item}"));
            page(format!("<h1>List {list}</h1>{}{}", links(sorts), links(rows)))
        }),
    );
    for item in 0..3 * ITEMS {
        server.route(&format!("/item/{item}"), page(prose::html(item, 3, "")));
    }
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &["--per-host", "1"]);
    let sorted = |url: &&str| url.contains("sort=");
    assert_eq!(told.urls("NEW").into_iter().filter(sorted).count(), 0, "{told}");
    assert_eq!(told.count("NEW") as u64, 1 + 2 + 2 * ITEMS, "{told}");
    story.expect_still();
}

#[test]
fn case28_the_lists_of_nginx_stay_as_they_are() {
    let server = match NginxServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), DOCUMENTS, "{told}");
    story.expect_still();
}
