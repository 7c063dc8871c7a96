//! From bytes to content: kind and charset first, then the reader of that kind.

use super::mail::of_mail;
use super::markdown::{self, Part};
use super::region::{self, RegionCut, Selectors};
use super::{Repeats, described, of_html, of_text, render, shown_html, visible, words};
use crate::charset;
use crate::headers::header;
use crate::kind::{Kind, sniff};
use crate::mail::is_mail;
use encoding_rs::{Encoding, UTF_8};
use gleaner_model::defaults::PARSE_BYTES_MAX;
use gleaner_model::{Content, Url};
use std::borrow::Cow;

/// A document as text, and how it is to be read.
enum Source<'a> {
    Html(Cow<'a, str>),
    Text(Cow<'a, str>, Kind),
    /// A letter has several texts, each in its own charset.
    Letter(&'a [u8]),
}

impl Source<'_> {
    /// What is no HTML, or HTML as a whole.
    fn content(&self, url: &Url) -> Content {
        match self {
            Source::Html(text) => of_html(text, url),
            Source::Text(text, kind) => of_text(text, *kind),
            Source::Letter(bytes) => of_mail(bytes, url),
        }
    }
}

/// Reads a document: its final URL, its response headers (names in lower case) and its decoded body. `None` where there
/// is no text to be had here: PDF, office documents, pictures, archives, nothing at all.
pub fn read(url: &Url, headers: &[(String, String)], body: &[u8]) -> Option<Content> {
    open(url, headers, body).map(|source| source.content(url))
}

/// Whether a document is announced as a letter, so that [`read`] takes it for one.
pub fn is_letter(headers: &[(String, String)]) -> bool {
    let announced = header(headers, "content-type").unwrap_or("");
    let media_type = announced.split(';').next().unwrap_or("").trim();
    is_mail(&media_type.to_ascii_lowercase())
}

/// As [`read`] for whoever shows or indexes a document rather than compares it: a page without any visible text is what it
/// says of itself in its head, and pages have no digest.
pub fn read_said(url: &Url, headers: &[(String, String)], body: &[u8]) -> Option<Content> {
    read_said_among(url, headers, body, &Repeats::default())
}

/// As [`read_said`] for a page of a site of which more is known: what it says on many pages.
pub fn read_said_among(
    url: &Url,
    headers: &[(String, String)],
    body: &[u8],
    repeats: &Repeats,
) -> Option<Content> {
    Some(match open(url, headers, body)? {
        Source::Html(text) => {
            let content = shown_html(&text, url, repeats);
            if content.blocks.is_empty() {
                described(&text)
            } else {
                content
            }
        }
        source => source.content(url),
    })
}

/// The part of a document that selectors name; where it is no HTML there is nothing to select and all of it is taken.
pub fn read_region(
    url: &Url,
    headers: &[(String, String)],
    body: &[u8],
    selectors: &Selectors,
) -> Option<RegionCut> {
    let source = open(url, headers, body)?;
    Some(match source {
        Source::Html(text) => region::region(&text, url, selectors),
        source => RegionCut {
            content: source.content(url),
            matched_nothing: Vec::new(),
        },
    })
}

/// What a reader sees of a document, white space folded, without regard to blocks.
pub(crate) fn read_visible(url: &Url, headers: &[(String, String)], body: &[u8]) -> Option<String> {
    let source = open(url, headers, body)?;
    Some(match source {
        Source::Html(text) => visible::text(&text),
        source => words::folded(&render::text(&source.content(url))),
    })
}

/// A document as Markdown; what is no HTML is shown as its text.
pub fn read_markdown(url: &Url, headers: &[(String, String)], body: &[u8], part: Part) -> Option<String> {
    let source = open(url, headers, body)?;
    Some(match source {
        Source::Html(text) => markdown::markdown(&text, url, part),
        source => render::text(&source.content(url)),
    })
}

/// The text of an HTML page and the charset it is written in; `None` for everything else.
pub(crate) fn open_html<'a>(
    url: &Url,
    headers: &[(String, String)],
    body: &'a [u8],
) -> Option<(Cow<'a, str>, &'static Encoding)> {
    match open_noting(url, headers, body)? {
        (Source::Html(text), encoding) => Some((text, encoding)),
        _ => None,
    }
}

fn open<'a>(url: &Url, headers: &[(String, String)], body: &'a [u8]) -> Option<Source<'a>> {
    open_noting(url, headers, body).map(|(source, _)| source)
}

fn open_noting<'a>(
    url: &Url,
    headers: &[(String, String)],
    body: &'a [u8],
) -> Option<(Source<'a>, &'static Encoding)> {
    let content_type = header(headers, "content-type");
    let nosniff =
        header(headers, "x-content-type-options").is_some_and(|v| v.trim().eq_ignore_ascii_case("nosniff"));
    let sniffed = sniff(content_type, nosniff, body);
    let is_drawing = sniffed.media_type == "image/svg+xml";
    if !sniffed.kind.is_textual() && !is_drawing {
        return None;
    }
    let body = &body[..body.len().min(PARSE_BYTES_MAX)];
    if is_mail(&sniffed.media_type) {
        return Some((Source::Letter(body), UTF_8));
    }
    let chosen = charset::choose(sniffed.kind, content_type, url.host().rsplit('.').next(), body);
    let text = chosen.encoding.decode_with_bom_removal(body).0;
    let source = match sniffed.kind {
        _ if is_drawing => Source::Text(text, Kind::Xml),
        Kind::Html | Kind::Xhtml => Source::Html(text),
        kind => Source::Text(text, kind),
    };
    Some((source, chosen.encoding))
}
