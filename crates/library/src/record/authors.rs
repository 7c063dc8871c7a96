//! Who wrote it: names told from everything else that stands under a title.

use super::front::Front;
use super::header::Header;
use gleaner_parse::documents::{Format, HeadLine, Reading};

const AUTHORS_MAX: usize = 60;
/// Lines under the title in which names may stand.
const LINES_MAX: usize = 24;

pub(super) fn find(reading: &Reading, front: &Front, header: &Header, title: Option<&str>) -> Vec<String> {
    if !header.authors.is_empty() {
        return header.authors.clone();
    }
    let said: Vec<String> = reading
        .metadata
        .authors
        .iter()
        .flat_map(|author| listed(author))
        .collect();
    let is_trusted = matches!(
        reading.format,
        Format::Html | Format::Tex | Format::Markdown | Format::Epub | Format::Mail
    );
    if is_trusted && !said.is_empty() {
        return unique(said);
    }
    let below = below_title(front, title);
    if !said.is_empty() && said.iter().all(|name| stands_in(name, &front.text)) && said.len() > 1 {
        return unique(said);
    }
    let found = unique(below.iter().flat_map(|line| names_in(&line.text)).collect());
    if found.is_empty() {
        return unique(said.into_iter().filter(|name| is_person(name)).collect());
    }
    found
}

/// The lines that follow the title.
fn below_title<'a>(front: &'a Front, title: Option<&str>) -> &'a [HeadLine] {
    let lines = &front.lines;
    let Some(title) = title else { return &lines[..0] };
    let words = folded(title);
    let is_of_title = |line: &HeadLine| {
        let line = folded(&line.text);
        !line.is_empty() && words.contains(&line)
    };
    let last = lines.iter().rposition(is_of_title);
    let from = last.map_or(0, |last| last + 1).min(lines.len());
    &lines[from..(from + LINES_MAX).min(lines.len())]
}

fn folded(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

fn stands_in(name: &str, text: &str) -> bool {
    let family = name.split_whitespace().last().unwrap_or(name);
    text.to_lowercase().contains(&family.to_lowercase())
}

fn unique(names: Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in names {
        if found.len() < AUTHORS_MAX && !found.iter().any(|known| folded(known) == folded(&name)) {
            found.push(name);
        }
    }
    found
}

/// A list that someone wrote as authors: `Ann Lee and Bo Ek`, `Lee, Ann; Ek, Bo`, `Ann Lee <ann@a.test>, Bo Ek`.
pub(super) fn listed(written: &str) -> Vec<String> {
    let bare = without_addresses(written);
    let bare = bare.trim();
    let parts: Vec<&str> = if bare.contains(';') {
        bare.split(';').collect()
    } else if bare.contains(" and ") || bare.contains('&') {
        bare.split(" and ")
            .flat_map(|part| part.split('&'))
            .flat_map(|part| part.split(", "))
            .collect()
    } else {
        let parts: Vec<&str> = bare.split(',').collect();
        // `Lee, Ann` is one person; `Ann Lee, Bo Ek` are two.
        if parts.len() == 2 && !(is_person(parts[0]) && is_person(parts[1])) {
            vec![bare]
        } else {
            parts
        }
    };
    parts
        .into_iter()
        .map(|part| tidy(part.trim().trim_start_matches("and ")))
        .filter(|name| name.chars().any(char::is_alphabetic) && !is_place(name))
        .collect()
}

fn without_addresses(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let Some((inside, behind)) = after.split_once('>') else {
            break;
        };
        // Where only addresses stand, commas part them all the same.
        if !inside.contains('@') {
            out.push_str(inside);
        }
        rest = behind;
    }
    out.push_str(rest);
    let words = out.split_whitespace().filter(|word| !word.contains('@'));
    words.collect::<Vec<_>>().join(" ")
}

/// Names in a line under a title, and nothing else of it.
fn names_in(line: &str) -> Vec<String> {
    if line.contains('@') || line.chars().count() > 400 {
        return Vec::new();
    }
    let lower = line.to_lowercase();
    let line = lower.strip_prefix("by ").map_or(line, |_| &line[3..]);
    let parts: Vec<&str> = line
        .split([',', ';', '&', '·', '•', '|'])
        .flat_map(|part| part.split(" and "))
        .flat_map(|part| part.split(" und "))
        .map(|part| part.trim().trim_start_matches("and "))
        .filter(|part| !tidy(part).is_empty())
        .collect();
    let people: Vec<String> = parts
        .iter()
        .map(|part| tidy(part))
        .filter(|part| is_person(part))
        .collect();
    if people.len() * 2 > parts.len() {
        return people;
    }
    Vec::new()
}

