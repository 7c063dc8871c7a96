//! web-platform-tests and other people's cases of resolving links.
//!
//! An expected result is compared after our rules were applied to it as well, so a difference in host, path or query
//! shows, while the documented canonical differences (fragment, credentials, escapes) do not. docs/urls.md lists the
//! deviations for users; `DEVIATIONS` is that list.

use gleaner_model::{Url, UrlError};
use serde_json::Value;

use crate::corpora;

/// Inputs that browsers and we read differently, each group with its reason.
const DEVIATIONS: &[(&str, &[&str])] = &[
    (
        // WHATWG has lately begun to take any ASCII host unseen. Such a name means nothing, and the libraries that
        // connect for us refuse it: one rule for all of them (HC037).
        "punycode that means nothing is refused",
        &[
            "http://a.b.c.xn--pokxncvks",
            "http://10.0.0.xn--pokxncvks",
            "http://a.b.c.XN--pokxncvks",
            "http://a.b.c.Xn--pokxncvks",
            "http://10.0.0.XN--pokxncvks",
            "http://10.0.0.xN--pokxncvks",
            "file://xn--/p",
            "https://xn--/",
        ],
    ),
    (
        // DNS has no way to ask for them, and escaped dots would smuggle them in (HC035).
        "empty labels are refused",
        &["http://./", "http://../", "http://foo.09.."],
    ),
];

const OURS: [&str; 4] = ["http:", "https:", "ftp:", "file:"];

fn read(base: Option<&Url>, input: &str) -> Result<Url, UrlError> {
    match base {
        Some(base) => base.join(input),
        None => Url::parse(input),
    }
}

