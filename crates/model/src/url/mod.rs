//! Canonical URLs (A9): one spelling per address, so that identity can be a comparison.
//!
//! In goes text as a person or a page wrote it; out comes a [`Url`] in its only spelling, or the reason why there is
//! none. Four steps, each its own file: [`repair`] undoes authors' mistakes, the `url` crate parses as WHATWG says,
//! [`canonical`] writes the result down in one spelling, [`percent`] does so for the escapes. [`fast`] gives the same
//! answer for the plain links that make up nearly all of a page, without the first two steps.
//!
//! The one idea: what comes out is a fixed point. Parsing it again gives the same text, so stored URLs, URLs in
//! reports and URLs on pages can be compared byte by byte. docs/urls.md says all this to users.

mod canonical;
mod fast;
mod given;
mod percent;
mod repair;
mod user;

pub use given::GivenUrl;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

use crate::defaults::URL_BYTES_MAX;

/// 128 bits of BLAKE3 over the canonical form: the key of the seen-set and of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UrlKey(pub [u8; 16]);

impl UrlKey {
    /// The key of a text that stands for a URL: its canonical form, or its identity where parts of it are volatile.
    pub fn of_text(text: &str) -> UrlKey {
        let hash = blake3::hash(text.as_bytes());
        let mut key = [0u8; 16];
        key.copy_from_slice(&hash.as_bytes()[..16]);
        UrlKey(key)
    }
}

/// A URL in canonical form. It never holds a fragment or credentials, so printing it is safe.
///
/// Always `scheme://[host[:port]]/path[?query]`; the offsets follow from the text and only save looking for them.
#[derive(Clone)]
pub struct Url {
    text: Box<str>,
    /// Where the `:` after the scheme stands; the host begins three bytes later.
    scheme_end: u16,
    host_end: u16,
    path_start: u16,
    path_end: u16,
}

// The offsets are 16 bits wide.
const _: () = assert!(URL_BYTES_MAX <= u16::MAX as usize);

/// Name and password that stood in a URL, percent-decoded. Never part of a [`Url`], never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub user: String,
    pub password: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    #[error("not a URL ({why}): {text}")]
    Malformed { text: String, why: String },
    #[error("longer than {limit} bytes after canonicalisation ({length} bytes)")]
    TooLong { length: usize, limit: usize },
    #[error("scheme is not one that can be fetched: {scheme}")]
    Scheme { scheme: String },
}

/// Did a link need repair?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistaken {
    No,
    Yes,
}

/// Bytes in the page's own encoding for a character of a query, or `None` where the encoding has none for it.
pub type EncodeQuery<'a> = &'a dyn Fn(char) -> Option<Vec<u8>>;

/// Makes the scheme of a unit known, with its own port: its addresses can be read from now on. Called before any is.
pub fn announce(scheme: &'static str, port: u16) {
    canonical::announce(scheme, port);
}

impl Url {
    /// Reads an absolute URL as a person or a page wrote it.
    pub fn parse(text: &str) -> Result<Url, UrlError> {
        let text = repair::trim_plain(text);
        fast::parse(text).unwrap_or_else(|| canonical::resolve(None, text, None).map(|(url, _)| url))
    }

    /// Like [`Url::parse`], and hands over the name and password that stood before the host.
    pub fn parse_with_credentials(text: &str) -> Result<(Url, Option<Credentials>), UrlError> {
        canonical::resolve(None, text, None)
    }

    /// Reads what a person typed: like [`Url::parse`], but the scheme may be missing (`example.com/x`).
    pub fn from_user(text: &str) -> Result<Url, UrlError> {
        Url::from_user_with_credentials(text).map(|(url, _)| url)
    }

    /// Like [`Url::from_user`], and hands over the name and password that stood before the host.
    pub fn from_user_with_credentials(text: &str) -> Result<(Url, Option<Credentials>), UrlError> {
        user::read(text)
    }

    /// Resolves a link found on the page at `self`.
    pub fn join(&self, text: &str) -> Result<Url, UrlError> {
        let text = repair::trim_plain(text);
        fast::join(self, text)
            .unwrap_or_else(|| canonical::resolve(Some(self), text, None).map(|(url, _)| url))
    }

    /// Like [`Url::join`], and says whether the link was mistaken: whether its author's slip had to be repaired, so that
    /// what stands on the page is worth keeping beside the URL (A9, HC033). As cheap as [`Url::join`] for plain links.
    pub fn join_noting(&self, text: &str) -> Result<(Url, Mistaken), UrlError> {
        let text = repair::trim_plain(text);
        let noted = |is_mistaken| if is_mistaken { Mistaken::Yes } else { Mistaken::No };
        if let Some(joined) = fast::join(self, text) {
            let has_space = text.as_bytes().contains(&b' ');
            return joined.map(|url| (url, noted(has_space && repair::is_mistaken(text, self))));
        }
        let (url, _) = canonical::resolve(Some(self), text, None)?;
        Ok((url, noted(repair::is_mistaken(text, self))))
    }

