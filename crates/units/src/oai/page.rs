//! What does a repository say in one answer? Its XML in, records or an error out (OAI-PMH 2.0).
//!
//! A record is kept as the server wrote it, inside the name spaces that it stands in: from a list and asked for by itself it then
//! has the same bytes, so equal bytes mean that nothing changed.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesRef, BytesStart, Event};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;

/// No honest answer nests deeper.
const DEPTH_MAX: usize = 100;
/// No identifier, token or date is longer.
const TEXT_BYTES_MAX: usize = 8 * 1024;

/// One answer of a repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) records: Vec<Record>,
    /// Records without an identifier that can be read.
    pub(super) unreadable: usize,
    /// With what the next page is asked for; none on the last one.
    pub(super) token: Option<String>,
    /// How many records the whole list has, if the server says so.
    pub(super) list_size: Option<u64>,
    /// The code of an error and what the server says of it.
    pub(super) error: Option<(String, String)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) identifier: String,
    pub(super) datestamp: String,
    pub(super) is_deleted: bool,
    /// A document of its own.
    pub(super) xml: Vec<u8>,
}

/// Why an answer is none of a repository.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NotOai(pub(super) String);

/// Which text is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Identifier,
    Datestamp,
    Token,
    Error,
}

#[derive(Default)]
struct Reading {
    page: Page,
    /// Local names of the open elements.
    path: Vec<String>,
    /// The record that is open: where it begins, and its header.
    start: Option<usize>,
    identifier: String,
    datestamp: String,
    is_deleted: bool,
    field: Option<Field>,
    text: String,
    code: String,
    /// The declaration and the name spaces of the root, for each record.
    opening: String,
    is_oai: bool,
}

pub(super) fn read(xml: &[u8]) -> Result<Page, NotOai> {
    let text = String::from_utf8_lossy(xml.strip_prefix(b"\xef\xbb\xbf").unwrap_or(xml));
    let mut reader = Reader::from_str(&text);
    reader.config_mut().expand_empty_elements = true;
    reader.config_mut().allow_dangling_amp = true;
    let mut reading = Reading::default();
    loop {
        let before = reader.buffer_position() as usize;
        let event = reader
            .read_event()
            .map_err(|error| NotOai(format!("the XML cannot be read: {error}")))?;
        let after = reader.buffer_position() as usize;
        match event {
            Event::Decl(_) => text[before..after].clone_into(&mut reading.opening),
            Event::Start(start) => reading.open(&start, before)?,
            Event::End(_) => reading.close(&text, after),
            Event::Text(part) => reading.add(&part.xml10_content()),
            Event::CData(part) => reading.add(&part.xml10_content()),
            Event::GeneralRef(reference) => reading.add_reference(&reference),
            Event::Eof if reading.path.is_empty() && reading.is_oai => return Ok(reading.page),
            Event::Eof if reading.is_oai => return Err(NotOai("the answer ends in the middle".to_owned())),
            Event::Eof => return Err(NotOai("the answer is not one of OAI-PMH".to_owned())),
            _ => {}
        }
    }
}

impl Reading {
    fn open(&mut self, start: &BytesStart<'_>, at: usize) -> Result<(), NotOai> {
        let name = start.local_name().into_inner().to_owned();
        if self.path.is_empty() {
            if name != "OAI-PMH" {
                return Err(NotOai("the answer is not one of OAI-PMH".to_owned()));
            }
            self.is_oai = true;
            self.opening = opening(&self.opening, start);
        }
        if self.path.len() >= DEPTH_MAX {
            return Err(NotOai(format!("the XML nests more than {DEPTH_MAX} levels deep")));
        }
        let within = self.path.last().map_or("", String::as_str);
        self.field = None;
        match (self.path.len(), within, name.as_str()) {
            (2, "ListRecords" | "GetRecord", "record") => {
                self.start = Some(at);
                self.identifier.clear();
                self.datestamp.clear();
                self.is_deleted = false;
            }
            (3, "record", "header") => {
                self.is_deleted = attribute(start, "status").is_some_and(|status| status == "deleted");
            }
            (4, "header", "identifier") => self.field = Some(Field::Identifier),
            (4, "header", "datestamp") => self.field = Some(Field::Datestamp),
            (2, "ListRecords", "resumptionToken") => {
                self.field = Some(Field::Token);
                let size = attribute(start, "completeListSize");
                self.page.list_size = size.and_then(|size| size.trim().parse().ok());
            }
            (1, _, "error") => {
                self.field = Some(Field::Error);
                self.code = attribute(start, "code").unwrap_or_default();
            }
            _ => {}
        }
        self.text.clear();
        self.path.push(name);
        Ok(())
    }

    fn add(&mut self, text: &str) {
        if self.field.is_some() && self.text.len() + text.len() <= TEXT_BYTES_MAX {
            self.text.push_str(text);
        }
    }

    /// `&amp;` and `&#38;`; what a document type would have to explain is left as it stands.
    fn add_reference(&mut self, reference: &BytesRef<'_>) {
        if let Ok(Some(one)) = reference.resolve_char_ref() {
            self.add(one.encode_utf8(&mut [0; 4]));
            return;
        }
        let name = reference.xml10_content();
        match quick_xml::escape::resolve_predefined_entity(&name) {
            Some(text) => self.add(text),
            None => self.add(&format!("&{name};")),
        }
    }