/// Marks of footnotes, degrees and figures off.
fn tidy(name: &str) -> String {
    let kept: String = name
        .chars()
        .map(|c| {
            let is_mark = matches!(
                c,
                '*' | '∗'
                    | '†'
                    | '‡'
                    | '§'
                    | '¶'
                    | '‖'
                    | '#'
                    | '∥'
                    | '^'
                    | '{'
                    | '}'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '$'
            );
            if is_mark || c.is_numeric() { ' ' } else { c }
        })
        .collect();
    let words = kept.split_whitespace().filter(|word| {
        let bare = word.trim_matches(['.', ',']).to_lowercase();
        !matches!(
            bare.as_str(),
            "phd"
                | "ph.d"
                | "dr"
                | "prof"
                | "professor"
                | "msc"
                | "bsc"
                | "md"
                | "ed"
                | "eds"
                | "editor"
                | "jr"
                | "sr"
        )
    });
    words
        .collect::<Vec<_>>()
        .join(" ")
        .trim_matches([',', ' ', ':', '-'])
        .to_owned()
}

/// Whether a text reads like a person's name: two to five words with capitals, none of them a word of places.
pub(super) fn is_person(text: &str) -> bool {
    let name = tidy(text);
    let words: Vec<&str> = name.split_whitespace().collect();
    if words.len() == 1 {
        // Names of two or three signs, written without blanks.
        let count = name.chars().count();
        return (2..=4).contains(&count) && name.chars().all(gleaner_words::is_unspaced);
    }
    if !(2..=5).contains(&words.len()) || is_place(&name) {
        return false;
    }
    let particles = [
        "van", "von", "der", "den", "de", "la", "le", "del", "della", "di", "da", "dos", "du", "ter", "ten",
        "el", "al", "bin", "ibn", "y", "e", "zu", "af", "av",
    ];
    let is_part = |word: &&str| {
        let first = word.chars().next().unwrap_or(' ');
        let letters = word.chars().filter(|c| c.is_alphabetic()).count();
        let is_initial = letters <= 2 && word.ends_with('.');
        let has_only_letters = word
            .chars()
            .all(|c| c.is_alphabetic() || matches!(c, '.' | '-' | '\'' | '’' | '‐' | '`' | '´' | '¨'));
        particles.contains(&word.to_lowercase().as_str())
            || (has_only_letters && (first.is_uppercase() || is_initial))
    };
    let whole = words
        .iter()
        .filter(|word| {
            word.chars().filter(|c| c.is_alphabetic()).count() > 1
                && word.chars().next().is_some_and(char::is_uppercase)
        })
        .count();
    words.iter().all(is_part) && whole >= 1
}

/// Words that stand in affiliations, headings and titles, and in no name.
fn is_place(text: &str) -> bool {
    const PLACES: [&str; 97] = [
        "university",
        "universität",
        "université",
        "universidad",
        "universidade",
        "università",
        "universiteit",
        "department",
        "dept",
        "departamento",
        "institute",
        "institut",
        "instituto",
        "school",
        "college",
        "faculty",
        "laboratory",
        "laboratories",
        "lab",
        "labs",
        "center",
        "centre",
        "research",
        "inc",
        "corp",
        "corporation",
        "ltd",
        "llc",
        "gmbh",
        "company",
        "foundation",
        "group",
        "google",
        "microsoft",
        "ibm",
        "facebook",
        "amazon",
        "apple",
        "yahoo",
        "intel",
        "abstract",
        "introduction",
        "street",
        "avenue",
        "road",
        "usa",
        "california",
        "germany",
        "france",
        "canada",
        "india",
        "china",
        "japan",
        "italy",
        "spain",
        "israel",
        "kingdom",
        "states",
        "netherlands",
        "switzerland",
        "sweden",
        "austria",
        "australia",
        "new",
        "massachusetts",
        "texas",
        "technology",
        "science",
        "sciences",
        "engineering",
        "computer",
        "computing",
        "mathematics",
        "physics",
        "systems",
        "information",
        "the",
        "of",
        "for",
        "and",
        "in",
        "on",
        "to",
        "with",
        "an",
        "journal",
        "conference",
        "proceedings",
        "workshop",
        "report",
        "paper",
        "version",
        "draft",
        "box",
        "january",
        "december",
        "email",
    ];
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| PLACES.contains(&word.to_lowercase().as_str()))
}

/// `E. Levinson`, `J.-P. van der Berg`: names with initials, wherever they stand in the head of a standard.
pub(super) fn initialled(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_initial = |word: &str| {
        let mut letters = word.chars();
        letters.next().is_some_and(char::is_uppercase)
            && word.ends_with('.')
            && word.trim_end_matches('.').chars().count() <= 3
            && word
                .trim_end_matches('.')
                .chars()
                .all(|c| c.is_uppercase() || matches!(c, '.' | '-'))
    };
    let mut names = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if !is_initial(words[at]) {
            at += 1;
            continue;
        }
        let from = at;
        while at < words.len()
            && (is_initial(words[at])
                || matches!(words[at], "van" | "von" | "de" | "der" | "den" | "le" | "la"))
        {
            at += 1;
        }
        let Some(family) = words.get(at).map(|word| word.trim_end_matches([',', ';'])) else {
            break;
        };
        let is_family = family.chars().next().is_some_and(char::is_uppercase)
            && family.chars().count() > 1
            && family
                .chars()
                .all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'));
        if is_family {
            names.push([&words[from..at], &[family]].concat().join(" "));
            at += 1;
        }
    }
    unique(names)
}
