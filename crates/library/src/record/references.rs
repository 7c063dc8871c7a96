//! What a document cites: the entries of the list at its end, with title, year and authors where they can be told.

use super::{authors, dates, identifiers};
use gleaner_model::BlockKind;
use gleaner_parse::documents::Reading;
use serde::{Deserialize, Serialize};

/// An entry of a list of references.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CitedWork {
    /// As written, without its label.
    pub text: String,
    pub title: Option<String>,
    pub authors: Vec<String>,
    pub year: Option<u16>,
    pub doi: Option<String>,
}

const ENTRIES_MAX: usize = 2000;
const ENTRY_CHARS_MAX: usize = 1000;
const ENTRY_CHARS_MIN: usize = 20;
const HEADS: [&str; 14] = [
    "references",
    "bibliography",
    "references cited",
    "literature cited",
    "works cited",
    "literature",
    "literatur",
    "literaturverzeichnis",
    "références",
    "bibliographie",
    "referencias",
    "bibliografía",
    "referências",
    "参考文献",
];
/// What may follow the list.
const ENDS: [&str; 10] = [
    "appendix",
    "appendices",
    "acknowledgements",
    "acknowledgments",
    "acknowledgement",
    "author's address",
    "authors' addresses",
    "full copyright statement",
    "about the author",
    "index",
];

pub(super) fn find(reading: &Reading) -> Vec<CitedWork> {
    let mut entries: Vec<String> = Vec::new();
    for (at, rest) in heads(reading) {
        let mut parts: Vec<&str> = Vec::new();
        if !rest.is_empty() {
            parts.push(rest);
        }
        for piece in &reading.pieces[at + 1..] {
            if ends(&piece.text, piece.kind) {
                break;
            }
            parts.push(&piece.text);
        }
        entries.extend(cut(&parts));
        if entries.len() >= ENTRIES_MAX {
            break;
        }
    }
    entries.truncate(ENTRIES_MAX);
    entries.iter().map(|entry| told(entry)).collect()
}

/// The pieces in which lists begin: the last head, and those close behind it (`Normative References`, `Informative References`).
fn heads(reading: &Reading) -> Vec<(usize, &str)> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (at, piece) in reading.pieces.iter().enumerate() {
        if let Some(rest) = head(&piece.text) {
            found.push((at, rest));
        }
    }
    let is_kind = |at: usize| {
        let lower = reading.pieces[at].text.to_lowercase();
        lower.contains("normative") || lower.contains("informative")
    };
    match found.last().copied() {
        Some((last, _)) if is_kind(last) => {
            // In a table of contents they stand too: those count behind which entries follow.
            let kinds: Vec<(usize, &str)> = found.iter().copied().filter(|(at, _)| is_kind(*at)).collect();
            let half = kinds.iter().rposition(|(at, _)| {
                reading.pieces[*at].text.to_lowercase().contains("normative")
                    && !reading.pieces[*at].text.to_lowercase().contains("informative")
            });
            kinds[half.unwrap_or(kinds.len() - 1)..].to_vec()
        }
        Some(last) => vec![last],
        None => Vec::new(),
    }
}

/// What follows the word in the same piece, if the piece begins as such a list does.
fn head(text: &str) -> Option<&str> {
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ' | '#' | '*'));
    let bare = [
        "Normative ",
        "Informative ",
        "Selected ",
        "Annotated ",
        "NORMATIVE ",
        "INFORMATIVE ",
    ]
    .iter()
    .find_map(|kind| bare.strip_prefix(kind))
    .unwrap_or(bare);
    let lower: String = bare.chars().take(40).flat_map(char::to_lowercase).collect();
    let known = HEADS
        .iter()
        .filter(|head| lower.starts_with(**head))
        .max_by_key(|head| head.len())?;
    let end = bare
        .char_indices()
        .nth(known.chars().count())
        .map_or(bare.len(), |(end, _)| end);
    let rest = &bare[end..];
    let after = rest.trim_start_matches([':', '.', ' ', '=', '-', '–']);
    if after.is_empty() {
        return Some("");
    }
    // The list ran on in the same paragraph.
    let begins_entry = after.starts_with('[') || after.starts_with("1.") || after.starts_with("1 ");
    let is_capital = bare.chars().take(known.chars().count()).any(char::is_uppercase);
    ((begins_entry || (after.len() > 300 && is_capital && after.starts_with(char::is_uppercase)))
        && rest.starts_with([' ', ':', '.']))
    .then_some(after)
}

fn ends(text: &str, kind: BlockKind) -> bool {
    let bare = text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' '));
    let lower: String = bare.chars().take(40).flat_map(char::to_lowercase).collect();
    let is_short = text.chars().count() < 60;
    (is_short
        && (ENDS.iter().any(|end| lower.starts_with(end))
            || lower.len() < 20 && lower.starts_with("appendix")))
        || (kind == BlockKind::Heading && is_short && head(text).is_some() && lower.contains("informative"))
}

