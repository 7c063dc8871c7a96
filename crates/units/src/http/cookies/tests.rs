use super::*;
use std::path::PathBuf;

const NOW: Timestamp = Timestamp(1_700_000_000_000);

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn set(values: &[&str]) -> Headers {
    let mut headers = Headers::default();
    for value in values {
        headers.push("Set-Cookie", value.as_bytes());
    }
    headers
}

fn corpus() -> Option<PathBuf> {
    gleaner_fixtures::corpus("http-state-cookies")
}

/// The corpus is of 2017: its cookies "of the future" have expired since.
const CORPUS_NOW: Timestamp = Timestamp(1_502_236_800_000);

/// Cases where ours differs, and why.
const KNOWN: &[(&str, &str)] = &[
    (
        "0028",
        "the expected file repeats the input; by RFC 6265 §5.2 there is no cookie, as found",
    ),
    (
        "disabled-chromium0023",
        "disabled by its authors; CR is a control byte and spoils the cookie (HC069)",
    ),
];

#[test]
fn the_parser_corpus() {
    let Some(folder) = corpus() else { return };
    let mut names: Vec<String> = std::fs::read_dir(folder.join("parser"))
        .unwrap()
        .filter_map(|entry| {
            entry
                .unwrap()
                .file_name()
                .to_str()?
                .strip_suffix("-test")
                .map(str::to_owned)
        })
        .collect();
    names.sort();
    let mut failed = Vec::new();
    for name in &names {
        let read = |kind: &str| {
            let bytes = std::fs::read(folder.join("parser").join(format!("{name}-{kind}"))).unwrap();
            String::from_utf8(bytes.clone())
                .unwrap_or_else(|_| bytes.iter().map(|b| char::from(*b)).collect())
        };
        let mut headers = Headers::default();
        for line in read("test").split('\n') {
            if let Some((field, value)) = line.split_once(':') {
                headers.push(field.trim(), value.as_bytes());
            }
        }
        let from = url(&format!("http://home.example.org:8888/cookie-parser?{name}"));
        let to = match headers.get("location") {
            Some(location) => from.join(location).unwrap(),
            None => url(&format!(
                "http://home.example.org:8888/cookie-parser-result?{name}"
            )),
        };
        let mut jar = Jar::default();
        jar.take(&from, &headers, CORPUS_NOW);
        let found = jar
            .field_for(&to, CORPUS_NOW)
            .map(|field| format!("Cookie: {field}"))
            .unwrap_or_default();
        let expected = read("expected").trim_end_matches(['\r', '\n']).to_owned();
        if found != expected {
            failed.push((name.clone(), read("test"), expected, found));
        }
    }
    println!(
        "cookies/parser: passed {}/{}",
        names.len() - failed.len(),
        names.len()
    );
    for (name, test, expected, found) in &failed {
        let known = KNOWN
            .iter()
            .find(|(case, _)| case == name)
            .map_or("", |(_, why)| why);
        println!("  {name}: {test:?} expected {expected:?} found {found:?} {known}");
    }
    let unexplained: Vec<&String> = failed
        .iter()
        .map(|(name, ..)| name)
        .filter(|name| !KNOWN.iter().any(|(case, _)| case == name))
        .collect();
    assert!(unexplained.is_empty(), "{unexplained:?}");
}

#[test]
fn the_date_corpus() {
    let Some(folder) = corpus() else { return };
    for file in ["examples.json", "bsd-examples.json"] {
        let text = std::fs::read_to_string(folder.join("dates").join(file)).unwrap();
        let json: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let cases: Vec<serde_json::Value> = serde_json::from_str(&json).unwrap();
        let mut failed = Vec::new();
        for case in &cases {
            let found = date::parse(case["test"].as_str().unwrap());
            // The expected date is in the standard form, which the hand-checked cases in `date` cover.
            let expected = case["expected"].as_str().map(|date| date::parse(date).unwrap());
            if found != expected {
                failed.push((case["test"].clone(), case["expected"].clone(), found));
            }
        }
        println!(
            "cookies/dates {file}: passed {}/{}",
            cases.len() - failed.len(),
            cases.len()
        );
        for (test, expected, found) in &failed {
            println!("  {test}: expected {expected}, found {found:?}");
        }
        assert!(failed.is_empty());
    }
}

#[test]
fn hc068_cookies_for_strangers_are_refused() {
    for (from, cookie) in [
        ("http://a.example.co.uk/", "x=1; Domain=co.uk"),
        ("http://a.example.com/", "x=1; Domain=com"),
        ("http://alice.github.io/", "x=1; Domain=github.io"),
        ("http://a.example.com/", "x=1; Domain=other.com"),
        ("http://a.example.com/", "x=1; Domain=b.example.com"),
        ("http://a.example.com/", "x=1; Domain=ample.com"),
        ("http://192.0.2.1/", "x=1; Domain=2.1"),
        ("http://192.0.2.1/", "x=1; Domain=192.0.2.2"),
        ("http://[2001:db8::1]/", "x=1; Domain=db8::1]"),
        ("http://a.example.com/", "x=1; Secure"),
        ("http://a.example.com/", "__Secure-x=1"),
        (
            "https://a.example.com/",
            "__Host-x=1; Secure; Domain=a.example.com; Path=/",
        ),
    ] {
        let mut jar = Jar::default();
        assert!(!jar.take(&url(from), &set(&[cookie]), NOW), "{from} {cookie}");
        assert!(jar.is_empty(), "{from} {cookie}");
    }
}

