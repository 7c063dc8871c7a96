//! What does the name of a file say? Words that people name files by, and the shape of the name.
//!
//! Only the last part of an address is looked at: folders are named by sites, and what they are called says more of the site.

use super::features::{Column, MISSING, Row, slow};
use std::collections::HashMap;
use std::sync::OnceLock;

/// The groups of words in `name-words.txt`, and what a person is told that the name speaks of.
pub(super) const GROUPS: [(&str, &str); 16] = [
    ("thesis", "a thesis"),
    ("paper", "a paper"),
    ("report", "a report"),
    ("manual", "a manual or frequent questions"),
    ("slides", "slides"),
    ("cv", "a curriculum vitae"),
    ("assignment", "an assignment or examination"),
    ("syllabus", "a course"),
    ("form", "a form"),
    ("letter", "a letter or minutes"),
    ("flyer", "a flyer, price list or invoice"),
    ("book", "a book"),
    ("links", "a list of links"),
    ("data", "data or source"),
    ("bare", "nothing: it is a usual one"),
    ("months", "a month"),
];

/// The groups that each word belongs to, one bit each.
fn words() -> &'static HashMap<&'static str, u16> {
    static WORDS: OnceLock<HashMap<&'static str, u16>> = OnceLock::new();
    WORDS.get_or_init(|| {
        let mut words = HashMap::new();
        let lines = include_str!("name-words.txt").lines();
        for (name, list) in lines.filter_map(|line| line.split_once(": ")) {
            let Some(group) = GROUPS.iter().position(|(known, _)| *known == name) else {
                continue;
            };
            for word in list.split(", ") {
                *words.entry(word).or_default() |= 1 << group;
            }
        }
        words
    })
}

/// Endings that only one kind of file has.
const ENDINGS: [(&str, &str, &str, &[&str]); 5] = [
    (
        "ends-paged",
        "its name ends as that of a printable file",
        "its name does not end as that of a printable file",
        &["pdf", "ps", "eps", "dvi", "djvu"],
    ),
    (
        "ends-slides",
        "its name ends as that of slides",
        "its name does not end as that of slides",
        &["ppt", "pptx", "odp", "key", "pps", "ppsx"],
    ),
    (
        "ends-office",
        "its name ends as that of an office document",
        "its name does not end as that of an office document",
        &["doc", "docx", "odt", "rtf", "tex"],
    ),
    (
        "ends-data",
        "its name ends as that of data",
        "its name does not end as that of data",
        &[
            "csv", "tsv", "json", "xml", "bib", "yaml", "yml", "toml", "ini", "sql", "xls", "xlsx", "ods",
            "dat", "log", "ris", "rdf", "ttl", "geojson", "jsonl", "c", "h", "py", "rs", "java", "js", "ts",
            "cpp", "rb", "sh", "pl", "css",
        ],
    ),
    (
        "ends-page",
        "its name ends as that of a page",
        "its name does not end as that of a page",
        &["html", "htm", "xhtml", "php", "asp", "jsp", "shtml"],
    ),
];

pub(super) fn add(name: Option<&str>, row: &mut Row) {
    let Some(cut) = name.map(Cut::of) else {
        for group in 0..GROUPS.len() {
            row.put(Column::Named(group), MISSING);
        }
        for (name, high, low, _) in ENDINGS {
            shape(row, name, high, low, MISSING);
        }
        for (name, high, low) in SHAPES {
            shape(row, name, high, low, MISSING);
        }
        return;
    };
    let known: Vec<u16> = (cut.words.iter())
        .filter_map(|word| words().get(word.as_str()).copied())
        .collect();
    for group in 0..GROUPS.len() {
        let count = known.iter().filter(|groups| **groups & (1 << group) != 0).count();
        row.put(Column::Named(group), count.min(2) as f32);
    }
    for (name, high, low, endings) in ENDINGS {
        let is = endings.contains(&cut.ending.as_str());
        shape(row, name, high, low, f32::from(u8::from(is)));
    }
    let letters: usize = cut.words.iter().map(|word| word.chars().count()).sum();
    let values = [
        slow(cut.words.len() as f32),
        slow(letters as f32),
        slow(cut.numbers as f32),
        f32::from(u8::from(cut.has_date)),
        f32::from(u8::from(cut.has_course)),
        f32::from(u8::from(cut.words.iter().any(|word| word.len() == 1))),
    ];
    for ((name, high, low), value) in SHAPES.into_iter().zip(values) {
        shape(row, name, high, low, value);
    }
}

