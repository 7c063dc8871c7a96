//! What would a catalogue say of this document? Title, authors, abstract, keywords, date, what it cites, and its identifiers. (G13)
//!
//! In: what a reader made of it. Out: a [`BibliographicRecord`], empty where nothing can be told. A document's own fields are believed
//! where they are made for readers (`citation_title`, TeX, front matter) and doubted where programs fill them in (PDF, office): there
//! they have to stand on the first page too. Then come the sizes of letters of the first page, then the order of paragraphs.

mod authors;
mod citations;
mod dates;
mod front;
mod header;
mod identifiers;
mod references;
mod sections;
mod title;

pub use citations::{CitationIndex, CitedCount};
pub use references::CitedWork;

use front::Front;
use gleaner_parse::documents::Reading;
use header::Header;
use serde::{Deserialize, Serialize};

/// A document as a catalogue describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BibliographicRecord {
    pub title: Option<String>,
    /// As written, given names first where the document has them so.
    pub authors: Vec<String>,
    #[serde(rename = "abstract")]
    pub summary: Option<String>,
    pub keywords: Vec<String>,
    pub year: Option<u16>,
    /// As `2004`, `2004-05` or `2004-05-06`.
    pub date: Option<String>,
    /// ISO 639-1.
    pub language: Option<String>,
    pub doi: Option<String>,
    pub arxiv: Option<String>,
    /// Hosts of the authors' addresses of mail.
    pub author_hosts: Vec<String>,
    pub references: Vec<CitedWork>,
}

impl BibliographicRecord {
    pub fn of(reading: &Reading) -> BibliographicRecord {
        let front = Front::of(reading);
        let header = Header::of(reading);
        let title = title::find(reading, &front, &header);
        let authors = authors::find(reading, &front, &header, title.as_deref());
        let references = references::find(reading);
        let date = dates::find(reading, &front, &header, &references);
        let body: String = sample(reading);
        let language = gleaner_words::language_of(&body, reading.metadata.language.as_deref());
        BibliographicRecord {
            summary: sections::summary(reading),
            keywords: sections::keywords(reading),
            year: date.as_deref().and_then(dates::year_of),
            date,
            language: Some(language.to_owned()).filter(|code| !code.is_empty() && code != "und"),
            doi: identifiers::doi(reading, &front),
            arxiv: identifiers::arxiv(reading, &front),
            author_hosts: identifiers::mail_hosts(&front.text),
            title,
            authors,
            references,
        }
    }
}

/// Words from behind the first page's names.
fn sample(reading: &Reading) -> String {
    let mut out = String::new();
    let long = reading.pieces.iter().filter(|piece| piece.text.len() > 120);
    for piece in long.take(8) {
        out.push_str(&piece.text);
        out.push(' ');
    }
    if out.is_empty() {
        for piece in reading.pieces.iter().take(40) {
            out.push_str(&piece.text);
            out.push(' ');
        }
    }
    out
}

#[cfg(test)]
mod tests;
