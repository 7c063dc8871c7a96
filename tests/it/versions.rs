//! A document's history as people read it: versions, content by version, diffs, and history judged anew.

use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page, text};
use gleaner_testkit::program::Finished;
use serde_json::Value;
use std::fmt::Write as _;

const LONG: &str = "This is a paragraph that is long enough to be taken for the main text of the page by everybody who reads it.";

/// A shop's page with a price, a paragraph and a menu.
fn shop(price: &str, menu: &str) -> String {
    format!(
        "<title>Lamp</title><nav><ul><li>{menu}</li></ul></nav><main><h1>Lamp</h1><p>{LONG}</p>\
         <p>The lamp costs {price} today, and it is worth every penny of it, say all who have bought one.</p></main>"
    )
}

/// A site whose page had these bodies, one crawl each.
fn crawled(bodies: &[String]) -> (Gleaner, HostileServer) {
    crawled_under(bodies, "main,learned")
}

fn crawled_under(bodies: &[String], equality: &str) -> (Gleaner, HostileServer) {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    for body in bodies {
        server.route("/", page(body));
        let flags = ["--name", "shop", "--equality", equality];
        crawl_well(&gleaner, &server.url("/"), &flags);
    }
    (gleaner, server)
}

fn done(gleaner: &Gleaner, arguments: &[&str]) -> Finished {
    let finished = gleaner.run(arguments);
    finished.expect_code(&[0]);
    finished
}

#[test]
fn b7_every_version_is_listed_and_read() {
    let bodies = [
        shop("19.99", "Home"),
        shop("18.99", "Home"),
        shop("18.99", "Start"),
    ];
    let (gleaner, server) = crawled_under(&bodies, "exact");
    let url = server.url("/");
    let lines = done(&gleaner, &["versions", &url, "--json"]).json_lines();
    assert_eq!(lines.len(), 3);
    let states: Vec<&Value> = lines.iter().map(|line| &line["state"]).collect();
    assert_eq!(states, ["NEW", "UPD", "UPD"]);
    for (at, line) in lines.iter().enumerate() {
        assert_eq!(
            (&line["number"], &line["run"]),
            (&(at + 1).into(), &(at + 1).into())
        );
        assert_eq!(
            (&line["type"], &line["title"]),
            (&"text/html".into(), &"Lamp".into())
        );
        assert!(line["fetched_at"].is_string() && line["size"].is_u64() && line["id"].is_i64());
    }
    let listed = done(&gleaner, &["versions", "1"]);
    assert_eq!(listed.stdout.lines().count(), 4, "{listed}");
    assert!(listed.stdout.contains("run 2    UPD"), "{listed}");

    let cat = |more: &[&str]| {
        let mut arguments = vec!["cat", &url];
        arguments.extend(more);
        done(&gleaner, &arguments).stdout
    };
    assert_eq!(cat(&["--version", "1"]), shop("19.99", "Home"));
    assert_eq!(cat(&["--version", "-1"]), shop("18.99", "Start"));
    assert_eq!(cat(&[]), shop("18.99", "Start"));
    assert!(cat(&["--as", "text", "--version", "1"]).contains("Home\nLamp\n"));
    let main = cat(&["--as", "main"]);
    assert!(main.contains("costs 18.99") && !main.contains("Start"), "{main}");
    assert!(cat(&["--as", "markdown-all"]).contains("# Lamp"));

    let wrong = [
        (&["cat", &url, "--version", "0"][..], 2, "version 0"),
        (&["cat", &url, "--version", "9"], 3, "has 3 versions"),
        (&["cat", &url, "--as", "text", "--headers"], 2, "--as raw"),
        (&["versions", "77"], 3, "no such document"),
        (&["diff", &url, "1", "4"], 3, "has 3 versions"),
    ];
    for (arguments, code, words) in wrong {
        let finished = gleaner.run(arguments);
        finished.expect_code(&[code]);
        assert!(finished.stderr.contains(words), "{finished}");
    }
}

