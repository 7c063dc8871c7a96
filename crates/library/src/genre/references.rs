//! What does a document cite, and how? Numbers in brackets, names with years, a list at its end.

use super::features::{Row, rate, slow};
use super::sample::Sample;

/// Citations in the text, entries at its end.
pub(super) fn add(sample: &Sample<'_>, row: &mut Row) {
    let mut bracketed = 0;
    let mut dated = 0;
    let mut entries = 0;
    for part in &sample.parts {
        entries += usize::from(part.is_begin && is_entry(part.text));
        let (numbers, years) = citations(part.text);
        bracketed += numbers;
        dated += years;
    }
    row.text(
        "bracketed",
        "citations as [12]",
        "no citations as [12]",
        rate(bracketed, sample.len()),
    );
    row.text(
        "dated",
        "citations as (Name, 2001)",
        "no citations as (Name, 2001)",
        rate(dated, sample.len()),
    );
    row.text(
        "entries",
        "entries of a reference list",
        "no entries of a reference list",
        slow(entries as f32),
    );
    let heads = [
        "references",
        "bibliography",
        "literatur",
        "literaturverzeichnis",
        "références",
        "bibliographie",
        "referencias",
        "bibliografía",
        "referências",
        "bibliografia",
    ];
    let headed = sample.parts.iter().rev().find(|part| {
        let mut words = sample
            .words(part.words.clone())
            .skip_while(|word| word.bytes().all(|byte| byte == b'0'));
        part.is_begin && words.next().is_some_and(|word| heads.contains(&word))
    });
    row.text(
        "references-place",
        "a reference list at its end",
        "no reference list",
        headed.map_or(0.0, |part| 0.1 + part.place),
    );
    let tail = sample.len().saturating_sub(600)..sample.len();
    let years = sample.words(tail.clone()).filter(|word| *word == "0000").count();
    row.text(
        "last-years",
        "many years at its end",
        "few years at its end",
        rate(years, tail.len()),
    );
    let letters = sample
        .words(tail.clone())
        .filter(|word| word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
        .count();
    row.text(
        "last-initials",
        "many initials at its end",
        "few initials at its end",
        rate(letters, tail.len()),
    );
    let pages = sample
        .words(tail.clone())
        .filter(|word| {
            matches!(
                *word,
                "pp" | "vol"
                    | "proc"
                    | "eds"
                    | "ed"
                    | "press"
                    | "journal"
                    | "springer"
                    | "doi"
                    | "arxiv"
                    | "proceedings"
                    | "acm"
                    | "ieee"
                    | "university"
            )
        })
        .count();
    row.text(
        "last-journals",
        "journals and publishers at its end",
        "no journals at its end",
        rate(pages, tail.len()),
    );
}

/// `[12] …`, `[Knu84] …`.
fn is_entry(text: &str) -> bool {
    let Some(end) = text.strip_prefix('[').and_then(|rest| rest.find(']')) else {
        return false;
    };
    (1..=12).contains(&end) && text.len() > end + 12 && !text[end + 2..].starts_with('(')
}

/// Numbers in brackets, and years in round ones.
fn citations(text: &str) -> (usize, usize) {
    let (mut numbers, mut years) = (0, 0);
    for (at, sign) in text.char_indices() {
        let rest = &text[at + sign.len_utf8()..];
        if sign == '[' {
            let end = near(rest, b']');
            let is_number = end > 0
                && end < 24
                && rest.starts_with(|sign: char| sign.is_ascii_digit())
                && rest[..end]
                    .bytes()
                    .all(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'-'));
            numbers += usize::from(is_number && !rest[end + 1..].starts_with('('));
        } else if sign == '(' {
            let end = near(rest, b')');
            if end > 3 && end < 60 {
                let inner = rest[..end].trim_end_matches(|sign: char| sign.is_ascii_lowercase());
                let digits = inner.len() - inner.trim_end_matches(|sign: char| sign.is_ascii_digit()).len();
                let is_year = digits == 4
                    && (inner.ends_with(|_: char| true))
                    && ["19", "20", "18"]
                        .iter()
                        .any(|century| inner[inner.len() - 4..].starts_with(century));
                years += usize::from(is_year);
            }
        }
    }
    (numbers, years)
}

/// Where a sign stands, if it is near: a text of nothing but opening brackets must not take for ever.
fn near(text: &str, sign: u8) -> usize {
    let mut bytes = text.bytes().take(64);
    bytes.position(|byte| byte == sign).unwrap_or(usize::MAX)
}