#[test]
fn urltestdata() {
    let Some(entries) = corpora::entries("wpt-url/urltestdata.json") else {
        return;
    };
    let (mut passed, mut total, mut foreign) = (0, 0, 0);
    let mut deviating: Vec<&str> = Vec::new();
    let mut wrong = Vec::new();
    for entry in &entries {
        let input = entry["input"].as_str().unwrap();
        let base = entry["base"].as_str().and_then(|base| Url::parse(base).ok());
        let has_foreign_base = base.is_none() && !entry["base"].is_null();
        let outcome = read(base.as_ref(), input);
        let is_right = if entry["failure"] == Value::Bool(true) {
            // Another scheme, or a page that is not ours: the failure is not about our URLs.
            if matches!(outcome, Err(UrlError::Scheme { .. })) || has_foreign_base {
                foreign += 1;
                continue;
            }
            outcome.is_err()
        } else {
            if !OURS.contains(&entry["protocol"].as_str().unwrap()) {
                foreign += 1;
                assert!(
                    outcome.is_err() || has_foreign_base,
                    "a scheme that is not ours was taken: {input:?}"
                );
                continue;
            }
            outcome.is_ok() && outcome == Url::parse(entry["href"].as_str().unwrap())
        };
        total += 1;
        if is_right {
            passed += 1;
        } else if DEVIATIONS.iter().any(|(_, inputs)| inputs.contains(&input)) {
            deviating.push(input);
        } else {
            wrong.push(format!(
                "{input:?} on {:?}: {outcome:?}, expected {:?}",
                entry["base"], entry["href"]
            ));
        }
    }
    let listed = deviating.len();
    println!(
        "wpt-url/urltestdata: {passed}/{total}, {listed} listed deviations, {foreign} of other schemes left out"
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (reason, inputs) in DEVIATIONS {
        for input in *inputs {
            assert!(
                deviating.contains(input),
                "no longer a deviation ({reason}): {input}"
            );
        }
    }
}

/// A query is written in the encoding of its page; what the encoding lacks becomes a character reference.
#[test]
fn percent_encoding() {
    let Some(entries) = corpora::entries("wpt-url/percent-encoding.json") else {
        return;
    };
    let base = Url::parse("http://page.test/").unwrap();
    let (mut passed, mut total) = (0, 0);
    let mut wrong = Vec::new();
    for entry in &entries {
        let input = entry["input"].as_str().unwrap();
        for (label, expected) in entry["output"].as_object().unwrap() {
            // A stateful encoding: browsers write the shift sequences of the whole query, and the cases here are
            // about those. No page of this century needs it.
            if label == "iso-2022-jp" {
                continue;
            }
            let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
            let encode = |character: char| {
                let text = character.to_string();
                let (bytes, _, is_lossy) = encoding.encode(&text);
                (!is_lossy).then(|| bytes.into_owned())
            };
            total += 1;
            let found = base.join_encoded(&format!("/?{input}"), &encode).unwrap();
            let expected = Url::parse(&format!("http://page.test/?{}", expected.as_str().unwrap())).unwrap();
            if found == expected {
                passed += 1;
            } else {
                wrong.push(format!("{input:?} in {label}: {found}, expected {expected}"));
            }
        }
    }
    println!("wpt-url/percent-encoding: {passed}/{total} (iso-2022-jp left out)");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn crawler_commons_resolve() {
    let Some(text) = corpora::text("url-canon/crawler-commons-url-resolve.csv") else {
        return;
    };
    let (mut passed, mut total) = (0, 0);
    for line in text
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
    {
        let fields: Vec<&str> = line
            .split(", ")
            .map(|field| field.trim().trim_matches('"'))
            .collect();
        let [input, base, expected] = fields[..] else {
            panic!("not three fields: {line}")
        };
        let base = Url::parse(base).ok();
        total += 1;
        assert_eq!(read(base.as_ref(), input), Url::parse(expected), "{line}");
        passed += 1;
    }
    println!("crawler-commons-url-resolve: {passed}/{total}");
}

#[test]
fn dot_segments() {
    let Some(cases) = corpora::json("url-canon/urlcanon-path_dots.json") else {
        return;
    };
    let cases = cases["special"].as_object().unwrap();
    let mut wrong = Vec::new();
    for (input, expected) in cases {
        let found = Url::parse(&format!("http://x.test{input}"));
        // Compared with the peer's own result: its path may hold what we would spell otherwise.
        if found != Url::parse(&format!("http://x.test{}", expected.as_str().unwrap())) {
            wrong.push(format!("{input}: {found:?}, expected {expected}"));
        }
    }
    println!(
        "urlcanon-path_dots (special): {}/{}",
        cases.len() - wrong.len(),
        cases.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// All strings of all URL corpora, as URLs and as links: canonicalising twice is canonicalising once (HC038).
#[test]
fn canonical_is_a_fixed_point_on_all_corpora() {
    fn strings(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::String(text) => into.push(text.clone()),
            Value::Array(list) => list.iter().for_each(|value| strings(value, into)),
            Value::Object(map) => map.iter().for_each(|(key, value)| {
                into.push(key.clone());
                strings(value, into);
            }),
            _ => {}
        }
    }
    let base = Url::parse("http://page.test/a/b?c").unwrap();
    let (mut urls, mut texts) = (0, Vec::new());
    for file in [
        "wpt-url/urltestdata.json",
        "wpt-url/setters_tests.json",
        "wpt-url/toascii.json",
        "wpt-url/IdnaTestV2.json",
        "url-canon/pairs.json",
        "url-canon/urlcanon-surt.json",
        "url-canon/urlcanon-path_dots.json",
        "session-ids/cases.json",
    ] {
        let Some(value) = corpora::json(file) else { return };
        strings(&value, &mut texts);
    }
    for text in &texts {
        let links = [
            Url::parse(text),
            base.join(text),
            base.join(&format!("//{text}/")),
            base.join(&format!("/{text}")),
        ];
        for url in links.into_iter().flatten() {
            urls += 1;
            assert_eq!(Url::parse(url.as_str()), Ok(url.clone()), "{text:?}");
            assert_eq!(base.join(url.as_str()), Ok(url), "{text:?}");
        }
    }
    println!("fixed point: {urls} URLs of {} strings", texts.len());
}
