//! XML read as a stream, with limits (HC058, HC059): no entity beyond the five built-in ones, no document type, nothing
//! fetched; nesting and size of a tag are bounded. What came before an error has been handed out already.

use crate::Note;
use crate::decode::reason_of;
use gleaner_model::Reason;
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use std::io::{self, BufRead, Read};

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
    /// Hands out all attributes by their whole names, but for name spaces.
    pub(crate) fn each_attribute(&self, mut each: impl FnMut(&str, &str)) {
        let mut attributes = self.tag.attributes();
        for attribute in attributes.with_checks(false).take(ATTRIBUTES_MAX).flatten() {
            let name = attribute.key.into_inner();
            if !name.starts_with("xmlns") {
                each(
                    name,
                    unescape(&attribute.value).as_deref().unwrap_or(&attribute.value),
                );
            }
        }
    }

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
    reader.config_mut().allow_dangling_amp = true;
    let mut depth = 0usize;
    loop {
        let step = match reader.read_event() {
            Ok(event) => take(event, &mut depth, &mut each),
            Err(error) => Step::End(Some(broken(&error))),
        };
        if let Step::End(note) = step {
            return note;
        }
    }
}

/// The same for a document that is not in memory, and never is: only one piece at a time, and no large one.
pub(crate) fn walk_stream(from: impl BufRead, mut each: impl FnMut(Piece<'_>)) -> Option<Note> {
    let mut reader = Reader::from_reader(Pieces { from, length: 0 });
    reader.config_mut().allow_dangling_amp = true;
    let mut depth = 0usize;
    let mut piece = Vec::new();
    loop {
        piece.clear();
        let step = match reader.read_event_into(&mut piece) {
            Ok(event) => take(event, &mut depth, &mut each),
            Err(error) => Step::End(Some(broken(&error))),
        };
        if let Step::End(note) = step {
            return note;
        }
    }
}

enum Step {
    Further,
    End(Option<Note>),
}

fn take(event: Event<'_>, depth: &mut usize, each: &mut impl FnMut(Piece<'_>)) -> Step {
    match event {
        Event::Start(tag) => {
            *depth += 1;
            if *depth > DEPTH_MAX || tag.len() > TAG_BYTES_MAX {
                return Step::End(Some(Note::TooComplex));
            }
            start(&tag, each);
        }
        Event::Empty(tag) => {
            if tag.len() > TAG_BYTES_MAX {
                return Step::End(Some(Note::TooComplex));
            }
            start(&tag, each);
            each(Piece::End);
        }
        Event::End(_) => {
            *depth = depth.saturating_sub(1);
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
        Event::Eof if *depth > 0 => {
            return Step::End(Some(Note::Partial {
                what: "the document ends before its root element does".to_owned(),
            }));
        }
        Event::Eof => return Step::End(None),
        Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
    }
    Step::Further
}

fn broken(error: &quick_xml::Error) -> Note {
    if let quick_xml::Error::Io(error) = error {
        return match reason_of(error) {
            _ if error
                .get_ref()
                .is_some_and(<dyn std::error::Error + Send + Sync>::is::<PieceTooLong>) =>
            {
                Note::TooComplex
            }
            reason @ Reason::DecodedTooLarge => Note::Expanded { reason },
            reason => Note::Partial {
                what: reason.meaning().to_owned(),
            },
        };
    }
    let what: String = error.to_string().chars().take(200).collect();
    Note::Partial { what }
}

/// Ends the reading where no `<` comes for too long: a tag, a text or a comment that nobody needs.
struct Pieces<R> {
    from: R,
    length: usize,
}

/// Longer than any tag that is accepted and any address that is used.
const PIECE_BYTES_MAX: usize = 256 * 1024;

#[derive(Debug, thiserror::Error)]
#[error("a piece of the document is too long")]
struct PieceTooLong;

impl<R: BufRead> Read for Pieces<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let step = self.fill_buf()?;
        let count = step.len().min(buf.len());
        buf[..count].copy_from_slice(&step[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Pieces<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.length > PIECE_BYTES_MAX {
            return Err(io::Error::other(PieceTooLong));
        }
        self.from.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        // What is consumed was filled, so this reads nothing.
        if let Ok(filled) = self.from.fill_buf() {
            let taken = &filled[..count.min(filled.len())];
            self.length = match memchr::memrchr(b'<', taken) {
                Some(at) => taken.len() - at,
                None => self.length + taken.len(),
            };
        }
        self.from.consume(count);
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
