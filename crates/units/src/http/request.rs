//! What is sent, and what the archive may show of it (I3).
//!
//! The two heads are written together, field by field, so that they differ in hidden values and in nothing else.
//! HTTP/2 takes the same fields from the same list.

use crate::{Ask, UnitError};
use std::borrow::Cow;

const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5";
const ACCEPT_LANGUAGE: &str = "en,*;q=0.5";
const ACCEPT_ENCODING: &str = "gzip, deflate, br, zstd";
const HIDDEN: &[u8] = b"[hidden]";

/// Whether the server is told what we have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    AsAsked,
    /// Nothing conditional, and no cache on the way may answer instead (HC014).
    Plain,
}

/// The fields of one request after `Host`, in their order.
pub(crate) struct Fields<'a> {
    method: &'static str,
    list: Vec<Field<'a>>,
    conditional: bool,
}

struct Field<'a> {
    name: &'a str,
    value: Cow<'a, str>,
    shown: Shown,
}

/// What the archive shows of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    Value,
    NameOnly,
}

impl<'a> Fields<'a> {
    pub(crate) fn of(
        ask: &'a Ask,
        user_agent: &'a str,
        condition: Condition,
        cookie: Option<String>,
        authorization: Option<String>,
    ) -> Result<Fields<'a>, UnitError> {
        let mut list = Vec::with_capacity(10);
        let plain = |name: &'a str, value: &'a str| Field {
            name,
            value: value.into(),
            shown: Shown::Value,
        };
        list.push(plain("User-Agent", user_agent));
        list.push(plain("Accept", ACCEPT));
        list.push(plain("Accept-Language", ACCEPT_LANGUAGE));
        list.push(plain("Accept-Encoding", ACCEPT_ENCODING));
        if let Some(posted) = &ask.posted {
            list.push(plain("Content-Type", &posted.media_type));
            list.push(Field {
                name: "Content-Length",
                value: posted.bytes.len().to_string().into(),
                shown: Shown::Value,
            });
        }
        let usual = list.len();
        match condition {
            Condition::AsAsked if ask.posted.is_some() => {}
            Condition::AsAsked => {
                // Validators come from a server; one that cannot be sent back is as good as none.
                let usable = |value: &&'a String| is_field_value(value);
                list.extend(
                    ask.etag
                        .as_ref()
                        .filter(usable)
                        .map(|etag| plain("If-None-Match", etag)),
                );
                let date = ask.last_modified.as_ref().filter(usable);
                list.extend(date.map(|date| plain("If-Modified-Since", date)));
            }
            Condition::Plain => list.push(plain("Cache-Control", "no-cache")),
        }
        let conditional = condition == Condition::AsAsked && list.len() > usual;
        for header in ask
            .headers
            .iter()
            .filter(|header| header.origin == ask.url.origin())
        {
            let forbidden = [
                "host",
                "content-length",
                "transfer-encoding",
                "connection",
                "upgrade",
                "te",
            ];
            let reserved = forbidden
                .iter()
                .any(|name| header.name.eq_ignore_ascii_case(name));
            if reserved || !is_field_name(&header.name) || !is_field_value(&header.value) {
                return Err(UnitError::Header {
                    name: header.name.clone(),
                });
            }
            // What the user sets replaces what we would say.
            list.retain(|field| !field.name.eq_ignore_ascii_case(&header.name));
            let shown = if is_secret(&header.name) {
                Shown::NameOnly
            } else {
                Shown::Value
            };
            list.push(Field {
                name: &header.name,
                value: header.value.as_str().into(),
                shown,
            });
        }
        let hidden = |name: &'a str, value: String| Field {
            name,
            value: value.into(),
            shown: Shown::NameOnly,
        };
        list.extend(cookie.map(|value| hidden("Cookie", value)));
        list.extend(authorization.map(|value| hidden("Authorization", value)));
        let method = if ask.posted.is_some() { "POST" } else { "GET" };
        Ok(Fields {
            method,
            list,
            conditional,
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.list.iter().map(|field| (field.name, field.value.as_ref()))
    }

    /// Whether the request really carries a condition, so that 304 is a possible answer.
    pub(crate) fn is_conditional(&self) -> bool {
        self.conditional
    }

    /// The HTTP/1.1 head to send.
    pub(crate) fn head(&self, target: &str, host: &str, proxy_authorization: Option<&str>) -> Vec<u8> {
        let mut head = Vec::with_capacity(512);
        write_start(&mut head, self.method, target, host);
        for (name, value) in self.iter() {
            write_field(&mut head, name, value.as_bytes());
        }
        if let Some(value) = proxy_authorization {
            write_field(&mut head, "Proxy-Authorization", value.as_bytes());
        }
        head.extend_from_slice(b"Connection: keep-alive\r\n\r\n");
        head
    }

    /// The same head as the archive keeps it. What was for the proxy is not part of the exchange with the server.
    pub(crate) fn archived_head(&self, target: &str, host: &str) -> Vec<u8> {
        let mut head = Vec::with_capacity(512);
        write_start(&mut head, self.method, target, host);
        for Field { name, value, shown } in &self.list {
            write_field(
                &mut head,
                name,
                if *shown == Shown::Value {
                    value.as_bytes()
                } else {
                    HIDDEN
                },
            );
        }
        head.extend_from_slice(b"Connection: keep-alive\r\n\r\n");
        head
    }
}

