//! The short way for plain links: same answer as repair, parse and compose, without them.
//!
//! Nearly all links of a page are `http(s)://host/…`, `/…`, `name…` or `?…` in harmless characters, and so are the addresses
//! of files on servers. For these the canonical text can be written straight from the base and the link, in one
//! allocation. Whatever could need a second thought (backslashes, quotes at the ends, odd addresses, punycode, credentials,
//! other schemes) gives `None`, and the long way decides. A property in the tests holds the two ways together.

use super::{Url, UrlError, percent};
use crate::defaults::URL_BYTES_MAX;

#[derive(Clone, Copy)]
enum Class {
    Plain,
    Dot,
    Percent,
    /// Written as an escape wherever it stands in path or query.
    Escape,
    Question,
    Hash,
    /// Needs the long way.
    Odd,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Odd; 256];
    let mut byte = 0;
    while byte < 256 {
        // `'` is missing: WHATWG escapes it in queries, and it may be a stray quote.
        if matches!(byte as u8,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' | b'!' | b'$' | b'&'
            | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' | b'/')
        {
            classes[byte] = Class::Plain;
        }
        // All that WHATWG or we escape in both places alike; the bytes of non-ASCII characters too.
        if matches!(
            byte as u8,
            b' ' | b'"' | b'<' | b'>' | b'[' | b']' | b'^' | b'`' | b'{' | b'|' | b'}' | 128..
        ) {
            classes[byte] = Class::Escape;
        }
        byte += 1;
    }
    classes[b'.' as usize] = Class::Dot;
    classes[b'%' as usize] = Class::Percent;
    classes[b'?' as usize] = Class::Question;
    classes[b'#' as usize] = Class::Hash;
    classes
};

/// A link of harmless bytes, cut into its parts.
struct Plain<'a> {
    /// All before the query: an absolute URL, or a path.
    front: &'a str,
    query: Option<&'a str>,
    /// `front` may hold a dot segment or an escape.
    front_needs_care: bool,
    query_has_escapes: bool,
}

fn cut(text: &str) -> Option<Plain<'_>> {
    if text.len() > URL_BYTES_MAX {
        return None;
    }
    let bytes = text.as_bytes();
    let mut end = bytes.len();
    let mut question = None;
    let mut front_needs_care = false;
    let mut query_has_escapes = false;
    for (at, &byte) in bytes.iter().enumerate() {
        match CLASSES[usize::from(byte)] {
            Class::Plain => {}
            Class::Dot => front_needs_care |= at == 0 || bytes[at - 1] == b'/',
            Class::Percent | Class::Escape if question.is_some() => query_has_escapes = true,
            Class::Percent | Class::Escape => front_needs_care = true,
            Class::Question => {
                question.get_or_insert(at);
            }
            Class::Hash => {
                end = at;
                break;
            }
            Class::Odd => return None,
        }
    }
    // At the ends these may be quotes, brackets or white space to repair.
    let is_escape = |byte: &u8| matches!(CLASSES[usize::from(*byte)], Class::Escape);
    if bytes[..end].first().is_some_and(is_escape) || bytes[..end].last().is_some_and(is_escape) {
        return None;
    }
    Some(Plain {
        front: &text[..question.unwrap_or(end)],
        query: question.map(|at| &text[at + 1..end]),
        front_needs_care,
        query_has_escapes,
    })
}

/// An absolute URL.
pub(super) fn parse(text: &str) -> Option<Result<Url, UrlError>> {
    let plain = cut(text)?;
    let (scheme, rest) = web_scheme(plain.front).or_else(|| file_scheme(plain.front))?;
    absolute(scheme, rest, &plain)
}

/// A link on the page at `base`.
pub(super) fn join(base: &Url, text: &str) -> Option<Result<Url, UrlError>> {
    if !matches!(base.scheme(), "http" | "https") {
        return None;
    }
    let plain = cut(text)?;
    let front = plain.front;
    if let Some(path) = front.strip_prefix(base.origin())
        && (path.is_empty() || path.starts_with('/'))
    {
        return on_host(base, path.strip_prefix('/').unwrap_or(""), &plain);
    }
    if let Some((scheme, rest)) = web_scheme(front) {
        return absolute(scheme, rest, &plain);
    }
    if let Some(path) = front.strip_prefix('/') {
        return match path.strip_prefix('/') {
            Some(rest) => absolute(base.scheme(), rest, &plain),
            None => on_host(base, path, &plain),
        };
    }
    if front.is_empty() {
        return match plain.query {
            // Only a fragment, or nothing: the page itself.
            None => Some(Ok(base.clone())),
            Some(_) => write(base, &base.text[..usize::from(base.path_end)], "", &plain),
        };
    }
    // A colon may end a scheme, `http…` may have lost one, `&` may begin an entity.
    let first = front.split('/').next().unwrap_or("");
    if first.contains(':')
        || first.starts_with('&')
        || first.get(..4).is_some_and(|s| s.eq_ignore_ascii_case("http"))
    {
        return None;
    }
    let folder_end = base.path().rfind('/')? + usize::from(base.path_start) + 1;
    write(base, &base.text[..folder_end], front, &plain)
}

fn web_scheme(front: &str) -> Option<(&'static str, &str)> {
    match front.strip_prefix("https://") {
        Some(rest) => Some(("https", rest)),
        None => front.strip_prefix("http://").map(|rest| ("http", rest)),
    }
}

