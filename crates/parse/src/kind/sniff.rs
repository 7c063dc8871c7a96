//! What the first bytes say against what was announced (HC030).
//!
//! The WHATWG sniffing standard in spirit: magic numbers outrank everything, markup is known by its first tag, text by
//! the absence of control bytes. It differs where a crawler's interest differs from a browser's: a browser must not
//! promote plain text to HTML (scripts would run); we run nothing, so content that opens as HTML is HTML, unless
//! `nosniff` says the type is meant.

use super::{Kind, groups::kind_of};
use crate::documents;

/// How much of a document is looked at; the standard's own figure is 1445.
const LOOK_BYTES: usize = 1445;

/// A document's effective type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sniffed {
    /// Lower case, without parameters.
    pub media_type: String,
    pub kind: Kind,
    /// The announced type and the content disagree.
    pub mismatch: bool,
}

impl Sniffed {
    fn of(media_type: &str, mismatch: bool) -> Sniffed {
        Sniffed {
            media_type: media_type.to_owned(),
            kind: kind_of(media_type),
            mismatch,
        }
    }
}

/// Tells the effective type from the announced one (a whole `Content-Type` value) and the first bytes of the body.
pub fn sniff(declared: Option<&str>, nosniff: bool, first_bytes: &[u8]) -> Sniffed {
    let announced = declared
        .map(essence)
        .filter(|t| is_media_type(t))
        .unwrap_or_default();
    let announced = announced.as_str();
    if first_bytes.is_empty() {
        return Sniffed {
            media_type: announced.to_owned(),
            kind: Kind::Empty,
            mismatch: false,
        };
    }
    // A letter opens with whatever its fields say, so only the announcement tells, and it is believed.
    if crate::mail::is_mail(announced) {
        return Sniffed::of(announced, false);
    }
    let head = &first_bytes[..first_bytes.len().min(LOOK_BYTES)];
    let says_nothing = matches!(
        announced,
        "" | "application/octet-stream"
            | "application/unknown"
            | "unknown/unknown"
            | "*/*"
            | "binary/octet-stream"
    );

    if let Some(markup) = markup(head) {
        return against_markup(announced, says_nothing, nosniff, markup);
    }
    let is_binary = looks_binary(head);
    if let Some(found) = magic(head, first_bytes, is_binary) {
        if says_nothing {
            return Sniffed::of(found, false);
        }
        return if agrees(announced, found) {
            Sniffed::of(announced, false)
        } else {
            Sniffed::of(found, true)
        };
    }
    if says_nothing {
        return Sniffed::of(
            if is_binary {
                "application/octet-stream"
            } else {
                text_type(head)
            },
            false,
        );
    }
    if is_binary && announced == "text/plain" {
        return Sniffed::of("application/octet-stream", true);
    }
    if !is_binary && always_binary(announced) {
        return Sniffed::of("text/plain", true);
    }
    Sniffed::of(announced, false)
}

/// Lower case, without parameters. Several joined header fields (`text/html, text/html`) count as the last, as browsers
/// take it.
fn essence(declared: &str) -> String {
    let bounded: String = declared.chars().take(256).collect();
    let last = bounded
        .rsplit(',')
        .find(|part| part.contains('/'))
        .unwrap_or(&bounded);
    last.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
}

fn is_media_type(text: &str) -> bool {
    let is_token = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    };
    text.split_once('/')
        .is_some_and(|(top, sub)| is_token(top) && is_token(sub))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Markup {
    /// A doctype or root element that only HTML has.
    SurelyHtml,
    /// A tag that HTML pages begin with when they begin carelessly.
    LikelyHtml,
    Xhtml,
    Rss,
    Atom,
    Svg,
    Xml,
}

impl Markup {
    fn media_type(self) -> &'static str {
        match self {
            Markup::SurelyHtml | Markup::LikelyHtml => "text/html",
            Markup::Xhtml => "application/xhtml+xml",
            Markup::Rss => "application/rss+xml",
            Markup::Atom => "application/atom+xml",
            Markup::Svg => "image/svg+xml",
            Markup::Xml => "application/xml",
        }
    }
}

