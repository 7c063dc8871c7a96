//! What keeps the text from being TOML, in plain words.
//!
//! The parser goes on after a mistake, which is good for the next line and misleading inside a list that is never closed.
//! So mistakes are of three sizes: a value, a line, or everything from here on. After the third kind nothing is believed.

use super::section::{Noted, Notes};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// How much of the file a mistake spoils.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spoils {
    Nothing,
    Value,
    Line,
    Rest,
}

/// What the parser said, noted for people.
pub(crate) struct Damage {
    /// Lines of which nothing more is said.
    lines: Vec<Range<usize>>,
    /// From here on nothing is known.
    end: usize,
    /// Whether something may be missing only because it could not be read.
    has_gaps: bool,
}

impl Damage {
    pub(crate) fn note(errors: &[Error], file: &Spanned<DeTable<'_>>, notes: &mut Notes) -> Damage {
        let text = notes.places.text.clone();
        let mut damage = Damage {
            lines: Vec::new(),
            end: usize::MAX,
            has_gaps: false,
        };
        let mut errors: Vec<(Range<usize>, &str)> = errors
            .iter()
            .map(|error| (error.span().unwrap_or(0..0), error.message()))
            .collect();
        errors.sort_by_key(|(at, _)| (at.start, at.end));
        for (at, message) in &errors {
            if at.start > damage.end || damage.lines.iter().any(|line| touches(line, at)) {
                continue;
            }
            let (spoils, mut what, mut help) = explain(message, &text, at);
            let mut shown = at.clone();
            let is_open_list = message.contains("array") && !message.contains("array table");
            if spoils == Spoils::Rest
                && is_open_list
                && errors.iter().any(|(_, m)| m.starts_with("unclosed array,"))
                && let Some(start) = open_list(file.get_ref(), at.start)
            {
                shown = start..start + 1;
                "this list is not closed".clone_into(&mut what);
                "put `]` after its last entry".clone_into(&mut help);
            } else if message.starts_with("missing escaped value") {
                shown = shown.start.saturating_sub(1)..shown.start + 1;
            } else if shown.is_empty() && text[..shown.start].ends_with('\n') {
                // The end of a line is where it is missing, not the beginning of the next.
                shown = shown.start - 1..shown.start - 1;
            }
            notes.wrong(&shown, what, help);
            let line = line_around(&text, shown.start);
            match spoils {
                Spoils::Nothing => {}
                // The key before it was understood.
                Spoils::Value => damage.lines.push(shown.start..line.end),
                Spoils::Line | Spoils::Rest => damage.lines.push(line),
            }
            damage.has_gaps |= spoils >= Spoils::Line;
            if spoils == Spoils::Rest {
                damage.end = shown.start;
            }
        }
        damage
    }

    /// Whether a mistake in what was understood can be trusted.
    pub(crate) fn leaves(&self, noted: &Noted) -> bool {
        let is_certain = noted.at.start < self.end && !self.lines.iter().any(|line| touches(line, &noted.at));
        is_certain && !(noted.is_absence && self.has_gaps)
    }
}

