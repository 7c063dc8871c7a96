//! `gleaner export`: what was collected, in the forms that others read, judged by tools of others.

mod files;
mod folder;

use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page};
use gleaner_testkit::program::Finished;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A page with everything that a metadata file can have.
const RICH: &str = "<html lang=en><head><title>Solar power</title>\
    <meta name=keywords content='sun, roof'><meta name=author content='Ann Lee'></head><body>\
    <nav><a href=/>Home</a></nav><main><h1>Solar power</h1>\
    <p>The solar panel on the roof of the town hall gives more power than anybody had expected in the first winter.</p>\
    <p>Whoever buys a solar panel for a small house should ask how much power it gives in winter before paying for it.</p>\
    <p>***** is what five stars look like in a text, and the solar panel does not care about that at all.</p>\
    <img src=/panel.png alt='A panel'><video src=/film.mp4 title=Film></video>\
    <table><tr><th>Month</th><th>Power</th></tr><tr><td>May</td><td>12</td></tr></table>\
    <p><a href=/plain>On the plain page</a> more is said about the roof and the winter.</p></main></body></html>";

fn story(what: &str) -> String {
    format!(
        "<title>{what}</title><main><p>This page says that {what}, in words enough to be taken for a text by all who read \
         it.</p></main>"
    )
}

/// A site in its first state, crawled as `site`.
fn site() -> (Gleaner, HostileServer) {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server
        .route(
            "/",
            page(format!(
                "<title>Home</title>{}",
                links([
                    "/rich",
                    "/plain",
                    "/changes",
                    "/goes",
                    "/odd%3Fname",
                    "/copy",
                    "/silent"
                ])
            )),
        )
        .route("/rich", page(RICH))
        .route("/plain", page(story("it is plain")))
        .route("/changes", page(story("it was so before")))
        .route("/goes", page(story("it goes")))
        .route("/odd%3Fname", page(story("its name is odd")))
        .route("/copy", page(story("it is plain")))
        .route("/silent", page("<html><body></body></html>"));
    crawl_well(&gleaner, &server.url("/"), &["--name", "site"]);
    (gleaner, server)
}

/// One page changes, one goes.
fn change(gleaner: &Gleaner, server: &HostileServer) {
    server
        .route("/changes", page(story("it is so now")))
        .remove("/goes");
    let tracked = gleaner.run(&["track", "site", "--json", "--delay", "0", "--tries", "1"]);
    tracked.expect_code(&[0]);
    let counts = (&tracked.json()["missing"], &tracked.json()["updated"]);
    assert_eq!(counts, (&1.into(), &1.into()), "{tracked}");
}

fn export(gleaner: &Gleaner, to: &Path, more: &[&str]) -> Finished {
    let to = to.to_str().expect("a path in UTF-8");
    let is_folder = ["s3", "text", "markdown"].iter().any(|form| more.contains(form));
    let mut arguments = vec!["export", "site", "--json", "--as"];
    arguments.extend(more);
    arguments.extend(if is_folder { vec![to] } else { vec!["-o", to] });
    gleaner.run(&arguments)
}

fn export_well(gleaner: &Gleaner, to: &Path, more: &[&str]) -> Value {
    let finished = export(gleaner, to, more);
    finished.expect_code(&[0]);
    finished.json()
}

/// Path and content of every file, our own list left out.
fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in std::fs::read_dir(at).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path
                .strip_prefix(folder)
                .expect("below")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.starts_with(".gleaner-") {
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

fn numbers(done: &Value, names: [&str; 3]) -> [u64; 3] {
    names.map(|name| done[name].as_u64().expect("a number"))
}

/// What `cat` shows of a document.
fn shown(gleaner: &Gleaner, url: &str, form: &str) -> String {
    let cat = gleaner.run(&["cat", url, "--as", form]);
    cat.expect_code(&[0]);
    cat.stdout
}

#[test]
fn what_makes_no_sense_is_refused_in_one_sentence() {
    let (gleaner, _server) = site();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("x.jsonl").display().to_string();
    let out = folder.path().join("out").display().to_string();
    for (arguments, code, says) in [
        (vec!["site", "--as", "jsonl"], 2, "-o FILE"),
        (vec!["site", &out, "--as", "jsonl"], 2, "-o FILE"),
        (vec!["site", "--as", "s3"], 2, "give the folder"),
        (vec!["site", "--as", "text", "-o", &file], 2, "give the folder"),
        (vec!["site", "--as", "jsonl", "-o", "-", "--json"], 2, "--json"),
        (
            vec!["site", &out, "--as", "text", "--s3-names"],
            2,
            "--as s3 only",
        ),
        (
            vec!["site", "--as", "wacz", "-o", &file, "--gone", "mark"],
            2,
            "--state MIS",
        ),
        (
            vec!["site", "--as", "jsonl", "-o", &file, "--path", "/a["],
            2,
            "--path",
        ),
        (
            vec!["site", "--as", "jsonl", "-o", &file, "--since", "soon"],
            2,
            "--since",
        ),
        (vec!["nosuch", &out, "--as", "s3"], 3, "no such project"),
        (vec!["site", &out, "--as", "s3", "--run", "99"], 3, "99"),
        (
            vec!["site", &out, "--as", "s3", "--as-of", "2001-01-01"],
            3,
            "no run by then",
        ),
        (
            vec!["site", "--as", "jsonl", "-o", "/dev/full"],
            3,
            "cannot be written",
        ),
        (
            vec!["site", "--as", "parquet", "-o", "/dev/full"],
            3,
            "cannot be written",
        ),
    ] {
        let refused = gleaner.run(&[vec!["export"], arguments].concat());
        refused.expect_code(&[code]);
        let lines: Vec<&str> = refused.stderr.lines().collect();
        assert!(lines.len() == 1 && lines[0].contains(says), "{refused}");
    }
    assert_eq!(contents(folder.path()).len(), 0);

    // Filters that let nothing pass leave an empty export, and say so.
    let none = export(&gleaner, Path::new(&file), &["jsonl", "--host", "elsewhere.test"]);
    none.expect_code(&[1]);
    assert!(none.stderr.contains("no document of site"), "{none}");
    assert_eq!(std::fs::read(&file).expect("a file"), b"");
}

#[test]
fn a_project_without_documents_has_nothing_to_export() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.remove("/");
    gleaner.run(&[
        "crawl",
        &server.url("/"),
        "--name",
        "site",
        "--delay",
        "0",
        "--tries",
        "1",
    ]);
    let folder = tempfile::tempdir().expect("a folder");
    let refused = export(&gleaner, &folder.path().join("out"), &["s3"]);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("nothing to export"), "{refused}");
    assert!(!folder.path().join("out").exists());
}