fn against_markup(announced: &str, says_nothing: bool, nosniff: bool, markup: Markup) -> Sniffed {
    let kind = kind_of(announced);
    let is_feed = matches!(markup, Markup::Rss | Markup::Atom);
    if says_nothing {
        return Sniffed::of(markup.media_type(), false);
    }
    match kind {
        // XHTML sent as text/html is HTML: that is how it is read by everyone.
        Kind::Html if is_feed => Sniffed::of(markup.media_type(), true),
        Kind::Html => Sniffed::of(announced, false),
        Kind::Xhtml | Kind::Xml | Kind::Feed => {
            if matches!(markup, Markup::SurelyHtml | Markup::LikelyHtml) && kind != Kind::Xhtml {
                Sniffed::of("text/html", true)
            } else if kind == Kind::Xml && is_feed {
                Sniffed::of(markup.media_type(), false)
            } else {
                Sniffed::of(announced, false)
            }
        }
        Kind::Image if announced == "image/svg+xml" && matches!(markup, Markup::Svg | Markup::Xml) => {
            Sniffed::of(announced, false)
        }
        Kind::Text | Kind::Css | Kind::Script | Kind::Json => {
            // Only a clear opening counts: texts about HTML begin with odd tags too.
            let clear = !matches!(markup, Markup::LikelyHtml | Markup::Xml);
            if clear && !nosniff {
                Sniffed::of(markup.media_type(), true)
            } else {
                Sniffed::of(announced, false)
            }
        }
        Kind::Document | Kind::Binary if matches!(markup, Markup::Xml) => Sniffed::of(announced, false),
        _ => Sniffed::of(markup.media_type(), true),
    }
}

/// What the first tag says, past byte order mark, white space, comments and the XML declaration.
fn markup(head: &[u8]) -> Option<Markup> {
    let utf16: Vec<u8>;
    let mut rest = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    if is_utf16(head) {
        // UTF-16 markup is ASCII with NULs between; dropping them is enough to look at it.
        utf16 = head.iter().copied().filter(|b| (1..0x80).contains(b)).collect();
        rest = &utf16;
    }
    let mut is_xml = false;
    let mut has_comment = false;
    // Each round takes a piece off the front, so this ends.
    loop {
        rest = rest.trim_ascii_start();
        if let Some(after) = rest.strip_prefix(b"<!--") {
            has_comment = true;
            match memchr::memmem::find(after, b"-->") {
                Some(end) => rest = &after[end + 3..],
                None => break,
            }
        } else if rest.starts_with(b"<?") {
            is_xml |= starts_with_fold(rest, b"<?xml");
            match memchr::memchr(b'>', rest) {
                Some(end) => rest = &rest[end + 1..],
                None => break,
            }
        } else if is_xml && starts_with_fold(rest, b"<!doctype") && !starts_with_fold(rest, b"<!doctype html")
        {
            match memchr::memchr2(b'>', b'[', rest) {
                Some(end) if rest[end] == b'>' => rest = &rest[end + 1..],
                _ => break,
            }
        } else {
            break;
        }
    }
    if starts_with_fold(rest, b"<!doctype html") || is_tag(rest, b"html") {
        let says_xhtml = memchr::memmem::find(rest, b"//DTD XHTML").is_some()
            || memchr::memmem::find(rest, b"http://www.w3.org/1999/xhtml").is_some();
        return Some(if is_xml && says_xhtml {
            Markup::Xhtml
        } else {
            Markup::SurelyHtml
        });
    }
    if is_tag(rest, b"rss")
        || is_tag(rest, b"rdf:rdf") && memchr::memmem::find(rest, b"purl.org/rss").is_some()
    {
        return Some(Markup::Rss);
    }
    if is_tag(rest, b"feed") {
        return Some(Markup::Atom);
    }
    if is_tag(rest, b"svg") || starts_with_fold(rest, b"<!doctype svg") {
        return Some(Markup::Svg);
    }
    if is_xml || is_tag(rest, b"urlset") || is_tag(rest, b"sitemapindex") {
        return Some(Markup::Xml);
    }
    let openings: [&[u8]; 20] = [
        b"head",
        b"body",
        b"script",
        b"iframe",
        b"h1",
        b"div",
        b"font",
        b"table",
        b"a",
        b"style",
        b"title",
        b"b",
        b"br",
        b"p",
        b"meta",
        b"link",
        b"frameset",
        b"center",
        b"main",
        b"section",
    ];
    if openings.iter().any(|name| is_tag(rest, name)) || has_comment {
        return Some(Markup::LikelyHtml);
    }
    None
}

fn is_utf16(head: &[u8]) -> bool {
    matches!(
        head,
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [b'<', 0, _, 0, ..] | [0, b'<', 0, _, ..]
    )
}

fn is_tag(rest: &[u8], name: &[u8]) -> bool {
    rest.first() == Some(&b'<')
        && starts_with_fold(&rest[1..], name)
        && rest
            .get(1 + name.len())
            .is_none_or(|&b| b == b'>' || b == b'/' || b.is_ascii_whitespace())
}

