//! How far does a crawl go? Scope (A5) and the rules that come before it (A3).

use crate::crawled::{asked, crawl, crawl_well, cuts, documents, expect_sound, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, Request, dynamic, page, redirect};
use std::collections::BTreeSet;

#[test]
fn a5_each_scope_takes_what_it_says_and_records_the_rest_as_links() {
    let resolve = [
        "--allow-private",
        "--resolve",
        "www.site.test=127.0.0.1",
        "--resolve",
        "blog.site.test=127.0.0.1",
        "--resolve",
        "far.test=127.0.0.1",
    ];
    let cases: [(&str, &[&str]); 5] = [
        ("list", &["www/docs/start"]),
        ("subtree", &["www/docs/start", "www/docs/a"]),
        ("host", &["www/docs/start", "www/docs/a", "www/other"]),
        (
            "domain",
            &["www/docs/start", "www/docs/a", "www/other", "blog/docs/b"],
        ),
        (
            "web",
            &[
                "www/docs/start",
                "www/docs/a",
                "www/other",
                "blog/docs/b",
                "far/docs/c",
            ],
        ),
    ];
    for (scope, wanted) in cases {
        let (gleaner, server) = (Gleaner::new(), HostileServer::start());
        let hrefs = [
            "/docs/a".into(),
            "/other".into(),
            server.url_as("blog.site.test", "/docs/b"),
            server.url_as("far.test", "/docs/c"),
        ];
        server
            .route("/docs/start", page(links(&hrefs)))
            .route("/*", page("page"));
        let start = server.url_as("www.site.test", "/docs/start");
        crawl_well(&gleaner, &start, &[&["--scope", scope], &resolve[..]].concat());
        let got: BTreeSet<String> = server
            .requests()
            .iter()
            .filter(|request| !["/robots.txt", "/sitemap.xml"].contains(&request.path()))
            .map(|request| {
                format!(
                    "{}{}",
                    request
                        .header("host")
                        .unwrap_or("")
                        .split('.')
                        .next()
                        .unwrap_or(""),
                    request.target
                )
            })
            .collect();
        assert_eq!(
            got,
            wanted.iter().map(|path| (*path).to_owned()).collect(),
            "{scope}"
        );
        let out = gleaner.run(&["links", &start, "--json"]);
        assert_eq!(
            out.json_lines().len(),
            4,
            "{scope}: foreign links are links too: {out}"
        );
        expect_sound(&gleaner);
    }
}

#[test]
fn a5_the_host_that_a_seed_leads_to_belongs_to_the_crawl() {
    let more = [
        "--allow-private",
        "--resolve",
        "site.test=127.0.0.1",
        "--resolve",
        "www.site.test=127.0.0.1",
        "--resolve",
        "far.test=127.0.0.1",
    ];
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let www = server.url_as("www.site.test", "/");
    server.route(
        "/",
        dynamic(move |request: &Request| match request.header("host") {
            Some(host) if host.starts_with("www.") => page(links(["/inside"])),
            _ => redirect(&www),
        }),
    );
    server.route("/inside", page("inside"));
    crawl_well(&gleaner, &server.url_as("site.test", "/"), &more);
    assert_eq!(documents(&gleaner).len(), 2);
    // The second run knows it from the start.
    let again = crawl_well(&gleaner, &server.url_as("site.test", "/"), &more);
    assert_eq!(again.json()["same"], 2, "{again}");
    let explained = gleaner.run(&["explain", &server.url_as("www.site.test", "/inside")]);
    assert!(!explained.stdout.contains("NO "), "{explained}");

    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server
        .route("/", redirect(&server.url_as("far.test", "/away")))
        .route("/away", page("away"));
    let finished = crawl(&gleaner, &server.url_as("site.test", "/"), &more);
    finished.expect_code(&[1]);
    assert_eq!(server.hits("/away"), 0);
    assert!(finished.stderr.contains("(out-of-scope)"), "{finished}");
}

#[test]
fn a3_rules_come_before_the_scope() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let far = server.url_as("far.test", "/wanted/1");
    server
        .route("/", page(links([far.as_str(), "/shop/1", "/shop/keep", "/ok"])))
        .route("/*", page("page"));
    let more = [
        "--allow",
        "^http://far\\.test(:\\d+)?/wanted/",
        "--deny",
        "/shop/\\d",
        "--resolve",
        "far.test=127.0.0.1",
        "--allow-private",
    ];
    crawl_well(&gleaner, &server.url("/"), &more);
    assert_eq!(asked(&server), ["/", "/ok", "/shop/keep", "/wanted/1"]);
    assert_eq!(cuts(&gleaner).get("rule-denied"), Some(&1));
    expect_sound(&gleaner);
}