#[test]
fn b7_a_diff_says_first_what_a_person_wants_to_know() {
    let (gleaner, server) = crawled(&[shop("19.99", "Home"), shop("18.99", "Start")]);
    let url = server.url("/");
    let sentence = "1 paragraph changed, title same; 1 block ignored.";
    let unified = done(&gleaner, &["diff", &url]).stdout;
    assert_eq!(unified.lines().next(), Some(sentence), "{unified}");
    assert!(
        unified.contains("- The lamp costs 19.99 today") && unified.contains("+ The lamp costs 18.99 today")
    );
    assert!(unified.contains("  19.99 → 18.99 (−1.00)"));
    assert!(
        unified.contains("~ ignored (outside the main text): "),
        "{unified}"
    );
    assert!(!unified.contains('\u{1b}'), "colours are for terminals");
    let words = done(&gleaner, &["diff", &url, "--format", "words"]).stdout;
    assert!(words.contains("costs [-19.99-]{+18.99+} today"), "{words}");
    let beside = done(
        &gleaner,
        &["diff", "1", "--format", "side-by-side", "--width", "60"],
    )
    .stdout;
    assert!(
        beside.lines().all(|line| line.chars().count() <= 140) && beside.contains(" | "),
        "{beside}"
    );
    let json = done(&gleaner, &["diff", &url, "--json"]).json();
    assert_eq!(
        (
            &json["sentence"],
            &json["before"]["number"],
            &json["after"]["number"]
        ),
        (&sentence.into(), &1.into(), &2.into())
    );
    assert_eq!(json["same"], false);
    let all = done(&gleaner, &["diff", &url, "--all"]).stdout;
    assert!(
        all.starts_with("1 paragraph changed, 1 list item changed, title same."),
        "{all}"
    );
    // Backwards, and one alone against the newest.
    assert!(
        done(&gleaner, &["diff", &url, "2", "1"])
            .stdout
            .contains("(+1.00)")
    );
    assert!(done(&gleaner, &["diff", &url, "-2"]).stdout.contains("(−1.00)"));
    let html = done(&gleaner, &["diff", &url, "--format", "html"]).stdout;
    assert!(html.starts_with("<!doctype html>") && html.contains("<del>19.99</del><ins>18.99</ins>"));
    assert!(!html.contains("src=") && !html.contains("@import"));
}

#[test]
fn one_version_is_nothing_to_compare() {
    let (gleaner, server) = crawled(&[shop("1", "Home")]);
    let finished = gleaner.run(&["diff", &server.url("/")]);
    finished.expect_code(&[3]);
    assert!(finished.stderr.contains("only one version"), "{finished}");
}

#[test]
fn b7_a_document_without_text_is_told_by_its_bytes() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    for end in ["one", "other one"] {
        let body = format!("%PDF-1.7\n1 0 obj << >> endobj\n%%EOF {end}");
        server.route("/", text(&body).with_header("content-type", "application/pdf"));
        crawl_well(&gleaner, &server.url("/"), &[]);
    }
    let diff = done(&gleaner, &["diff", &server.url("/")]).stdout;
    let first = diff.lines().next().expect("a line");
    assert!(
        first.starts_with("no text to compare (application/pdf): ") && first.ends_with("the bytes differ."),
        "{diff}"
    );
    assert_eq!(diff.matches("sha256 ").count(), 2);
    for format in ["json", "html", "words", "side-by-side"] {
        assert!(
            done(&gleaner, &["diff", "1", "--format", format])
                .stdout
                .contains("no text to compare")
        );
    }
    let finished = gleaner.run(&["cat", "1", "--as", "text"]);
    finished.expect_code(&[3]);
    assert!(finished.stderr.contains("no text in this document"), "{finished}");
}

#[test]
fn hc085_text_of_a_page_is_never_more_than_text() {
    let trick = |word: &str| {
        format!(
            "<title>&lt;/title&gt;&lt;script&gt;alert({word})&lt;/script&gt;</title><main><p>{LONG}</p>\
             <p>&lt;img src=x onerror=alert(1)&gt; \u{1b}[31mred\u{7} &quot;{word}&quot; and more words here</p></main>"
        )
    };
    let (gleaner, server) = crawled(&[trick("one"), trick("two")]);
    let url = server.url("/");
    let html = done(&gleaner, &["diff", &url, "--format", "html"]).stdout;
    let report = done(&gleaner, &["report", "--format", "html"]).stdout;
    for page in [&html, &report] {
        assert!(
            !page.contains("<img") && !page.contains("<script>alert"),
            "{page}"
        );
        assert!(page.contains("&lt;img src=x"), "{page}");
    }
    for format in ["unified", "words", "side-by-side"] {
        let text = done(&gleaner, &["diff", &url, "--format", format]).stdout;
        assert!(!text.contains('\u{1b}') && !text.contains('\u{7}'), "{text}");
    }
}

