//! Doubled slashes in addresses, on servers that merge them and on those that do not.

use super::super::Story;
use super::prose;
use crate::crawled::{asked, documents, links};
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page};
use gleaner_testkit::servers::NginxServer;
use std::path::Path;

fn document(number: u64, hrefs: &[String]) -> String {
    format!(
        "<title>{}</title>{}{}",
        prose::title(number),
        prose::html(number, 3, ""),
        links(hrefs)
    )
}

/// Pages of three folders that link to each other with one slash too many, and a start page.
fn write(site: &Path) {
    let names = ["x", "y", "z"];
    for (number, folder) in (0..).zip(["a", "b", "c"]) {
        std::fs::create_dir(site.join(folder)).expect("a folder");
        for (at, name) in (0..).zip(names) {
            let hrefs: Vec<String> = ["a", "b", "c"]
                .iter()
                .flat_map(|to| names.map(|name| format!("..//{to}/{name}.html")))
                .collect();
            let text = document(number * 3 + at, &hrefs);
            std::fs::write(site.join(folder).join(format!("{name}.html")), text).expect("a file");
        }
    }
    let start = document(100, &["a/x.html".to_owned()]);
    std::fs::write(site.join("index.html"), start).expect("a file");
}

/// Eight of the nine pages are found by wrong links alone.
#[test]
fn case26_a_slash_too_many_makes_no_second_site() {
    let server = match NginxServer::start(write) {
        Ok(server) => server,
        Err(why) => return gleaner_fixtures::skip(format!("{why:#}")),
    };
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &["--per-host", "4"]);
    let mut expected: Vec<String> = ["a", "b", "c"]
        .iter()
        .flat_map(|folder| ["x", "y", "z"].map(|name| server.url(&format!("/{folder}/{name}.html"))))
        .collect();
    expected.push(server.url("/"));
    expected.sort();
    assert_eq!(
        told.urls("NEW").into_iter().collect::<Vec<_>>(),
        expected,
        "{told}"
    );
    let wasted = |server: &NginxServer| {
        server
            .transfers()
            .iter()
            .filter(|path| path.contains("//"))
            .count()
    };
    let before = wasted(&server);
    assert!((1..=4).contains(&before), "{before} pages under two addresses");
    story.expect_still();
    assert_eq!(wasted(&server), before, "later runs know");
}

/// Here the slashes part two addresses, and with one of them there is nothing.
#[test]
fn case26_slashes_that_mean_something_stay() {
    let server = HostileServer::start();
    let hrefs: Vec<String> = (0..8)
        .map(|i| format!("/copy/2020//http://b.test//p{i}"))
        .collect();
    server.route("/", page(document(0, &hrefs)));
    for (number, href) in (1..).zip(&hrefs) {
        server.route(href, page(document(number, &[])));
    }
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), 9, "{told}");
    story.expect_still();
}

/// A site that says the same under every address proves nothing: neither about slashes nor about anything else.
#[test]
fn case26_a_page_that_is_everywhere_proves_nothing() {
    let server = HostileServer::start();
    server.route(
        "/",
        page(document(0, &["/one//".to_owned(), "/one//real".to_owned()])),
    );
    server.route("/one//real", page(document(1, &[])));
    server.route(
        "/*",
        dynamic(|_: &Request| page("<title>Shop</title><p>The shop is loading, please wait a moment.</p>")),
    );
    let mut story = Story::new();
    story.crawl(&server.url("/"), &["--per-host", "1"]);
    let kept = documents(&story.gleaner);
    assert!(kept.contains(&server.url("/one//real")), "{kept:?}");
    assert!(asked(&server).len() < 12, "{:?}", asked(&server));
}