fn write_start(head: &mut Vec<u8>, method: &str, target: &str, host: &str) {
    for part in [method, " ", target, " HTTP/1.1\r\nHost: ", host, "\r\n"] {
        head.extend_from_slice(part.as_bytes());
    }
}

fn write_field(head: &mut Vec<u8>, name: &str, value: &[u8]) {
    head.extend_from_slice(name.as_bytes());
    head.extend_from_slice(b": ");
    head.extend_from_slice(value);
    head.extend_from_slice(b"\r\n");
}

/// Fields whose values are credentials, by name or by the look of the name: a wrong guess hides too much, not too little.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    [
        "auth",
        "cookie",
        "token",
        "key",
        "secret",
        "passw",
        "session",
        "signature",
    ]
    .iter()
    .any(|part| name.contains(part))
}

/// RFC 9110 §5.1.
fn is_field_name(name: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(is_token)
}

/// No control bytes, so that a value never becomes a second line.
fn is_field_value(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte >= b' ' && byte != 0x7f || byte == b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BoundHeader;
    use gleaner_model::Url;
    use std::sync::Arc;

    fn bound(origin: &str, name: &str, value: &str) -> BoundHeader {
        BoundHeader {
            origin: origin.into(),
            name: name.into(),
            value: value.into(),
        }
    }

    #[test]
    fn hc064_headers_go_to_their_own_origin_only_and_stay_out_of_the_archive() {
        let headers: Arc<[BoundHeader]> = Arc::from([
            bound("https://a.test", "Authorization", "Bearer verysecret"),
            bound("https://a.test", "X-Api-Key", "verysecret"),
        ]);
        let elsewhere = [
            "http://a.test/",
            "https://b.test/",
            "https://a.test:8443/",
            "https://www.a.test/",
        ];
        for (url, sent) in elsewhere
            .map(|url| (url, false))
            .into_iter()
            .chain([("https://a.test/x", true)])
        {
            let ask = Ask {
                headers: Arc::clone(&headers),
                ..Ask::of(Url::parse(url).unwrap())
            };
            let fields = Fields::of(
                &ask,
                "test",
                Condition::AsAsked,
                Some("sid=verysecret".into()),
                None,
            )
            .unwrap();
            let head = String::from_utf8(fields.head("/", "a.test", None)).unwrap();
            assert_eq!(head.contains("Bearer verysecret"), sent, "{url}");
            assert_eq!(head.contains("X-Api-Key: verysecret"), sent, "{url}");
            let archived = String::from_utf8(fields.archived_head("/", "a.test")).unwrap();
            assert!(!archived.contains("verysecret"), "{archived}");
            assert_eq!(head.lines().count(), archived.lines().count());
        }
    }

    #[test]
    fn a_header_cannot_smuggle_a_line() {
        let url = Url::parse("http://a.test/").unwrap();
        let bad = [
            ("X", "a\r\nb: c"),
            ("X\r\nY", "a"),
            ("", "a"),
            ("Host", "b.test"),
            ("X", "\0"),
        ];
        for (name, value) in bad {
            let headers = Arc::from([bound("http://a.test", name, value)]);
            let ask = Ask {
                headers,
                ..Ask::of(url.clone())
            };
            assert!(
                Fields::of(&ask, "test", Condition::AsAsked, None, None).is_err(),
                "{name:?} {value:?}"
            );
        }
        let ask = Ask {
            etag: Some("\"a\"\r\nX: y".into()),
            ..Ask::of(url)
        };
        let fields = Fields::of(&ask, "test", Condition::AsAsked, None, None).unwrap();
        assert!(!fields.is_conditional());
    }
}