fn starts_with_fold(bytes: &[u8], prefix: &[u8]) -> bool {
    bytes.len() >= prefix.len() && bytes[..prefix.len()].eq_ignore_ascii_case(prefix)
}

/// The standard's "binary data bytes": control characters that no text has.
fn looks_binary(head: &[u8]) -> bool {
    if matches!(head, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
        return false;
    }
    head.iter()
        .any(|&b| matches!(b, 0..=8 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F))
}

/// The type by magic number. Short magic numbers (`BM`, `MZ`) also begin words, so text is believed only for the formats
/// that are text.
fn magic(head: &[u8], whole: &[u8], is_binary: bool) -> Option<&'static str> {
    let trimmed = head.trim_ascii_start();
    if memchr::memmem::find(&head[..head.len().min(1024)], b"%PDF-").is_some() {
        return Some("application/pdf");
    }
    if trimmed.starts_with(b"%!PS") {
        return Some("application/postscript");
    }
    if trimmed.starts_with(b"{\\rtf") {
        return Some("application/rtf");
    }
    if !is_binary {
        return None;
    }
    if head.starts_with(b"wOF2") {
        return Some("font/woff2");
    }
    // Office and OpenDocument files name themselves further inside the archive than the head reaches.
    let found = infer::get(&whole[..whole.len().min(16 * 1024)])
        .map(|found| found.mime_type())
        .filter(|t| !t.starts_with("text/"))?;
    // Or not there at all: the order of parts is free, and the directory of an archive stands at its end.
    if matches!(found, "application/zip" | "application/x-ole-storage") {
        return Some(documents::media_type_inside(whole).unwrap_or(found));
    }
    Some(found)
}

/// The announced type is a better name for what was found, not another thing.
fn agrees(announced: &str, found: &str) -> bool {
    if announced == found {
        return true;
    }
    let sub = announced.split_once('/').map_or("", |(_, sub)| sub);
    match found {
        // Containers: what lies inside is known to the one who packed it.
        "application/zip" => {
            sub.contains("zip")
                || sub.starts_with("vnd.")
                || matches!(
                    sub,
                    "java-archive" | "epub+zip" | "x-java-archive" | "x-xpinstall"
                )
        }
        "application/x-ole-storage"
        | "application/msword"
        | "application/vnd.ms-excel"
        | "application/vnd.ms-powerpoint" => {
            matches!(kind_of(announced), Kind::Document) || sub.starts_with("vnd.ms-") || sub == "x-msi"
        }
        "application/gzip" => matches!(
            sub,
            "x-gzip" | "x-gtar" | "x-compressed-tar" | "x-tgz" | "x-compressed"
        ),
        "application/postscript" => matches!(sub, "eps" | "x-eps" | "illustrator"),
        _ => {
            let (kind, other) = (kind_of(announced), kind_of(found));
            match kind {
                Kind::Audio | Kind::Video => matches!(other, Kind::Audio | Kind::Video),
                // One image for another is a wrong word, but the same use; the content's own word is the better one.
                Kind::Image => announced.trim_start_matches("image/x-") == found.trim_start_matches("image/"),
                Kind::Html
                | Kind::Xhtml
                | Kind::Text
                | Kind::Xml
                | Kind::Css
                | Kind::Script
                | Kind::Json
                | Kind::Feed => false,
                _ => kind == other,
            }
        }
    }
}

/// Formats that always hold control bytes near their beginning.
fn always_binary(announced: &str) -> bool {
    matches!(
        announced,
        "application/pdf"
            | "application/zip"
            | "application/gzip"
            | "application/x-gzip"
            | "application/msword"
            | "application/vnd.ms-excel"
            | "application/vnd.ms-powerpoint"
            | "image/png"
            | "image/jpeg"
            | "image/jpg"
            | "image/gif"
            | "image/webp"
            | "image/avif"
            | "image/tiff"
            | "image/bmp"
            | "image/x-icon"
            | "audio/mpeg"
            | "audio/ogg"
            | "audio/wav"
            | "video/mp4"
            | "video/webm"
            | "video/mpeg"
            | "video/quicktime"
    ) || announced.starts_with("application/vnd.openxmlformats")
        || announced.starts_with("application/vnd.oasis.opendocument")
}

