//! What `explain` says is what a run does: with steps, rules and their default, depths and types (A2, A3).

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up ends")]

use super::commands::Desk;
use gleaner_testkit::hostile::{HostileServer, page};
use std::collections::BTreeSet;

/// Pages that link in all directions, inside and out.
const PATHS: [&str; 22] = [
    "/",
    "/list",
    "/list?page=2",
    "/item/1",
    "/item/2",
    "/item/3/deep",
    "/item/private/4",
    "/news/1",
    "/news/2",
    "/news/old/3",
    "/news/old/keep/4",
    "/about",
    "/about/team",
    "/about/team/ann",
    "/file.pdf",
    "/item/paper.pdf",
    "/item/picture.png",
    "/news/film.mp4",
    "/closed/1",
    "/item/closed/2",
    "/a/a/a/a/a",
    "/nowhere",
];

fn site() -> HostileServer {
    let server = HostileServer::start();
    server.route(
        "/robots.txt",
        gleaner_testkit::hostile::text("User-agent: *\nDisallow: /closed\nDisallow: /item/closed\n"),
    );
    // Each page leads to the next ones, so that depth matters.
    for (index, path) in PATHS.iter().enumerate() {
        let next: Vec<String> = (1..=4)
            .filter_map(|step| PATHS.get(index + step))
            .map(|to| format!("<a class=on href={to}>{to}</a> "))
            .collect();
        let next = next.concat();
        let elsewhere = "<a href=http://127.0.0.9:1/away>away</a><img src=/item/picture.png>";
        server.route(
            path,
            page(format!("<title>{path}</title><h1>{path}</h1>{next}{elsewhere}")),
        );
    }
    server
}

/// Runs the project and asks about every address whether it is fetched.
fn expect_agreement(name: &str, project: &str, server: &HostileServer) {
    let desk = Desk::new();
    desk.write("p.toml", project);
    let ran = desk.run(&["project", "run", "p.toml", "--json"]);
    ran.expect_code(&[0]);
    let asked: BTreeSet<String> = (server.requests().iter())
        .map(|request| request.target.clone())
        .filter(|target| !["/robots.txt", "/sitemap.xml"].contains(&target.as_str()))
        .collect();
    server.forget();
    assert!(asked.len() > 1, "{name}: {ran}");
    let mut wrong = Vec::new();
    for path in PATHS.iter().copied().chain(["/never/linked"]) {
        let explained = desk.well(&["explain", &server.url(path), "--json"]);
        // What no page is known to lead to may be taken or not; it is not asked for.
        let is_open = explained.json()["steps"]
            .as_array()
            .unwrap()
            .iter()
            .any(|step| step["name"] == "depth" && step["verdict"] == "open" && !asked.contains(path));
        if !is_open && explained.json()["fetched"] != asked.contains(path) {
            wrong.push(format!(
                "{path}: asked for: {}, explained: {}",
                asked.contains(path),
                explained.stdout
            ));
        }
    }
    let away = desk.well(&["explain", "http://127.0.0.9:1/away", "--json"]);
    assert_eq!(away.json()["fetched"], false, "{name}: {away}");
    assert!(wrong.is_empty(), "{name}\n{}", wrong.join("\n"));
}

#[test]
fn case37_explain_agrees_with_the_run() {
    let server = site();
    let start = server.url("/");
    let base = start.trim_end_matches('/');
    let manners = "[manners]\ndelay = \"0\"\nprivate = true\n";
    let projects = [
        ("all", format!("name = \"p\"\nsources = [\"{start}\"]\n{manners}")),
        (
            "a default that denies, depth and types",
            format!(
                "name = \"p\"\nsources = [\"{start}\"]\ndefault_rule = \"deny\"\ntypes = [\"html\"]\n\
                 {manners}[limits]\ndepth = 3\n[[rule]]\ndeny = \"{base}/news/old/\"\n\
                 [[rule]]\nallow = \"{base}/news/\"\n[[rule]]\nallow = \"{base}/item/\"\n[[rule]]\nallow = \"{base}/list\"\n"
            ),
        ),
        (
            "a default that allows",
            format!(
                "name = \"p\"\nsources = [\"{base}/list\"]\ndefault_rule = \"allow\"\n{manners}[limits]\ndepth = 2\n\
                 [[rule]]\ndeny = \"{base}/item/private/\"\n"
            ),
        ),
        (
            "steps with rules and depths of their own",
            format!(
                "name = \"p\"\ndefault_rule = \"deny\"\n{manners}[[rule]]\nallow = \"{base}/news/\"\n\
                 [[rule]]\nallow = \"{base}/about\"\n\
                 [[step]]\nname = \"list\"\nurl = \"{base}/list\"\nkeep = false\n\
                 [[step]]\nname = \"items\"\nlinks = \"a.on\"\ndepth = 1\n\
                 [[step.rule]]\ndeny = \"*/private/*\"\n[[step.rule]]\nallow = \"{base}/item/\"\n\
                 [[step]]\nname = \"news\"\nurl = \"{base}/news/1\"\ndepth = 2\n[[step.rule]]\ndeny = \"{base}/news/old/\"\n"
            ),
        ),
        (
            "two steps without rules",
            format!(
                "name = \"p\"\n{manners}[[step]]\nname = \"one\"\nurl = \"{base}/item/1\"\ndepth = 1\n\
                 [[step]]\nname = \"two\"\nurl = \"{base}/about\"\n"
            ),
        ),
    ];
    for (name, project) in projects {
        expect_agreement(name, &project, &server);
    }
}

#[test]
fn case35_a_page_that_is_only_passed_now_is_out() {
    let server = HostileServer::start();
    server.route(
        "/",
        page("<title>Start</title><p>The way to others. <a href=/doc>doc</a>").with_header("ETag", "\"1\""),
    );
    server.route("/doc", page("<title>Doc</title><p>A document."));
    let project = |keep: bool, with_links: bool| {
        let links = if with_links {
            "[[step]]\nname = \"docs\"\nlinks = \"a\"\n"
        } else {
            ""
        };
        format!(
            "name = \"p\"\n[manners]\ndelay = \"0\"\nprivate = true\n[[step]]\nname = \"start\"\nurl = \"{}\"\nkeep = {keep}\n{links}",
            server.url("/"),
        )
    };
    for with_links in [true, false] {
        let desk = Desk::new();
        desk.write("p.toml", &project(true, with_links));
        desk.well(&["project", "run", "p.toml", "--json"]);
        desk.write("p.toml", &project(false, with_links));
        let ran = desk.run(&["project", "run", "p.toml", "--json"]);
        let report = desk.well(&["report", "--format", "json"]).json_lines();
        let of = |path: &str| {
            let line = report
                .iter()
                .find(|line| line["url"] == server.url(path).as_str());
            line.map(|line| (line["state"].clone(), line["reason"].clone()))
        };
        assert_eq!(
            of("/"),
            Some(("OUT".into(), "not-kept".into())),
            "{with_links}: {ran}\n{report:?}"
        );
        if with_links {
            assert_eq!(of("/doc").unwrap().0, "SAM", "{report:?}");
        }
        // And kept again it is a document as before.
        desk.write("p.toml", &project(true, with_links));
        let back = desk.well(&["project", "run", "p.toml", "--json"]);
        assert_eq!(back.json()["errors"], 0, "{back}");
        assert_eq!(back.json()["missing"], 0, "{back}");
    }
}
