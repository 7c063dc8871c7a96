//! The key under which archives index a URL: its host from the right to the left, then path and query, all in lower case.
//!
//! ```text
//!  https://www.example.com:8443/Docs/?b=2&a=1   →   com,example:8443)/docs?a=1&b=2
//! ```
//! As the library `surt` of Python does it, which tools for WACZ and pywb look up with. Left out here: what that one takes for
//! session ids in queries. Our own are gone from canonical URLs already.

use gleaner_model::Url;
use std::fmt::Write as _;

pub(super) fn surt(url: &Url) -> String {
    let host = url.host().to_ascii_lowercase();
    let host = without_www(&host);
    let mut out = if host.starts_with('[') {
        host.trim_matches(['[', ']']).to_owned()
    } else {
        host.split('.').rev().collect::<Vec<_>>().join(",")
    };
    if let Some((_, port)) = url.authority().rsplit_once(':')
        && port.bytes().all(|byte| byte.is_ascii_digit())
        && !port.is_empty()
    {
        let _infallible = write!(out, ":{port}");
    }
    out.push(')');
    let path = escaped(url.path()).to_ascii_lowercase();
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts.insert(0, "");
    out.push_str(if parts.len() == 1 { "/" } else { "" });
    out.push_str(&parts.join("/"));
    if let Some(query) = url.query().filter(|query| !query.is_empty()) {
        let query = escaped(query).to_ascii_lowercase();
        let mut pairs: Vec<(&str, Option<&str>)> = query
            .split('&')
            .map(|pair| match pair.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (pair, None),
            })
            .collect();
        pairs.sort_unstable();
        let pairs: Vec<String> = pairs
            .iter()
            .map(|(name, value)| match value {
                Some(value) => format!("{name}={value}"),
                None => (*name).to_owned(),
            })
            .collect();
        out.push('?');
        out.push_str(&pairs.join("&"));
    }
    out
}

/// `www.`, `www2.`: the same site.
fn without_www(host: &str) -> &str {
    let Some(rest) = host.strip_prefix("www") else {
        return host;
    };
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    match rest.strip_prefix('.') {
        Some(rest) if rest.contains('.') => rest,
        _ => host,
    }
}

/// Every escape undone, then what needs one escaped: one spelling for each address.
fn escaped(text: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    loop {
        let undone = unescaped(&bytes);
        if undone == bytes {
            break;
        }
        bytes = undone;
    }
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte <= b' ' || byte >= 0x7f || byte == b'#' || byte == b'%' {
            let _infallible = write!(out, "%{byte:02X}");
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

fn unescaped(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `surt.surt` of `PyPI` gives for these.
    #[test]
    fn urls_are_turned_as_others_turn_them() {
        for (url, wanted) in [
            ("http://127.0.0.1:8080/", "1,0,0,127:8080)/"),
            (
                "http://127.0.0.1:8080/A/b/?b=2&a=1",
                "1,0,0,127:8080)/a/b?a=1&b=2",
            ),
            ("https://www.example.com/Docs/", "com,example)/docs"),
            ("http://example.com", "com,example)/"),
            ("http://example.com/a//b/../c", "com,example)/a/c"),
            ("https://example.com:443/x", "com,example)/x"),
            ("ftp://a.test/x.txt", "test,a)/x.txt"),
            (
                "http://example.com/caf%C3%A9?q=%20x&Q",
                "com,example)/caf%c3%a9?q&q=%20x",
            ),
            ("http://ex.com/a;b", "com,ex)/a;b"),
            ("http://ex.com/a%7Eb", "com,ex)/a~b"),
        ] {
            let url = Url::parse(url).expect("an address");
            assert_eq!(surt(&url), wanted, "{url}");
        }
    }
}
