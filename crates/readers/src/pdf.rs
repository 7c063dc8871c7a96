//! PDF, by `pdf_oxide`: the text page by page, headings by the size of their letters, links by annotations.

use crate::budget::Budget;
use crate::head;
use crate::looks::{Looks, half_points};
use gleaner_model::BlockKind;
use gleaner_parse::documents::{Format, Pen, Reading, Unread};
use pdf_oxide::PdfDocument;
use pdf_oxide::annotations::LinkAction;
use pdf_oxide::layout::TextSpan;
use pdf_oxide::object::Object;
use std::collections::{HashMap, HashSet};

const PAGES_MAX: usize = 10_000;
/// Sizes of letters are looked at on so many pages: it takes as long as the text itself.
const PAGES_LOOKED_AT: usize = 300;
/// Letters of a heading are larger than those of the text by this factor.
const LARGER: f32 = 1.15;
const HEADING_CHARS_MAX: usize = 200;

pub(crate) fn read(bytes: Vec<u8>, budget: &Budget) -> Result<Reading, Unread> {
    let document = PdfDocument::from_bytes(bytes).map_err(|error| unread(&error.to_string()))?;
    if document.is_encrypted() && !document.is_authenticated() {
        let opens = document.authenticate(b"").unwrap_or(false);
        if !opens {
            return Err(Unread::Encrypted);
        }
    }
    let count = document
        .page_count()
        .map_err(|error| unread(&error.to_string()))?;
    let mut pen = Pen::new(Format::Pdf);
    about(&document, &mut pen);
    pen.metadata().pages = u32::try_from(count).ok();
    let mut failed = None;
    let mut looks = Looks::default();
    for page in 0..count.min(PAGES_MAX) {
        pen.page(page as u32 + 1);
        match document.extract_text(page) {
            Ok(text) => {
                let large = if page < PAGES_LOOKED_AT {
                    let spans = document.extract_spans(page).unwrap_or_default();
                    looks.look(&document, page, &spans, &text);
                    if page == 0 {
                        pen.metadata().head = head::lines(&spans);
                    }
                    Large::of(&spans, page)
                } else {
                    Large::default()
                };
                say(&text, &large, &mut pen);
            }
            Err(error) => failed = Some(error.to_string()),
        }
        looks.add_fields(links(&document, page, &mut pen));
        if budget.is_nearly_spent() && page + 1 < count {
            pen.cut();
        }
        if pen.is_full() {
            break;
        }
    }
    pen.metadata().layout = Some(looks.layout());
    match (pen.finish(), failed) {
        (Err(Unread::NoText), Some(failed)) => Err(unread(&failed)),
        (read, _) => read,
    }
}

fn unread(said: &str) -> Unread {
    let lower = said.to_ascii_lowercase();
    if lower.contains("password") || lower.contains("encrypt") {
        return Unread::Encrypted;
    }
    Unread::Damaged(said.chars().take(200).collect())
}

/// Words in letters larger than the text's, with their sizes.
#[derive(Default)]
struct Large {
    words: HashSet<String>,
    level: u8,
}

impl Large {
    fn of(spans: &[TextSpan], page: usize) -> Large {
        let mut letters: HashMap<u32, usize> = HashMap::new();
        for span in spans {
            *letters.entry(half_points(span.font_size)).or_default() += span.text.chars().count();
        }
        let Some((usual, _)) = letters.into_iter().max_by_key(|(_, count)| *count) else {
            return Large::default();
        };
        let least = usual as f32 * LARGER;
        let large: Vec<_> = spans
            .iter()
            .filter(|span| half_points(span.font_size) as f32 >= least)
            .collect();
        Large {
            words: large
                .iter()
                .flat_map(|span| span.text.split_whitespace())
                .map(str::to_owned)
                .collect(),
            level: if page == 0 { 1 } else { 2 },
        }
    }

    fn holds(&self, line: &str) -> bool {
        !self.words.is_empty()
            && line.chars().count() <= HEADING_CHARS_MAX
            && line.chars().any(char::is_alphabetic)
            && line.split_whitespace().all(|word| self.words.contains(word))
    }
}

/// Lines that follow each other are a paragraph; a heading stands alone.
fn say(text: &str, large: &Large, pen: &mut Pen) {
    let mut is_in_heading = false;
    for line in text.lines() {
        let line = line.trim();
        let is_heading = large.holds(line);
        if line.is_empty() || is_heading != is_in_heading {
            end(is_in_heading, large, pen);
        }
        is_in_heading = is_heading;
        // A word parted at the end of its line is one word.
        pen.push(line);
        pen.push("\n");
    }
    end(is_in_heading, large, pen);
}

