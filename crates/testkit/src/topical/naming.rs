//! What are folders, files and sites called? As people call them: mostly telling, sometimes not.

use super::corpus::Corpus;
use super::people::{place, surname};
use super::spec::SiteKind;
use crate::sessions::Random;

pub(super) const PUBLICATION_FOLDERS: &[&str] = &[
    "publications",
    "papers",
    "pubs",
    "research/papers",
    "publikationen",
    "pub",
    "reports",
    "output",
    "documents",
    "docs",
    "library",
];
pub(super) const TEACHING_FOLDERS: &[&str] =
    &["teaching", "courses", "classes", "students", "education", "lehre"];
pub(super) const PEOPLE_FOLDERS: &[&str] = &["people", "staff", "members", "team", "faculty"];
pub(super) const PROJECT_FOLDERS: &[&str] = &["projects", "research", "topics", "areas", "work"];
pub(super) const NEWS_FOLDERS: &[&str] = &["news", "events", "blog", "press", "archive"];

/// Letters, digits and hyphens: as many words of a title as a file name bears.
pub(super) fn slug(title: &str, words: usize) -> String {
    let mut made = String::new();
    for word in title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(words)
    {
        if !made.is_empty() {
            made.push('-');
        }
        made.push_str(&word.to_ascii_lowercase());
    }
    if made.is_empty() {
        "untitled".to_owned()
    } else {
        made
    }
}

/// The name of a document's file, without its ending.
pub(super) fn file_name(random: &mut Random, genre: &str, title: &str, year: usize) -> String {
    // One in eight says something else than it is.
    let said = if random.percent(12) {
        *random.pick(&["paper", "slides", "thesis", "manual", "syllabus", "report"])
    } else {
        genre
    };
    let number = random.within(1, 40);
    match (said, random.within(0, 9)) {
        (_, 0..=3) => slug(title, 6),
        (_, 4) => format!("{}{:02}", surname(random).to_lowercase(), year % 100),
        ("paper", 5) => format!("{}-{}-{year}", surname(random).to_lowercase(), slug(title, 1)),
        ("paper", 6) => "paper".to_owned(),
        ("paper", 7) => format!("{:02}{:02}.{:04}", year % 100, number % 12 + 1, number * 137),
        ("thesis", 5 | 6) => format!("thesis-{}", surname(random).to_lowercase()),
        ("thesis", 7) => "dissertation".to_owned(),
        ("technical-report", 5 | 6) => format!("tr-{year}-{number:02}"),
        ("technical-report", 7) => format!("report{number}"),
        ("faq-or-manual", 5) => "faq".to_owned(),
        ("faq-or-manual", 6) => format!("manual-{}.{}", number % 5, number % 9),
        ("faq-or-manual", 7) => "userguide".to_owned(),
        ("slides", 5..=7) => format!("{}{number}", random.pick(&["slides", "lecture", "talk", "lec"])),
        ("assignment-or-exam", 5..=7) => format!(
            "{}{number}",
            random.pick(&["hw", "homework", "ps", "midterm", "exam"])
        ),
        ("syllabus", 5..=7) => "syllabus".to_owned(),
        ("cv", 5..=7) => "cv".to_owned(),
        _ => format!(
            "{}{number:03}",
            random.pick(&["doc", "p", "file", "final", "v", "draft", "a"])
        ),
    }
}

/// What a site calls itself.
pub(super) fn site_title(
    random: &mut Random,
    corpus: &Corpus,
    kind: SiteKind,
    topic: usize,
    library_topic: usize,
) -> String {
    let place = place(random);
    let words = corpus.vocabulary.own(topic);
    let own = capital(random.pick(&words[..words.len().min(25)]));
    let name: Vec<String> = corpus.topics[topic].name.split('-').map(capital).collect();
    let mut subject = if random.percent(45) { name.join(" ") } else { own };
    // Some that have nothing to do with the topic have a word of it in their names.
    if topic != library_topic && random.percent(8) {
        let words = corpus.vocabulary.own(library_topic);
        subject = capital(random.pick(&words[..words.len().min(40)]));
    }
    match kind {
        SiteKind::Group if random.percent(40) => format!("{} Lab, {place}", surname(random)),
        SiteKind::Group => format!("{subject} Group, University of {place}"),
        SiteKind::Archive | SiteKind::Renaming if random.percent(35) => format!("{place} Electronic Archive"),
        SiteKind::Archive | SiteKind::Renaming => format!("{subject} Archive"),
        SiteKind::University => format!("University of {place}"),
        SiteKind::Manual => format!("{subject} Documentation"),
        SiteKind::Tail => format!("{subject} Working Group"),
        SiteKind::Forum => format!("{subject} Forum"),
        SiteKind::Shop => format!("{place} {subject} Store"),
        SiteKind::Blog => format!("{}'s notes on {subject}", surname(random)),
        SiteKind::Hub => format!("{subject} Links"),
        SiteKind::Foreign => format!("{place} Institut"),
        SiteKind::Mirror | SiteKind::Moved | SiteKind::Dead => format!("{place} {subject}"),
    }
}

pub(super) fn capital(word: impl AsRef<str>) -> String {
    let mut letters = word.as_ref().chars();
    letters
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
