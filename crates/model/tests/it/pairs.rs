//! The pairs of three peers: do a URL and what they make of it have one key here?
//!
//! Their policies differ from one another and from ours, so not all pairs can agree. Where we differ the class says
//! why; a pair in no class fails the test. docs/urls.md tells users the same in short.

use std::collections::BTreeMap;

use gleaner_model::{Url, UrlError};

use crate::corpora;

/// Pairs that are one document for a peer and two for us, or none.
const CLASSES: &[(&str, &[&str])] = &[
    // Servers may read parameters in order. Where a site proves not to, its own rule sorts them (B4), not this one.
    (
        "parameter order",
        &[
            "http://foo.com/foo.html?b=1&a=1",
            "http://foo.com/index?b&a=1",
            "http://foo.com/index?b=1&a=1&",
            "http://foo.com/index?&b=1&a=1",
            "http://www.example.com/do?c=1&b=2&a=3",
            "http://www.example.com/do?b=&a=2",
            "http://www.example.com/do?q=a+space&a=1",
            "http://www.example.com/do?price=£500&a=5&z=3",
            "http://example.com/?%3d=%3d&%3d",
        ],
    ),
    // `?a` and `?a=` differ for many frameworks; `,` and `%2C` are reserved and differ by RFC 3986.
    (
        "a parameter without value",
        &["http://foo.com/index?a=1&b=", "http://www.example.com/do?1750,4"],
    ),
    // Empty segments are part of the path (WHATWG, RFC 3986); wikis and object stores use them.
    (
        "double slashes",
        &[
            "http://foo.com/aa//bb/foo.html",
            "http://foo.com////aa////bb//foo.html",
            "http://foo.com////aa////bb////foo.html",
            "file:/var/www/html/////./bar/index.html",
            "http://host.com//twoslashes?more//slashes",
        ],
    ),
    // `%2561` is the text `%61`, not the letter `a`: unescaping twice would join different documents.
    (
        "escapes undone more than once",
        &[
            "http://host/%%%25%32%35asd%%",
            "http://host/%25%25361",
            "http://host/%25%32%35",
            "http://host/%2525252525252525",
            "http://host/%2561",
            "http://host/?%%36%31",
            "http://host/?%2561",
        ],
    ),
    // Only dots is no address, and a name with empty labels is no name; both are refused rather than guessed at.
    (
        "dots for a host",
        &[
            "file://%2e%2e/a/b",
            "file://%2e/a/b",
            "http:%2e/a/b",
            "http:/%2e%2e%2e/a/b",
            "http://%2e%2e/a/b",
            "http:///%2e%2e%2e/a/b",
            "http:///%2e%2e/a/b",
            "http://www.google.com.../",
        ],
    ),
    // A page's link without a scheme is relative; what a person types goes through `from_user`, which guesses https.
    ("no scheme", &["foo.com/index.html", "www.google.com/"]),
    // The peer escapes the space into the host, which no host can hold; we take it for a slip.
    ("space before the host", &["http:// leadingspace.com/"]),
    // `:` and `|` are not unreserved, so their escapes stay.
    ("drive letters", &["file:///C%3A/", "file:///C%7C/"]),
    // The quotes are those of the peer's CSV file: the case is `…?q=foobar"`, on which we agree.
    (
        "case not as its author meant it",
        &["\"http://www.example.com/a/c/../b/search?q=foobar\"\"\""],
    ),
    // UTF-8 read as Latin-1 when the pairs were collected: the two sides are no longer the same text.
    (
        "damaged in collecting",
        &[
            "http://â\u{98}\u{83}.net/",
            "http://example.com/â\u{80}¥/foo",
            "http://example.com/foo%2Â©zbar",
            "http://example.com/foo\t\u{91}%91",
            "https://faÃ\u{9f}.ExAmPlE/",
            "https://x/ï¿½?ï¿½#ï¿½",
        ],
    ),
];

fn class(url: &str, outcomes: (&Result<Url, UrlError>, &Result<Url, UrlError>)) -> Option<&'static str> {
    match outcomes {
        (Err(UrlError::Scheme { .. }), Err(UrlError::Scheme { .. })) => Some("other schemes, refused alike"),
        (Err(_), Err(_)) => Some("not a URL, refused alike"),
        _ => CLASSES
            .iter()
            .find(|(_, urls)| urls.contains(&url))
            .map(|(class, _)| *class),
    }
}

#[test]
fn pairs() {
    let Some(entries) = corpora::entries("url-canon/pairs.json") else {
        return;
    };
    let mut by_source: BTreeMap<&str, (u32, u32, u32)> = BTreeMap::new();
    let mut by_class: BTreeMap<&str, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for entry in &entries {
        let [url, normal, source] = ["url", "normal", "source"].map(|key| entry[key].as_str().unwrap());
        let (passed, ours, total) = by_source.entry(source).or_default();
        let (found, expected) = (Url::parse(url), Url::parse(normal));
        *total += 1;
        *ours += u32::from(found.is_ok() || expected.is_ok());
        if matches!((&found, &expected), (Ok(one), Ok(other)) if one.key() == other.key()) {
            *passed += 1;
        } else if let Some(class) = class(url, (&found, &expected)) {
            *by_class.entry(class).or_default() += 1;
        } else {
            wrong.push(format!("{url:?} and {normal:?}: {found:?}, {expected:?}"));
        }
    }
    for (source, (passed, ours, total)) in by_source {
        println!("url-canon/pairs, {source}: {passed}/{ours} that are URLs to us ({total} in all)");
    }
    println!("differing by class: {by_class:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Session ids are for another room; here none may get lost (HC044).
#[test]
fn parameters_that_are_no_session_ids_stay() {
    let Some(entries) = corpora::entries("session-ids/cases.json") else {
        return;
    };
    let (mut passed, mut total) = (0, 0);
    for entry in &entries {
        let [url, same_as] = ["url", "same_as"].map(|key| entry[key].as_str().unwrap());
        if url != same_as {
            continue;
        }
        total += 1;
        let canonical = Url::parse(url).unwrap();
        let wanted = url.split_once('?').map_or(url, |(_, query)| query);
        assert!(
            canonical.as_str().contains(wanted.trim_end_matches('&')),
            "{url} became {canonical}"
        );
        passed += 1;
    }
    println!("session-ids, url equal to same_as: {passed}/{total}");
}