const SHAPES: [(&str, &str, &str); 6] = [
    ("name-words", "its name is many words", "its name is one word"),
    ("name-letters", "a long name", "a short name"),
    ("name-numbers", "numbers in its name", "no number in its name"),
    ("name-date", "a date in its name", "no date in its name"),
    (
        "name-course",
        "the number of a course in its name",
        "no number of a course in its name",
    ),
    (
        "name-single",
        "a single letter in its name",
        "no single letter in its name",
    ),
];

fn shape(row: &mut Row, name: &'static str, high: &'static str, low: &'static str, value: f32) {
    row.put(
        Column::Plain(super::features::Source::Name, name, high, low),
        value,
    );
}

/// A name in its parts.
struct Cut {
    words: Vec<String>,
    ending: String,
    numbers: usize,
    has_date: bool,
    has_course: bool,
}

/// A name says what it says in its last part; the rest may be an address written out.
const WORDS_MAX: usize = 24;

impl Cut {
    fn of(name: &str) -> Cut {
        let name = name
            .rsplit(['/', '\\'])
            .find(|part| !part.is_empty())
            .unwrap_or("");
        let name = name.strip_suffix(".gz").unwrap_or(name);
        let (stem, ending) = match name.rsplit_once('.') {
            Some((stem, ending)) if !stem.is_empty() && ending.len() <= 8 => {
                (stem, ending.to_ascii_lowercase())
            }
            _ => (name, String::new()),
        };
        let mut cut = Cut {
            words: Vec::new(),
            ending,
            numbers: 0,
            has_date: false,
            has_course: false,
        };
        for part in stem.split(|sign: char| !sign.is_alphanumeric()) {
            if !part.is_empty() && !is_digest(part) {
                cut.part(part);
            }
        }
        cut.words.truncate(WORDS_MAX);
        cut
    }

    /// Letters and digits are parted, and words written together with capitals.
    fn part(&mut self, part: &str) {
        let mut word = String::new();
        let mut last = ' ';
        let mut letters_before = 0;
        for sign in part.chars() {
            let is_border = (sign.is_ascii_digit() != last.is_ascii_digit() && last != ' ')
                || (sign.is_uppercase() && last.is_lowercase());
            if is_border {
                self.word(&mut word, &mut letters_before);
            }
            word.extend(sign.to_lowercase());
            last = sign;
        }
        self.word(&mut word, &mut letters_before);
    }

    fn word(&mut self, word: &mut String, letters_before: &mut usize) {
        let word = std::mem::take(word);
        if word.starts_with(|sign: char| sign.is_ascii_digit()) {
            self.numbers += 1;
            let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
            self.has_date |= is_year || (word.len() == 8 && word.starts_with("20"));
            self.has_course |= word.len() == 3 && (2..=4).contains(letters_before);
            *letters_before = 0;
        } else if !word.is_empty() {
            *letters_before = word.len();
            self.words.push(word);
        }
    }
}

/// Digests and ids say nothing.
fn is_digest(part: &str) -> bool {
    part.len() >= 8
        && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        && part.bytes().any(|byte| byte.is_ascii_digit())
        && part.bytes().any(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_into_words() {
        let cut = Cut::of("http://a.test/x/02b9ef50_HW1_2-finalExam2011.pdf.gz");
        assert_eq!(cut.words, ["hw", "final", "exam"]);
        assert_eq!((cut.ending.as_str(), cut.has_date), ("pdf", true));
        assert!(Cut::of("cs310.html").has_course);
    }

    #[test]
    fn every_group_has_words() {
        for (group, (name, _)) in GROUPS.iter().enumerate() {
            assert!(
                words().values().any(|groups| groups & (1 << group) != 0),
                "{name}"
            );
        }
    }
}