fn explain(message: &str, text: &str, at: &Range<usize>) -> (Spoils, String, String) {
    let given = text.get(at.clone()).unwrap_or("").trim();
    let (head, expected) = match message.split_once(", expected ") {
        Some((head, expected)) => (head, expected),
        None => (message, ""),
    };
    let said = |spoils, what: &str, help: &str| (spoils, what.to_owned(), help.to_owned());
    match head {
        "duplicate key" => (
            Spoils::Nothing,
            format!("`{given}` is here for the second time"),
            "keep one of them; sections that can occur several times have two brackets, such as [[rule]]"
                .to_owned(),
        ),
        "string values must be quoted" if given.is_empty() => said(
            Spoils::Value,
            "the value is missing",
            "write it after the `=`, texts in quotes",
        ),
        "string values must be quoted" => {
            let bare = given.trim_matches(['“', '”', '„', '‘', '’', '\'', '"']);
            let is_word = |words: &[&str]| words.contains(&given.to_lowercase().as_str());
            let help = if is_word(&["yes", "on"]) {
                "write true, without quotes, or the text in quotes".to_owned()
            } else if is_word(&["no", "off"]) {
                "write false, without quotes, or the text in quotes".to_owned()
            } else {
                format!("write \"{bare}\"")
            };
            let what = if bare == given {
                "text needs quotes around it"
            } else {
                "these are typographic quotes"
            };
            (Spoils::Value, what.to_owned(), help)
        }
        "invalid boolean" => (
            Spoils::Value,
            format!("true and false are written in small letters: {given}"),
            format!("write {}", given.to_lowercase()),
        ),
        "unexpected leading zero" => said(
            Spoils::Value,
            "a number does not begin with 0",
            "leave the 0 out, or write a text in quotes",
        ),
        "missing escaped value" => said(
            Spoils::Value,
            "a backslash means something special inside double quotes",
            "write it in single quotes, such as 'a\\.b', or double each backslash",
        ),
        "invalid basic string" | "invalid literal string" => {
            let mark = if head == "invalid basic string" { "\"" } else { "'" };
            (
                Spoils::Value,
                "the text is not closed".to_owned(),
                format!("put {mark} after it"),
            )
        }
        "invalid multi-line basic string" | "invalid multi-line literal string" => said(
            Spoils::Rest,
            "the text over several lines is not closed",
            "put the three quotes with which it began after it",
        ),
        "key with no value" | "missing value for key" => said(
            Spoils::Line,
            "`=` is missing",
            "write name = value; texts in quotes, names without spaces",
        ),
        "invalid unquoted key" if given == ":" => said(
            Spoils::Line,
            "a name and its value have `=` between them",
            "write name = value",
        ),
        "invalid unquoted key" => said(
            Spoils::Line,
            "this cannot stand in the name of a key",
            "write name = value; a name with characters other than letters, digits, - and _ needs quotes",
        ),
        "unexpected key or value" => said(
            Spoils::Line,
            "there is something after the end of this setting",
            "write one setting per line, and comments after #",
        ),
        "missing comma between array elements" => said(
            Spoils::Rest,
            "a comma is missing between two entries of a list",
            "write [\"one\", \"two\"]",
        ),
        "extra comma in array" => said(
            Spoils::Value,
            "there is one comma too many in this list",
            "write [\"one\", \"two\"]",
        ),
        "unclosed table" | "unclosed array table" => (
            Spoils::Rest,
            "the name of this section is not closed".to_owned(),
            format!("put {expected} here"),
        ),
        "unclosed inline table" => said(
            Spoils::Rest,
            "`{` is not closed",
            "put `}` after the last name and value",
        ),
        "missing comma between key-value pairs" | "extra assignment between key-value pairs" => said(
            Spoils::Rest,
            "a comma is missing between two settings, or `}` after the last",
            "write { one = \"1\", two = \"2\" }",
        ),
        _ => {
            let help = match expected {
                "" => "write name = value, one setting per line".to_owned(),
                expected => format!("expected here: {expected}"),
            };
            (Spoils::Rest, format!("this is not TOML: {head}"), help)
        }
    }
}

fn line_around(text: &str, at: usize) -> Range<usize> {
    let at = at.min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    start..end
}

fn touches(line: &Range<usize>, at: &Range<usize>) -> bool {
    at.start >= line.start && at.start <= line.end
}

/// Where the innermost list begins that this place lies in.
fn open_list(table: &DeTable<'_>, at: usize) -> Option<usize> {
    table.iter().find_map(|(_, value)| open_list_in(value, at))
}

fn open_list_in(value: &Spanned<DeValue<'_>>, at: usize) -> Option<usize> {
    let span = value.span();
    match value.get_ref() {
        DeValue::Table(table) => open_list(table, at),
        DeValue::Array(list) => {
            let inner = list.iter().find_map(|one| open_list_in(one, at));
            let is_here = span.start <= at && at <= span.end;
            inner.or(is_here.then_some(span.start))
        }
        _ => None,
    }
}
