//! Documents that begin with fields: Internet standards with their head in two columns, proposals with `Title:` and `Author:`.

use super::authors;
use super::dates;
use gleaner_parse::documents::Reading;

#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) title: Option<String>,
    pub(super) authors: Vec<String>,
    pub(super) date: Option<String>,
}

const FIELDS: [&str; 30] = [
    "pep",
    "title",
    "subtitle",
    "version",
    "last-modified",
    "author",
    "authors",
    "editor",
    "editors",
    "sponsor",
    "bdfl-delegate",
    "pep-delegate",
    "discussions-to",
    "status",
    "type",
    "topic",
    "content-type",
    "created",
    "date",
    "python-version",
    "post-history",
    "resolution",
    "requires",
    "replaces",
    "superseded-by",
    "document",
    "audience",
    "subject",
    "keywords",
    "reply-to",
];

impl Header {
    pub(super) fn of(reading: &Reading) -> Header {
        let pieces: Vec<&str> = reading
            .pieces
            .iter()
            .take(40)
            .map(|piece| piece.text.as_str())
            .collect();
        let standard = pieces.iter().take(6).position(|text| is_standard(text));
        if let Some(at) = standard {
            return Header::of_standard(&pieces, at);
        }
        Header::of_fields(&pieces)
    }

    /// `Request for Comments: 1874   Accurate Information, Inc.`: columns are folded into one, so names are told by their shape.
    fn of_standard(pieces: &[&str], at: usize) -> Header {
        let is_end = |text: &str| {
            let lower = text.to_lowercase();
            lower.starts_with("status of this")
                || lower.starts_with("abstract")
                || lower.starts_with("copyright notice")
        };
        let end = pieces
            .iter()
            .position(|text| is_end(text))
            .unwrap_or(pieces.len().min(at + 3));
        // The head may be cut into several paragraphs; the title is the last before the text.
        let title = pieces[..end]
            .iter()
            .rposition(|text| !text.is_empty() && !is_standard(text));
        let head: String = pieces[..title.unwrap_or(end).max(at + 1).min(end)].join(" ");
        Header {
            title: title
                .filter(|title| *title > at)
                .map(|title| words_of(pieces[title])),
            authors: authors::initialled(&head),
            date: dates::with_month(&head),
        }
    }

    fn of_fields(pieces: &[&str]) -> Header {
        let mut header = Header::default();
        let text = pieces.iter().take(24).copied().collect::<Vec<_>>().join("\n");
        let fields = fields(&text);
        if fields.len() < 2 {
            return header;
        }
        for (name, value) in fields {
            match name {
                "title" => header.title = Some(words_of(value)).filter(|title| !title.is_empty()),
                "author" | "authors" | "editor" | "editors" if header.authors.is_empty() => {
                    header.authors = authors::listed(value);
                }
                "reply-to" if header.authors.is_empty() => header.authors = authors::listed(value),
                "created" | "date" if header.date.is_none() => header.date = dates::first_day(value),
                _ => {}
            }
        }
        header
    }
}

fn is_standard(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.contains("request for comments:")
        || lower.starts_with("network working group")
        || lower.starts_with("internet engineering task force")
}

fn words_of(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Known names with a colon, wherever they stand, and what follows up to the next.
fn fields(text: &str) -> Vec<(&'static str, &str)> {
    let mut found: Vec<(usize, usize, &'static str)> = Vec::new();
    for (at, _) in text.match_indices(':') {
        let before = &text[..at];
        let from = before.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        let name = before[from..].to_lowercase();
        if let Some(known) = FIELDS.iter().find(|known| **known == name) {
            found.push((from, at + 1, known));
        }
        if found.len() >= 40 {
            break;
        }
    }
    // Fields stand at the very beginning, or they are words of the text.
    if found.first().is_none_or(|(from, ..)| *from > 200) {
        return Vec::new();
    }
    let ends: Vec<usize> = found
        .iter()
        .skip(1)
        .map(|(from, ..)| *from)
        .chain([text.len()])
        .collect();
    found
        .iter()
        .zip(ends)
        .map(|((_, from, name), to)| {
            let value = text[*from..to].trim();
            // The last one ends with its paragraph.
            (*name, value.split('\n').next().unwrap_or(value))
        })
        .collect()
}
