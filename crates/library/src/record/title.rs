//! The title.

use super::authors::is_person;
use super::front::Front;
use super::header::Header;
use gleaner_parse::documents::{Format, Reading};

const CHARS_MAX: usize = 300;
const CHARS_MIN: usize = 4;

pub(super) fn find(reading: &Reading, front: &Front, header: &Header) -> Option<String> {
    let said = tidy(&reading.metadata.title);
    let is_trusted = matches!(
        reading.format,
        Format::Html | Format::Tex | Format::Markdown | Format::Epub | Format::Mail
    );
    if is_trusted && is_title(&said) {
        return Some(said);
    }
    if let Some(title) = &header.title {
        return Some(title.clone());
    }
    if is_title(&said) && !is_of_a_program(&said) && stands_in(&said, &front.text) {
        return Some(said);
    }
    let found = if front.has_sizes {
        by_size(front)
    } else {
        by_order(reading, front)
    };
    found.or_else(|| Some(said).filter(|said| is_title(said) && !is_of_a_program(said)))
}

/// Blanks folded, marks of footnotes off.
fn tidy(text: &str) -> String {
    let folded: Vec<&str> = text.split_whitespace().collect();
    let line = folded.join(" ");
    line.trim_matches(|c: char| {
        matches!(c, '*' | '∗' | '†' | '‡' | '=' | '#' | '~' | '^') || c.is_whitespace()
    })
    .to_owned()
}

fn is_title(text: &str) -> bool {
    let count = text.chars().count();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    (CHARS_MIN..=CHARS_MAX).contains(&count) && letters * 2 >= count
}

/// What programs write where nobody gave a title.
fn is_of_a_program(text: &str) -> bool {
    let lower = text.to_lowercase();
    let ends = [
        ".doc", ".docx", ".dvi", ".tex", ".ps", ".pdf", ".eps", ".ppt", ".pptx", ".txt", ".rtf", ".qxd",
        ".indd", ".fm", ".wpd", ".pmd", ".html", ".htm", ".odt",
    ];
    let begins = [
        "microsoft word",
        "microsoft powerpoint",
        "untitled",
        "slide 1",
        "powerpoint presentation",
        "powerpoint-präsentation",
        "document",
        "layout 1",
        "no job name",
        "print",
        "proceedings template",
        "acr",
        "untitled-1",
    ];
    ends.iter().any(|end| lower.ends_with(end))
        || begins
            .iter()
            .any(|begin| lower == *begin || lower.starts_with("microsoft "))
        || !text.contains(' ') && text.contains(['_', '/', '\\', '.'])
}

/// Most words of the title stand in the text.
fn stands_in(title: &str, text: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let parts = text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().count() > 2);
        parts.map(str::to_lowercase).collect()
    };
    let there = words(text);
    let wanted = words(title);
    let found = wanted.iter().filter(|word| there.contains(word)).count();
    !wanted.is_empty() && found * 5 >= wanted.len() * 4
}

/// The largest letters of the upper part of the page that read like a title.
fn by_size(front: &Front) -> Option<String> {
    let lines = &front.lines;
    let mut sizes: Vec<u32> = lines.iter().map(|line| line.size).collect();
    sizes.sort_unstable();
    sizes.dedup();
    for size in sizes.iter().rev() {
        let is_of_size = |line: u32| line + 2 >= *size && line <= *size;
        let Some(begin) = lines
            .iter()
            .position(|line| line.size == *size && could_be_title(&line.text))
        else {
            continue;
        };
        // Lines of the same title stand one below the other; a small line between them is a mark.
        let mut from = begin;
        while from > 0 && is_of_size(lines[from - 1].size) && could_be_title(&lines[from - 1].text) {
            from -= 1;
        }
        let mut parts: Vec<&str> = Vec::new();
        let mut chars = 0;
        for line in &lines[from..] {
            if line.text.chars().count() <= 2 && !parts.is_empty() && line.size < *size {
                continue;
            }
            if !is_of_size(line.size) || chars > CHARS_MAX || (!parts.is_empty() && is_names(&line.text)) {
                break;
            }
            chars += line.text.chars().count();
            parts.push(&line.text);
        }
        let title = joined(&parts);
        if is_title(&title) {
            return Some(title);
        }
    }
    None
}

/// Where no sizes are known: a first heading, or the first paragraph that could be one.
fn by_order(reading: &Reading, front: &Front) -> Option<String> {
    if front
        .lines
        .first()
        .is_some_and(|line| is_of_a_page_frame(&line.text))
    {
        return None;
    }
    let heading = reading
        .pieces
        .iter()
        .take(12)
        .find(|piece| piece.level == 1 && could_be_title(&piece.text));
    let first = front
        .lines
        .iter()
        .take(12)
        .find(|line| could_be_title(&line.text));
    let found = heading
        .map(|piece| piece.text.as_str())
        .or(first.map(|line| line.text.as_str()))?;
    let title = tidy(found);
    is_title(&title).then_some(title)
}

/// What stands above the text of many pages of a site.
fn is_of_a_page_frame(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    matches!(
        lower.as_str(),
        "home"
            | "menu"
            | "navigation"
            | "search"
            | "install"
            | "contents"
            | "back to top"
            | "toggle navigation"
            | "log in"
            | "sign in"
    ) || lower.starts_with("skip to ")
}

fn could_be_title(text: &str) -> bool {
    let tidy = tidy(text);
    let lower = tidy.to_lowercase();
    let is_frame = [
        "arxiv:",
        "http://",
        "https://",
        "doi:",
        "doi ",
        "issn",
        "isbn",
        "copyright",
        "©",
        "preprint",
        "submitted to",
        "to appear",
        "technical report",
        "published in",
        "proceedings of",
        "vol.",
        "volume ",
        "page ",
        "draft",
        "received",
        "accepted",
        "appeared in",
        "permission to",
        "available online",
        "contents lists",
        "journal homepage",
        "this work",
        "published as",
        "under review",
        "document number",
        "document #",
        "doc. no",
        "date:",
        "audience",
        "project:",
        "reply-to",
        "number:",
        "revises",
        "research article",
        "original article",
        "in proc",
    ]
    .iter()
    .any(|begin| lower.starts_with(begin));
    let digits = tidy.chars().filter(char::is_ascii_digit).count();
    let count = tidy.chars().count();
    is_title(&tidy) && !is_frame && digits * 3 < count && !tidy.contains('@') && !is_abstract(&lower)
}

fn is_abstract(lower: &str) -> bool {
    matches!(
        lower.trim_end_matches([':', '.']),
        "abstract" | "summary" | "contents" | "introduction"
    )
}

fn is_names(text: &str) -> bool {
    let parts: Vec<&str> = text
        .split([',', '&', ';'])
        .flat_map(|part| part.split(" and "))
        .collect();
    let people = parts.iter().filter(|part| is_person(part)).count();
    people * 2 > parts.len() && (parts.len() > 1 || text.contains('.'))
}

/// Lines as one; a word parted at an end is joined.
fn joined(parts: &[&str]) -> String {
    let mut out = String::new();
    for part in parts {
        let is_parted = out.ends_with('-') && part.starts_with(char::is_lowercase);
        if !out.is_empty() && !is_parted {
            out.push(' ');
        }
        out.push_str(part);
    }
    tidy(&out)
}
