//! `gleaner mirror`: a copy that a browser walks through without a server, as of any run, brought up to date file by file.

mod browser;
mod parts;
mod site;

use crate::crawled::{crawl, crawl_well, expect_sound, links};
use crate::storage::hands::{archive_files, flip_bit};
use browser::{address_of, file_of, files_in, walk};
use gleaner_testkit::hostile::{HostileServer, page};
use gleaner_testkit::program::Finished;
use gleaner_testkit::{Gleaner, crash};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::SystemTime;

const QUICK: [&str; 4] = ["--delay", "0", "--tries", "1"];

fn mirror(gleaner: &Gleaner, what: &str, copy: &Path, more: &[&str]) -> Finished {
    let copy = copy.to_str().expect("a path in UTF-8");
    let mut arguments = vec!["mirror", what, copy, "--json"];
    arguments.extend(more);
    gleaner.run(&arguments)
}

fn mirror_well(gleaner: &Gleaner, what: &str, copy: &Path, more: &[&str]) -> Value {
    let finished = mirror(gleaner, what, copy, more);
    finished.expect_code(&[0]);
    finished.json()
}

fn words(value: &Value) -> Vec<String> {
    let list = value.as_array().expect("a list").iter();
    list.filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

/// Path and content of every file.
fn contents(copy: &Path) -> BTreeMap<String, Vec<u8>> {
    let read = |name: String| {
        let bytes = std::fs::read(copy.join(&name)).expect("a file");
        (name, bytes)
    };
    files_in(copy).into_iter().map(read).collect()
}

#[test]
fn one_command_makes_a_copy_without_a_broken_link() {
    let (gleaner, server) = (Gleaner::new(), site::start());
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("the copy");
    let done = mirror_well(&gleaner, &server.url("/"), &copy, &QUICK);
    assert_eq!(done["failed"], Value::Array(Vec::new()));
    assert_eq!(done["start"], copy.join("index.html").display().to_string());
    expect_sound(&gleaner);

    let files = files_in(&copy);
    let folded: BTreeSet<String> = files.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(folded.len(), files.len(), "names differ only in case: {files:?}");
    let host = server.url("").replace("http://", "").replace(':', "_");
    for name in [
        "index.html",
        "docs/index.html",
        "docs/deep/x.html",
        "page.php@id=1.html",
        "page.php@id=2&x=a_b.html",
        "a.html",
        "a/b.html",
        "data",
        "umlaut ü_x.html",
        "latin.html",
        "_con.html",
        "style@v=1.css",
        "new.html",
    ] {
        let name = format!("{}/{name}", host.trim_end_matches('/'));
        assert!(files.contains(&name), "{name} is not among {files:#?}");
    }
    let (rewritten, left) = (done["links_inside"].as_u64(), done["links_outside"].as_u64());
    assert!(rewritten > Some(40) && left > Some(3), "{done}");

    // Again, and nothing has to be written.
    let again = mirror_well(&gleaner, &server.url("/"), &copy, &[]);
    assert_eq!(
        (&again["written"], &again["removed"]),
        (&0.into(), &0.into()),
        "{again}"
    );

    let pages = match walk(&copy) {
        Ok(pages) => pages,
        Err(why) => {
            gleaner_fixtures::skip(why);
            return;
        }
    };
    let titles: BTreeSet<String> = pages
        .iter()
        .filter_map(|page| page["title"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(titles, site::TITLES.iter().map(ToString::to_string).collect());
    let mut outside = BTreeSet::new();
    for page in &pages {
        for link in words(&page["links"]).into_iter().chain(words(&page["forms"])) {
            if link.starts_with("file://") {
                let file = file_of(&link);
                assert!(
                    file.starts_with(&copy) && file.is_file(),
                    "a broken link on {}: {link}",
                    page["page"]
                );
            } else {
                outside.insert(link);
            }
        }
        for sheet in words(&page["sheets"]) {
            assert!(file_of(&sheet).is_file(), "{sheet}");
        }
        for kind in ["images", "backgrounds"] {
            for image in page[kind].as_array().expect("a list") {
                assert_eq!(image[1], 8, "a picture is not shown on {}: {image}", page["page"]);
            }
        }
    }
    let wanted = [
        "http://offsite.example.com/y",
        "https://offsite.example.com/x",
        "mailto:someone@example.com",
        &server.url("/missing"),
        &server.url("/search"),
    ];
    assert_eq!(outside, wanted.iter().map(ToString::to_string).collect());

    let titled = |title: &str| pages.iter().find(|page| page["title"] == title).expect("a page");
    let home = titled("Home");
    assert_eq!(
        home["heading"], "rgb(1, 2, 3)",
        "the style sheet of the style sheet"
    );
    assert_eq!(home["backgrounds"].as_array().map(Vec::len), Some(3));
    assert_eq!(home["images"].as_array().map(Vec::len), Some(4));
    let latin = titled("Latin");
    assert_eq!(
        (&latin["charset"], &latin["text"]),
        (&"windows-1252".into(), &"Grüße €\n\nhome".into())
    );
    let index = address_of(&copy.join("index.html"));
    let door = pages
        .iter()
        .find(|page| page["page"] == index.as_str())
        .expect("the door");
    assert_eq!(door["title"], "Home", "it leads on to the start");
    let redirected = words(&home["links"])
        .into_iter()
        .find(|link| link.ends_with("#here"))
        .expect("kept");
    assert!(file_of(&redirected).ends_with("new.html"), "{redirected}");
    assert_eq!(
        file_of(&words(&titled("Upper")["links"])[0]),
        file_of(titled("Lower")["url"].as_str().expect("a URL"))
    );
}

/// What cannot be read, and what was never collected, is linked to where it came from, and named.
#[test]
fn case33_links_to_what_is_not_in_the_copy_lead_to_the_origin() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    server.route(
        "/",
        page(format!(
            "<title>Home</title>{}",
            links(["/well", "/torn", "/never", "/torn#part"])
        )),
    );
    server.route("/well", page("<title>Well</title><a href='torn'>torn</a>"));
    server.route(
        "/torn",
        page(format!(
            "<title>Torn</title><p>{}</p>",
            "Some words of it. ".repeat(200)
        )),
    );
    crawl(&gleaner, &server.url("/"), &QUICK).expect_code(&[0, 1]);
    let place = gleaner.sqlite_number(&format!(
        "SELECT v.offset FROM versions v JOIN documents d ON d.id = v.document JOIN resources r ON r.id = d.resource
         WHERE r.url = '{}'",
        server.url("/torn")
    ));
    flip_bit(
        &archive_files(&gleaner).pop().expect("an archive"),
        place.unsigned_abs() + 300,
    );
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");
    let finished = mirror(&gleaner, &server.url("/"), &copy, &QUICK);
    finished.expect_code(&[1]);
    let done = finished.json();
    assert_eq!(done["failed"][0]["url"], server.url("/torn"), "{done}");
    assert_eq!(
        words(&done["missing"]),
        [server.url("/never"), server.url("/torn")],
        "{done}"
    );
    let files = files_in(&copy);
    assert!(!files.iter().any(|name| name.contains("torn")), "{files:?}");
    for (name, text) in contents(&copy)
        .into_iter()
        .filter(|(name, _)| !name.starts_with('.'))
    {
        let text = String::from_utf8(text).expect("UTF-8");
        assert!(
            !text.contains("\"torn") && !text.contains("'torn"),
            "{name}: {text}"
        );
        assert_eq!(
            text.contains("Well</title>"),
            text.contains(&server.url("/torn'")),
            "{name}: {text}"
        );
    }
    // The plain output names a few.
    let again = gleaner.run(&[
        "mirror",
        &server.url("/"),
        copy.to_str().expect("a path"),
        "--delay",
        "0",
    ]);
    assert!(
        again
            .stderr
            .contains("2 addresses of the site itself are linked but not in the copy"),
        "{again}"
    );
    assert!(again.stderr.contains(&server.url("/never")), "{again}");
}

/// A site of three pages in two states: one page changes, one goes.
fn changed_site() -> (Gleaner, HostileServer) {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let text = |what: &str| {
        format!(
            "<title>{what}</title><main><p>This page says that {what}, in words enough to be taken for a text by all who read it.</p></main>"
        )
    };
    server
        .route("/", page(links(["/stays", "/changes", "/goes"])))
        .route("/stays", page(text("it stays")))
        .route("/changes", page(text("it was so before")))
        .route("/goes", page(text("it goes")));
    crawl_well(&gleaner, &server.url("/"), &["--name", "site"]);
    server
        .route("/changes", page(text("it is so now")))
        .remove("/goes");
    let tracked = gleaner.run(&["track", "site", "--json", "--delay", "0", "--tries", "1"]);
    tracked.expect_code(&[0]);
    assert_eq!(
        (&tracked.json()["missing"], &tracked.json()["updated"]),
        (&1.into(), &1.into()),
        "{tracked}"
    );
    (gleaner, server)
}

#[test]
fn a_copy_is_as_of_any_run_and_an_update_touches_only_what_changed() {
    let (gleaner, server) = changed_site();
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");
    let host = server.url("").replace("http://", "").replace([':', '/'], "_");
    let host = copy.join(host.trim_end_matches('_'));
    let read = |name: &str| std::fs::read_to_string(host.join(name)).expect("a file");

    let first = mirror_well(&gleaner, "site", &copy, &["--run", "1"]);
    assert_eq!(
        (&first["run"], &first["written"]),
        (&1.into(), &5.into()),
        "{first}"
    );
    assert!(read("changes.html").contains("it was so before"));
    assert!(read("goes.html").contains("it goes"));
    assert!(read("index.html").contains("href=\"goes.html\""));

    // Somebody's own files stay, also where the copy had some of its own.
    std::fs::write(copy.join("notes.txt"), "mine").expect("written");
    std::fs::write(host.join("mine.html"), "mine").expect("written");
    let long_ago = SystemTime::UNIX_EPOCH;
    let stays = std::fs::File::options()
        .write(true)
        .open(host.join("stays.html"))
        .expect("a file");
    stays.set_modified(long_ago).expect("a time");
    drop(stays);

    let second = mirror_well(&gleaner, "site", &copy, &[]);
    let counts = ["written", "unchanged", "removed"].map(|name| second[name].as_u64().expect("a number"));
    assert_eq!(counts, [2, 2, 1], "{second}");
    assert!(read("changes.html").contains("it is so now"));
    assert!(!host.join("goes.html").exists());
    let goes = format!("href=\"{}\"", server.url("/goes"));
    assert!(
        read("index.html").contains(&goes),
        "what is gone is left to the web"
    );
    assert_eq!(
        std::fs::metadata(host.join("stays.html"))
            .and_then(|of| of.modified())
            .expect("a time"),
        long_ago
    );
    assert_eq!(read("mine.html"), "mine");
    assert_eq!(
        std::fs::read_to_string(copy.join("notes.txt")).expect("a file"),
        "mine"
    );

    // And back again, which a fresh copy confirms.
    mirror_well(&gleaner, "site", &copy, &["--run", "1"]);
    let fresh = folder.path().join("fresh");
    mirror_well(&gleaner, "site", &fresh, &["--run", "1"]);
    let mut back = contents(&copy);
    back.retain(|name, _| !name.ends_with("mine.html") && name != "notes.txt");
    assert_eq!(back, contents(&fresh));
}

#[test]
fn a_copy_can_be_of_a_folder_of_the_site() {
    let (gleaner, server) = (Gleaner::new(), site::start());
    crawl_well(&gleaner, &server.url("/"), &["--types", "all"]);
    let folder = tempfile::tempdir().expect("a folder");
    let done = mirror_well(&gleaner, &server.url("/docs/"), folder.path(), &[]);
    assert_eq!(done["below"], server.url("/docs/"));
    let files = files_in(folder.path());
    assert_eq!(files.len(), 5, "{files:?}");
    let deep = files
        .iter()
        .find(|name| name.ends_with("docs/deep/x.html"))
        .expect("the page");
    let deep = std::fs::read_to_string(folder.path().join(deep)).expect("a file");
    assert!(deep.contains("href=\"../index.html\""), "{deep}");
    assert!(
        deep.contains(&format!("href='{}'", server.url("/latin"))),
        "{deep}"
    );
}

#[test]
fn folders_of_others_are_refused_in_one_sentence() {
    let (gleaner, server) = changed_site();
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("thesis.tex"), "years of work").expect("written");
    let refused = mirror(&gleaner, "site", folder.path(), &[]);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("no mirror wrote"), "{refused}");
    assert_eq!(files_in(folder.path()), ["thesis.tex"]);

    let copy = folder.path().join("copy");
    mirror_well(&gleaner, "site", &copy, &[]);
    crawl_well(
        &gleaner,
        &server.url("/stays"),
        &["--name", "other", "--scope", "list"],
    );
    let refused = mirror(&gleaner, "other", &copy, &[]);
    refused.expect_code(&[3]);
    assert!(refused.stderr.contains("a copy of site"), "{refused}");
    let replaced = mirror_well(&gleaner, "other", &copy, &["--replace"]);
    assert_eq!(replaced["removed"], 2, "{replaced}");

    for (arguments, code, says) in [
        (vec!["mirror", "site", "x", "--run", "99"], 3, "99"),
        (
            vec!["mirror", "other", "x", "--run", "1"],
            3,
            "run 1 belongs to site",
        ),
        (vec!["mirror", "nosuch", "x"], 2, "neither a URL nor a project"),
        (vec!["mirror", "site"], 2, "FOLDER"),
    ] {
        let refused = gleaner.run(&arguments);
        refused.expect_code(&[code]);
        assert!(refused.stderr.contains(says), "{refused}");
    }
    assert!(!Path::new("x").exists());
}

