//! Who are we, if the server asks? Basic and Digest (RFC 7617, 7616), as the challenge wants it.
//!
//! Nothing is said before a server has asked: a password must not go in the clear to one that would have taken a digest.
//! What it asked for is remembered for the rest of the run, so that only the first page of an origin is asked for twice.

use crate::Headers;
use crate::net::ServerLogin;
use crate::unit::Ask;
use data_encoding::BASE64;
use digest_auth::{AuthContext, HttpMethod, WwwAuthenticateHeader};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// How each origin wants to be told.
#[derive(Default)]
pub(super) struct Authorization {
    by_origin: Mutex<HashMap<String, Scheme>>,
}

enum Scheme {
    Basic,
    /// With its nonce, and how often that was used.
    Digest(Box<WwwAuthenticateHeader>),
    /// It did not take what we said, and is not told again.
    Refused,
}

impl Authorization {
    /// The `Authorization` field for a question, once its origin has asked for one.
    pub(super) fn field(&self, ask: &Ask, login: &ServerLogin) -> Option<String> {
        let mut known = self.by_origin.lock().unwrap_or_else(PoisonError::into_inner);
        let password = login.password.as_deref()?;
        match known.get_mut(ask.url.origin())? {
            Scheme::Refused => None,
            Scheme::Basic => {
                let pair = format!("{}:{password}", login.user);
                Some(format!("Basic {}", BASE64.encode(pair.as_bytes())))
            }
            Scheme::Digest(challenge) => {
                let (method, body) = match &ask.posted {
                    Some(posted) => (HttpMethod::POST, Some(posted.bytes.as_slice())),
                    None => (HttpMethod::GET, None),
                };
                let target = ask.url.request_target();
                let context =
                    AuthContext::new_with_method(login.user.as_str(), password, target, body, method);
                Some(challenge.respond(&context).ok()?.to_header_string())
            }
        }
    }

    /// The server answered 401. True if it is worth asking once more, with what it wants now; `was_told` says that it had
    /// an answer to its last challenge already.
    pub(super) fn learn(&self, origin: &str, headers: &Headers, was_told: bool) -> bool {
        let mut known = self.by_origin.lock().unwrap_or_else(PoisonError::into_inner);
        let offered = best_of(headers);
        let is_new = match (&offered, known.get(origin)) {
            (None, _) | (_, Some(Scheme::Refused)) => false,
            (Some(_), _) if !was_told => true,
            // The nonce has run out; a server that says so without `stale` gives another one at least.
            (Some(Scheme::Digest(new)), Some(Scheme::Digest(old))) => new.stale || new.nonce != old.nonce,
            _ => false,
        };
        if is_new {
            known.extend(offered.map(|scheme| (origin.to_owned(), scheme)));
        }
        is_new
    }

    /// What we say is not taken: asking again with it would only look like guessing.
    pub(super) fn give_up(&self, origin: &str) {
        let mut known = self.by_origin.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(origin.to_owned(), Scheme::Refused);
    }
}

/// The strongest of what a server offers.
fn best_of(headers: &Headers) -> Option<Scheme> {
    let mut best: Option<(u8, Scheme)> = None;
    for value in headers.all("www-authenticate") {
        for challenge in challenges(value) {
            let word = challenge.split(' ').next().unwrap_or_default();
            let (rank, scheme) = if word.eq_ignore_ascii_case("digest") {
                let Ok(parsed) = digest_auth::parse(challenge) else {
                    continue;
                };
                let rank = if parsed.algorithm.to_string().starts_with("MD5") {
                    2
                } else {
                    3
                };
                (rank, Scheme::Digest(Box::new(parsed)))
            } else if word.eq_ignore_ascii_case("basic") {
                (1, Scheme::Basic)
            } else {
                continue;
            };
            if best.as_ref().is_none_or(|(known, _)| *known < rank) {
                best = Some((rank, scheme));
            }
        }
    }
    best.map(|(_, scheme)| scheme)
}

