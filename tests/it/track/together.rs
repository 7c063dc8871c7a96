//! Several projects tracked at the same time, on one store: nothing of one run shows in another, and their host is asked as
//! by one.

use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Response, page, status};
use std::time::Duration;

const PROJECTS: usize = 20;
const PAGES: usize = 4;
const WORDS: &str = "words enough to make this a paragraph that everybody takes for the text of the page";

fn folder(project: usize, page: usize) -> String {
    match page {
        0 => format!("/f{project}/"),
        page => format!("/f{project}/{page}.html"),
    }
}

/// A host with a folder for each project.
fn host() -> HostileServer {
    let server = HostileServer::start();
    server.route("/robots.txt", status(404));
    for project in 0..PROJECTS {
        let pages: Vec<String> = (1..PAGES).map(|page| folder(project, page)).collect();
        let home = links(pages.iter().map(String::as_str));
        server.route(
            &folder(project, 0),
            page(format!("<title>Home of {project}</title>{home}")),
        );
        for nth in 1..PAGES {
            server.route(&folder(project, nth), text(project, nth, "first"));
        }
    }
    server
}

fn text(project: usize, nth: usize, edition: &str) -> Response {
    page(format!(
        "<title>Page {nth} of {project}</title><main><p>The {edition} edition of {nth} in {project}: {WORDS}</p></main>"
    ))
}

fn crawled() -> (Gleaner, HostileServer) {
    let (gleaner, server) = (Gleaner::new(), host());
    for project in 0..PROJECTS {
        let name = format!("p{project:02}");
        let url = server.url(&folder(project, 0));
        crawl_well(&gleaner, &url, &["--name", &name, "--scope", "subtree"]);
    }
    (gleaner, server)
}

#[test]
fn each_project_has_the_states_that_it_would_have_alone() {
    let (gleaner, server) = crawled();
    // Of each project one page is edited; of every second one another page is gone.
    for project in 0..PROJECTS {
        server.route(&folder(project, 1), text(project, 1, "second"));
        if project % 2 == 0 {
            server.route(&folder(project, 2), status(404));
        }
    }
    let all = gleaner.run(&["track", "--all", "--json", "--delay", "0", "--tries", "1"]);
    all.expect_code(&[0]);
    let told = all.json();
    for project in 0..PROJECTS {
        let run = &told["projects"][project]["run"];
        let gone = u64::from(project % 2 == 0);
        let states = ["updated", "missing", "same", "new", "errors"].map(|state| run[state].as_u64());
        let expected = [1, gone, PAGES as u64 - 1 - gone, 0, 0].map(Some);
        assert_eq!(states, expected, "project {project}: {run}");
        assert_eq!(run["status"], "finished", "{run}");
    }
    gleaner.run(&["verify"]).expect_code(&[0]);
    // And nothing is left for the next time.
    let again = gleaner.run(&["track", "--all", "--json", "--delay", "0", "--tries", "1"]);
    again.expect_code(&[0]);
    for project in 0..PROJECTS {
        let run = &again.json()["projects"][project]["run"];
        let changes = ["updated", "missing", "new", "errors"].map(|state| run[state].as_u64());
        assert_eq!(changes, [Some(0); 4], "project {project}: {run}");
    }
}

#[test]
fn their_host_is_asked_at_the_pace_of_one() {
    const DELAY: Duration = Duration::from_millis(40);
    let (gleaner, server) = crawled();
    let before = server.requests().len();
    let delay = DELAY.as_millis().to_string();
    gleaner
        .run(&["track", "--all", "--delay", &delay, "--tries", "1"])
        .expect_code(&[0]);
    let asked = &server.requests()[before..];
    assert!(asked.len() >= PROJECTS * PAGES, "{} requests", asked.len());
    let (first, last) = (asked[0].at, asked[asked.len() - 1].at);
    // One gap may be lost at the ends: a request is stamped where it arrives, not where it starts.
    let least = DELAY * (asked.len() as u32 - 2);
    assert!(
        last.duration_since(first) >= least,
        "{} requests in {:?}, which is less than {least:?}",
        asked.len(),
        last.duration_since(first)
    );
}