/// The schemes of file and news servers, which are read like those of the web.
fn file_scheme(front: &str) -> Option<(&'static str, &str)> {
    let (scheme, rest) = front.split_once("://")?;
    let known = ["sftp", "ftp", "ftps", "nntp", "nntps"];
    Some((known.into_iter().find(|known| *known == scheme)?, rest))
}

fn on_host(base: &Url, path: &str, plain: &Plain<'_>) -> Option<Result<Url, UrlError>> {
    // The origin and the `/` that every path begins with.
    write(base, &base.text[..=usize::from(base.path_start)], path, plain)
}

/// `head` is the beginning of `base`, at least up to the first slash of the path.
fn write(base: &Url, head: &str, path: &str, plain: &Plain<'_>) -> Option<Result<Url, UrlError>> {
    let text =
        String::with_capacity(head.len() + path.len() + plain.query.map_or(0, |query| query.len() + 1));
    finish(
        text + head,
        [
            usize::from(base.scheme_end),
            usize::from(base.host_end),
            usize::from(base.path_start),
        ],
        path,
        plain,
    )
}

/// `rest` is all that follows `scheme://` or `//`, up to the query.
fn absolute(scheme: &str, rest: &str, plain: &Plain<'_>) -> Option<Result<Url, UrlError>> {
    let authority_end = rest.find('/').unwrap_or(rest.len());
    let (host, port) = match rest[..authority_end].split_once(':') {
        Some((host, port)) => (host, Some(plain_port(port)?)),
        None => (&rest[..authority_end], None),
    };
    if !is_plain_name(host) && !is_plain_address(host) {
        return None;
    }
    let path = rest.get(authority_end + 1..).unwrap_or("");

    let length = scheme.len() + "://".len() + rest.len() + 1 + plain.query.map_or(0, |query| query.len() + 1);
    let mut text = String::with_capacity(length);
    text.push_str(scheme);
    text.push_str("://");
    text.push_str(host);
    let host_end = text.len();
    text[scheme.len()..].make_ascii_lowercase();
    if let Some(port) = port
        && super::canonical::default_port(scheme) != Some(port)
    {
        text.push(':');
        text.push_str(&port.to_string());
    }
    let path_start = text.len();
    text.push('/');
    finish(text, [scheme.len(), host_end, path_start], path, plain)
}

/// Appends path and query to the text that ends with the slash before them, or for a lone query with the path.
fn finish(
    mut text: String,
    offsets: [usize; 3],
    path: &str,
    plain: &Plain<'_>,
) -> Option<Result<Url, UrlError>> {
    let [scheme_end, host_end, path_start] = offsets;
    if plain.front_needs_care {
        push_path(&mut text, path_start, path)?;
    } else {
        text.push_str(path);
    }
    let path_end = text.len();
    if let Some(query) = plain.query {
        if plain.query_has_escapes || percent::has_empty_parameters(query) {
            percent::push_query(&mut text, query);
        } else {
            text.push('?');
            text.push_str(query);
        }
    }
    let url = Url::assemble(text, scheme_end, host_end, path_start, path_end);
    Some(url.map_err(|length| UrlError::TooLong {
        length,
        limit: URL_BYTES_MAX,
    }))
}

/// Segment by segment, as WHATWG's path state does: `.` adds nothing, `..` takes one away, both leave a slash.
fn push_path(text: &mut String, path_start: usize, path: &str) -> Option<()> {
    let mut rest = Some(path);
    while let Some(path) = rest {
        let segment;
        (segment, rest) = match path.split_once('/') {
            Some((segment, more)) => (segment, Some(more)),
            None => (path, None),
        };
        let start = text.len();
        percent::push(text, segment);
        match &text[start..] {
            "." => text.truncate(start),
            ".." => {
                // The slash before the segment goes, unless it is the path's first; then all to the slash before it.
                let folder = text[path_start..start - 1]
                    .rfind('/')
                    .map_or(path_start + 1, |at| path_start + at + 1);
                if is_drive(&text.as_bytes()[folder..start]) {
                    return None;
                }
                text.truncate(folder);
            }
            _ if rest.is_some() => text.push('/'),
            _ => {}
        }
    }
    Some(())
}

/// `C:/`: the `url` crate does not climb out of what looks like a drive, on the web either. It should there, by the
/// letter of WHATWG, but both ways have to agree, so it decides.
fn is_drive(folder: &[u8]) -> bool {
    matches!(folder, [letter, b':', b'/'] | [letter, b'%', b'7', b'C', b'/'] if letter.is_ascii_alphabetic())
}

/// A port that needs no thought: digits, no zeros in front.
fn plain_port(port: &str) -> Option<u16> {
    if !port.starts_with(|c: char| matches!(c, '1'..='9')) || !port.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    port.parse().ok()
}

/// A name of letters, digits, hyphens and underscores: no address in any spelling, no punycode, no trailing dot.
fn is_plain_name(host: &str) -> bool {
    let bytes = host.as_bytes();
    let mut label = 0;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => {}
            b'.' if at > label => label = at + 1,
            // Two hyphens after two letters are where `xn--` shows.
            b'-' if at != label + 3 || bytes[at - 1] != b'-' => {}
            _ => return false,
        }
    }
    bytes.get(label).is_some_and(|first| !first.is_ascii_digit())
}

/// An IPv4 address as everybody writes it: four numbers, no zeros in front.
fn is_plain_address(host: &str) -> bool {
    let mut numbers = 0;
    let all = host.split('.').all(|number| {
        numbers += 1;
        let digits = number.bytes().all(|byte| byte.is_ascii_digit());
        digits && (number == "0" || !number.starts_with('0')) && number.parse::<u8>().is_ok()
    });
    all && numbers == 4
}
