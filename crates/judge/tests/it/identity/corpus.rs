//! URLs of other crawlers' tests, each with the URL it equals once its session id is gone.
//!
//! Single URLs: no second session can be asked, so this measures only the fallback by name and look.

use gleaner_judge::identity::without_known_names;
use gleaner_model::Url;

use super::rivals::{Lists, seed};
use gleaner_fixtures::keep_scores;

/// Cases that are not passed on purpose, and why.
const REFUSED: [(&str, &str); 2] = [
    (
        "sid=xyz",
        "`sid` with a short value is a story as often as a session; only a probe may tell",
    ),
    (
        "something/;jsessionid",
        "the id goes, but `/something/` and `/something` stay two addresses",
    ),
];

/// How many cases a method passes, and how many URLs without an id it changes.
#[derive(Default)]
struct Score {
    passed: usize,
    harmed: usize,
}

impl Score {
    fn add(&mut self, is_passed: bool, has_id: bool) {
        self.passed += usize::from(is_passed);
        self.harmed += usize::from(!is_passed && !has_id);
    }

    fn line(&self, name: &str, cases: usize) -> String {
        format!(
            "{name:<44} {:3} of {cases} right  {} harmed that carry no id",
            self.passed, self.harmed
        )
    }
}

/// What is left of a URL when its id is gone may end in the mark that led to it.
fn trimmed(text: &str) -> String {
    text.trim_end_matches(['&', '?']).replace("?&", "?")
}

#[test]
fn session_id_corpus() {
    let Some(path) = gleaner_fixtures::corpus("session-ids/cases.json") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let lists = Lists::new();
    let canonical = |text: &str| Url::parse(text).unwrap().as_str().to_owned();
    // The seed compares what two links share, and is told the length; each case is all the links there are.
    let by_seed = |text: &str, length: usize| {
        let links = [canonical(text), canonical(text)];
        let id_length = length.max(1);
        trimmed(&seed(&links, id_length, id_length)[0].replace("{sid}", ""))
    };
    let by_lists = |text: &str| trimmed(&lists.identities(&[canonical(text)])[0]);
    let by_us = |text: &str| trimmed(without_known_names(&Url::parse(text).unwrap()).as_str());
    let (mut of_seed, mut of_lists, mut ours) = (Score::default(), Score::default(), Score::default());
    for case in &cases {
        let (url, same_as) = (case["url"].as_str().unwrap(), case["same_as"].as_str().unwrap());
        let has_id = url != same_as;
        let is_right = |of_url: String, of_same: String| {
            of_url == of_same && (has_id || of_url == trimmed(&canonical(url)))
        };
        let length = url.len().saturating_sub(same_as.len());
        of_seed.add(
            is_right(by_seed(url, length), trimmed(&canonical(same_as))),
            has_id,
        );
        of_lists.add(is_right(by_lists(url), by_lists(same_as)), has_id);
        let is_passed = is_right(by_us(url), by_us(same_as));
        ours.add(is_passed, has_id);
        if !is_passed {
            let why = REFUSED
                .iter()
                .find(|(part, _)| url.contains(part))
                .map_or("UNEXPLAINED", |(_, why)| why);
            println!("  not passed: {url}\n    {why}");
            assert_ne!(why, "UNEXPLAINED");
        }
    }
    let lines = [
        "session ids of other crawlers' tests, one URL at a time (bar: 0 harmed; what is not passed is explained)".to_owned(),
        of_seed.line("seed repaired, length given", cases.len()),
        of_lists.line("lists of names", cases.len()),
        ours.line("gleaner, by name and look only", cases.len()),
    ];
    println!("{}", lines.join("\n"));
    keep_scores("session-ids", &lines);
    assert_eq!(ours.harmed, 0, "what is no session id must stay");
    assert!(ours.passed + REFUSED.len() >= cases.len());
}
