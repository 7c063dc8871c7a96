//! How is a parsed URL written down so that equal addresses have equal texts?
//!
//! Repair, WHATWG parse, then compose anew: scheme, host without its trailing dot, port unless it is the scheme's own,
//! path and query as [`percent`] spells them. Fragment and credentials are left out.
//!
//! WHATWG knows nothing of `sftp`, `ftps`, `nntp` and `nntps`: it would take their hosts as opaque text, in which
//! `sftp://0x7F.1/` is a name. Their hosts are read like all others here, so that one rule decides (HC028, HC034).

use ::url::Host;
use std::sync::{PoisonError, RwLock};

use super::{Credentials, EncodeQuery, Url, UrlError, malformed, percent, repair};
use crate::defaults::URL_BYTES_MAX;

/// Text longer than this is not looked at: escapes and dot segments shrink a URL, but not eightfold.
const TEXT_BYTES_MAX: usize = 8 * URL_BYTES_MAX;

/// The schemes that have a unit. All others are counted, never fetched (HC032).
fn is_fetchable(scheme: &str) -> bool {
    scheme == "file" || default_port(scheme).is_some()
}

pub(super) fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        "ftp" => Some(21),
        "ftps" => Some(990),
        "sftp" => Some(22),
        "nntp" => Some(119),
        "nntps" => Some(563),
        other => {
            let announced = ANNOUNCED.read().unwrap_or_else(PoisonError::into_inner);
            let found = announced.iter().find(|(scheme, _)| *scheme == other);
            found.map(|(_, port)| *port)
        }
    }
}

/// Schemes of units that this room does not know by name.
static ANNOUNCED: RwLock<Vec<(&'static str, u16)>> = RwLock::new(Vec::new());

/// Makes a scheme known: its addresses are fetched from now on.
pub(super) fn announce(scheme: &'static str, port: u16) {
    if scheme == "file" || default_port(scheme).is_some() {
        return;
    }
    let mut announced = ANNOUNCED.write().unwrap_or_else(PoisonError::into_inner);
    announced.push((scheme, port));
}

/// The whole way from text to [`Url`].
pub(super) fn resolve(
    base: Option<&Url>,
    text: &str,
    encode: Option<EncodeQuery<'_>>,
) -> Result<(Url, Option<Credentials>), UrlError> {
    // `data:` may hold megabytes and `javascript:` a program: they are turned away unread.
    if let Some((scheme, _)) = repair::scheme(text)
        && matches!(
            scheme.as_str(),
            "javascript" | "mailto" | "data" | "tel" | "about" | "blob"
        )
    {
        return Err(UrlError::Scheme { scheme });
    }
    let repaired = repair::repair(text, base);
    if repaired.len() > TEXT_BYTES_MAX {
        return Err(UrlError::TooLong {
            length: repaired.len(),
            limit: URL_BYTES_MAX,
        });
    }
    if let Some((scheme, _)) = repair::scheme(&repaired)
        && !is_fetchable(&scheme)
    {
        return Err(UrlError::Scheme { scheme });
    }
    let encoded = encode.and_then(|encode| percent::encode_query(&repaired, encode));
    let text = encoded.as_deref().unwrap_or(&repaired);
    let base = base.map(Url::as_inner);
    let parsed = ::url::Url::options()
        .base_url(base.as_ref())
        .parse(text)
        .map_err(|e| malformed(text, e))?;
    let url = compose(&parsed).map_err(|e| match e {
        Refusal::Host(why) => malformed(text, why),
        Refusal::Length(length) => UrlError::TooLong {
            length,
            limit: URL_BYTES_MAX,
        },
    })?;
    Ok((url, credentials(&parsed)))
}

enum Refusal {
    /// What is wrong with it.
    Host(String),
    Length(usize),
}

fn compose(parsed: &::url::Url) -> Result<Url, Refusal> {
    let scheme = parsed.scheme();
    let host = host_of(parsed)?;
    let port = parsed.port().filter(|&port| default_port(scheme) != Some(port));

    let mut text = String::with_capacity(parsed.as_str().len());
    text.push_str(scheme);
    text.push_str("://");
    text.push_str(&host);
    let host_end = text.len();
    if let Some(port) = port {
        text.push(':');
        text.push_str(&port.to_string());
    }
    let path_start = text.len();
    match parsed.path().as_bytes() {
        [] => text.push('/'),
        // The old spelling of a drive, which the parser leaves alone after three slashes.
        [b'/', drive, b'|', rest @ ..]
            if scheme == "file" && drive.is_ascii_alphabetic() && matches!(rest, [] | [b'/', ..]) =>
        {
            text.extend(['/', char::from(*drive), ':']);
            percent::push(&mut text, &parsed.path()[3..]);
        }
        _ => percent::push(&mut text, parsed.path()),
    }
    let path_end = text.len();
    if let Some(query) = parsed.query() {
        percent::push_query(&mut text, query);
    }
    Url::assemble(text, scheme.len(), host_end, path_start, path_end).map_err(Refusal::Length)
}

impl Url {
    /// From canonical text and its offsets. The error is the length of a text over the limit.
    pub(super) fn assemble(
        text: String,
        scheme_end: usize,
        host_end: usize,
        path_start: usize,
        path_end: usize,
    ) -> Result<Url, usize> {
        if text.len() > URL_BYTES_MAX {
            return Err(text.len());
        }
        Ok(Url {
            text: text.into_boxed_str(),
            scheme_end: scheme_end as u16,
            host_end: host_end as u16,
            path_start: path_start as u16,
            path_end: path_end as u16,
        })
    }
}

fn host_of(parsed: &::url::Url) -> Result<String, Refusal> {
    let host = match (parsed.scheme(), parsed.host_str()) {
        ("file", None) => return Ok(String::new()),
        (_, None | Some("")) => return Err(Refusal::Host("no host".to_owned())),
        ("http" | "https" | "ftp" | "file", Some(host)) => host.to_owned(),
        (_, Some(host)) => Host::parse(host)
            .map_err(|e| Refusal::Host(e.to_string()))?
            .to_string(),
    };
    // `example.com.` is `example.com` said twice as firmly. No other label may be empty: no name server can be asked
    // for such a name, and `%2e%2e` is a way to smuggle one in (HC035, HC037).
    let name = host.strip_suffix('.').unwrap_or(&host);
    if name.split('.').any(str::is_empty) {
        return Err(Refusal::Host("empty label in the host".to_owned()));
    }
    Ok(name.to_owned())
}

fn credentials(parsed: &::url::Url) -> Option<Credentials> {
    let (user, password) = (parsed.username(), parsed.password());
    if user.is_empty() && password.is_none() {
        return None;
    }
    Some(Credentials {
        user: percent::decode(user),
        password: percent::decode(password.unwrap_or("")),
    })
}