    fn close(&mut self, text: &str, after: usize) {
        self.path.pop();
        if let Some(field) = self.field.take() {
            let text = self.text.trim().to_owned();
            match field {
                Field::Identifier => self.identifier = text,
                Field::Datestamp => self.datestamp = text,
                Field::Token => self.page.token = Some(text).filter(|token| !token.is_empty()),
                Field::Error => self.page.error = Some((std::mem::take(&mut self.code), text)),
            }
        }
        let is_record = self.path.len() == 2;
        let Some(start) = self.start.filter(|_| is_record) else {
            return;
        };
        self.start = None;
        if self.identifier.is_empty() {
            self.page.unreadable += 1;
            return;
        }
        let xml = document(&self.opening, text, start..after);
        self.page.records.push(Record {
            identifier: std::mem::take(&mut self.identifier),
            datestamp: std::mem::take(&mut self.datestamp),
            is_deleted: self.is_deleted,
            xml,
        });
    }
}

/// The declaration, if there was one, and the root with its name spaces: other attributes vary from answer to answer.
fn opening(declaration: &str, root: &BytesStart<'_>) -> String {
    let mut out = declaration.to_owned();
    if !out.is_empty() {
        out.push('\n');
    }
    out.push('<');
    out.push_str(root.name().into_inner());
    let mut spaces: Vec<(String, String)> = root
        .attributes()
        .flatten()
        .filter(|attribute| attribute.key.into_inner().starts_with("xmlns"))
        .map(|attribute| {
            (
                attribute.key.into_inner().to_owned(),
                attribute.value.replace('"', "&quot;"),
            )
        })
        .collect();
    spaces.sort();
    for (name, value) in spaces {
        let _never_fails = write!(out, " {name}=\"{value}\"");
    }
    out.push_str(">\n");
    out
}

fn document(opening: &str, text: &str, record: Range<usize>) -> Vec<u8> {
    let root = opening.rfind('<').map_or("", |at| &opening[at + 1..]);
    let name = root.split([' ', '>']).next().unwrap_or_default();
    format!("{opening}{}\n</{name}>\n", &text[record]).into_bytes()
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = start
        .attributes()
        .flatten()
        .find(|attribute| attribute.key.local_name().into_inner() == name)?;
    Some(unescape(&found.value).map_or_else(|_| found.value.to_string(), Cow::into_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str =
        r#"<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xsi:schemaLocation="x" xmlns:xsi="y">"#;

    fn answer(inside: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n{ROOT}<responseDate>2026-01-01T00:00:00Z</responseDate>{inside}</OAI-PMH>"
        )
    }

    fn record(identifier: &str, status: &str, rest: &str) -> String {
        format!(
            "<record><header{status}><identifier>{identifier}</identifier><datestamp>2026-01-01</datestamp></header>{rest}</record>"
        )
    }

    #[test]
    fn records_have_the_same_bytes_in_a_list_and_by_themselves() {
        let one = record(
            "oai:a:1",
            "",
            "<metadata><title>One &amp; only</title></metadata>",
        );
        let list = answer(&format!(
            "<ListRecords>{one}{}<resumptionToken completeListSize=\"7\" cursor=\"0\"> a&amp;b </resumptionToken></ListRecords>",
            record("oai:a:2", " status=\"deleted\"", "")
        ));
        let alone = answer(&format!(
            "<request verb='GetRecord'/><GetRecord>{one}</GetRecord>"
        ));
        let page = read(list.as_bytes()).expect("a page");
        assert_eq!(page.token.as_deref(), Some("a&b"));
        assert_eq!(page.list_size, Some(7));
        assert_eq!(page.records.len(), 2);
        assert_eq!(
            (page.records[0].is_deleted, page.records[1].is_deleted),
            (false, true)
        );
        let single = read(alone.as_bytes()).expect("a page");
        assert_eq!(single.records[0], page.records[0]);
        let text = String::from_utf8(page.records[0].xml.clone()).expect("UTF-8");
        assert!(text.contains("One &amp; only"), "{text}");
        assert!(
            !text.contains("responseDate") && !text.contains("schemaLocation"),
            "{text}"
        );
        let again = read(
            text.replace("<record>", "<GetRecord><record>")
                .replace("</record>", "</record></GetRecord>")
                .as_bytes(),
        );
        assert_eq!(again.expect("a page").records[0].identifier, "oai:a:1");
    }

    #[test]
    fn errors_and_what_is_none_of_it() {
        let page = read(answer("<error code=\"noRecordsMatch\">none</error>").as_bytes()).expect("a page");
        assert_eq!(page.error, Some(("noRecordsMatch".to_owned(), "none".to_owned())));
        for bad in [
            "",
            "<html><p>down</p></html>",
            "no XML <at all",
            &answer("<ListRecords>")[..80],
        ] {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
        let deep = answer(&format!("{}{}", "<a>".repeat(200), "</a>".repeat(200)));
        assert!(read(deep.as_bytes()).is_err());
        let nameless = answer("<ListRecords><record><header/></record></ListRecords>");
        assert_eq!(read(nameless.as_bytes()).expect("a page").unreadable, 1);
        // A header inside of the metadata is none of the record.
        let inner = "<metadata><header><identifier>x</identifier></header></metadata>";
        let page = read(
            answer(&format!(
                "<ListRecords>{}</ListRecords>",
                record("oai:a:1", "", inner)
            ))
            .as_bytes(),
        );
        assert_eq!(page.expect("a page").records[0].identifier, "oai:a:1");
    }
}
