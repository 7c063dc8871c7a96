//! Concepts, key phrases and tags of what was collected (F4).

use crate::crawled::{crawl_well, links};
use gleaner_testkit::Gleaner;
use gleaner_testkit::hostile::{HostileServer, page};
use serde_json::Value;

const TOPICS: [&str; 3] = [
    "The solar panel on the roof of the town hall gives more power than anybody had expected in the first winter.",
    "Whoever buys a solar panel for a small house should ask how much power it gives in winter before paying for it.",
    "On a cloudy day in winter the power of a solar panel falls to a tenth, says the engineer who built the station.",
];

fn site() -> HostileServer {
    let server = HostileServer::start();
    server.route("/", page(links(["/0", "/1", "/2"]) + "<title>Start</title>"));
    for (at, text) in TOPICS.iter().enumerate() {
        let html = format!(
            "<html><title>Story {at}</title><body><nav><a href=/>Home</a></nav><main><h1>Story {at}</h1><p>{text}</p></main></body></html>"
        );
        server.route(&format!("/{at}"), page(html));
    }
    server
}

fn rows(gleaner: &Gleaner, arguments: &[&str]) -> Vec<Value> {
    let finished = gleaner.run(arguments);
    finished.expect_code(&[0]);
    finished.json_lines()
}

#[test]
fn f4_words_that_stand_together_are_told_with_their_passages() {
    let server = site();
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--name", "sun"]);

    let found = rows(&gleaner, &["concepts", "sun", "--about", "panels", "--json"]);
    let pair = found
        .iter()
        .find(|row| row["tokens"] == serde_json::json!(["panel", "solar"]))
        .expect("solar panel");
    assert_eq!((&pair["frequency"], &pair["documents"]), (&3.into(), &3.into()));
    assert_eq!(pair["original"], "solar panel");
    let passage = &pair["passages"][0];
    assert!(
        passage["text"]
            .as_str()
            .is_some_and(|text| text.contains("solar panel"))
    );

    let is_maximal: Vec<bool> = rows(&gleaner, &["concepts", "sun", "--json"])
        .iter()
        .map(|row| row["maximal"] == true)
        .collect();
    assert!(
        is_maximal[0] && is_maximal.is_sorted_by(|left, right| left >= right),
        "what is no part of another comes first"
    );
    let csv = gleaner
        .run(&["concepts", "sun", "--format", "s3-csv", "--top", "2"])
        .stdout;
    assert_eq!(csv.lines().count(), 3, "{csv}");

    let sql = gleaner.run(&["concepts", "sun", "--format", "s3-sql"]).stdout;
    assert!(
        sql.contains("CREATE TABLE Concepts") && sql.contains("'solar panel'"),
        "{sql}"
    );
}

#[test]
fn f4_a_document_has_key_phrases_and_tags() {
    let server = site();
    let gleaner = Gleaner::new();
    crawl_well(&gleaner, &server.url("/"), &["--name", "sun"]);
    let url = server.url("/1");

    let phrases = rows(&gleaner, &["concepts", "sun", "--document", &url, "--json"]);
    assert!(
        phrases.iter().any(|phrase| phrase["stems"] == "solar panel"),
        "{phrases:?}"
    );

    let terms = gleaner.data().with_file_name("terms.txt");
    std::fs::write(&terms, "photovoltaics\tsolar panels\nwind power\n").expect("written");
    let terms = terms.display().to_string();
    let tags = rows(
        &gleaner,
        &[
            "concepts",
            "sun",
            "--vocabulary",
            &terms,
            "--document",
            &url,
            "--json",
        ],
    );
    assert_eq!(tags.len(), 1, "{tags:?}");
    assert_eq!(
        (&tags[0]["term"], &tags[0]["times"]),
        (&"photovoltaics".into(), &1.into())
    );

    // What would be without effect is refused.
    for without in [
        &["--vocabulary", &terms, "--top", "1"][..],
        &["--vocabulary", &terms, "--format", "csv"],
        &["--document", &url, "--format", "csv"],
    ] {
        let refused = gleaner.run(&[&["concepts", "sun"], without].concat());
        refused.expect_code(&[2]);
        assert!(refused.stderr.contains("cannot be used with"), "{refused}");
    }

    let wrong = gleaner.run(&["concepts", "moon"]);
    wrong.expect_code(&[3]);
    assert!(wrong.stderr.contains("no such project"), "{}", wrong.stderr);
}
