//! A news server whose articles are cancelled, expire and answer each other (HC107).

use super::relay::Relay;
use super::{Server, Told, expect_states, expect_transfers, run};
use gleaner_testkit::Gleaner;
use gleaner_testkit::servers::InnServer;
use std::collections::{BTreeMap, BTreeSet};

struct News(InnServer);

impl Server for News {
    fn url(&self) -> String {
        self.0.url("/local.test/")
    }

    fn transfers(&mut self) -> Option<BTreeSet<String>> {
        None
    }
}

fn start() -> Option<News> {
    match InnServer::start(&["local.test"]) {
        Ok(server) => Some(News(server)),
        Err(why) => {
            gleaner_fixtures::skip(format!("{why:#}"));
            None
        }
    }
}

/// Some time ago, as the date of an article.
fn days_ago(days: i64) -> String {
    let output = std::process::Command::new("date")
        .args(["--rfc-email", "--utc", "--date", &format!("{days} days ago")])
        .output()
        .expect("date");
    String::from_utf8(output.stdout)
        .expect("a date")
        .trim()
        .to_owned()
}

fn post(server: &News, number: u32, days: i64, more: &str) {
    let date = days_ago(days);
    let article = format!(
        "From: ann@example.test\nNewsgroups: local.test\nSubject: number {number}\nDate: {date}\n\
         Message-ID: <{number}@example.test>\n{more}\nThe text of article number {number}.\n"
    );
    server.0.post(&article).expect("posted");
}

fn told_of<'a>(told: &'a Told, name: &str) -> (&'a str, &'a str) {
    let text = |map: &'a std::collections::BTreeMap<String, String>| map.get(name).map_or("", String::as_str);
    (text(&told.states), text(&told.reasons))
}

#[test]
fn hc107_an_article_that_expired_is_kept_and_one_that_was_cancelled_is_gone() {
    let Some(server) = start() else { return };
    for number in 1..=3 {
        post(&server, number, 30, "");
    }
    for number in 4..=6 {
        post(&server, number, 2, "");
    }
    let gleaner = Gleaner::new();
    let told = run(&gleaner, &server, &["crawl", &server.url(), "--name", "news"]);
    assert_eq!(told.states.values().filter(|state| *state == "NEW").count(), 6);

    server.0.cancel("<2@example.test>").expect("cancelled");
    let told = run(&gleaner, &server, &["track", "news"]);
    assert_eq!(told_of(&told, "2"), ("MIS", "not-listed"));

    server.0.expire().expect("expired");
    server.0.cancel("<5@example.test>").expect("cancelled");
    for cancelled in [("MIS", "not-listed"), ("", "")] {
        let told = run(&gleaner, &server, &["track", "news"]);
        for old in ["1", "3"] {
            assert_eq!(told_of(&told, old), ("SAM", "expired"), "{old}");
        }
        for young in ["4", "6"] {
            assert_eq!(told_of(&told, young), ("SAM", ""), "{young}");
        }
        assert_eq!(told.fetched, 0);
        assert_eq!(told_of(&told, "5"), cancelled, "told once");
    }
    let kept = gleaner.run(&["cat", &server.0.url("/local.test/1")]);
    kept.expect_code(&[0]);
    assert!(kept.stdout.contains("article number 1"), "{kept}");

    // Who wants to know what the server has asks for it.
    let gone = ["track", "news", "--option", "nntp.expired=gone"];
    let told = run(&gleaner, &server, &gone);
    for old in ["1", "3"] {
        assert_eq!(told_of(&told, old), ("MIS", "not-listed"), "{old}");
    }
    gleaner.run(&["verify"]).expect_code(&[0]);
}

/// A server of two thousand articles, with somebody in between who counts which are asked for.
struct Counted {
    server: InnServer,
    relay: Relay,
}

impl Server for Counted {
    fn url(&self) -> String {
        format!("nntp://{}/local.test/", self.relay.address)
    }

    fn transfers(&mut self) -> Option<BTreeSet<String>> {
        Some(self.relay.take_asked("ARTICLE ").into_iter().collect())
    }
}

const ARTICLES: u32 = 2000;