/// The names of the projects that are there, with the documents of each.
fn projects(gleaner: &Gleaner) -> Vec<(String, u64)> {
    let rows = gleaner.sqlite(
        "SELECT p.name, count(d.id) FROM projects p LEFT JOIN documents d ON d.project = p.id GROUP BY p.id ORDER BY p.id",
    );
    rows.into_iter()
        .map(|row| (row[0].clone(), row[1].parse().expect("a number")))
        .collect()
}

fn two_folders() -> HostileServer {
    let server = HostileServer::start();
    for folder in ["one", "two"] {
        server.route(&format!("/{folder}/"), page(links(["a", "b"])));
        for name in ["a", "b"] {
            server.route(
                &format!("/{folder}/{name}"),
                page(format!("<p>{name} of {folder}")),
            );
        }
    }
    server
}

#[test]
fn case17_two_folders_of_one_host_are_two_projects() {
    let (gleaner, server) = (Gleaner::new(), two_folders());
    let host = server.address().to_string();
    for _ in 0..2 {
        for folder in ["one", "two"] {
            let told = crawl_well(
                &gleaner,
                &server.url(&format!("/{folder}/")),
                &["--scope", "subtree"],
            )
            .json();
            assert_eq!(told["project"], format!("{host}-{folder}"));
            assert_eq!(told["out"], 0, "{told}");
        }
    }
    let names = ["one", "two"].map(|folder| (format!("{host}-{folder}"), 3));
    assert_eq!(projects(&gleaner), names);
    // A whole host is still called by its name.
    crawl_well(&gleaner, &server.url("/one/"), &[]);
    assert_eq!(projects(&gleaner)[2], (host, 3));
    expect_sound(&gleaner);
}

/// As an older Gleaner named it.
#[test]
fn case17_a_project_of_a_folder_keeps_the_name_it_has() {
    let (gleaner, server) = (Gleaner::new(), two_folders());
    let host = server.address().to_string();
    let (one, two) = (server.url("/one/"), server.url("/two/"));
    crawl_well(&gleaner, &one, &["--scope", "subtree", "--name", &host]);
    let again = crawl_well(&gleaner, &one, &["--scope", "subtree"]).json();
    assert_eq!(
        (&again["project"], &again["same"]),
        (&host.clone().into(), &3.into())
    );
    let other = crawl_well(&gleaner, &two, &["--scope", "subtree"]).json();
    assert_eq!(other["project"], format!("{host}-two"));
}

/// Folders of this machine with one name.
#[test]
fn case17_folders_with_one_name_are_two_projects() {
    let gleaner = Gleaner::new();
    let place = tempfile::tempdir().expect("a temporary folder");
    for parent in ["first", "second"] {
        let folder = place.path().join(parent).join("data");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("x.txt"), format!("this is {parent}")).expect("a file");
        let told = crawl_well(&gleaner, folder.to_str().expect("plain text"), &[]).json();
        assert_eq!((&told["new"], &told["out"]), (&1.into(), &0.into()), "{told}");
    }
    let found = projects(&gleaner);
    assert_eq!((found.len(), found[0].0.as_str()), (2, "data"), "{found:?}");
}

/// Another address under the name of a run that was stopped: nothing of the old queue is asked for, and nothing is lost.
#[test]
fn case17_another_address_does_not_go_on_with_a_stopped_run() {
    let (gleaner, server) = (Gleaner::new(), two_folders());
    let (one, two) = (server.url("/one/"), server.url("/two/"));
    crawl_well(&gleaner, &one, &["--scope", "subtree", "--name", "x"]);
    // As if it had been stopped before its end.
    let catalog = rusqlite::Connection::open(gleaner.data().join("gleaner.db")).expect("the catalog");
    catalog
        .execute_batch(
            "UPDATE runs SET status = 'stopped'; INSERT INTO frontier(run, host, priority, resource, depth)
             SELECT 1, host, 0, id, 1 FROM resources WHERE url LIKE '%/one/a';",
        )
        .expect("a catalog that can be written");
    drop(catalog);
    std::fs::remove_file(gleaner.data().join("gleaner.db-sums")).ok();
    let settings = gleaner.sqlite("SELECT settings FROM projects");
    server.forget();
    let refused = crawl(&gleaner, &two, &["--scope", "subtree", "--name", "x"]);
    refused.expect_code(&[3]);
    assert!(
        refused.stderr.contains("gleaner resume 1") && refused.stderr.contains("--name"),
        "{refused}"
    );
    assert_eq!(server.requests().len(), 0);
    assert_eq!(gleaner.sqlite("SELECT settings FROM projects"), settings);
    gleaner.run(&["resume", "--json"]).expect_code(&[0, 1]);
    crawl_well(&gleaner, &two, &["--scope", "subtree", "--name", "y"]);
    assert_eq!(projects(&gleaner), [("x".to_owned(), 3), ("y".to_owned(), 3)]);
}