#[test]
fn a_copy_that_was_killed_is_made_good() {
    if let Err(why) = crash::available() {
        gleaner_fixtures::skip(format!("{why:#}"));
        return;
    }
    let (gleaner, _server) = changed_site();
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    mirror_well(&gleaner, "site", &whole, &[]);
    let wanted = contents(&whole);

    let at = |name: &str| folder.path().join(name).display().to_string();
    let trial = at("trial");
    mirror_well(&gleaner, "site", Path::new(&trial), &["--run", "1"]);
    let command = |copy: &str| gleaner.command(&["mirror", "site", copy]);
    let calls = ["write", "rename", "unlink", "mkdir"];
    let points = crash::points(&command(&trial), &calls).expect("counted");
    assert!(points.len() > 8, "{points:?}");
    let mut killed = 0;
    for (nth, point) in crash::sample(&points, 12, 7).iter().enumerate() {
        let copy = at(&format!("copy {nth}"));
        mirror_well(&gleaner, "site", Path::new(&copy), &["--run", "1"]);
        let before = contents(Path::new(&copy));
        let ended = crash::kill_at(&command(&copy), point).expect("traced");
        killed += usize::from(ended.was_killed());
        // Every file is what it was or what it will be, never a part.
        for (name, content) in contents(Path::new(&copy)) {
            let is_whole = [&before, &wanted]
                .iter()
                .any(|files| files.get(&name) == Some(&content));
            assert!(
                is_whole || name.starts_with(".gleaner-mirror"),
                "{point:?}: {name}"
            );
        }
        mirror_well(&gleaner, "site", Path::new(&copy), &[]);
        assert_eq!(contents(Path::new(&copy)), wanted, "{point:?}");
    }
    assert!(killed > 6, "{killed} of the points were met");
}
