//! How right is what a page says about itself? Title, authors and day against the gold of the sets that know them.
//!
//! A page counts for a field only where the gold has one; an empty one is none. The figures, each a mean over pages:
//!
//! | figure | what is compared |
//! |---|---|
//! | `title` | F1 of the bags of words (`\w+`, lower case) |
//! | `title exact` | the same words in the same order: 1 or 0 |
//! | `author` | F1 of the names: a name is found where its words stand in a name of the gold, or the other way round ("Emery Berger" is "Emery D. Berger") |
//! | `author exact` | the same names, each word for word, in any order: 1 or 0 |
//! | `date` | the same day: 1 or 0 |
//! | `… unasked` | the share of the pages without gold on which something is said |
//!
//! Accents and case are folded in names, because the gold and pages differ in them. Addresses in brackets behind a name
//! (`Ann Lee <ann at site>`) are no part of it. `half 0` and `half 1` are the pages parted by host: rules for authors
//! and days are made by looking at the first, and judged by the second; those for titles by looking at both.

use crate::corpora::{self, Sample};
use crate::gold::{self, words};
use crate::model::fold;
use crate::print;
use gleaner_parse::content::metadata;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

/// What somebody says about a page.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) title: Option<String>,
    pub(crate) authors: Vec<String>,
    pub(crate) date: Option<String>,
}

impl Fields {
    pub(crate) fn ours(sample: &Sample) -> Fields {
        let found = metadata::read(&sample.address(), &corpora::headers(), &sample.body).unwrap_or_default();
        Fields {
            title: found.title,
            authors: found.authors,
            date: found.published,
        }
    }

    /// From a line of another program: `{"title", "author", "date"}`, authors parted by semicolons.
    pub(crate) fn theirs(row: &Value) -> Fields {
        let text = |name: &str| row[name].as_str().map(ToOwned::to_owned);
        Fields {
            title: text("title"),
            authors: text("author")
                .iter()
                .flat_map(|names| names.split(';'))
                .map(|name| name.trim().to_owned())
                .filter(|name| !name.is_empty())
                .collect(),
            date: text("date"),
        }
    }
}

#[derive(Default)]
pub(crate) struct FieldFigures {
    values: BTreeMap<(&'static str, String), Vec<f64>>,
}

impl FieldFigures {
    pub(crate) fn add(&mut self, sample: &Sample, found: &Fields) {
        let half = fold(&sample.host(), HALVES_SALT, 2);
        let mut note = |field: &str, value: f64| {
            let half = format!("half {half} {field}");
            for name in [field.to_owned(), half] {
                self.values.entry((sample.set, name)).or_default().push(value);
            }
        };
        for (field, value) in judge(sample, found) {
            note(field, value);
        }
    }

    pub(crate) fn print(&self) {
        for ((set, field), values) in &self.values {
            print(set, field, values.iter().sum::<f64>() / values.len() as f64);
        }
    }
}

const HALVES_SALT: u64 = 7;

fn judge(sample: &Sample, found: &Fields) -> Vec<(&'static str, f64)> {
    let mut figures = Vec::new();
    let yes = |is: bool| f64::from(u8::from(is));
    let is_said = |text: &&String| !text.trim().is_empty();
    if let Some(title) = sample.title.as_ref().filter(is_said) {
        let ours = found.title.as_deref().unwrap_or_default();
        figures.push(("title", gold::word_counts(title, ours).f1()));
        figures.push(("title exact", yes(words(title) == words(ours))));
    }
    if sample.is_described() {
        match sample.author.as_ref().filter(is_said) {
            Some(author) => {
                let gold = names(author);
                let ours: Vec<Vec<String>> = found.authors.iter().map(|name| name_words(name)).collect();
                figures.push(("author", f1_of_names(&gold, &ours)));
                figures.push(("author exact", yes(sorted(gold) == sorted(ours))));
            }
            None => figures.push(("author unasked", yes(!found.authors.is_empty()))),
        }
        match sample.date.as_ref().filter(is_said) {
            Some(date) => {
                let is_same = found.date.as_deref().and_then(|day| day.get(..10)) == date.get(..10);
                figures.push(("date", yes(is_same)));
            }
            None => figures.push(("date unasked", yes(found.date.is_some()))),
        }
    }
    figures
}

/// The names in a line of the gold: parted by commas, semicolons, bars and "and".
fn names(text: &str) -> Vec<Vec<String>> {
    let text = text
        .replace(" and ", ",")
        .replace(" und ", ",")
        .replace(" & ", ",");
    text.split([',', ';', '|'])
        .map(name_words)
        .filter(|name| !name.is_empty())
        .collect()
}

fn name_words(name: &str) -> Vec<String> {
    let name = name.split('<').next().unwrap_or_default();
    let plain: String = name
        .nfd()
        .filter(|c| !unicode_normalization::char::is_combining_mark(*c))
        .collect();
    words(&plain)
}

fn f1_of_names(gold: &[Vec<String>], ours: &[Vec<String>]) -> f64 {
    let is_in =
        |one: &[String], other: &[String]| !one.is_empty() && one.iter().all(|word| other.contains(word));
    let mut open: Vec<&Vec<String>> = gold.iter().collect();
    let mut common = 0.0;
    for name in ours {
        if let Some(at) = open
            .iter()
            .position(|gold| is_in(name, gold) || is_in(gold, name))
        {
            open.swap_remove(at);
            common += 1.0;
        }
    }
    if common > 0.0 {
        2.0 * common / (gold.len() + ours.len()) as f64
    } else {
        0.0
    }
}

fn sorted(mut names: Vec<Vec<String>>) -> Vec<Vec<String>> {
    names.sort();
    names.dedup();
    names
}

/// One page whole, for looking at what went wrong.
pub(crate) fn row(sample: &Sample, found: &Fields) -> Value {
    let figures: BTreeMap<&str, f64> = judge(sample, found).into_iter().collect();
    json!({
        "set": sample.set, "id": sample.id, "url": sample.url, "kind": sample.kind,
        "half": fold(&sample.host(), HALVES_SALT, 2),
        "gold": {"title": sample.title, "author": sample.author, "date": sample.date},
        "found": {"title": found.title, "authors": found.authors, "date": found.date},
        "figures": figures,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_one_by_one() {
        let gold = names("Michael Rander, Emily Acton");
        let ours = |list: &[&str]| list.iter().map(|name| name_words(name)).collect::<Vec<_>>();
        let f1 = |list: &[&str]| f1_of_names(&gold, &ours(list));
        assert!((f1(&["Emily Acton", "Michael A. Rander"]) - 1.0).abs() < 1e-9);
        assert!((f1(&["Emily Acton"]) - 2.0 / 3.0).abs() < 1e-9);
        assert!(f1(&["Staff"]).abs() < 1e-9);
        assert!(f1(&[]).abs() < 1e-9);
        assert_eq!(names("Ann Lée <ann at site>"), [["ann", "lee"]]);
    }
}
