//! The abstract and the keywords.

use gleaner_model::BlockKind;
use gleaner_parse::documents::{Format, Reading};

const PIECES_MAX: usize = 120;
const ABSTRACT_CHARS_MAX: usize = 5000;
const ABSTRACT_CHARS_MIN: usize = 40;
const KEYWORDS_MAX: usize = 40;
const KEYWORD_CHARS_MAX: usize = 80;

const ABSTRACTS: [&str; 14] = [
    "abstract",
    "summary",
    "executive summary",
    "zusammenfassung",
    "kurzfassung",
    "résumé",
    "resumen",
    "resumo",
    "riassunto",
    "sommario",
    "samenvatting",
    "аннотация",
    "摘要",
    "要旨",
];
const KEYWORDS: [&str; 14] = [
    "keywords and phrases",
    "key words and phrases",
    "keywords",
    "key words",
    "key-words",
    "index terms",
    "schlüsselwörter",
    "schlagwörter",
    "mots-clés",
    "mots clés",
    "palabras clave",
    "palavras-chave",
    "parole chiave",
    "关键词",
];

/// `Abstract`, `ABSTRACT:`, `1. Abstract`, or a paragraph that begins with it: `Abstract — We …`.
pub(super) fn is_abstract_head(text: &str) -> bool {
    behind(text, &ABSTRACTS).is_some()
}

/// What follows one of these words at the beginning of a text, if they stand there as a heading does.
fn behind<'a>(text: &'a str, heads: &[&str]) -> Option<&'a str> {
    let bare =
        text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | '*' | '_' | '['));
    for head in heads {
        let mut rest = bare;
        // `A B S T R A C T` has blanks between its letters.
        let is_there = head.chars().all(|wanted| {
            let trimmed = if wanted == ' ' || rest.starts_with(' ') && head.len() < 12 {
                rest.trim_start()
            } else {
                rest
            };
            if wanted == ' ' {
                rest = trimmed;
                return true;
            }
            let mut chars = trimmed.chars();
            let is_it = chars
                .next()
                .is_some_and(|c| c.to_lowercase().eq(std::iter::once(wanted)));
            rest = chars.as_str();
            is_it
        });
        if !is_there {
            continue;
        }
        let after = rest.trim_start();
        let first = after.chars().next();
        let is_mark = first.is_none_or(|c| {
            matches!(
                c,
                ':' | '：' | '.' | '-' | '–' | '—' | '―' | ']' | '*' | '_' | '/' | '=' | '~'
            )
        });
        // `Abstract We …`: a heading that ran into its text.
        let runs_on = rest.starts_with(' ') && first.is_some_and(char::is_uppercase) && after.len() > 60;
        let is_sign = head.chars().any(gleaner_words::is_unspaced);
        if is_mark || runs_on || is_sign {
            return Some(
                after.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '(' && c != '"' && c != '“'),
            );
        }
    }
    None
}

pub(super) fn summary(reading: &Reading) -> Option<String> {
    let pieces = &reading.pieces[..reading.pieces.len().min(PIECES_MAX)];
    let found = pieces
        .iter()
        .enumerate()
        .find_map(|(at, piece)| behind(&piece.text, &ABSTRACTS).map(|rest| (at, rest)));
    if let Some((at, rest)) = found {
        let mut out = String::from(until_keywords(rest));
        for piece in &pieces[at + 1..] {
            let ends = piece.kind == BlockKind::Heading
                || ends_abstract(&piece.text)
                || behind(&piece.text, &KEYWORDS).is_some()
                || (out.len() > 400
                    && !out.ends_with(|c: char| c.is_lowercase() || matches!(c, ',' | '-'))
                    && rest.len() > 200);
            if (ends && !out.is_empty()) || out.chars().count() > ABSTRACT_CHARS_MAX {
                break;
            }
            if piece.kind == BlockKind::Paragraph || piece.kind == BlockKind::Item || out.is_empty() {
                if !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(until_keywords(&piece.text));
            }
        }
        let text = up_to(&out, ABSTRACT_CHARS_MAX).trim();
        if text.chars().count() >= ABSTRACT_CHARS_MIN {
            return Some(text.to_owned());
        }
    }
    let said = reading.metadata.description.as_deref()?.trim();
    let is_trusted = matches!(
        reading.format,
        Format::Html | Format::Markdown | Format::Epub | Format::Docx | Format::Odt
    );
    (is_trusted && said.chars().count() >= ABSTRACT_CHARS_MIN)
        .then(|| up_to(said, ABSTRACT_CHARS_MAX).to_owned())
}

/// A first section without a mark as a heading: `1 Introduction …`.
fn ends_abstract(text: &str) -> bool {
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | 'I'));
    let lower: String = bare.chars().take(40).flat_map(char::to_lowercase).collect();
    [
        "introduction",
        "ntroduction",
        "categories and subject",
        "general terms",
        "contents",
        "table of contents",
        "status of this memo",
        "copyright notice",
        "ccs concepts",
        "acm reference format",
        "permission to make",
        "einleitung",
        "motivation",
        "acknowledg",
        "1 introduction",
        "references",
    ]
    .iter()
    .any(|head| lower.starts_with(head))
}

/// An abstract that runs on into its keywords or the first section.
fn until_keywords(text: &str) -> &str {
    let lower = text.to_lowercase();
    // Lower case may be of another length: places are taken where both agree.
    if lower.len() != text.len() {
        return text;
    }
    let marks = [
        "keywords:",
        "key words:",
        "index terms",
        "categories and subject descriptors",
        "keywords—",
        "keywords ",
        "1 introduction",
        "1. introduction",
        "i. introduction",
    ];
    let end = marks
        .iter()
        .filter_map(|mark| lower.find(mark))
        .filter(|at| *at > 0 && text.is_char_boundary(*at))
        .min();
    text[..end.unwrap_or(text.len())].trim_end()
}

pub(super) fn keywords(reading: &Reading) -> Vec<String> {
    let mut found: Vec<String> = reading
        .metadata
        .keywords
        .iter()
        .flat_map(|word| word.split(';'))
        .map(str::to_owned)
        .collect();
    if found.is_empty() {
        let pieces = &reading.pieces[..reading.pieces.len().min(PIECES_MAX)];
        let written = pieces.iter().enumerate().find_map(|(at, piece)| {
            let rest = behind(&piece.text, &KEYWORDS).or_else(|| inside(&piece.text))?;
            Some(if rest.is_empty() {
                pieces.get(at + 1).map_or("", |next| next.text.as_str())
            } else {
                rest
            })
        });
        let written = written.map_or("", |text| up_to(text, 600));
        let written = written.split(". ").next().unwrap_or("");
        found = written
            .split([',', ';', '·', '•', '、', '；', '，'])
            .map(str::to_owned)
            .collect();
    }
    let mut words: Vec<String> = Vec::new();
    for word in found {
        let word = word.trim().trim_end_matches('.').to_owned();
        let is_one = !word.is_empty() && word.chars().count() <= KEYWORD_CHARS_MAX;
        if is_one && words.len() < KEYWORDS_MAX && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// Keywords that follow an abstract in the same paragraph.
fn inside(text: &str) -> Option<&str> {
    [
        "Keywords:",
        "Key words:",
        "Index Terms—",
        "Keywords—",
        "KEYWORDS:",
        "Keywords ",
    ]
    .iter()
    .find_map(|mark| text.split_once(mark).map(|(_, after)| after.trim_start()))
    .filter(|_| text.len() > 60)
}

fn up_to(text: &str, chars: usize) -> &str {
    text.char_indices()
        .nth(chars)
        .map_or(text, |(end, _)| &text[..end])
}
