//! What else happens between two runs: pages move, lose their links, come back; rules change; runs are cut short.

mod beside;
mod cut_short;
mod feeds;
mod large;
mod moves;
mod noise;
mod rebuilds;
mod rules;
mod sessions;

use super::{Story, prose, track_arguments};
use gleaner_testkit::hostile::{HostileServer, page};

/// A page with a text of its own and these links below it.
fn document(number: u64, links: &[&str]) -> String {
    let title = prose::title(number);
    let paragraphs = prose::html(number, 4, "");
    let links: Vec<String> = links
        .iter()
        .map(|link| format!("<li><a href=\"{link}\">{}</a></li>\n", link.replace('/', " ")))
        .collect();
    let links = links.concat();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body>\n\
         <main><h1>{title}</h1>\n{paragraphs}<ul>\n{links}</ul></main></body></html>\n"
    )
}

/// A start page that links to these paths, each with the text of its place in the list.
fn site(paths: &[&str]) -> HostileServer {
    let server = HostileServer::start();
    server.route("/", page(document(0, paths)));
    for (at, path) in paths.iter().enumerate() {
        server.route(path, page(document(at as u64 + 1, &["/"])));
    }
    server
}

/// The project of a healthy site, crawled once.
fn crawled(server: &HostileServer, count: usize) -> Story {
    let mut story = Story::new();
    let told = story.crawl(&server.url("/"), &[]);
    assert_eq!(told.count("NEW"), count, "{told}");
    story
}
