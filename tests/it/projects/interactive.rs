//! `gleaner project new URL --interactive`: what the site offers, a few questions, and a project that does it.

use super::commands::Desk;
use super::forum::{Forum, PASSWORD};
use gleaner_testkit::hostile::{HostileServer, page, text};
use gleaner_testkit::program::Finished;

fn asked(desk: &Desk, url: &str, lines: &str) -> Finished {
    desk.answer(
        &["project", "new", url, "--interactive", "--allow-private"],
        &[],
        lines,
    )
}

#[test]
fn d2_the_site_is_shown_and_the_answers_become_a_project() {
    let server = HostileServer::start();
    server.route(
        "/robots.txt",
        text("User-agent: *\nDisallow: /secret/\nSitemap: /map.xml\n"),
    );
    server.route(
        "/docs/",
        page(
            "<title>The manual</title><link rel=alternate type='application/atom+xml' href=/feed>\
             <a href=one.html>one</a> <a href=/about>about</a>\
             <form action=/find><input name=q aria-label='Search words'></form>",
        ),
    );
    server.route("/docs/one.html", page("<p>one"));
    server.route("/about", page("<p>about"));
    let desk = Desk::new();
    // Name: as proposed; 2: below the folder; no login; ten pages; an address.
    let made = asked(&desk, &server.url("/docs/"), "manual\n2\n\n10\nme@site.example\n");
    made.expect_code(&[0]);
    for offered in [
        "The manual",
        "allows this page",
        "/map.xml",
        "/feed",
        "(q)",
        "2 within the site, 1 of them below /docs/",
    ] {
        assert!(made.stderr.contains(offered), "{offered:?} is missing: {made}");
    }
    let file = desk.read("manual.toml");
    for line in ["scope = \"subtree\"", "pages = 10", "mailto:me@site.example"] {
        assert!(file.contains(line), "{line:?} is missing: {file}");
    }
    desk.well(&["project", "check", "manual.toml"]);
    let ran = desk.well(&["project", "run", "manual.toml", "--delay", "0", "--json"]);
    assert_eq!(ran.json()["new"], 2, "{ran}");
}

#[test]
fn d2_a_login_and_a_search_are_asked_for() {
    let Some(forum) = Forum::start(1_000_000, "form") else {
        return gleaner_fixtures::skip("no PHP");
    };
    let desk = Desk::new();
    // The first page of the forum is its login.
    let lines = "board\n1\ny\n\nreader\nenv:FORUM_PASSWORD\nLog out\n\n\n";
    let made = asked(&desk, &forum.url("index.php"), lines);
    made.expect_code(&[0]);
    assert!(made.stderr.contains("a login"), "{made}");
    let file = desk.read("board.toml");
    assert!(
        file.contains("[login]") && file.contains("env:FORUM_PASSWORD"),
        "{file}"
    );
    desk.well(&["project", "check", "board.toml"]);
    let words = [
        "project",
        "try",
        "board.toml",
        "--delay",
        "0",
        "--max",
        "8",
        "--json",
    ];
    let tried = desk.run_with(&words, &[PASSWORD]);
    assert_eq!(tried.json()["collected"].as_array().unwrap().len(), 8, "{tried}");
}

#[test]
fn d2_answers_that_make_no_sense_are_asked_again_and_nothing_is_half_written() {
    let server = HostileServer::start();
    server.route("/", page("<title>Start</title>"));
    let desk = Desk::new();
    let broken_off = asked(&desk, &server.url("/"), "two words\n");
    broken_off.expect_code(&[3]);
    assert!(broken_off.stderr.contains("nothing was written"), "{broken_off}");
    let files = std::fs::read_dir(desk.path()).unwrap().flatten();
    let written = files.filter(|file| file.file_name().to_string_lossy().ends_with(".toml"));
    assert_eq!(written.count(), 0);
    let mended = asked(
        &desk,
        &server.url("/"),
        "two words\nboard\n7\n1\nmaybe\nn\nmany\n\n\n",
    );
    mended.expect_code(&[0]);
    for told in [
        "cannot contain a space",
        "from 1 to 3",
        "y or n",
        "a number is needed",
    ] {
        assert!(mended.stderr.contains(told), "{told:?} is missing: {mended}");
    }
    desk.badly(&["project", "new", "board"], 2, &["an address is needed"]);
}
