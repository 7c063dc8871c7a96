//! Header fields of one message: names in lower case, values as text, in the order they came.
//!
//! One string and one list of positions, because a crawl makes a million of these. A value that is valid UTF-8
//! is taken as that, any other as Latin-1 (RFC 9110 §5.5), so nothing is lost and nothing fails.

use gleaner_model::GivenUrl;
use std::fmt;

#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers {
    text: String,
    /// Ends of name and value in `text`; each begins where the one before ended.
    ends: Vec<(u32, u32)>,
}

impl Headers {
    pub fn with_capacity(fields: usize, bytes: usize) -> Headers {
        Headers {
            text: String::with_capacity(bytes),
            ends: Vec::with_capacity(fields),
        }
    }

    /// Adds a field; the name is lowered, the value read as UTF-8 or else as Latin-1, without blanks around it.
    pub fn push(&mut self, name: &str, value: &[u8]) {
        let start = self.text.len();
        self.text.push_str(name);
        self.text[start..].make_ascii_lowercase();
        let name_end = self.text.len();
        let value = value.trim_ascii();
        match std::str::from_utf8(value) {
            Ok(text) => self.text.push_str(text),
            Err(_) => self.text.extend(value.iter().map(|&byte| char::from(byte))),
        }
        self.ends.push((name_end as u32, self.text.len() as u32));
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(name_end, value_end)| {
            let field = (
                &self.text[start..name_end as usize],
                &self.text[name_end as usize..value_end as usize],
            );
            start = value_end as usize;
            field
        })
    }

    /// The first value under `name` (lower case).
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// Every value under `name` (lower case), as sent: lists are not split at commas.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.iter()
            .filter(move |(n, _)| *n == name)
            .map(|(_, value)| value)
    }

    /// `Content-Type` without its parameters, in lower case.
    pub fn media_type(&self) -> Option<String> {
        let value = self.get("content-type")?;
        Some(
            value
                .split(';')
                .next()
                .unwrap_or(value)
                .trim()
                .to_ascii_lowercase(),
        )
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.iter().map(|(name, value)| {
            (
                name,
                match name {
                    "set-cookie"
                    | "set-cookie2"
                    | "cookie"
                    | "authorization"
                    | "proxy-authorization"
                    | "authentication-info"
                    | "www-authenticate"
                    | "proxy-authenticate" => "[hidden]".to_owned(),
                    // An address may have a password in it.
                    _ => GivenUrl::from(value).to_string(),
                },
            )
        });
        f.debug_map().entries(shown).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lowered_and_values_survive_any_bytes() {
        let mut headers = Headers::default();
        headers.push("Content-TYPE", b" text/HTML; charset=x ");
        headers.push("X-Name", b"caf\xe9");
        headers.push("X-Name", "naïve".as_bytes());
        assert_eq!(headers.get("content-type"), Some("text/HTML; charset=x"));
        assert_eq!(headers.media_type().as_deref(), Some("text/html"));
        assert_eq!(headers.all("x-name").collect::<Vec<_>>(), ["café", "naïve"]);
        assert_eq!(headers.get("x-missing"), None);
        assert_eq!(headers.len(), 3);
    }

    #[test]
    fn cookies_are_not_printed() {
        let mut headers = Headers::default();
        headers.push("Set-Cookie", b"sid=verysecret");
        for name in ["Cookie", "Authorization", "Proxy-Authorization"] {
            headers.push(name, b"verysecret");
        }
        headers.push("Location", b"http://eve:verysecret@a.test/x");
        headers.push("Server", b"some server");
        let shown = format!("{headers:?}");
        assert!(
            !shown.contains("verysecret") && shown.contains("a.test/x"),
            "{shown}"
        );
        assert!(shown.contains("some server"), "{shown}");
    }
}