/// Pieces as entries: by labels where they have them, else each piece is one.
fn cut(parts: &[&str]) -> Vec<String> {
    let whole = parts.join("\n");
    let labelled = [bracketed(&whole), numbered(&whole)];
    let found = labelled
        .into_iter()
        .find(|entries| entries.len() >= 2)
        .unwrap_or_else(|| {
            let mut by_piece: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            // A list that came as one paragraph.
            if by_piece.len() <= 2 && whole.len() > 800 {
                by_piece = by_sentence(&whole);
            }
            by_piece
        });
    found
        .into_iter()
        .map(|entry| entry.split_whitespace().collect::<Vec<_>>().join(" "))
        .map(|entry| entry.chars().take(ENTRY_CHARS_MAX).collect::<String>())
        .filter(|entry| entry.chars().count() >= ENTRY_CHARS_MIN && entry.chars().any(char::is_alphabetic))
        .collect()
}

/// `[12] …`, `[Knu84] …`, `[RFC2119] …`.
fn bracketed(text: &str) -> Vec<String> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    for (at, _) in text.match_indices('[') {
        let begins = at == 0 || text[..at].ends_with(['\n', ' ']);
        let Some(close) = text[at + 1..].find(']').filter(|close| (1..=24).contains(close)) else {
            continue;
        };
        let label = &text[at + 1..at + 1 + close];
        let after = &text[at + close + 2..];
        let is_label = !label.contains(['\n', ','])
            && label.chars().any(char::is_alphanumeric)
            && after.starts_with([' ', '\n']);
        if begins && is_label {
            starts.push((at, at + close + 2));
        }
    }
    // Numbers have to go up by one; what does not is a citation inside an entry.
    let number = |(at, end): &(usize, usize)| text[at + 1..end - 1].parse::<u32>().ok();
    if starts.first().is_some_and(|start| number(start).is_some()) {
        let mut wanted = starts.first().and_then(number).unwrap_or(1);
        starts.retain(|start| {
            let is_next = number(start).is_some_and(|number| number == wanted);
            wanted += u32::from(is_next);
            is_next
        });
    }
    // Text between two labels that are too near is none.
    between(text, &starts)
}

/// `1. …` up to the last.
fn numbered(text: &str) -> Vec<String> {
    let mut starts: Vec<(usize, usize)> = Vec::new();
    let mut wanted = 1u32;
    let mut from = 0;
    while wanted < 2000 {
        let mark = format!("{wanted}.");
        let found = text[from..]
            .match_indices(&mark)
            .map(|(at, _)| from + at)
            .find(|at| {
                let begins = *at == 0 || text[..*at].ends_with(['\n', ' ']);
                begins
                    && text[at + mark.len()..]
                        .trim_start()
                        .starts_with(|c: char| c.is_uppercase() || matches!(c, '"' | '“'))
            });
        let Some(at) = found else { break };
        if wanted == 1 && at > 40 {
            break;
        }
        starts.push((at, at + mark.len()));
        from = at + mark.len();
        wanted += 1;
    }
    between(text, &starts)
}

fn between(text: &str, starts: &[(usize, usize)]) -> Vec<String> {
    let ends = starts.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|((_, from), to)| text[*from..to].trim().to_owned())
        .collect()
}

/// Entries without labels that ran together: a new one begins where a name with its initial follows the end of a sentence.
fn by_sentence(text: &str) -> Vec<String> {
    let mut starts = vec![0];
    let words: Vec<(usize, &str)> = text
        .split_whitespace()
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
        .collect();
    for window in words.windows(3) {
        let [(_, before), (at, family), (_, initial)] = window else {
            continue;
        };
        let ends_entry = before.ends_with('.') && before.chars().filter(char::is_ascii_digit).count() >= 2;
        let is_family = family.ends_with(',') && family.starts_with(char::is_uppercase) && family.len() > 2;
        let is_initial = initial.starts_with(char::is_uppercase);
        if ends_entry && is_family && is_initial {
            starts.push(*at);
        }
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(from, to)| text[*from..to].trim().to_owned())
        .collect()
}

/// Title, authors and year of an entry.
fn told(entry: &str) -> CitedWork {
    let year = year_in(entry);
    let title = quoted(entry)
        .or_else(|| behind_year(entry))
        .or_else(|| second_sentence(entry));
    let before = title
        .as_deref()
        .and_then(|title| entry.find(title))
        .map_or("", |at| &entry[..at]);
    CitedWork {
        authors: names(before),
        year,
        doi: identifiers::doi_in(entry),
        title: title
            .map(|title| {
                title
                    .trim_matches([' ', ',', '.', '"', '“', '”', '\'', '‘', '’'])
                    .to_owned()
            })
            .filter(|title| title.chars().count() >= 6),
        text: entry.to_owned(),
    }
}

/// The one in round brackets, else the last that stands alone.
fn year_in(entry: &str) -> Option<u16> {
    let in_brackets = entry.match_indices('(').find_map(|(at, _)| {
        let inside = entry[at + 1..].split(')').next()?;
        (inside.len() <= 24)
            .then(|| dates::years(inside).first().copied())
            .flatten()
    });
    in_brackets.or_else(|| dates::years(entry).last().copied())
}

