//! `gleaner rebuild`: a catalog from WARC files alone, our own and those of others.

use crate::crawled::{crawl_well, expect_sound, links};
use crate::storage::hands::{archive_files, flip_bit};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, redirect, status, text};
use gleaner_testkit::program::Finished;
use std::path::{Path, PathBuf};

const WORDS: &str =
    "many words that make this a paragraph which everybody takes for the main text of the page";

fn article(title: &str, said: &str, more: &str) -> String {
    format!("<title>{title}</title><main><p>{said} {WORDS}</p>{more}</main>")
}

/// A site with all that makes records: pages, a picture, a redirect, a dead link, a sitemap, two addresses with the same bytes.
fn site() -> HostileServer {
    let server = HostileServer::start();
    let sitemap = server.url("/sitemap.xml");
    server.route(
        "/robots.txt",
        text(format!("User-agent: *\nSitemap: {sitemap}\n")),
    );
    server.route(
        "/sitemap.xml",
        page(format!(
            "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>{}</loc></url></urlset>",
            server.url("/listed")
        ))
        .with_header("Content-Type", "application/xml"),
    );
    server.route(
        "/",
        page(article(
            "Home",
            "first",
            &links(["/a", "/b", "/copy", "/old", "/nowhere", "/goes", "/p.png"]),
        )),
    );
    server.route(
        "/a",
        page(article("A", "first", "<a href='/b' rel=nofollow>to b</a>")),
    );
    server.route("/b", page(article("B", "stays", "")));
    server.route("/copy", page(article("B", "stays", "")));
    server.route("/old", redirect("/new"));
    server.route("/new", page(article("New", "moved here", "")));
    server.route("/listed", page(article("Listed", "in the list only", "")));
    server.route("/goes", page(article("Goes", "soon gone", "")));
    server.route(
        "/p.png",
        page(b"\x89PNG\r\n\x1a\n 123").with_header("Content-Type", "image/png"),
    );
    server
}

fn change(server: &HostileServer) {
    server.route("/a", page(article("A", "second", "<a href='/c'>to c</a>")));
    server.route("/c", page(article("C", "came later", "")));
    server.route("/goes", status(404));
}

/// What a catalog says, without numbers of its own.
fn told(gleaner: &Gleaner) -> Vec<Vec<Vec<String>>> {
    let ask = |query: &str| {
        let mut rows = gleaner.sqlite(query);
        rows.sort();
        rows
    };
    vec![
        ask("SELECT p.name, r.url, d.gone_run FROM documents d JOIN resources r ON r.id = d.resource
             JOIN projects p ON p.id = d.project"),
        ask("SELECT r.url, v.run, v.fetched_at, v.status, v.type, v.charset, v.title, v.size, hex(b.digest), v.same_as IS NULL
             FROM versions v JOIN documents d ON d.id = v.document JOIN resources r ON r.id = d.resource
             JOIN bodies b ON b.id = v.body"),
        ask("SELECT s.url, t.url, l.kind, l.count, l.anchor, l.nofollow, l.first_run, l.gone_run FROM links l
             JOIN resources s ON s.id = l.source JOIN resources t ON t.id = l.target"),
        ask("SELECT n.id, n.kind, n.started_at, n.status, p.name FROM runs n JOIN projects p ON p.id = n.project"),
        ask("SELECT c.run, r.url, c.state, c.reason FROM changes c JOIN resources r ON r.id = c.resource WHERE c.state <> 'SAM'"),
    ]
}

fn forget_catalog(gleaner: &Gleaner) {
    for entry in std::fs::read_dir(gleaner.data()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if name.starts_with("gleaner.db") {
            std::fs::remove_file(path).expect("removed");
        }
    }
    let _there_may_be_none = std::fs::remove_dir_all(gleaner.data().join("derived"));
}

fn rebuild(gleaner: &Gleaner, more: &[&str]) -> Finished {
    let mut arguments = vec!["rebuild", "--json"];
    arguments.extend(more);
    gleaner.run(&arguments)
}

#[test]
fn a_catalog_comes_back_from_the_archive_alone() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(
        &gleaner,
        &server.url("/"),
        &["--name", "news", "--types", "html,images"],
    );
    change(&server);
    crawl_well(
        &gleaner,
        &server.url("/"),
        &["--name", "news", "--types", "html,images"],
    );
    let before = told(&gleaner);
    forget_catalog(&gleaner);

    // Nothing else touches an archive whose catalog is not there.
    let refused = gleaner.run(&["crawl", &server.url("/"), "--delay", "0"]);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("gleaner rebuild"), "{refused}");
    assert!(!gleaner.data().join("gleaner.db").exists());

    let done = rebuild(&gleaner, &[]);
    done.expect_code(&[0]);
    assert_eq!(done.json()["projects"], serde_json::json!(["news"]), "{done}");
    for (nth, (before, after)) in before.iter().zip(&told(&gleaner)).enumerate() {
        assert_eq!(before, after, "part {nth}");
    }
    expect_sound(&gleaner);

    let again = rebuild(&gleaner, &[]);
    again.expect_code(&[3]);
    assert!(
        again.stderr.contains("there is a catalog here already"),
        "{again}"
    );

    for arguments in [
        vec!["ls"],
        vec!["cat", &server.url("/b"), "--as", "main"],
        vec!["diff", &server.url("/a")],
        vec!["search", "later"],
        vec!["versions", &server.url("/a")],
    ] {
        let finished = gleaner.run(&arguments);
        finished.expect_code(&[0]);
        assert!(!finished.stdout.is_empty(), "{arguments:?}");
    }
    let tracked = gleaner.run(&["track", "--json", "--delay", "0"]);
    tracked.expect_code(&[0]);
    let counts = tracked.json();
    let documents = gleaner.sqlite_number("SELECT count(*) FROM documents WHERE gone_run IS NULL");
    assert_eq!(
        (&counts["new"], &counts["updated"], &counts["missing"]),
        (&0.into(), &0.into(), &0.into()),
        "{counts}"
    );
    assert_eq!(counts["same"], documents, "{counts}");
    gleaner.run(&["verify"]).expect_code(&[0]);
}

#[test]
fn damaged_records_are_named_and_passed_over() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "news"]);
    let place = |path: &str| {
        gleaner.sqlite_number(&format!(
            "SELECT v.offset FROM versions v JOIN documents d ON d.id = v.document JOIN resources r ON r.id = d.resource
             WHERE r.url = '{}'",
            server.url(path)
        ))
    };
    let archive = archive_files(&gleaner).pop().expect("an archive");
    flip_bit(&archive, place("/a").unsigned_abs() + 300);
    let documents = gleaner.sqlite_number("SELECT count(*) FROM documents");
    forget_catalog(&gleaner);
    let done = rebuild(&gleaner, &[]);
    done.expect_code(&[1]);
    let told = done.json();
    assert_eq!(told["damaged"].as_array().map(Vec::len), Some(1), "{told}");
    assert_eq!(told["documents"], documents - 1);
    assert!(done.stderr.contains("a damaged record"), "{done}");
    expect_sound(&gleaner);
    // What was lost comes with the next track.
    let tracked = gleaner.run(&["track", "--json", "--delay", "0"]);
    assert_eq!(
        (&tracked.json()["new"], &tracked.json()["updated"]),
        (&1.into(), &0.into()),
        "{tracked}"
    );
}

