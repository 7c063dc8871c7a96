//! Which charset are these bytes in? The standard's order: byte order mark, header, meta (or XML declaration), then
//! detection; a label nobody knows is passed over, never a reason to refuse (E3, HC078, HC079).

mod marks;
mod prescan;

pub(crate) use prescan::{label_in_content, prescan};

use crate::Kind;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_MAC_CYRILLIC, X_USER_DEFINED};
use std::borrow::Cow;

/// Detection looks no further: the verdict is settled long before.
const DETECT_BYTES_MAX: usize = 256 * 1024;
/// No real label is longer.
const LABEL_BYTES_MAX: usize = 64;

/// The charset a document is read in, and who said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset {
    /// The WHATWG name: `UTF-8`, `windows-1252`, `Shift_JIS` …
    pub name: &'static str,
    pub source: CharsetSource,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CharsetSource {
    Bom,
    Header,
    /// `<meta charset>`, the XML declaration or `@charset`.
    Meta,
    Detected,
    /// Nothing said and nothing to tell by: all bytes are ASCII.
    Default,
}

impl CharsetSource {
    pub fn as_str(self) -> &'static str {
        match self {
            CharsetSource::Bom => "bom",
            CharsetSource::Header => "header",
            CharsetSource::Meta => "meta",
            CharsetSource::Detected => "detected",
            CharsetSource::Default => "default",
        }
    }
}

/// The charset as the rest of the room uses it.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) encoding: &'static Encoding,
    pub(crate) source: CharsetSource,
    /// A label in header or meta that means nothing.
    pub(crate) unknown_label: Option<String>,
}

impl Chosen {
    pub(crate) fn charset(&self) -> Charset {
        Charset {
            name: self.encoding.name(),
            source: self.source,
        }
    }
}

/// Chooses the charset of a document of this kind. `content_type` is the whole header value; `tld` the last label of the
/// host, which helps the detection.
pub(crate) fn choose(kind: Kind, content_type: Option<&str>, tld: Option<&str>, body: &[u8]) -> Chosen {
    let mut unknown_label = None;
    if let Some((encoding, _)) = Encoding::for_bom(body) {
        return Chosen {
            encoding,
            source: CharsetSource::Bom,
            unknown_label,
        };
    }
    if let Some(label) = content_type.and_then(header_label) {
        match known(label.as_bytes()) {
            // UTF-16 without a mark that opens like ASCII is a wrong header; every browser shows rubbish here.
            Some(encoding) if is_utf16(encoding) && opens_as_ascii(body) => {}
            Some(encoding) => {
                return Chosen {
                    encoding,
                    source: CharsetSource::Header,
                    unknown_label,
                };
            }
            None => unknown_label = Some(label.chars().take(LABEL_BYTES_MAX).collect()),
        }
    }
    let declared = match kind {
        Kind::Html => prescan(&body[..body.len().min(1024)]).or_else(|| crate::html::late_meta(body)),
        Kind::Xhtml | Kind::Xml | Kind::Feed | Kind::Sitemap | Kind::SitemapIndex | Kind::Image => {
            prescan::xml_declaration(body).or_else(|| {
                (kind == Kind::Xhtml)
                    .then(|| prescan(&body[..body.len().min(1024)]))
                    .flatten()
            })
        }
        Kind::Css => css_charset(body),
        _ => None,
    };
    if let Some(encoding) = declared {
        return Chosen {
            encoding,
            source: CharsetSource::Meta,
            unknown_label,
        };
    }
    let (encoding, source) = detect(kind, tld, body);
    Chosen {
        encoding,
        source,
        unknown_label,
    }
}

/// The encoding of a label, if any standard knows it. The labels that browsers map to "replacement" (ISO-2022-KR, HZ …)
/// count as unknown: showing one U+FFFD instead of the page helps nobody who runs no scripts.
pub(crate) fn known(label: &[u8]) -> Option<&'static Encoding> {
    if label.len() > LABEL_BYTES_MAX {
        return None;
    }
    Encoding::for_label_no_replacement(label)
}

/// As [`known`], for labels inside the document: a page that can be read as ASCII is not UTF-16.
pub(crate) fn known_inside(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = known(label)?;
    Some(if is_utf16(encoding) {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    })
}

fn is_utf16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

fn opens_as_ascii(body: &[u8]) -> bool {
    matches!(body, [b'<', b'!' | b'?' | b'a'..=b'z' | b'A'..=b'Z', ..])
}

/// The `charset` parameter of a `Content-Type` value.
fn header_label(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches(['"', '\'']).trim();
        (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then_some(value)
    })
}

fn css_charset(body: &[u8]) -> Option<&'static Encoding> {
    let rest = body.strip_prefix(b"@charset \"")?;
    let end = memchr::memchr(b'"', &rest[..rest.len().min(LABEL_BYTES_MAX)])?;
    if rest.get(end + 1) != Some(&b';') {
        return None;
    }
    known_inside(&rest[..end])
}

fn detect(kind: Kind, tld: Option<&str>, body: &[u8]) -> (&'static Encoding, CharsetSource) {
    if let Some(encoding) = marks::utf16_without_mark(body) {
        return (encoding, CharsetSource::Detected);
    }
    let ascii_default = if matches!(kind, Kind::Html) {
        WINDOWS_1252
    } else {
        UTF_8
    };
    let ascii = Encoding::ascii_valid_up_to(body);
    if ascii == body.len() && memchr::memchr(0x1B, body).is_none() {
        return (ascii_default, CharsetSource::Default);
    }
    let valid = Encoding::utf8_valid_up_to(body);
    // A body cut in the middle of a character is still UTF-8.
    if ascii < body.len() && (valid == body.len() || (valid + 3 >= body.len() && valid > ascii)) {
        return (UTF_8, CharsetSource::Detected);
    }
    // The ASCII in front tells nothing; some of it is kept for the words beside the first foreign letter.
    let from = if ascii < body.len() && memchr::memchr(0x1B, &body[..ascii]).is_none() {
        ascii.saturating_sub(1024)
    } else {
        0
    };
    let end = body.len().min(from + DETECT_BYTES_MAX);
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let seen_foreign = detector.feed(&body[from..end], end == body.len());
    let tld = tld
        .filter(|t| !t.is_empty() && t.bytes().all(|b| b.is_ascii_lowercase()))
        .map(str::as_bytes);
    let mut encoding = detector.guess(tld, Utf8Detection::Allow);
    if encoding.is_single_byte() && marks::is_mac_cyrillic(&body[from..end]) {
        encoding = X_MAC_CYRILLIC;
    }
    if !seen_foreign && encoding == WINDOWS_1252 {
        return (ascii_default, CharsetSource::Default);
    }
    (encoding, CharsetSource::Detected)
}

/// The text of a body in its charset: valid Unicode whatever the bytes are, the byte order mark taken off (HC079).
pub fn to_text<'a>(body: &'a [u8], charset: &Charset) -> Cow<'a, str> {
    let encoding = Encoding::for_label(charset.name.as_bytes()).unwrap_or(UTF_8);
    encoding.decode_with_bom_removal(body).0
}

/// The same by a charset's label, as it was written down when the body came; UTF-8 where there is none.
pub fn decode_text<'a>(body: &'a [u8], label: Option<&str>) -> Cow<'a, str> {
    let known = label.and_then(|label| Encoding::for_label(label.as_bytes()));
    known.unwrap_or(UTF_8).decode(body).0
}

#[cfg(test)]
mod tests;