#[test]
fn hc087_a_huge_difference_is_bounded() {
    // Two versions of 50 MiB without a common line; two lines of 10 MiB.
    let lines = |word: &str| -> String {
        let mut body = String::with_capacity(51 << 20);
        let mut number = 0;
        while body.len() < 50 << 20 {
            number += 1;
            let _ = writeln!(body, "{word} line {number} of this very long file");
        }
        body
    };
    let line = |word: &str| word.repeat((10 << 20) / word.len());
    for (before, after) in [(lines("one"), lines("two")), (line("one "), line("two "))] {
        let (gleaner, server) = (Gleaner::new(), HostileServer::start());
        for body in [&before, &after] {
            server.route("/", text(body));
            // A server and a crawler that share a busy machine need patience for 50 MiB.
            let patience = ["--name", "big", "--read-timeout", "120", "--fetch-timeout", "240"];
            crawl_well(&gleaner, &server.url("/"), &patience);
        }
        for format in ["words", "html"] {
            let diff = done(&gleaner, &["diff", "1", "--format", format]);
            // Time is bounded by the deadline that every command of a test has; it takes three seconds of one processor.
            assert!(
                diff.stdout.len() < 4 << 20,
                "{format}: {} bytes",
                diff.stdout.len()
            );
            assert!(diff.stdout.contains("to show"), "{format}");
        }
        // The state is right whatever can be shown: a change behind what is read is a change.
        let judged = done(
            &gleaner,
            &["reconsider", "big", "--equality", "main", "--dry-run", "--json"],
        );
        assert_eq!(judged.json()["became_same"], 0, "{judged}");
    }
}

fn states(gleaner: &Gleaner) -> Vec<Vec<String>> {
    gleaner.sqlite("SELECT run, state FROM changes ORDER BY run")
}

#[test]
fn b6_history_is_judged_anew_without_a_request() {
    let bodies = [
        shop("19.99", "Home"),
        shop("19.99", "Start"),
        shop("18.99", "Start"),
        shop("18.99", "Begin"),
    ];
    let (gleaner, server) = crawled_under(&bodies, "exact");
    assert_eq!(
        states(&gleaner),
        [["1", "NEW"], ["2", "UPD"], ["3", "UPD"], ["4", "UPD"]]
    );
    server.forget();
    let tell = done(
        &gleaner,
        &["reconsider", "shop", "--equality", "main", "--dry-run", "--json"],
    );
    assert_eq!(
        (&tell.json()["became_same"], &tell.json()["became_updated"]),
        (&2.into(), &0.into())
    );
    assert_eq!(states(&gleaner)[1][1], "UPD", "a dry run changes nothing");

    let written = done(&gleaner, &["reconsider", "shop", "--equality", "main"]);
    assert!(
        written
            .stdout
            .contains("2 changes became SAM, 0 changes became UPD"),
        "{written}"
    );
    assert_eq!(
        states(&gleaner),
        [["1", "NEW"], ["2", "SAM"], ["3", "UPD"], ["4", "SAM"]]
    );
    let lines = done(&gleaner, &["versions", "1", "--json"]).json_lines();
    let same: Vec<&Value> = lines.iter().map(|line| &line["same_as"]).collect();
    assert_eq!(same, [&Value::Null, &1.into(), &Value::Null, &3.into()]);
    assert_eq!(gleaner.sqlite_number("SELECT count(*) FROM ladders"), 4);
    assert!(done(&gleaner, &["versions", "1"]).stdout.contains("same as 3"));
    // The default pair is now 1 and 3: those that say something of their own.
    let diff = done(&gleaner, &["diff", "1", "--json"]).json();
    assert_eq!(
        (&diff["before"]["number"], &diff["after"]["number"]),
        (&1.into(), &3.into())
    );
    // Twice is once.
    let again = done(&gleaner, &["reconsider", "shop", "--equality", "main", "--json"]).json();
    assert_eq!(
        (&again["became_same"], &again["became_updated"]),
        (&0.into(), &0.into())
    );

    // And back: bytes, then a region, then a pattern.
    let changed = |equality: &str| {
        let summary = done(
            &gleaner,
            &["reconsider", "shop", "--equality", equality, "--json"],
        )
        .json();
        (
            summary["became_same"].as_u64(),
            summary["became_updated"].as_u64(),
        )
    };
    assert_eq!(changed("exact"), (Some(0), Some(2)));
    assert_eq!(changed("region:select=h1"), (Some(3), Some(0)));
    assert_eq!(
        changed("visible,ignore:regex=\"[0-9.]+ today\""),
        (Some(0), Some(2))
    );
    assert_eq!(states(&gleaner)[2][1], "SAM");
    let ignored = done(&gleaner, &["versions", "1", "--json"]).json_lines();
    assert_eq!(ignored[2]["ignored"][0]["why"], "matches the ignore pattern");
    let settings = gleaner.sqlite("SELECT settings FROM projects");
    assert!(settings[0][0].contains("visible,ignore"), "{settings:?}");
    assert_eq!(server.requests().len(), 0, "no request was made");
    done(&gleaner, &["verify"]);
}