fn articles(numbers: std::ops::Range<u32>) -> Vec<String> {
    let date = days_ago(3);
    let article = |number| {
        format!(
            "From: ann@example.test\nNewsgroups: local.test\nSubject: number {number}\nDate: {date}\n\
             Message-ID: <{number}@example.test>\n\nThe text of article number {number}, {}.\n",
            number * 7919
        )
    };
    numbers.map(article).collect()
}

/// Articles neither change nor get other names: some come and some are taken back.
#[test]
fn b2_inn_is_tracked_by_its_overviews() {
    let Some(News(server)) = start() else { return };
    let all = articles(1..ARTICLES + 1);
    server.post_all(all.iter().map(String::as_str)).expect("posted");
    let relay = Relay::to(server.address(), 0);
    let mut server = Counted { server, relay };
    let gleaner = Gleaner::new();
    let told = run(&gleaner, &server, &["crawl", &server.url(), "--name", "news"]);
    assert_eq!(told.count("NEW"), ARTICLES as usize);
    assert_eq!(server.transfers().expect("a count").len(), ARTICLES as usize);

    let told = run(&gleaner, &server, &["track", "news"]);
    assert_eq!(told.count("SAM"), ARTICLES as usize);
    expect_transfers(&mut server, &told, &BTreeSet::new(), "nothing changed");

    let mut truth: BTreeMap<String, &'static str> =
        (1..=ARTICLES).map(|number| (number.to_string(), "SAM")).collect();
    for number in 500..520 {
        server
            .server
            .cancel(&format!("<{number}@example.test>"))
            .expect("cancelled");
        truth.insert(number.to_string(), "MIS");
    }
    let fresh = articles(ARTICLES + 1..ARTICLES + 21);
    server
        .server
        .post_all(fresh.iter().map(String::as_str))
        .expect("posted");
    let new: BTreeSet<String> = (ARTICLES + 1..ARTICLES + 21)
        .map(|number| number.to_string())
        .collect();
    truth.extend(new.iter().map(|number| (number.clone(), "NEW")));
    let told = run(&gleaner, &server, &["track", "news"]);
    expect_states(&told, &truth, "after the changes");
    expect_transfers(&mut server, &told, &new, "after the changes");

    let told = run(&gleaner, &server, &["track", "news"]);
    expect_transfers(&mut server, &told, &BTreeSet::new(), "told once");
    gleaner.run(&["verify"]).expect_code(&[0]);
    crate::crash::assert_archive(&gleaner.data(), "a news server");
}

#[test]
fn a8_what_an_article_answers_is_linked_both_ways() {
    let Some(server) = start() else { return };
    post(&server, 1, 3, "");
    post(&server, 2, 2, "References: <1@example.test>\n");
    let both = "References: <lost@example.test>\n <1@example.test>\n\t<2@example.test>\nIn-Reply-To: <2@example.test>\n";
    post(&server, 3, 1, both);
    let gleaner = Gleaner::new();
    run(&gleaner, &server, &["crawl", &server.url(), "--name", "news"]);
    let url = |number: u32| server.0.url(&format!("/local.test/{number}"));
    let links = |number: u32, way: &str| -> Vec<String> {
        let told = gleaner.run(&["links", &url(number), way, "--json"]);
        told.expect_code(&[0]);
        let lines = told.json_lines();
        let mut urls: Vec<String> = (lines.iter())
            .map(|line| line["url"].as_str().expect("a URL").to_owned())
            .filter(|url| !url.ends_with('/'))
            .collect();
        urls.sort_unstable();
        urls
    };
    assert_eq!(links(1, "--out"), [""; 0]);
    assert_eq!(links(2, "--out"), [url(1)]);
    assert_eq!(links(3, "--out"), [url(1), url(2)]);
    assert_eq!(links(1, "--in"), [url(2), url(3)]);
    assert_eq!(links(2, "--in"), [url(3)]);
    // Nothing is asked for because it is linked, and nothing is found twice.
    let told = run(&gleaner, &server, &["track", "news"]);
    assert_eq!(told.fetched, 0);
    assert_eq!(told.states.len(), 3);
}
