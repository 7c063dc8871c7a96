//! Records of libraries in Dublin Core, as OAI-PMH gives them: their title, and the addresses that they name (A8).
//!
//! Addresses stand there as text, beside numbers of other kinds: what begins with `http` is one.

use crate::Parsed;
use crate::collect::{Against, Collector};
use crate::text;
use crate::xml::{Piece, Value, walk};
use gleaner_model::LinkKind;
use gleaner_model::defaults::TITLE_CHARS_MAX;
use std::borrow::Cow;

/// Longer texts are no addresses.
const TEXT_BYTES_MAX: usize = 8 * 1024;

pub(crate) fn is_root(name: &str) -> bool {
    matches!(name, "OAI-PMH" | "dc")
}

pub(crate) fn read(text: &str, links: &mut Collector<'_>, parsed: &mut Parsed) {
    let mut names: Vec<String> = Vec::new();
    let mut value = Value::default();
    let note = walk(text, |piece| match piece {
        Piece::Start(element) => {
            names.push(element.name.to_owned());
            value.take();
        }
        Piece::Text(text) => value.push(text, TEXT_BYTES_MAX),
        Piece::End => {
            let text = value.take();
            let text = text.trim();
            match names.pop().as_deref() {
                Some("title") if parsed.title.is_empty() => parsed.title = text::fold(text, TITLE_CHARS_MAX),
                Some("identifier" | "relation" | "source" | "isPartOf" | "hasFormat" | "rights")
                    if text.starts_with("http://") || text.starts_with("https://") =>
                {
                    links.add_text(
                        Cow::Owned(text.to_owned()),
                        LinkKind::Anchor,
                        false,
                        Against::Page,
                    );
                }
                _ => {}
            }
        }
    });
    parsed.notes.extend(note);
}

#[cfg(test)]
mod tests {
    use crate::{Input, parse};
    use gleaner_model::Url;

    #[test]
    fn a8_a_record_names_its_document() {
        let url = Url::parse("https://repo.test/oai2/oai%3Arepo%3A1").expect("an address");
        let body = br#"<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><record>
            <header><identifier>oai:repo:1</identifier></header><metadata>
            <oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/">
            <dc:title>On  Links &amp; Graphs</dc:title><dc:title>Another</dc:title><dc:creator>Ann Lee</dc:creator>
            <dc:identifier>https://repo.test/1.pdf?a=1&amp;b=2</dc:identifier><dc:identifier>doi:10.1/2</dc:identifier>
            <dc:description>See http://other.test/ for more</dc:description></oai_dc:dc></metadata></record></OAI-PMH>"#;
        let headers = vec![("content-type".to_owned(), "text/xml".to_owned())];
        let parsed = parse(&Input {
            url: &url,
            headers: &headers,
            body,
            agent: "gleaner",
            is_sitemap: false,
        });
        assert_eq!(parsed.title, "On Links & Graphs");
        let links: Vec<&str> = parsed.links.iter().map(|link| link.url.as_str()).collect();
        assert_eq!(links, ["https://repo.test/1.pdf?a=1&b=2"]);
    }
}