fn end(is_heading: bool, large: &Large, pen: &mut Pen) {
    if is_heading {
        pen.end(BlockKind::Heading, large.level);
    } else {
        pen.end(BlockKind::Paragraph, 0);
    }
}

/// Also how many places there are to write or tick.
fn links(document: &PdfDocument, page: usize, pen: &mut Pen) -> u32 {
    let mut fields = 0;
    for annotation in document.get_annotations(page).unwrap_or_default() {
        fields += u32::from(annotation.subtype.as_deref() == Some("Widget"));
        match annotation.action {
            Some(LinkAction::Uri(address)) => {
                pen.link(&address, annotation.contents.as_deref().unwrap_or(""));
            }
            Some(LinkAction::GoToRemote { file, .. }) => pen.link(&file, ""),
            _ => {}
        }
    }
    pen.end(BlockKind::Other, 0);
    fields
}

/// Title, authors and dates from the document's own dictionary.
fn about(document: &PdfDocument, pen: &mut Pen) {
    let resolved = |object: &Object| document.resolve_object(object).unwrap_or(Object::Null);
    let Some(info) = document
        .trailer()
        .as_dict()
        .and_then(|trailer| trailer.get("Info"))
    else {
        return;
    };
    let info = resolved(info);
    let said = |key: &str| {
        let value = resolved(info.as_dict()?.get(key)?);
        Some(text_of(value.as_string()?)).filter(|text| !text.trim().is_empty())
    };
    let metadata = pen.metadata();
    metadata.title = said("Title").unwrap_or_default();
    metadata.authors = said("Author").into_iter().collect();
    metadata.description = said("Subject");
    metadata.program = said("Creator").or_else(|| said("Producer"));
    metadata.created = said("CreationDate").map(|date| date_of(&date));
    metadata.modified = said("ModDate").map(|date| date_of(&date));
    let words = said("Keywords").unwrap_or_default();
    metadata.keywords = words
        .split([',', ';'])
        .map(|word| word.trim().to_owned())
        .filter(|word| !word.is_empty())
        .collect();
    if let Ok(catalog) = document.catalog()
        && let Some(language) = catalog.as_dict().and_then(|catalog| catalog.get("Lang"))
    {
        let language = resolved(language).as_string().map(text_of);
        pen.metadata().language = language.filter(|language| !language.is_empty());
    }
}

/// A text string: UTF-16 or UTF-8 with a mark, else the single bytes of PDF's own set, near enough to Latin 1.
fn text_of(bytes: &[u8]) -> String {
    match bytes {
        [0xFE, 0xFF, rest @ ..] => {
            let units: Vec<u16> = rest
                .chunks_exact(2)
                .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
                .collect();
            String::from_utf16_lossy(&units)
        }
        [0xEF, 0xBB, 0xBF, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

/// `D:20240131120000+01'00'` as RFC 3339; anything else as written.
fn date_of(said: &str) -> String {
    let digits: String = said
        .trim_start_matches("D:")
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    if digits.len() < 8 {
        return said.to_owned();
    }
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("00").to_owned();
    let zone = said
        .trim_start_matches("D:")
        .get(digits.len()..)
        .unwrap_or("")
        .replace('\'', "");
    let zone = match zone.as_bytes() {
        [b'+' | b'-', a, b, c, d, ..] => {
            let text = [zone.as_bytes()[0], *a, *b, b':', *c, *d];
            String::from_utf8_lossy(&text).into_owned()
        }
        _ => "Z".to_owned(),
    };
    format!(
        "{}-{}-{}T{}:{}:{}{zone}",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(8, 10),
        part(10, 12),
        part(12, 14)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_of_pdf_become_those_of_everybody() {
        let cases = [
            ("D:20240131120005+01'00'", "2024-01-31T12:00:05+01:00"),
            ("D:20240131", "2024-01-31T00:00:00Z"),
            ("D:20240131120005Z", "2024-01-31T12:00:05Z"),
            ("last week", "last week"),
        ];
        for (said, want) in cases {
            assert_eq!(date_of(said), want);
        }
    }

    #[test]
    fn hc113_what_is_no_pdf_is_damaged() {
        assert!(matches!(
            read(
                b"%PDF-1.4 and nothing".to_vec(),
                &Budget::begin(Duration::from_hours(1))
            ),
            Err(Unread::Damaged(_) | Unread::NoText)
        ));
    }
}
