//! URLs of other crawlers' tests, each with the URL it equals once its session id is gone.
//!
//! Single URLs: no second session can be asked, so this measures only the fallback by name and look.

use std::path::Path;

use gleaner_judge::identity::without_known_names;
use gleaner_model::Url;

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

#[test]
fn session_id_corpus() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora/session-ids/cases.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("skipped: no corpora");
        return;
    };
    let cases: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let mut passed = 0;
    let mut kept_wrongly_dropped = 0;
    for case in &cases {
        let (url, same_as) = (case["url"].as_str().unwrap(), case["same_as"].as_str().unwrap());
        let canonical = |text: &str| {
            let url = without_known_names(&Url::parse(text).unwrap());
            url.as_str().trim_end_matches(['&', '?']).replace("?&", "?")
        };
        let is_passed = canonical(url) == canonical(same_as)
            && (url != same_as || canonical(url) == Url::parse(url).unwrap().as_str());
        passed += usize::from(is_passed);
        kept_wrongly_dropped += usize::from(url == same_as && !is_passed);
        if !is_passed {
            let why = REFUSED
                .iter()
                .find(|(part, _)| url.contains(part))
                .map_or("UNEXPLAINED", |(_, why)| why);
            println!("  not passed: {url}\n    {why}");
            assert_ne!(why, "UNEXPLAINED");
        }
    }
    println!("session-ids {passed}/{}", cases.len());
    assert_eq!(kept_wrongly_dropped, 0, "what is no session id must stay");
    assert!(passed + REFUSED.len() >= cases.len());
}
