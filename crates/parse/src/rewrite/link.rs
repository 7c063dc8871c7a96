//! One address: where does it lead now?

use super::{Find, Rewritten, escape};
use crate::collect::in_charset;
use encoding_rs::Encoding;
use gleaner_model::{LinkKind, Url, UrlError};

pub(super) struct Linker<'a> {
    page: &'a Url,
    /// What the page calls its base; then also `#top` and nothing at all lead there.
    base: Option<Url>,
    pub(super) encoding: &'static Encoding,
    find: Find<'a>,
    inside: u64,
    outside: u64,
}

impl<'a> Linker<'a> {
    pub(super) fn new(page: &'a Url, encoding: &'static Encoding, find: Find<'a>) -> Linker<'a> {
        Linker {
            page,
            base: None,
            encoding,
            find,
            inside: 0,
            outside: 0,
        }
    }

    pub(super) fn set_base(&mut self, href: &str) {
        let base = self.page.join(&in_charset(href, self.encoding));
        self.base = base.ok().filter(|base| base != self.page);
    }

    /// The address to put where `text` stood, in ASCII; none where it can stay.
    pub(super) fn put(&mut self, text: &str, kind: LinkKind) -> Option<String> {
        let text = text.trim_matches(|c: char| c <= ' ');
        if self.base.is_none() && (text.is_empty() || text.starts_with('#')) {
            return None;
        }
        // Nothing at all is an address for those who click, and for nobody else.
        if text.is_empty() && !matches!(kind, LinkKind::Anchor | LinkKind::Area) {
            return None;
        }
        let from = self.base.as_ref().unwrap_or(self.page);
        // What is no address of a document (`mailto:`, `data:`, `javascript:`) means the same everywhere.
        let url = match from.join(&in_charset(text, self.encoding)) {
            Ok(url) => url,
            Err(UrlError::TooLong { .. }) => return at_the_origin(from, text),
            Err(_) => return None,
        };
        let fragment = match text.split_once('#') {
            Some((_, fragment)) => format!("#{}", escape::fragment(fragment)),
            None => String::new(),
        };
        // A copy says itself where it was copied from.
        if kind != LinkKind::Canonical
            && let Some(found) = (self.find)(&url)
        {
            self.inside += 1;
            return Some(found + &fragment);
        }
        self.outside += u64::from(kind != LinkKind::Canonical);
        if is_whole(text, &url) {
            return None;
        }
        Some(format!("{url}{fragment}"))
    }

    pub(super) fn rewritten(self, body: Option<Vec<u8>>) -> Rewritten {
        Rewritten {
            body,
            inside: self.inside,
            outside: self.outside,
        }
    }
}

/// A relative address that is too long for us would be one of the copy: whoever can read it finds it where the page came from.
fn at_the_origin(from: &Url, text: &str) -> Option<String> {
    let end = text.find([':', '/', '?', '#']).unwrap_or(text.len());
    let has_scheme = text[end..].starts_with(':');
    if has_scheme || !text.is_ascii() || text.starts_with("//") {
        return None;
    }
    let path = from.path();
    let folder = &path[..path.rfind('/').map_or(0, |at| at + 1)];
    Some(match text.as_bytes().first()? {
        b'/' => format!("{}{text}", from.origin()),
        b'?' => format!("{}{path}{text}", from.origin()),
        _ => format!("{}{folder}{text}", from.origin()),
    })
}

/// Whether an address says all by itself, so that its author's spelling can stay.
fn is_whole(text: &str, url: &Url) -> bool {
    let scheme = text.get(..url.scheme().len());
    scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case(url.scheme()))
        && text[url.scheme().len()..].starts_with("://")
}