#[test]
fn cookies_go_where_they_belong() {
    let mut jar = Jar::default();
    let headers = set(&[
        "h=host",
        "d=domain; Domain=example.com",
        "s=secure; Secure; Path=/deep",
    ]);
    assert!(jar.take(&url("https://www.example.com/deep/page"), &headers, NOW));
    for (to, expected) in [
        (
            "https://www.example.com/deep/x",
            Some("h=host; d=domain; s=secure"),
        ),
        ("http://www.example.com/deep/x", Some("h=host; d=domain")),
        ("https://www.example.com/deeper", None),
        ("https://example.com/deep/", Some("d=domain")),
        ("https://b.www.example.com/deep/", Some("d=domain")),
        ("https://badexample.com/deep/", None),
        ("https://example.com.evil.test/deep/", None),
    ] {
        assert_eq!(jar.field_for(&url(to), NOW).as_deref(), expected, "{to}");
    }
    let mut on_address = Jar::default();
    on_address.take(&url("http://192.0.2.1/"), &set(&["x=1; Domain=192.0.2.1"]), NOW);
    assert_eq!(
        on_address.field_for(&url("http://192.0.2.1/a"), NOW).as_deref(),
        Some("x=1")
    );
}

#[test]
fn hc065_secure_cookies_stay_behind_on_a_downgrade() {
    let mut jar = Jar::default();
    jar.take(
        &url("https://a.example.com/"),
        &set(&["sid=1; Secure", "plain=2"]),
        NOW,
    );
    assert_eq!(
        jar.field_for(&url("http://a.example.com/"), NOW).as_deref(),
        Some("plain=2")
    );
    // And a plain page cannot replace or delete them.
    jar.take(
        &url("http://a.example.com/"),
        &set(&["sid=evil", "sid=; Max-Age=0"]),
        NOW,
    );
    let secure = jar.field_for(&url("https://a.example.com/"), NOW);
    assert_eq!(secure.as_deref(), Some("sid=1; plain=2"));
}

#[test]
fn hc069_floods_leave_requests_of_sane_size() {
    let from = url("http://a.example.com/");
    let mut jar = Jar::default();
    for round in 0..50 {
        let many: Vec<String> = (0..10_000)
            .map(|n| format!("c{round}_{n}={}", "x".repeat(200)))
            .collect();
        jar.take(
            &from,
            &set(&many.iter().map(String::as_str).collect::<Vec<_>>()),
            NOW,
        );
    }
    assert_eq!(jar.len(), defaults::COOKIES_PER_SITE_MAX);
    let field = jar.field_for(&from, NOW).unwrap();
    assert!(field.len() <= defaults::COOKIES_SENT_BYTES_MAX, "{}", field.len());

    let mut jar = Jar::default();
    let huge = format!("big={}", "x".repeat(1024 * 1024));
    let attribute = format!("a=b; Path=/{}", "x".repeat(1024 * 1024));
    let refused = [
        huge.as_str(),
        &attribute,
        "a=b\x01c",
        "a\x7f=b",
        "a=b; Path=/\x02",
    ];
    assert!(!jar.take(&from, &set(&refused), NOW));
    assert_eq!(jar.field_for(&from, NOW), None);
}

#[test]
fn many_sites_do_not_grow_the_jar_for_ever() {
    let mut jar = Jar::default();
    for n in 0..COOKIES_MAX + 1000 {
        jar.take(&url(&format!("http://site{n}.com/")), &set(&["a=b"]), NOW);
    }
    assert!(jar.len() <= COOKIES_MAX, "{}", jar.len());
    let newest = url(&format!("http://site{}.com/", COOKIES_MAX + 999));
    assert_eq!(jar.field_for(&newest, NOW).as_deref(), Some("a=b"));
}

#[test]
fn expiry_and_replacement() {
    let from = url("http://a.example.com/");
    let mut jar = Jar::default();
    jar.take(
        &from,
        &set(&[
            "a=1; Max-Age=10",
            "b=2",
            "c=3; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        ]),
        NOW,
    );
    assert_eq!(jar.field_for(&from, NOW).as_deref(), Some("a=1; b=2"));
    assert_eq!(
        jar.field_for(&from, Timestamp(NOW.0 + 10_000)).as_deref(),
        Some("b=2")
    );
    jar.take(&from, &set(&["a=9", "b=; Max-Age=0"]), NOW);
    assert_eq!(
        jar.field_for(&from, NOW).as_deref(),
        Some("a=9"),
        "the place of the old cookie is kept"
    );
    assert_eq!(jar.len(), 1);
}

#[test]
fn a_saved_jar_is_the_same_jar() {
    let from = url("https://www.example.co.uk/x/");
    let mut jar = Jar::default();
    jar.take(
        &from,
        &set(&[
            "a=1",
            "b=2; Domain=example.co.uk; Path=/",
            "c=\"ü\"; Secure; Max-Age=100",
        ]),
        NOW,
    );
    let again = Jar::import(&jar.export()).unwrap();
    assert_eq!(again.len(), 3);
    for to in [
        "https://www.example.co.uk/x/y",
        "http://example.co.uk/",
        "https://other.test/",
    ] {
        assert_eq!(
            again.field_for(&url(to), NOW),
            jar.field_for(&url(to), NOW),
            "{to}"
        );
    }
    assert!(Jar::import(b"{").is_err());
}

proptest::proptest! {
    #[test]
    fn no_field_breaks_the_jar(text in ".{0,300}", date in "[ -~]{0,40}") {
        let from = url("https://www.example.com/a/b");
        let mut jar = Jar::default();
        jar.take(&from, &set(&[&text, &format!("a=b; expires={date}")]), NOW);
        if let Some(field) = jar.field_for(&from, NOW) {
            proptest::prop_assert!(!field.contains(['\r', '\n', '\0']));
        }
    }
}