    /// Whether `text` begins with a misspelt `http:` or `https:` that [`Url::join`] puts right, and so is no other scheme.
    pub fn mends_scheme(text: &str) -> bool {
        repair::mends_scheme(repair::trim_plain(text))
    }

    /// Like [`Url::join`], for pages that are not UTF-8: browsers write a link's query in the encoding of its page.
    pub fn join_encoded(&self, text: &str, encode: EncodeQuery<'_>) -> Result<Url, UrlError> {
        if text.is_ascii() {
            return self.join(text);
        }
        canonical::resolve(Some(self), text, Some(encode)).map(|(url, _)| url)
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether a web server is meant: what has robots.txt, sessions, redirects and pages for what is not there.
    pub fn is_web(&self) -> bool {
        matches!(self.scheme(), "http" | "https")
    }

    pub fn scheme(&self) -> &str {
        &self.text[..usize::from(self.scheme_end)]
    }

    fn host_start(&self) -> usize {
        usize::from(self.scheme_end) + "://".len()
    }

    /// The host as in the URL; IPv6 in brackets. Empty for `file:`.
    pub fn host(&self) -> &str {
        &self.text[self.host_start()..usize::from(self.host_end)]
    }

    /// The port to connect to; 0 for `file:`.
    pub fn port(&self) -> u16 {
        let written = &self.text[usize::from(self.host_end)..usize::from(self.path_start)];
        match written.strip_prefix(':') {
            Some(port) => port.parse().unwrap_or(0),
            None => canonical::default_port(self.scheme()).unwrap_or(0),
        }
    }

    /// `host` or `host:port`, as a `Host` header wants it.
    pub fn authority(&self) -> String {
        self.text[self.host_start()..usize::from(self.path_start)].to_owned()
    }

    /// `scheme://host[:port]`: what has one robots.txt, one pace, one set of cookies.
    pub fn origin(&self) -> &str {
        &self.text[..usize::from(self.path_start)]
    }

    pub fn path(&self) -> &str {
        &self.text[usize::from(self.path_start)..usize::from(self.path_end)]
    }

    pub fn query(&self) -> Option<&str> {
        self.text.get(usize::from(self.path_end) + 1..)
    }

    /// Path and query: what a request line carries.
    pub fn request_target(&self) -> &str {
        &self.text[usize::from(self.path_start)..]
    }

    /// The parsed host: the one that rules, guard and connection all use (HC034).
    ///
    /// The canonical text is unambiguous: an IPv4 address stands there in its dotted form only, whatever its author
    /// wrote (HC028), and no name can look like one.
    pub fn parsed_host(&self) -> Option<::url::Host<&str>> {
        let host = self.host();
        if host.is_empty() {
            return None;
        }
        if let Some(inside) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return inside.parse().ok().map(::url::Host::Ipv6);
        }
        if host.ends_with(|c: char| c.is_ascii_digit())
            && let Ok(address) = host.parse()
        {
            return Some(::url::Host::Ipv4(address));
        }
        Some(::url::Host::Domain(host))
    }

    /// The registrable domain (`example.co.uk`), or the host itself for addresses and unlisted names.
    pub fn domain(&self) -> &str {
        match self.parsed_host() {
            Some(::url::Host::Domain(name)) => registrable_domain(name).unwrap_or(name),
            _ => self.host(),
        }
    }

    pub fn key(&self) -> UrlKey {
        UrlKey::of_text(&self.text)
    }

    /// The same address for libraries that speak `url::Url`. It is parsed anew each time: not for hot paths.
    pub fn as_inner(&self) -> ::url::Url {
        ::url::Url::parse(&self.text).expect("a canonical URL is one that the parser took")
    }
}

/// The part of a host name that somebody registered: one label more than the public suffix. `None` where the name is
/// a public suffix itself, or no name at all.
pub fn registrable_domain(host: &str) -> Option<&str> {
    if host.starts_with('.') {
        return None;
    }
    psl::domain_str(host)
}

fn malformed(text: &str, why: impl fmt::Display) -> UrlError {
    UrlError::Malformed {
        text: given::without_credentials(text).chars().take(200).collect(),
        why: why.to_string(),
    }
}

impl PartialEq for Url {
    fn eq(&self, other: &Url) -> bool {
        self.text == other.text
    }
}

impl Eq for Url {}

impl Hash for Url {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PartialOrd for Url {
    fn partial_cmp(&self, other: &Url) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Url {
    fn cmp(&self, other: &Url) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({})", self.as_str())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Credentials(hidden)")
    }
}

#[cfg(test)]
mod tests;
