//! An address as somebody gave it: a person on a command line, the author of a page. It may hold a password.

use super::Url;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

/// Text that is given as an address, or in the place of one. Printing it is safe: a name and a password that stand in it are
/// left out, whether or not it can be read as a URL.
#[derive(Clone, PartialEq, Eq)]
pub struct GivenUrl(String);

impl GivenUrl {
    /// As it was given, to be read as what it is; never to be shown.
    pub fn exposed(&self) -> &str {
        &self.0
    }
}

impl From<String> for GivenUrl {
    fn from(text: String) -> GivenUrl {
        GivenUrl(text)
    }
}

impl From<&str> for GivenUrl {
    fn from(text: &str) -> GivenUrl {
        GivenUrl(text.to_owned())
    }
}

impl FromStr for GivenUrl {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<GivenUrl, Infallible> {
        Ok(text.into())
    }
}

impl fmt::Display for GivenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.contains('@') {
            return f.write_str(&self.0);
        }
        match Url::parse_with_credentials(&self.0) {
            Ok((_, None)) => f.write_str(&self.0),
            Ok((url, Some(_))) => f.write_str(url.as_str()),
            Err(_) => f.write_str(&without_credentials(&self.0)),
        }
    }
}

impl fmt::Debug for GivenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GivenUrl({self})")
    }
}

/// What is not a URL may still hold a password. Where it ends cannot be told, so too much goes rather than too little.
pub(super) fn without_credentials(text: &str) -> String {
    let start = text.find("//").map_or(0, |at| at + 2);
    match text[start..].rfind('@') {
        Some(at) => format!("{}…{}", &text[..start], &text[start + at..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case04_what_is_given_is_shown_without_its_password() {
        for text in [
            "http://ann:pw9@a.test/x",
            "HTTPS://ann:pw9@a.test:8443/x?y=1@2",
            "ftp://ann:p%77pw9@a.test/",
            "ann:pw9@a.test/",
            "ann:pw9@a.test:8080/x",
            "http://ann:pw9/x@a.test/",
            "http://ann:pw9@[bad/",
            "--proxy=http://ann:pw9@a.test",
            "http:\\\\ann:pw9@a.test/x",
            "//ann:pw9@a.test/x",
        ] {
            let given = GivenUrl::from(text);
            for shown in [given.to_string(), format!("{given:?}")] {
                assert!(
                    !shown.contains("pw9") && !shown.contains("ann"),
                    "{text}: {shown}"
                );
                assert!(
                    shown.contains("a.test") || text.contains("[bad"),
                    "{text}: {shown}"
                );
            }
            assert_eq!(given.exposed(), text);
        }
        for text in [
            "12",
            "http://a.test/@ann/x",
            "a.test/x",
            "http://a.test/?mail=a@b",
            "some words",
        ] {
            assert_eq!(GivenUrl::from(text).to_string(), text);
        }
    }
}
