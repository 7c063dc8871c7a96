//! When it was written: what its head says, then what stands on its first page, then what its file says.

use super::front::Front;
use super::header::Header;
use super::references::CitedWork;
use gleaner_parse::documents::{Format, Reading};

const FIRST_YEAR: u16 = 1900;
const LAST_YEAR: u16 = 2100;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

pub(super) fn find(
    reading: &Reading,
    front: &Front,
    header: &Header,
    references: &[CitedWork],
) -> Option<String> {
    if header.date.is_some() {
        return header.date.clone();
    }
    let said = reading.metadata.created.as_deref().and_then(first_day);
    let is_trusted = matches!(
        reading.format,
        Format::Html | Format::Tex | Format::Markdown | Format::Epub | Format::Mail
    );
    if is_trusted && said.is_some() {
        return said;
    }
    // Nobody cites what is not written yet. One entry may be misread.
    let mut cited: Vec<u16> = references.iter().filter_map(|reference| reference.year).collect();
    cited.sort_unstable();
    let least = cited
        .len()
        .checked_sub(2)
        .and_then(|at| cited.get(at))
        .copied()
        .unwrap_or(FIRST_YEAR);
    let most = said.as_deref().and_then(year_of).unwrap_or(LAST_YEAR);
    let could_be = |date: &String| year_of(date).is_some_and(|year| year >= least && year <= most.max(least));
    let head: String = front
        .lines
        .iter()
        .map(|line| line.text.as_str())
        .collect::<Vec<_>>()
        .join("\n");
    stamped(&front.text)
        .filter(could_be)
        .or_else(|| with_month(&head).filter(could_be))
        .or_else(|| with_month(&front.text).filter(could_be))
        .or_else(|| {
            years(&front.text)
                .into_iter()
                .rev()
                .map(|year| year.to_string())
                .find(could_be)
        })
        .or(said)
}

pub(super) fn year_of(date: &str) -> Option<u16> {
    let year: u16 = date.get(..4)?.parse().ok()?;
    (FIRST_YEAR..=LAST_YEAR).contains(&year).then_some(year)
}

/// Years that stand alone or after a mark of copyright, in the order in which they stand.
pub(super) fn years(text: &str) -> Vec<u16> {
    let mut found = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let digits = word.trim_end_matches(|c: char| c.is_ascii_lowercase());
        if digits.len() == 4 && word.len() <= 5 && (digits.starts_with("19") || digits.starts_with("20")) {
            found.extend(year_of(digits));
        }
    }
    found
}

/// The stamp of arXiv: `arXiv:1207.1234v2 [cs.DS] 5 Jul 2012`.
fn stamped(text: &str) -> Option<String> {
    let (_, after) = text.split_once("arXiv:")?;
    let end = after.char_indices().nth(60).map_or(after.len(), |(at, _)| at);
    with_month(&after[..end])
}

/// `2004-05-06`, `06-May-2004`, `May 6, 2004`, `May 2004`, `2004/05/06`.
pub(super) fn first_day(text: &str) -> Option<String> {
    let text = text.trim();
    let numbers: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .collect();
    if let [year, month, rest @ ..] = &numbers[..]
        && year.len() == 4
        && text.starts_with(year)
        && month.len() <= 2
    {
        let year = year_of(year)?;
        let month: u8 = month.parse().ok().filter(|month| (1..=12).contains(month))?;
        let day = rest
            .first()
            .filter(|day| day.len() <= 2)
            .and_then(|day| day.parse::<u8>().ok());
        return Some(match day.filter(|day| (1..=31).contains(day)) {
            Some(day) => format!("{year}-{month:02}-{day:02}"),
            None => format!("{year}-{month:02}"),
        });
    }
    with_month(text).or_else(|| years(text).first().map(u16::to_string))
}

/// The first month that has a year beside it.
pub(super) fn with_month(text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | '-' | '/' | '(' | ')' | '.' | '\''))
        .filter(|word| !word.is_empty())
        .collect();
    for (at, word) in words.iter().enumerate() {
        let Some(month) = month_of(word) else { continue };
        let number = |word: Option<&&str>| -> Option<u16> {
            let digits = word?.trim_end_matches(|c: char| c.is_ascii_lowercase());
            digits.parse().ok()
        };
        let day_of = |number: Option<u16>| number.filter(|day| (1..=31).contains(day));
        let before = at.checked_sub(1).and_then(|before| number(words.get(before)));
        let (next, after) = (number(words.get(at + 1)), number(words.get(at + 2)));
        let is_year = |year: &u16| (FIRST_YEAR..=LAST_YEAR).contains(year);
        if let Some(year) = next.filter(is_year) {
            return Some(match day_of(before) {
                Some(day) => format!("{year}-{month:02}-{day:02}"),
                None => format!("{year}-{month:02}"),
            });
        }
        if let (Some(day), Some(year)) = (day_of(next), after.filter(is_year)) {
            return Some(format!("{year}-{month:02}-{day:02}"));
        }
    }
    None
}

fn month_of(word: &str) -> Option<u8> {
    let lower = word.to_lowercase();
    let is_it =
        |month: &&str| *month == lower || (lower.len() >= 3 && lower.len() <= 4 && month.starts_with(&lower));
    let at = MONTHS.iter().position(is_it)?;
    // The verb is no month.
    let is_capital = word.starts_with(char::is_uppercase);
    is_capital.then_some(at as u8 + 1)
}
