//! Links and requests in response headers: `Link` (RFC 8288), `Refresh`, `Content-Location`, `X-Robots-Tag`.

use crate::collect::{Against, Collector};
use crate::html::{refresh, report_addresses};
use crate::script::{Use, is_address};
use crate::{Input, Parsed};
use gleaner_model::LinkKind;
use std::borrow::Cow;

/// Longer header values are read only this far.
const VALUE_BYTES_MAX: usize = 64 * 1024;

/// The first header of this name.
pub(crate) fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value.as_str())
}

/// Adds what the headers say to links and robots.
pub(crate) fn read<'a>(input: &Input<'a>, links: &mut Collector<'a>, parsed: &mut Parsed) {
    for (name, value) in input.headers {
        if value.len() > VALUE_BYTES_MAX {
            continue;
        }
        match name.as_str() {
            "link" => link_header(value, |link| {
                let has = |word: &str| {
                    link.rel
                        .split_ascii_whitespace()
                        .any(|rel| rel.eq_ignore_ascii_case(word))
                };
                let kind = if has("canonical") {
                    LinkKind::Canonical
                } else {
                    LinkKind::Header
                };
                let place = links.add_text(Cow::Borrowed(link.target), kind, has("nofollow"), Against::Page);
                if let Some(place) = place {
                    links.set_words_of(place, &link.title);
                    if kind == LinkKind::Canonical {
                        links.set_canonical(place);
                    }
                }
            }),
            "refresh" => {
                if let Some(address) = refresh(value) {
                    links.add_text(Cow::Borrowed(address), LinkKind::Refresh, false, Against::Page);
                }
            }
            "content-location" => {
                links.add_text(
                    Cow::Borrowed(value.trim()),
                    LinkKind::Header,
                    false,
                    Against::Page,
                );
            }
            // Of what was made: a redirect never comes here.
            "location" | "sourcemap" | "x-sourcemap" => {
                let kind = LinkKind::Header;
                links.add_text(Cow::Borrowed(value.trim()), kind, false, Against::Page);
            }
            "content-security-policy" | "content-security-policy-report-only" => {
                for address in report_addresses(value) {
                    links.add_text(Cow::Borrowed(address), LinkKind::InScript, false, Against::Page);
                }
            }
            // `default="/a", other="/b"`, and JSON: what stands in quotes and looks so.
            "reporting-endpoints" | "report-to" | "speculation-rules" | "p3p" => {
                for address in value.split('"').skip(1).step_by(2) {
                    if is_address(address, Use::Unknown) {
                        links.add_text(Cow::Borrowed(address), LinkKind::InScript, false, Against::Page);
                    }
                }
            }
            "x-robots-tag" => parsed.robots.add_header(value, input.agent),
            _ => {}
        }
    }
}

/// What the links to earlier articles are called: the unit gives them for the message ids whose addresses it knows.
pub(crate) fn references(input: &Input<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for (_, value) in input.headers.iter().filter(|(name, _)| name == "link") {
        link_header(value, |link| {
            if link.rel == "reference" {
                found.push(link.title);
            }
        });
    }
    found
}

struct LinkValue<'a> {
    target: &'a str,
    rel: String,
    title: String,
}

/// Calls `found` for each link of a `Link` field: `<target>; rel="a b"; title=x, <other>; rel=next`.
fn link_header<'a>(value: &'a str, mut found: impl FnMut(LinkValue<'a>)) {
    let mut rest = value;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let Some(open) = rest.strip_prefix('<') else {
            return;
        };
        let Some((target, after)) = open.split_once('>') else {
            return;
        };
        let mut link = LinkValue {
            target: target.trim(),
            rel: String::new(),
            title: String::new(),
        };
        rest = after;
        // Parameters, each consuming some of the rest.
        loop {
            rest = rest.trim_ascii_start();
            let Some(after) = rest.strip_prefix(';') else {
                break;
            };
            let (name, value, after) = parameter(after);
            match name.to_ascii_lowercase().as_str() {
                // The first `rel` counts (RFC 8288, section 3.3).
                "rel" if link.rel.is_empty() => link.rel = value,
                "title" if link.title.is_empty() => link.title = value,
                _ => {}
            }
            rest = after;
        }
        found(link);
        // Whatever stands before the next comma means nothing.
        rest = rest.find(',').map_or("", |at| &rest[at..]);
    }
}

/// One `name=value` behind a semicolon, the value unquoted, and what follows it.
fn parameter(text: &str) -> (&str, String, &str) {
    let text = text.trim_ascii_start();
    let end = text.find(['=', ';', ',']).unwrap_or(text.len());
    let name = text[..end].trim();
    let Some(value) = text[end..].strip_prefix('=') else {
        return (name, String::new(), &text[end..]);
    };
    let value = value.trim_ascii_start();
    let Some(quoted) = value.strip_prefix('"') else {
        let end = value.find([';', ',']).unwrap_or(value.len());
        return (name, value[..end].trim().to_owned(), &value[end..]);
    };
    let mut out = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (name, out, &quoted[at + 1..]),
            '\\' => out.extend(chars.next().map(|(_, c)| c)),
            c => out.push(c),
        }
    }
    (name, out, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_link_headers_are_read_by_rfc_8288() {
        let cases: [(&str, &[(&str, &str, &str)]); 12] = [
            ("<https://a/b>; rel=next", &[("https://a/b", "next", "")]),
            (
                "</x>; rel=\"prev start\"; title=\"a, \\\"b\\\"\"",
                &[("/x", "prev start", "a, \"b\"")],
            ),
            ("</x>;rel=a,</y>;rel=b", &[("/x", "a", ""), ("/y", "b", "")]),
            ("</x>", &[("/x", "", "")]),
            ("</a,b;c>; rel=x", &[("/a,b;c", "x", "")]),
            ("</x>; rel=a; rel=b", &[("/x", "a", "")]),
            ("</x>; REL = \"a\"", &[("/x", "a", "")]),
            ("</x>; rel=\"a", &[("/x", "a", "")]),
            ("</x", &[]),
            ("x; rel=a", &[]),
            ("", &[]),
            ("</x>; ;; rel=a, , </y>", &[("/x", "a", ""), ("/y", "", "")]),
        ];
        for (value, want) in cases {
            let mut got = Vec::new();
            link_header(value, |link| got.push((link.target, link.rel, link.title)));
            let got: Vec<_> = got.iter().map(|(t, r, w)| (*t, r.as_str(), w.as_str())).collect();
            assert_eq!(got, want, "{value}");
        }
    }
}
