//! A vocabulary as plain lines: a term a line, further names behind tabs, `#` for remarks.

use super::Term;

pub(super) fn read(text: &str) -> Vec<Term> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let names: Vec<&str> = line
                .split('\t')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .collect();
            let name = names.first().copied().unwrap_or(line).to_owned();
            Term {
                id: name.clone(),
                name,
                names: names.into_iter().map(|name| (name.to_owned(), None)).collect(),
            }
        })
        .collect()
}
