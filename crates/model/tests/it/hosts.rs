//! Hosts: IDNA, IPv4 in all its spellings, and what browsers refuse.

use std::collections::BTreeMap;

use gleaner_model::Url;
use serde_json::Value;

use crate::corpora;

fn host(text: &str) -> Option<String> {
    Url::parse(&format!("https://{text}/x"))
        .ok()
        .map(|url| url.host().to_owned())
}

/// One trailing dot goes, also from what is expected.
fn without_dot(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_owned()
}

/// Hosts that we take or refuse against the list, with the reason.
fn deviation(input: &str, expected: Option<&str>, found: Option<&str>) -> Option<&'static str> {
    if input.is_empty() {
        // `https:///x` has the host `x`: the case cannot be asked this way.
        return Some("no host in the case");
    }
    if found.is_none() && expected.is_some_and(|host| host.split('.').any(str::is_empty)) {
        return Some("empty labels are refused");
    }
    if found.is_none() && input.is_ascii() && expected.is_some_and(|host| host.contains("xn--")) {
        // For this and the one above see DEVIATIONS in whatwg.rs.
        return Some("punycode that means nothing is refused");
    }
    if input.starts_with('\u{3e8ac}') {
        // Unassigned, and the tables of the `idna` crate let it through. No registry does.
        return Some("an unassigned character is taken");
    }
    None
}

fn check(file: &str) {
    let Some(entries) = corpora::entries(file) else {
        return;
    };
    let mut listed: BTreeMap<&str, u32> = BTreeMap::new();
    let mut passed = 0;
    let mut wrong = Vec::new();
    for entry in &entries {
        let input = entry["input"].as_str().unwrap();
        let expected = match &entry["output"] {
            Value::String(output) if !output.is_empty() => Some(without_dot(output)),
            _ => None,
        };
        let found = host(input);
        if found == expected {
            passed += 1;
        } else if let Some(reason) = deviation(input, expected.as_deref(), found.as_deref()) {
            *listed.entry(reason).or_default() += 1;
        } else {
            wrong.push(format!(
                "{input:?}: {found:?}, expected {expected:?} ({})",
                entry["comment"]
            ));
        }
    }
    println!("{file}: {passed}/{}, deviations {listed:?}", entries.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn toascii() {
    check("wpt-url/toascii.json");
}

#[test]
fn idna() {
    check("wpt-url/IdnaTestV2.json");
}

#[test]
fn ipv4_spellings() {
    let Some(cases) = corpora::json("url-canon/urlcanon-funky_ipv4.json") else {
        return;
    };
    let cases = cases.as_object().unwrap();
    let mut wrong = Vec::new();
    for (input, expected) in cases {
        let found = host(input);
        // Where the peer says "no address", we may refuse the host or take it as a name.
        let address = found.filter(|host| host.parse::<std::net::Ipv4Addr>().is_ok());
        if address.as_deref() != expected.as_str() {
            wrong.push(format!("{input}: {address:?}, expected {expected}"));
        }
    }
    println!(
        "urlcanon-funky_ipv4: {}/{}",
        cases.len() - wrong.len(),
        cases.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
