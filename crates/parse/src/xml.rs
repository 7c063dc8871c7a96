//! XML read as a stream, with limits (HC058, HC059): no entity beyond the five built-in ones, no document type, nothing
//! fetched; nesting and size of a tag are bounded. What came before an error has been handed out already.

use crate::Note;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;

/// Sitemaps and feeds nest about ten deep.
const DEPTH_MAX: usize = 256;
/// A start tag with all its attributes and name spaces.
const TAG_BYTES_MAX: usize = 64 * 1024;
const ATTRIBUTES_MAX: usize = 256;

/// One thing met on the way. Names are without prefix; prefixes are apart.
pub(crate) enum Piece<'e> {
    Start(&'e Element<'e>),
    End,
    /// One part of a text; references are resolved, other entities stay as written.
    Text(&'e str),
}

pub(crate) struct Element<'e> {
    pub(crate) prefix: &'e str,
    pub(crate) name: &'e str,
    tag: &'e BytesStart<'e>,
}

impl Element<'_> {
    /// The value of an attribute by its local name.
    pub(crate) fn attribute(&self, name: &str) -> Option<String> {
        let found = self
            .tag
            .attributes()
            .with_checks(false)
            .take(ATTRIBUTES_MAX)
            .flatten()
            .find(|attribute| attribute.key.local_name().into_inner() == name)?;
        Some(unescape(&found.value).map_or_else(|_| found.value.to_string(), Cow::into_owned))
    }
}

/// Walks through a document and hands each piece to `each`; the note says why it ended early.
pub(crate) fn walk(text: &str, mut each: impl FnMut(Piece<'_>)) -> Option<Note> {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    let mut depth = 0usize;
    loop {
        let event = match reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let what: String = error.to_string().chars().take(200).collect();
                return Some(Note::Partial { what });
            }
        };
        match event {
            Event::Start(tag) => {
                depth += 1;
                if depth > DEPTH_MAX || tag.len() > TAG_BYTES_MAX {
                    return Some(Note::TooComplex);
                }
                start(&tag, &mut each);
            }
            Event::Empty(tag) => {
                if tag.len() > TAG_BYTES_MAX {
                    return Some(Note::TooComplex);
                }
                start(&tag, &mut each);
                each(Piece::End);
            }
            Event::End(_) => {
                depth = depth.saturating_sub(1);
                each(Piece::End);
            }
            Event::Text(text) => each(Piece::Text(&text.xml10_content())),
            Event::CData(text) => each(Piece::Text(&text.xml10_content())),
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                let resolved = match name.as_ref() {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => reference.resolve_char_ref().ok().flatten(),
                };
                match resolved {
                    Some(c) => each(Piece::Text(c.encode_utf8(&mut [0; 4]))),
                    None => each(Piece::Text(&format!("&{name};"))),
                }
            }
            Event::Eof if depth > 0 => {
                return Some(Note::Partial {
                    what: "the document ends before its root element does".to_owned(),
                });
            }
            Event::Eof => return None,
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn start(tag: &BytesStart<'_>, each: &mut impl FnMut(Piece<'_>)) {
    let name = tag.name();
    let (local, prefix) = name.decompose();
    let prefix = prefix.map_or("", |p| p.into_inner());
    each(Piece::Start(&Element {
        prefix,
        name: local.into_inner(),
        tag,
    }));
}

/// Collects the text of one element, bounded.
#[derive(Default)]
pub(crate) struct Value {
    text: String,
}

impl Value {
    pub(crate) fn push(&mut self, text: &str, bytes_max: usize) {
        let mut end = text.len().min(bytes_max.saturating_sub(self.text.len()));
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.text.push_str(&text[..end]);
    }

    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}
