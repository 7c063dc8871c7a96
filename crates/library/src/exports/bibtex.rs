//! BibTeX: one entry a work. Keys are made of family name, year and a word of the title, and stay the same when others come behind.

use super::{CatalogueEntry, person_name};
use crate::genre::Genre;
use gleaner_words::folded;
use std::collections::HashSet;
use std::fmt::Write;

pub fn bibtex(entries: &[CatalogueEntry]) -> String {
    let mut out = String::new();
    let mut keys = HashSet::new();
    for entry in entries {
        let mut key = key(entry);
        // The first keeps the short key; those behind it add what names them for ever.
        if !keys.insert(key.clone()) {
            key = format!("{key}-{}", plain(&entry.id));
            keys.insert(key.clone());
        }
        write_entry(&mut out, &key, entry);
    }
    out
}

fn write_entry(out: &mut String, key: &str, entry: &CatalogueEntry) {
    let record = &entry.record;
    let kind = match entry.genre {
        Some(Genre::Thesis) => "Thesis",
        Some(Genre::TechnicalReport) => "Technical report",
        Some(Genre::FaqOrManual) => "Manual",
        _ => "",
    };
    // Types that ask for a journal or a school would be incomplete: neither is known.
    let _ = writeln!(out, "@misc{{{key},");
    let mut field = |name: &str, value: &str| {
        if !value.trim().is_empty() {
            let _ = writeln!(out, "  {name} = {{{value}}},");
        }
    };
    // Doubled, so that capitals stay.
    field("title", &format!("{{{}}}", escaped(entry.title())));
    let authors: Vec<String> = record
        .authors
        .iter()
        .map(|author| {
            let name = person_name(author);
            match (name.given.is_empty(), name.family.contains(" and ")) {
                (true, _) | (_, true) => format!("{{{}}}", escaped(author)),
                _ => format!("{}, {}", escaped(&name.family), escaped(&name.given)),
            }
        })
        .collect();
    field("author", &authors.join(" and "));
    let mut date = record.date.as_deref().unwrap_or_default().split('-');
    field("year", date.next().unwrap_or_default());
    let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let month = date.next().and_then(|month| month.parse::<usize>().ok());
    field(
        "month",
        month
            .and_then(|month| months.get(month.wrapping_sub(1)))
            .copied()
            .unwrap_or_default(),
    );
    field("type", kind);
    field("doi", &address(record.doi.as_deref().unwrap_or_default()));
    if let Some(arxiv) = &record.arxiv {
        field("eprint", arxiv);
        field("archiveprefix", "arXiv");
    }
    field("url", &address(&entry.url));
    field("keywords", &escaped(&record.keywords.join(", ")));
    field("language", record.language.as_deref().unwrap_or_default());
    field(
        "abstract",
        &escaped(record.summary.as_deref().unwrap_or_default()),
    );
    out.push_str("}\n\n");
}

/// `rossi2004worlds`.
fn key(entry: &CatalogueEntry) -> String {
    let family = entry
        .record
        .authors
        .first()
        .map(|author| person_name(author).family)
        .unwrap_or_default();
    let year = entry.record.year.map(|year| year.to_string()).unwrap_or_default();
    let words = entry.title().split(|c: char| !c.is_alphanumeric()).map(plain);
    let word = words
        .clone()
        .find(|word| word.len() > 3)
        .or_else(|| words.clone().find(|word| !word.is_empty()));
    let key = format!("{}{year}{}", plain(&family), word.unwrap_or_default());
    if key.is_empty() || key == year {
        format!("document{year}{}", plain(&entry.id))
    } else {
        key
    }
}

/// Small letters and digits of ASCII.
fn plain(text: &str) -> String {
    let folded = folded(&text.to_lowercase()).into_owned();
    folded.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// Signs that mean something to TeX are written as it wants them; braces have to match whatever stands between them.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' | '%' | '$' | '#' | '_' => {
                out.push('\\');
                out.push(sign);
            }
            '{' => out.push_str("\\textbraceleft{}"),
            '}' => out.push_str("\\textbraceright{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '\\' => out.push_str("\\textbackslash{}"),
            sign if sign.is_control() => out.push(' '),
            sign => out.push(sign),
        }
    }
    out
}

/// Addresses are taken as they are but for what would end the field.
fn address(text: &str) -> String {
    text.replace('{', "%7B").replace('}', "%7D").replace('\\', "%5C")
}
