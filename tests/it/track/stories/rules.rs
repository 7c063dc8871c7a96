//! We changed the rules: OUT, never MIS, and never mixed with what the site did (B1).

use super::{crawled, document, site};
use gleaner_testkit::hostile::{HostileServer, page};

const PATHS: [&str; 6] = ["/news/1", "/news/2", "/news/3", "/docs/1", "/docs/2", "/about"];

#[test]
fn b1_a_new_rule_makes_out_and_never_gone() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 7);
    let url = server.url("/");
    story.crawl_again(&url, &["--deny", "/news/"]);
    // Gone meanwhile, but we do not look there any more: that is not ours to tell.
    server.remove("/news/2");
    server.forget();
    let told = story.track(&[]);
    assert_eq!(
        (told.count("MIS"), told.count("NEW"), told.count("UPD")),
        (0, 0, 0),
        "{told}"
    );
    for path in &PATHS[..3] {
        let change = told.of(&server.url(path));
        assert_eq!(
            (change.state.as_str(), change.reason.as_str()),
            ("OUT", "rule-denied"),
            "{told}"
        );
        assert_eq!(server.hits(path), 0, "{path} was asked for against the rule");
    }
    assert_eq!(told.count("SAM"), 4, "{told}");
    // The rule is taken back: what is there is there, what is gone is gone.
    story.crawl_again(&url, &[]);
    let told = story.track(&[]);
    assert_eq!(told.state_of(&server.url("/news/1")), "SAM", "{told}");
    assert_eq!(told.count("OUT"), 0, "{told}");
}

#[test]
fn b1_a_smaller_depth_makes_out_and_never_gone() {
    let server = HostileServer::start();
    let chain = ["/", "/a", "/a/b", "/a/b/c", "/a/b/c/d"];
    for (at, path) in chain.iter().enumerate() {
        let next: Vec<&str> = chain.get(at + 1).copied().into_iter().collect();
        server.route(path, page(document(at as u64, &next)));
    }
    let mut story = crawled(&server, 5);
    story.crawl_again(&server.url("/"), &["--depth", "1"]);
    let told = story.track(&[]);
    assert_eq!((told.count("SAM"), told.count("OUT")), (2, 3), "{told}");
    assert_eq!(told.of(&server.url("/a/b/c")).reason, "too-deep", "{told}");
    let again = story.track(&[]);
    assert_eq!((again.count("SAM"), again.count("OUT")), (2, 3), "{again}");
}

#[test]
fn b1_a_smaller_scope_makes_out_and_never_gone() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 7);
    server.route("/docs/", page(document(50, &["/docs/1", "/docs/2"])));
    story.crawl_again(&server.url("/docs/"), &["--scope", "subtree"]);
    let told = story.track(&[]);
    assert_eq!((told.count("MIS"), told.count("UPD")), (0, 0), "{told}");
    for path in ["/news/1", "/about"] {
        let change = told.of(&server.url(path));
        assert_eq!(
            (change.state.as_str(), change.reason.as_str()),
            ("OUT", "out-of-scope"),
            "{told}"
        );
    }
    assert_eq!(told.state_of(&server.url("/docs/1")), "SAM", "{told}");
}

#[test]
fn b1_each_run_keeps_the_settings_it_ran_with() {
    let server = site(&PATHS);
    let mut story = crawled(&server, 7);
    let first = story.track(&[]);
    story.crawl_again(&server.url("/"), &["--deny", "/docs/"]);
    let second = story.track(&[]);
    let settings = |run: i64| {
        let rows = story
            .gleaner
            .sqlite(&format!("SELECT settings FROM runs WHERE id = {run}"));
        rows[0][0].clone()
    };
    assert!(!settings(first.run).contains("/docs/"), "{}", settings(first.run));
    assert!(
        settings(second.run).contains("/docs/"),
        "{}",
        settings(second.run)
    );
}

#[test]
fn a_project_that_is_not_there_is_said_so() {
    let server = site(&PATHS);
    let story = crawled(&server, 7);
    let finished = story.gleaner.run(&["track", "nothing"]);
    finished.expect_code(&[2, 3]);
    assert!(finished.stderr.contains("nothing"), "{finished}");
}