fn text_type(head: &[u8]) -> &'static str {
    match head.trim_ascii_start().first() {
        Some(b'{' | b'[')
            if head.trim_ascii_start()[1..]
                .trim_ascii_start()
                .first()
                .is_some_and(|&b| b"\"{[]}".contains(&b)) =>
        {
            "application/json"
        }
        _ => "text/plain",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc030_content_decides_over_the_announced_type() {
        let mp4 = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom";
        let exe = b"MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff\0\0";
        let cases: [(Option<&str>, bool, &[u8], &str, bool); 34] = [
            (Some("text/html"), false, mp4, "video/mp4", true),
            (Some("text/html"), true, mp4, "video/mp4", true),
            (
                Some("application/pdf"),
                false,
                exe,
                "application/vnd.microsoft.portable-executable",
                true,
            ),
            (
                Some("application/msword"),
                false,
                b"<html><body>x",
                "text/html",
                true,
            ),
            (Some("image/png"), false, b"GIF89a\x01\0\x01\0", "image/gif", true),
            (
                Some("image/png"),
                false,
                b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
                "image/png",
                false,
            ),
            (
                Some("text/html; charset=x"),
                false,
                b"plain words",
                "text/html",
                false,
            ),
            (Some("text/html"), false, b"a\0b <p>", "text/html", false),
            (
                Some("text/html"),
                false,
                b"<?xml version='1.0'?><rss version='2.0'>",
                "application/rss+xml",
                true,
            ),
            (
                Some("text/html"),
                false,
                b"<?xml version='1.0'?><!DOCTYPE html PUBLIC '-//W3C//DTD XHTML",
                "text/html",
                false,
            ),
            (
                Some("text/xml"),
                false,
                b"<?xml version='1.0'?><feed xmlns='x'>",
                "application/atom+xml",
                false,
            ),
            (
                Some("application/xml"),
                false,
                b"<!doctype html><title>404</title>",
                "text/html",
                true,
            ),
            (
                Some("text/plain"),
                false,
                b"<!DOCTYPE html><p>",
                "text/html",
                true,
            ),
            (
                Some("text/plain"),
                true,
                b"<!DOCTYPE html><p>",
                "text/plain",
                false,
            ),
            (Some("text/plain"), false, b"<p>is a tag", "text/plain", false),
            (
                Some("text/plain"),
                false,
                b"\x01\x02\x03",
                "application/octet-stream",
                true,
            ),
            (Some("text/plain"), false, b"BMW is a car", "text/plain", false),
            (None, false, b"MZ the words go on", "text/plain", false),
            (None, false, b"  <!-- hi --> <HTML>", "text/html", false),
            (None, false, b"%PDF-1.7\n%\xe2\xe3", "application/pdf", false),
            (None, false, b"{\"a\": 1}", "application/json", false),
            (
                None,
                false,
                b"<?xml version='1.0'?><urlset>",
                "application/xml",
                false,
            ),
            (
                None,
                false,
                b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>",
                "application/xhtml+xml",
                false,
            ),
            (None, false, b"<svg xmlns='x'>", "image/svg+xml", false),
            (None, false, b"\xff\xfe<\0h\0t\0m\0l\0>\0", "text/html", false),
            (Some("application/pdf"), false, b"just words", "text/plain", true),
            (
                Some("application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
                false,
                b"PK\x03\x04\x14\0\0\0\0\0",
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                false,
            ),
            (Some("text/css"), false, b"<!doctype html>", "text/html", true),
            (
                Some("application/javascript"),
                false,
                b"/* x */",
                "application/javascript",
                false,
            ),
            (Some("garbage"), false, b"words", "text/plain", false),
            (Some("text/plain, text/html"), false, b"words", "text/html", false),
            (
                Some("image/svg+xml"),
                false,
                b"<?xml version='1.0'?><svg>",
                "image/svg+xml",
                false,
            ),
            (
                Some("application/x-tex"),
                false,
                b"\\documentclass{article}",
                "application/x-tex",
                false,
            ),
            (
                Some("application/octet-stream"),
                false,
                b"\x1f\x8b\x08\0\0\0\0\0",
                "application/gzip",
                false,
            ),
        ];
        for (declared, nosniff, bytes, want, mismatch) in cases {
            let got = sniff(declared, nosniff, bytes);
            assert_eq!(
                (got.media_type.as_str(), got.mismatch),
                (want, mismatch),
                "{declared:?} {:?}",
                String::from_utf8_lossy(bytes)
            );
        }
    }

    #[test]
    fn nothing_is_empty() {
        assert_eq!(sniff(Some("text/html"), false, b"").kind, Kind::Empty);
        assert_eq!(sniff(None, false, b"").kind, Kind::Empty);
    }
}
