//! From bytes to content: kind and charset first, then the reader of that kind.

use super::markdown::{self, Part};
use super::region::{self, Cut, Selectors};
use super::{of_html, of_text, render};
use crate::charset;
use crate::headers::header;
use crate::kind::{Kind, sniff};
use gleaner_model::defaults::PARSE_BYTES_MAX;
use gleaner_model::{Content, Url};
use std::borrow::Cow;

/// A document as text, and how it is to be read.
pub(super) struct Source<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) kind: Kind,
}

/// Reads a document: its final URL, its response headers (names in lower case) and its decoded body. `None` where there
/// is no text to be had here: PDF, office documents, pictures, archives, nothing at all.
pub fn read(url: &Url, headers: &[(String, String)], body: &[u8]) -> Option<Content> {
    let source = open(url, headers, body)?;
    Some(match source.kind {
        Kind::Html | Kind::Xhtml => of_html(&source.text, url),
        kind => of_text(&source.text, kind),
    })
}

/// The part of a document that selectors name; where it is no HTML there is nothing to select and all of it is taken.
pub fn read_region(
    url: &Url,
    headers: &[(String, String)],
    body: &[u8],
    selectors: &Selectors,
) -> Option<Cut> {
    let source = open(url, headers, body)?;
    Some(match source.kind {
        Kind::Html | Kind::Xhtml => region::region(&source.text, url, selectors),
        kind => Cut {
            content: of_text(&source.text, kind),
            matched_nothing: Vec::new(),
        },
    })
}

/// A document as Markdown; what is no HTML is shown as its text.
pub fn read_markdown(url: &Url, headers: &[(String, String)], body: &[u8], part: Part) -> Option<String> {
    let source = open(url, headers, body)?;
    Some(match source.kind {
        Kind::Html | Kind::Xhtml => markdown::markdown(&source.text, url, part),
        kind => render::text(&of_text(&source.text, kind)),
    })
}

pub(super) fn open<'a>(url: &Url, headers: &[(String, String)], body: &'a [u8]) -> Option<Source<'a>> {
    let content_type = header(headers, "content-type");
    let nosniff =
        header(headers, "x-content-type-options").is_some_and(|v| v.trim().eq_ignore_ascii_case("nosniff"));
    let sniffed = sniff(content_type, nosniff, body);
    let is_drawing = sniffed.media_type == "image/svg+xml";
    if !sniffed.kind.is_textual() && !is_drawing {
        return None;
    }
    let body = &body[..body.len().min(PARSE_BYTES_MAX)];
    let chosen = charset::choose(sniffed.kind, content_type, url.host().rsplit('.').next(), body);
    Some(Source {
        text: chosen.encoding.decode_with_bom_removal(body).0,
        kind: if is_drawing { Kind::Xml } else { sniffed.kind },
    })
}
