//! A repository of a library, harvested and harvested again (A1, B2).

use gleaner_testkit::Gleaner;
use gleaner_testkit::servers::OaiServer;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;

fn record(number: u32, title: &str) -> String {
    let metadata = json!({ "title": [title], "identifier": [format!("http://papers.test/{number}.pdf")] });
    let date = "2020-01-01T00:00:00Z";
    json!({ "identifier": format!("oai:test:{number}/a"), "date": date, "metadata": metadata }).to_string()
}

fn deleted(number: u32) -> String {
    json!({ "identifier": format!("oai:test:{number}/a"), "date": "2020-01-01T00:00:00Z", "deleted": true })
        .to_string()
}

fn lines(records: impl IntoIterator<Item = String>) -> String {
    records.into_iter().fold(String::new(), |mut all, record| {
        let _never_fails = writeln!(all, "{record}");
        all
    })
}

fn start(records: &str) -> Option<OaiServer> {
    OaiServer::start(records, 10).map(|server| server.expect("the repository starts"))
}

/// States by number of record.
fn states(gleaner: &Gleaner, arguments: &[&str]) -> BTreeMap<u32, String> {
    let mut all = arguments.to_vec();
    all.extend([
        "--delay",
        "0",
        "--option",
        "oai.delay=0",
        "--allow-private",
        "--json",
    ]);
    let done = gleaner.run(&all);
    done.expect_code(&[0, 1]);
    assert_eq!(done.json()["status"], "finished", "{done}");
    let report = gleaner.run(&["report", &done.json()["run"].to_string(), "--format", "json"]);
    let number = |url: &str| url.rsplit_once("test%3A")?.1.split_once("%2Fa")?.0.parse().ok();
    report
        .json_lines()
        .iter()
        .filter_map(|line| {
            let state = line["state"].as_str()?.to_owned();
            Some((number(line["url"].as_str()?)?, state))
        })
        .collect()
}

#[test]
fn a1_a_repository_is_harvested_and_only_what_changed_is_told() {
    let first = lines((1..=25).map(|number| record(number, &format!("Paper {number}"))));
    let Some(server) = start(&first) else { return };
    let gleaner = Gleaner::new();
    let told = states(&gleaner, &["crawl", &server.url(), "--name", "papers"]);
    assert_eq!(told.len(), 25);
    assert!(told.values().all(|state| state == "NEW"), "{told:?}");
    // Three pages of a list brought all the records: none was asked for by itself.
    let asked = server.questions();
    assert!(
        asked.len() <= 4 && asked.iter().all(|query| query.contains("verb=ListRecords")),
        "{asked:#?}"
    );

    let text = gleaner.run(&["cat", &format!("{}oai%3Atest%3A7%2Fa", server.url())]);
    assert!(text.stdout.contains("Paper 7"), "{text}");
    let links = gleaner.run(&["links", &format!("{}oai%3Atest%3A7%2Fa", server.url())]);
    assert!(links.stdout.contains("http://papers.test/7.pdf"), "{links}");

    // One changed with its old date, one is deleted, one is no longer there, one is new.
    let second = lines(
        (1..=26)
            .filter(|number| *number != 12)
            .map(|number| match number {
                3 => record(3, "Paper 3, second edition"),
                9 => deleted(9),
                _ => record(number, &format!("Paper {number}")),
            }),
    );
    server.write(&second);
    let told = states(&gleaner, &["track", "papers"]);
    let of = |number: u32| told.get(&number).map_or("SAM", String::as_str);
    assert_eq!((of(3), of(9), of(12), of(26)), ("UPD", "MIS", "MIS", "NEW"));
    let others = told
        .iter()
        .filter(|(number, _)| ![3, 9, 12, 26].contains(*number));
    assert!(others.clone().all(|(_, state)| state == "SAM"), "{told:?}");
}

#[test]
fn a1_what_is_no_repository_is_told_as_that_and_takes_nothing_back() {
    let Some(server) = start(&lines((1..=3).map(|number| record(number, "Paper")))) else {
        return;
    };
    let gleaner = Gleaner::new();
    let told = states(&gleaner, &["crawl", &server.url(), "--name", "papers"]);
    assert_eq!(told.len(), 3);
    // The form of metadata is one that it does not have: an error of the repository, and nothing is gone.
    let told = states(&gleaner, &["track", "papers", "--option", "oai.prefix=marcxml"]);
    assert!(told.values().all(|state| state == "ERR"), "{told:?}");
    let wrong = gleaner.run(&[
        "crawl",
        &server.url().replace("/oai/", "/other/"),
        "--delay",
        "0",
        "--json",
    ]);
    let report = gleaner.run(&["report", &wrong.json()["run"].to_string(), "--format", "json"]);
    assert!(report.stdout.contains("http-404"), "{report}");
}
