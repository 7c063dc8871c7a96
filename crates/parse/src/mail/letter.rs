//! The parts of a letter, found in one pass over its lines.
//!
//! A stack holds the boundaries that are open. A line that is one of them ends the part before it, and all levels inside
//! that one; everything else belongs to the part that is open, or to nobody (what stands before the first boundary).

use super::encoded;
use super::fields::{Fields, Structured};
use crate::charset::{self, Chosen};
use crate::kind::Kind;
use crate::text::fold;
use std::borrow::Cow;

/// Multiparts inside multiparts, and letters inside letters.
const DEPTH_MAX: usize = 20;
const PARTS_MAX: usize = 1000;
/// RFC 2046 allows 70.
const BOUNDARY_BYTES_MAX: usize = 250;
const NAME_CHARS_MAX: usize = 200;

#[derive(Debug, Default)]
pub(crate) struct Letter<'a> {
    fields: Fields,
    /// The leaves of the tree, in order.
    pub(crate) parts: Vec<Part<'a>>,
    pub(crate) is_too_deep: bool,
    pub(crate) has_too_many: bool,
}

#[derive(Debug)]
pub(crate) struct Part<'a> {
    pub(crate) media_type: String,
    /// The name of an attachment; empty where it has none.
    pub(crate) name: String,
    pub(crate) is_attachment: bool,
    /// The multipart/alternative that it is one of.
    pub(crate) alternative: Option<usize>,
    charset: Option<String>,
    transfer: String,
    bytes: &'a [u8],
}

struct Level {
    boundary: Vec<u8>,
    /// Its number, if its parts say the same in different ways.
    alternative: Option<usize>,
}

impl<'a> Letter<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Letter<'a> {
        let mut walk = Walk {
            bytes,
            at: 0,
            levels: Vec::new(),
            open_from: None,
            letters: 0,
            alternatives: 0,
            letter: Letter::default(),
        };
        walk.run();
        walk.letter
    }

    /// A field of the letter itself; empty where there is none.
    pub(crate) fn field(&self, name: &str) -> String {
        self.fields.text(name)
    }
}

struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    /// Where the body of the last part begins, while it is open.
    open_from: Option<usize>,
    /// Letters inside this one.
    letters: usize,
    alternatives: usize,
    letter: Letter<'a>,
}

impl Walk<'_> {
    fn run(&mut self) {
        self.begin();
        while self.at < self.bytes.len() {
            let start = self.at;
            let end = memchr::memchr(b'\n', &self.bytes[start..]).map_or(self.bytes.len(), |n| start + n + 1);
            self.at = end;
            let Some((depth, is_last)) = self.boundary(&self.bytes[start..end]) else {
                continue;
            };
            self.close(start);
            if is_last {
                self.levels.truncate(depth);
                continue;
            }
            self.levels.truncate(depth + 1);
            if self.letter.parts.len() >= PARTS_MAX {
                self.letter.has_too_many = true;
                return;
            }
            self.begin();
        }
        self.close(self.bytes.len());
    }

    /// Reads the head of a part that begins here, and of the letter inside it if it is one.
    fn begin(&mut self) {
        loop {
            let is_whole = self.at == 0;
            let (fields, length) = Fields::read(&self.bytes[self.at..]);
            self.at += length;
            let content_type = fields.structured("content-type");
            let disposition = fields.structured("content-disposition");
            let transfer = fields
                .text("content-transfer-encoding")
                .trim()
                .to_ascii_lowercase();
            if is_whole {
                self.letter.fields = fields;
            }
            let media_type = content_type
                .as_ref()
                .map_or_else(|| "text/plain".to_owned(), |found| found.value.clone());
            if media_type.starts_with("multipart/")
                && let Some(boundary) = boundary_of(content_type.as_ref())
            {
                if self.levels.len() < DEPTH_MAX {
                    let is_alternative = media_type == "multipart/alternative";
                    self.alternatives += 1;
                    self.levels.push(Level {
                        boundary,
                        alternative: is_alternative.then_some(self.alternatives),
                    });
                    return;
                }
                self.letter.is_too_deep = true;
            }
            let is_encoded = matches!(transfer.as_str(), "base64" | "quoted-printable");
            if super::is_mail(&media_type) && !is_encoded && length > 0 {
                if self.letters < DEPTH_MAX {
                    self.letters += 1;
                    continue;
                }
                self.letter.is_too_deep = true;
            }
            let named = |parameter: &Option<Structured>, name: &str| {
                parameter
                    .as_ref()
                    .and_then(|found| found.parameter(name).map(str::to_owned))
            };
            let name = named(&disposition, "filename").or_else(|| named(&content_type, "name"));
            self.open_from = Some(self.at);
            self.letter.parts.push(Part {
                is_attachment: disposition.is_some_and(|found| found.value == "attachment"),
                name: fold(&name.unwrap_or_default(), NAME_CHARS_MAX),
                alternative: self.levels.last().and_then(|level| level.alternative),
                charset: named(&content_type, "charset"),
                media_type,
                transfer,
                bytes: &[],
            });
            return;
        }
    }

    /// Ends the open part; the line end before a boundary belongs to the boundary.
    fn close(&mut self, end: usize) {
        let Some(from) = self.open_from.take() else {
            return;
        };
        let bytes = self.bytes.get(from..end).unwrap_or(&[]);
        if let Some(part) = self.letter.parts.last_mut() {
            let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            part.bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        }
    }

    /// Which open level the line is a boundary of, and whether it is its last.
    fn boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        let rest = line.strip_prefix(b"--")?.trim_ascii_end();
        for (depth, level) in self.levels.iter().enumerate().rev() {
            match rest.strip_prefix(level.boundary.as_slice()) {
                Some(b"") => return Some((depth, false)),
                Some(b"--") => return Some((depth, true)),
                _ => {}
            }
        }
        None
    }
}

fn boundary_of(content_type: Option<&Structured>) -> Option<Vec<u8>> {
    let boundary = content_type?.parameter("boundary")?.trim_end();
    let is_usable = !boundary.is_empty() && boundary.len() <= BOUNDARY_BYTES_MAX;
    is_usable.then(|| boundary.as_bytes().to_vec())
}

impl Part<'_> {
    /// How it is read; `None` for what is not text or is meant to be saved, not read.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self.media_type.as_str() {
            _ if self.is_attachment => None,
            "text/html" => Some(Kind::Html),
            // `text` alone is how old programs wrote it.
            media_type if media_type == "text" || media_type.starts_with("text/") => Some(Kind::Text),
            _ => None,
        }
    }

    /// The text of the part and the charset it was in.
    pub(crate) fn text(&self) -> Option<(String, Chosen)> {
        let kind = self.kind()?;
        let bytes: Cow<'_, [u8]> = match self.transfer.as_str() {
            "base64" => encoded::base64(self.bytes).into(),
            "quoted-printable" => encoded::quoted_printable(self.bytes).into(),
            _ => self.bytes.into(),
        };
        // `us-ascii` says nothing where other bytes follow.
        let label = self
            .charset
            .as_ref()
            .filter(|label| !label.eq_ignore_ascii_case("us-ascii"));
        let content_type = label.map(|label| format!("text/plain; charset={label}"));
        let chosen = charset::choose(kind, content_type.as_deref(), None, &bytes);
        let text = chosen.encoding.decode_with_bom_removal(&bytes).0.into_owned();
        Some((text, chosen))
    }
}
