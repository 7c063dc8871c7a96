//! What is given to a crawl: lists, files, patterns of names, requisites; and how much it says.

use super::world::of_type;
use crate::crawled::{changes, crawl_well, urls_in_state};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, redirect, text};
use gleaner_testkit::program::Running;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

const DEADLINE: Duration = Duration::from_mins(2);

fn named(list: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    list.into_iter().collect()
}

fn in_folder(gleaner: &Gleaner, folder: &Path, args: &[&str]) -> gleaner_testkit::program::Finished {
    let mut command = gleaner.command(args);
    command.current_dir(folder).stdin(Stdio::null());
    Running::start(command).expect("the binary").wait(DEADLINE)
}

#[test]
fn row1_a_file_with_addresses_is_a_list_and_another_is_a_document() {
    let server = HostileServer::start();
    server
        .route("/a", page("<title>A</title>"))
        .route("/b", page("<title>B</title>"));
    let folder = tempfile::tempdir().expect("a folder");
    let list = format!("# mine\n\n{}\n{}\n", server.url("/a"), server.url("/b"));
    std::fs::write(folder.path().join("urls.txt"), &list).expect("a list");
    std::fs::write(
        folder.path().join("notes.txt"),
        "See https://a.invalid/ for more.\n",
    )
    .expect("a text");

    let gleaner = Gleaner::new();
    let done = in_folder(
        &gleaner,
        folder.path(),
        &["crawl", "urls.txt", "--scope", "list", "--delay", "0"],
    );
    done.expect_code(&[0]);
    assert!(
        done.stderr.contains("urls.txt is a list of 2 addresses"),
        "{done}"
    );
    assert!(
        done.stdout.starts_with("urls: run 1"),
        "named after the list: {done}"
    );
    assert_eq!(
        urls_in_state(&gleaner, "NEW"),
        named([server.url("/a"), server.url("/b")])
    );

    let gleaner = Gleaner::new();
    let done = in_folder(&gleaner, folder.path(), &["crawl", "notes.txt"]);
    done.expect_code(&[0]);
    let kept = urls_in_state(&gleaner, "NEW");
    assert!(
        kept.len() == 1 && kept.iter().all(|url| url.ends_with("/notes.txt")),
        "{kept:?}"
    );

    // From a file and from the input by -i, whatever they are called.
    let gleaner = Gleaner::new();
    let done = in_folder(
        &gleaner,
        folder.path(),
        &["crawl", "-i", "urls.txt", "--depth", "0", "--delay", "0"],
    );
    done.expect_code(&[0]);
    assert_eq!(urls_in_state(&gleaner, "NEW").len(), 2);
    let gleaner = Gleaner::new();
    let mut command = gleaner.command(&["crawl", "-i", "-", "--depth", "0", "--delay", "0"]);
    command.current_dir(folder.path());
    let input = File::open(folder.path().join("urls.txt")).expect("the list");
    let done = Running::start_on(command, input.into())
        .expect("the binary")
        .wait(DEADLINE);
    done.expect_code(&[0]);
    assert_eq!(urls_in_state(&gleaner, "NEW").len(), 2);
}

#[test]
fn row1_names_are_accepted_and_rejected_and_pages_still_lead_on() {
    let server = HostileServer::start();
    server.route(
        "/",
        page("<a href=/docs/>docs</a> <a href=/x.txt>x</a> <a href=/get?id=3>get</a>"),
    );
    server.route(
        "/docs/",
        page("<a href=/docs/a.txt>a</a> <a href=/docs/b.csv>b</a>"),
    );
    for path in ["/x.txt", "/docs/a.txt", "/docs/b.csv", "/get?id=3"] {
        server.route(path, text(format!("text of {path}")));
    }
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["-A", "*.txt,.csv", "-R", "x*"]);
    let wanted = named([server.url("/docs/a.txt"), server.url("/docs/b.csv")]);
    assert_eq!(urls_in_state(&gleaner, "NEW"), wanted);
    // Told by its name, it is not even asked for; explained by the same function.
    assert!(server.requests_to("/x.txt").is_empty());
    let why = gleaner.run(&["explain", &server.url("/x.txt")]);
    assert!(why.stdout.contains("the file name is not wanted"), "{why}");
    // The next run says the same, and the project as a file has it.
    let again = gleaner.run(&["track", "--delay", "0"]);
    again.expect_code(&[0]);
    assert_eq!(urls_in_state(&gleaner, "SAM"), wanted);
    let shown = gleaner.run(&["project", "show", &server.url("").replace("http://", "")]);
    assert!(shown.stdout.contains("accept = [\"*.txt\", \".csv\"]"), "{shown}");
}