/// A field may hold several challenges, with commas between them and within each: one begins where a word stands alone.
fn challenges(value: &str) -> Vec<&str> {
    let (mut starts, mut is_quoted, mut part) = (Vec::new(), false, 0);
    for (at, byte) in value.bytes().chain([b',']).enumerate() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b',' if !is_quoted || at == value.len() => {
                let text = value[part..at].trim_start();
                let word = text.split([' ', '=']).next().unwrap_or_default();
                if !word.is_empty() && text.as_bytes().get(word.len()) != Some(&b'=') {
                    starts.push(at - text.len());
                }
                part = at + 1;
            }
            _ => {}
        }
    }
    let ends = starts.iter().skip(1).copied().chain([value.len()]);
    let each = starts.iter().zip(ends);
    each.map(|(start, end)| value[*start..end].trim_end_matches([' ', ',']))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::Url;

    #[test]
    fn challenges_stand_apart() {
        for (value, expected) in [
            ("Basic realm=\"a, b\"", vec!["Basic realm=\"a, b\""]),
            ("Basic", vec!["Basic"]),
            (
                "Digest realm=\"x\", nonce=\"1\", qop=\"auth, auth-int\", Basic realm=\"y\"",
                vec![
                    "Digest realm=\"x\", nonce=\"1\", qop=\"auth, auth-int\"",
                    "Basic realm=\"y\"",
                ],
            ),
            ("Negotiate, Basic realm=y", vec!["Negotiate", "Basic realm=y"]),
            ("", vec![]),
            ("a=b", vec![]),
            ("\"", vec!["\""]),
        ] {
            assert_eq!(challenges(value), expected, "{value}");
        }
    }

    fn login() -> ServerLogin {
        ServerLogin {
            user: "Mufasa".to_owned(),
            password: Some("Circle of Life".to_owned()),
            key_file: None,
        }
    }

    fn headers(values: &[&str]) -> Headers {
        let mut headers = Headers::default();
        for value in values {
            headers.push("WWW-Authenticate", value.as_bytes());
        }
        headers
    }

    #[test]
    fn a4_nothing_is_said_before_it_is_asked_and_a_digest_is_preferred() {
        let authorization = Authorization::default();
        let ask = Ask::of(Url::parse("http://a.test/dir/index.html").unwrap());
        assert_eq!(authorization.field(&ask, &login()), None);
        let offered = headers(&[
            "Basic realm=\"here\"",
            "Digest realm=\"r\", nonce=\"n1\", qop=\"auth\", algorithm=MD5",
            "Digest realm=\"r\", nonce=\"n2\", qop=\"auth\", algorithm=SHA-256",
        ]);
        assert!(authorization.learn(ask.url.origin(), &offered, false));
        let said = authorization.field(&ask, &login()).unwrap();
        assert!(
            said.starts_with("Digest ") && said.contains("SHA-256") && said.contains("nonce=\"n2\""),
            "{said}"
        );
        assert!(said.contains("nc=00000001"), "{said}");
        assert!(
            authorization
                .field(&ask, &login())
                .unwrap()
                .contains("nc=00000002")
        );
        assert!(!said.contains("Circle"), "{said}");
        // The same nonce once more means that the password is wrong; another one, that the first has run out.
        assert!(!authorization.learn(ask.url.origin(), &offered, true));
        let fresh = headers(&["Digest realm=\"r\", nonce=\"n3\", qop=\"auth\""]);
        assert!(authorization.learn(ask.url.origin(), &fresh, true));
        authorization.give_up(ask.url.origin());
        assert!(!authorization.learn(ask.url.origin(), &fresh, false));
        assert_eq!(authorization.field(&ask, &login()), None);
    }

    #[test]
    fn a4_basic_where_nothing_better_is_offered() {
        let authorization = Authorization::default();
        let ask = Ask::of(Url::parse("http://a.test/").unwrap());
        assert!(authorization.learn(ask.url.origin(), &headers(&["Negotiate", "Basic realm=x"]), false));
        let said = authorization.field(&ask, &login()).unwrap();
        assert_eq!(said, "Basic TXVmYXNhOkNpcmNsZSBvZiBMaWZl");
        assert!(!authorization.learn(ask.url.origin(), &headers(&["Basic realm=x"]), true));
        assert!(!Authorization::default().learn("http://a.test", &headers(&["Negotiate"]), false));
    }
}