#[test]
fn hc086_an_equality_that_makes_no_sense_is_refused() {
    let (gleaner, _server) = crawled(&[shop("1", "Home"), shop("2", "Home")]);
    for (equality, words) in [
        ("sideways", "no equality of this name"),
        ("region", "needs the option: select"),
        ("region:select=p[", "not a CSS selector"),
        ("learned", "needs an equality that decides"),
    ] {
        let finished = gleaner.run(&["reconsider", "shop", "--equality", equality]);
        finished.expect_code(&[2]);
        assert!(finished.stderr.contains(words), "{finished}");
    }
    let finished = gleaner.run(&["reconsider", "nobody", "--equality", "main"]);
    finished.expect_code(&[3]);
    assert!(
        finished.stderr.contains("no such project") && finished.stderr.contains(": nobody"),
        "{finished}"
    );
    // A selector that matches nothing is said, and nothing is called the same for it.
    done(
        &gleaner,
        &["reconsider", "shop", "--equality", "region:select=.price"],
    );
    assert_eq!(states(&gleaner)[1][1], "UPD");
    let diff = done(&gleaner, &["diff", "1"]).stdout;
    assert!(
        diff.contains("! the selector matches nothing in either version: .price"),
        "{diff}"
    );
}

#[test]
fn b6_a_killed_reconsideration_is_finished_by_the_next() {
    let (gleaner, server) = (Gleaner::new(), HostileServer::start());
    let pages = 40;
    for menu in ["Home", "Start"] {
        server.route("/", page(links((0..pages).map(|n| format!("/{n}")))));
        for number in 0..pages {
            server.route(&format!("/{number}"), page(shop(&number.to_string(), menu)));
        }
        crawl_well(&gleaner, &server.url("/"), &["--name", "shop"]);
    }
    let judged = || gleaner.sqlite_number("SELECT count(*) FROM ladders");
    for _ in 0..5 {
        let so_far = judged();
        let mut running = gleaner.spawn(&["reconsider", "shop", "--equality", "main"]);
        while judged() == so_far && !running.has_ended() {}
        running.kill9();
    }
    done(&gleaner, &["reconsider", "shop", "--equality", "main"]);
    let same = "SELECT count(*) FROM changes WHERE run = 2 AND state = 'SAM'";
    assert_eq!(gleaner.sqlite_number(same), i64::from(pages) + 1);
    done(&gleaner, &["verify"]);
}

#[test]
fn find_sid_reads_lists_of_links() {
    let folder = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../crates/judge/src/identity/fixtures"
    );
    let gleaner = Gleaner::new();
    let one = format!("{folder}/seed-one-list.txt");
    for arguments in [
        &["find-sid", &one, "--json"][..],
        &["find-sid", "--length", "19", &one, "--json"],
    ] {
        let found = done(&gleaner, arguments).json();
        assert_eq!(
            (&found["sid"], &found["length"]),
            (&"002-9355727-0611208".into(), &19.into())
        );
        assert_eq!(found["candidates"][0]["count"], 14);
        assert!(found.get("slot").is_some());
    }
    let told = done(&gleaner, &["find-sid", &one]).stdout;
    assert!(
        told.starts_with("002-9355727-0611208  (19 characters, in 14 of 17 links"),
        "{told}"
    );
    let (first, second) = (
        format!("{folder}/seed-session-one.txt"),
        format!("{folder}/seed-session-two.txt"),
    );
    let found = done(&gleaner, &["find-sid", &first, &second, "--json"]).json();
    assert_eq!(found["sid"], "002-9355727-0611208");
    let none = tempfile::NamedTempFile::new().expect("a file");
    assert_eq!(
        done(&gleaner, &["find-sid", &none.path().to_string_lossy()]).stdout,
        "no session ID was found\n"
    );
    let missing = gleaner.run(&["find-sid", "/nowhere/at/all"]);
    missing.expect_code(&[3]);
    assert!(
        missing.stderr.contains("cannot be read: /nowhere/at/all"),
        "{missing}"
    );
}