fn quoted(entry: &str) -> Option<String> {
    for (open, close) in [('“', '”'), ('"', '"'), ('„', '“'), ('«', '»'), ('‘', '’')] {
        let Some((_, after)) = entry.split_once(open) else {
            continue;
        };
        let Some((inside, _)) = after.split_once(close) else {
            continue;
        };
        if inside.chars().count() >= 8 && inside.contains(' ') {
            return Some(inside.to_owned());
        }
    }
    None
}

/// `Lee, A. (2001). A title. Journal …`, `Lee A. 2001. A title. …`.
fn behind_year(entry: &str) -> Option<String> {
    let near: usize = entry.char_indices().nth(240).map_or(entry.len(), |(end, _)| end);
    for (at, _) in entry[..near].match_indices(['1', '2']) {
        let year = entry.get(at..at + 4)?;
        let is_year = dates::year_of(year).is_some() && at > 4;
        let after = &entry[at + 4..];
        let marked = after.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let behind = marked
            .strip_prefix(").")
            .or_else(|| marked.strip_prefix("),"))
            .or_else(|| marked.strip_prefix("):"))
            .or_else(|| {
                marked
                    .strip_prefix(". ")
                    .filter(|_| entry[..at].ends_with([' ', '(']))
            });
        if let Some(behind) = behind.filter(|_| is_year) {
            return Some(sentence(behind)).filter(|title| title.contains(' '));
        }
    }
    None
}

/// `A. Lee and B. Ek. A title. In Proc. …`, `A. Lee, B. Ek: A title. Journal …`.
fn second_sentence(entry: &str) -> Option<String> {
    let mut from = 0;
    while let Some(at) = entry[from..].find([',', '.', ':']).map(|at| from + at) {
        let mark = entry.as_bytes().get(at).copied();
        let after = entry[at + 1..].trim_start();
        let begins =
            entry[at + 1..].starts_with(' ') && after.starts_with(|c: char| c.is_uppercase() || c == '"');
        let before = entry[..at].split_whitespace().last().unwrap_or("");
        // The stop of an initial ends no sentence.
        let is_initial = before
            .trim_start_matches(|c: char| !c.is_alphabetic())
            .chars()
            .count()
            <= 2
            || before.ends_with("al");
        let ends = match mark {
            Some(b'.') => begins && (!is_initial || before.ends_with("al")),
            Some(b':') => begins,
            _ => false,
        };
        if ends {
            let title = sentence(after);
            return Some(title).filter(|title| title.split_whitespace().count() >= 2);
        }
        from = at + 1;
    }
    // Only commas: the first part that is no name.
    let part = entry.split(", ").find(|part| {
        let words = part.split_whitespace().count();
        words >= 4 && !authors::is_person(part)
    })?;
    Some(part.to_owned())
}

/// Up to the end of the sentence; stops of abbreviations do not end it.
fn sentence(text: &str) -> String {
    let text = text.trim_start();
    for (at, mark) in text.char_indices() {
        let after = &text[at + mark.len_utf8()..];
        let ends =
            matches!(mark, '.' | '?' | '!') && (after.is_empty() || after.starts_with([' ', '”', '"']));
        let word = text[..at].split_whitespace().last().unwrap_or("");
        if ends && word.chars().count() > 2 {
            return text[..at + usize::from(mark == '?')].to_owned();
        }
        // `A title, Journal of …`, `A title, in: …`
        if mark == ','
            && at > 20
            && [
                " Journal",
                " J. ",
                " in ",
                " In ",
                " Proc",
                " IEEE",
                " ACM",
                " PhD",
                " Ph.D",
                " RFC",
                " Work in",
                " BCP",
                " STD",
                " Lecture Notes",
            ]
            .iter()
            .any(|begin| after.starts_with(begin))
        {
            return text[..at].to_owned();
        }
    }
    text.to_owned()
}

fn names(before: &str) -> Vec<String> {
    let bare: String = before
        .chars()
        .filter(|c| !matches!(c, '(' | ')' | '"' | '“'))
        .collect();
    let without_year: Vec<&str> = bare
        .split_whitespace()
        .filter(|word| dates::years(word).is_empty())
        .collect();
    let line = without_year.join(" ");
    let line = line.trim_end_matches([',', '.', ':', ' ']);
    let mut found: Vec<String> = Vec::new();
    let parts: Vec<&str> = line
        .split([',', ';', '&'])
        .flat_map(|part| part.split(" and "))
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    for part in parts {
        let letters = part.chars().filter(|c| c.is_alphabetic()).count();
        let is_initials = letters <= 4
            && part
                .split_whitespace()
                .all(|word| word.trim_end_matches('.').chars().count() <= 3)
            && part.chars().any(char::is_uppercase);
        match found.last_mut() {
            // `Lee, A.` came as two parts.
            Some(last) if is_initials && !last.contains('.') => {
                *last = format!("{part} {last}");
            }
            _ if part.starts_with(char::is_uppercase)
                && part.split_whitespace().count() <= 4
                && letters > 1
                && part != "et al" =>
            {
                found.push(part.to_owned());
            }
            _ => {}
        }
    }
    found.retain(|name| name.chars().filter(|c| c.is_alphabetic()).count() > 2);
    found.truncate(40);
    found
}