#[test]
fn a_torn_end_loses_only_itself() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "news"]);
    let archive = archive_files(&gleaner).pop().expect("an archive");
    let length = std::fs::metadata(&archive).expect("a file").len();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(&archive)
        .expect("a file");
    file.set_len(length - 20).expect("cut");
    forget_catalog(&gleaner);
    let done = rebuild(&gleaner, &[]);
    done.expect_code(&[1]);
    assert_eq!(done.json()["damaged"].as_array().map(Vec::len), Some(1), "{done}");
    expect_sound(&gleaner);
}

fn corpus() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpora/warc");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} is not there", folder.display());
    None
}

#[test]
fn files_of_other_programs_become_an_archive_of_ours() {
    let Some(folder) = corpus() else { return };
    let path = |name: &str| folder.join(name).display().to_string();
    for (name, code, documents) in [
        ("warcio-example.warc.gz", 0, 1),
        ("warcio-example-iana.org-chunked.warc", 0, 1),
        ("jwarc-cc.warc.gz", 0, 1),
        ("BUbiNG-misc.warc", 0, 1),
        ("warcio-example-wget-bad-target-uri.warc.gz", 0, 1),
    ] {
        let gleaner = Gleaner::new();
        let done = rebuild(&gleaner, &["--from", &path(name)]);
        done.expect_code(&[code]);
        assert!(
            done.json()["documents"].as_i64() >= Some(documents),
            "{name}: {done}"
        );
        expect_sound(&gleaner);
        gleaner.run(&["cat", "1", "--as", "text"]).expect_code(&[0]);
    }
    // What is damaged or of another kind: one sentence, and no half catalog.
    for name in ["warcio-bad.arc", "warcio-example.arc.gz"] {
        let gleaner = Gleaner::new();
        let done = rebuild(&gleaner, &["--from", &path(name)]);
        done.expect_code(&[3]);
        assert!(!gleaner.data().join("gleaner.db").exists(), "{name}");
    }
    let gleaner = Gleaner::new();
    let done = rebuild(&gleaner, &["--from", &path("warcio-example-trunc.warc")]);
    done.expect_code(&[0, 1, 3]);
    assert!(done.code() == Some(0) || !done.stderr.is_empty(), "{done}");
}

#[test]
fn a_wacz_file_that_we_gave_away_comes_back() {
    let (gleaner, server) = (Gleaner::new(), site());
    crawl_well(&gleaner, &server.url("/"), &["--name", "news"]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("news.wacz").display().to_string();
    gleaner
        .run(&["export", "news", "--as", "wacz", "-o", &file])
        .expect_code(&[0]);
    let other = Gleaner::new();
    let done = rebuild(&other, &["--from", &file, "--name", "again"]);
    done.expect_code(&[0]);
    let urls = |gleaner: &Gleaner| {
        let mut rows = gleaner.sqlite(
            "SELECT r.url, hex(b.digest) FROM documents d JOIN resources r ON r.id = d.resource
             JOIN versions v ON v.id = d.version JOIN bodies b ON b.id = v.body",
        );
        rows.sort();
        rows
    };
    assert_eq!(urls(&gleaner), urls(&other));
    expect_sound(&other);
    let tracked = other.run(&["track", "--json", "--delay", "0", "--allow-private"]);
    let counts = tracked.json();
    assert_eq!(
        (&counts["updated"], &counts["missing"]),
        (&0.into(), &0.into()),
        "{tracked}"
    );
    assert_eq!(counts["same"], urls(&gleaner).len(), "{tracked}");
}