#[test]
fn row1_requisites_come_from_other_hosts_and_lead_nowhere() {
    let (server, other) = (HostileServer::start(), HostileServer::start());
    let cdn = |path: &str| other.url(path);
    server.route(
        "/",
        page(format!(
            "<link rel=stylesheet href={}><script src={}></script><img src={}><img src={}><img src=/here.png>\
             <a href={}>elsewhere</a><a href=/two>two</a>",
            cdn("/a.css"),
            cdn("/a.js"),
            cdn("/a.png"),
            cdn("/moved.png"),
            cdn("/page")
        )),
    );
    server.route("/two", page(format!("<img src={}>", cdn("/b.png"))));
    let image = |name: &str| of_type("image/png", [&b"\x89PNG\r\n\x1a\n"[..], name.as_bytes()].concat());
    server.route("/here.png", image("here"));
    other.route(
        "/a.css",
        of_type(
            "text/css",
            "@import 'more.css'; body { background: url(back.png); src: url(font.woff2) }",
        ),
    );
    other.route("/more.css", of_type("text/css", "p { color: red }"));
    other.route("/back.png", image("back"));
    other.route("/font.woff2", of_type("font/woff2", "wOF2"));
    other.route("/a.js", of_type("text/javascript", "1"));
    other
        .route("/a.png", image("a"))
        .route("/kept.png", image("kept"));
    other.route("/moved.png", redirect("/kept.png"));
    // What answers with a page where an image was expected is no way out.
    other.route(
        "/b.png",
        page(format!(
            "<img src={}><a href={}>x</a>",
            cdn("/c.png"),
            cdn("/page")
        )),
    );
    other.route("/c.png", image("c")).route("/page", page("not ours"));

    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--requisites", "--depth", "1"]);
    let parts = [
        "/a.css",
        "/more.css",
        "/back.png",
        "/font.woff2",
        "/a.js",
        "/a.png",
        "/kept.png",
    ];
    let mut wanted = named(parts.map(cdn));
    wanted.extend(["/", "/two", "/here.png"].map(|path| server.url(path)));
    assert_eq!(urls_in_state(&gleaner, "NEW"), wanted);
    for path in ["/page", "/c.png"] {
        assert!(other.requests_to(path).is_empty(), "{path}");
    }
    let why = gleaner.run(&["explain", &cdn("/a.css")]);
    assert!(
        why.stdout.contains("a part of some page") && why.stdout.contains("\nfetched\n"),
        "{why}"
    );
    let why = gleaner.run(&["explain", &cdn("/page")]);
    assert!(why.stdout.contains("not fetched (out-of-scope)"), "{why}");
    // A track looks at them again and calls none of them out.
    gleaner.run(&["track", "--delay", "0"]).expect_code(&[0]);
    assert_eq!(urls_in_state(&gleaner, "SAM"), wanted, "{:?}", changes(&gleaner));

    // Without them the same crawl stays at home.
    let plain = Gleaner::new();
    crawl_well(&plain, &server.url("/"), &[]);
    assert_eq!(
        urls_in_state(&plain, "NEW"),
        named(["/", "/two"].map(|path| server.url(path)))
    );
}

#[test]
fn row1_a_run_says_as_much_as_it_is_asked_to() {
    let server = HostileServer::start();
    server
        .route("/", page("<a href=/a>a</a><a href=/gone>gone</a>"))
        .route("/a", page("a"));
    let said = |more: &[&str]| {
        let gleaner = Gleaner::new();
        let url = server.url("/");
        let mut arguments = vec!["crawl", &url, "--delay", "0"];
        arguments.extend(more);
        let done = gleaner.run(&arguments);
        done.expect_code(&[0]);
        done
    };
    let quiet = said(&["-q"]);
    assert_eq!(
        (quiet.stdout.as_str(), quiet.stderr.as_str()),
        ("", ""),
        "{quiet}"
    );
    let json = said(&["-q", "--json"]);
    assert_eq!(json.json()["new"], 2, "{json}");
    let verbose = said(&["-v"]);
    let line = |url: &str| {
        let end = format!("  {}", server.url(url));
        verbose
            .stderr
            .lines()
            .find(|line| line.contains(&end))
            .unwrap_or_default()
            .to_owned()
    };
    assert!(line("/a").starts_with("NEW   200 "), "{verbose}");
    assert!(
        line("/gone").starts_with("-     404 ") && line("/gone").ends_with("(http-404)"),
        "{verbose}"
    );
}

#[test]
fn row4_a_host_that_does_not_exist_is_named_as_that() {
    let gleaner = Gleaner::new();
    let done = gleaner.run(&["crawl", "http://no-such-host.invalid/", "--delay", "0"]);
    done.expect_code(&[1]);
    let sentence = "nothing was collected: host not found: no-such-host.invalid (after ";
    assert!(
        done.stderr.contains(sentence) && !done.stderr.contains("robots"),
        "{done}"
    );
    let report = gleaner.run(&["report", "--format", "json"]);
    assert!(report.stdout.contains("\"dns-not-found\""), "{report}");
    // The time it took is that of the run, though nothing came of it: the second try comes after two seconds.
    let gleaner = Gleaner::new();
    let done = gleaner.run(&["crawl", "http://127.0.0.1:1/", "--json", "--tries", "2"]);
    assert!(
        done.json()["seconds"].as_f64().is_some_and(|took| took >= 1.5),
        "{done}"
    );
}
