//! By how much did a number or a date change? In: the text before and after. Out: lines such as
//! `19.99 → 18.99 (−1.00)` and `2024-03-01 → 2024-03-15 (+14 days)`.
//!
//! Numbers are decimal integers with a scale, never floats: a price's pennies must be right. A date is seen where it is
//! written out in one of the common ways; what cannot be told apart (03/04/2024) is left to be shown as text.

use super::quantity::{is_quantity, is_year};
use super::words::{Fate, Run, tokens};
use gleaner_model::measure::count;
use std::ops::Range;

/// A number or date that took another value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delta {
    pub before: String,
    pub after: String,
    /// Signed, with the unit for dates.
    pub by: String,
}

impl std::fmt::Display for Delta {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} → {} ({})", self.before, self.after, self.by)
    }
}

/// More deltas than this in one block tell nobody anything.
const DELTAS_MAX: usize = 20;
/// Longer texts are not searched for dates.
const DATED_BYTES_MAX: usize = 20_000;

/// The deltas of a changed block, from its word runs.
pub fn deltas(before: &str, after: &str, runs: &[Run]) -> Vec<Delta> {
    let dated = dates(before, after);
    if !dated.is_empty() {
        return dated;
    }
    let mut found = Vec::new();
    // Where each run begins: runs without the added ones are the text before, without the removed ones the text after.
    let (mut before_at, mut after_at) = (0, 0);
    for (at, run) in runs.iter().enumerate() {
        let removed_at = before_at;
        before_at += if run.fate == Fate::Added {
            0
        } else {
            run.text.len()
        };
        after_at += if run.fate == Fate::Removed {
            0
        } else {
            run.text.len()
        };
        let next = runs.get(at + 1).filter(|next| next.fate == Fate::Added);
        let (Some(added), Fate::Removed) = (next, run.fate) else {
            continue;
        };
        if found.len() >= DELTAS_MAX {
            break;
        }
        if let (Some(old), Some(new)) = (
            only_number(&run.text, removed_at),
            only_number(&added.text, after_at),
        ) {
            found.extend(difference(before, old, after, new));
        }
    }
    found
}

/// Where in the text the one number of a run stands, if there is exactly one; the run begins at `start`.
fn only_number(run: &str, start: usize) -> Option<Range<usize>> {
    let mut at = start;
    let mut places = tokens(run).into_iter().filter_map(|token| {
        at += token.len();
        let is_number = token.starts_with(|c: char| c.is_ascii_digit());
        is_number.then_some(at - token.len()..at)
    });
    let first = places.next()?;
    places.next().is_none().then_some(first)
}

/// By how much a number of the text before changed; nothing where it is no quantity.
fn difference(before: &str, old: Range<usize>, after: &str, new: Range<usize>) -> Option<Delta> {
    let (old_text, new_text) = (before.get(old.clone())?, after.get(new.clone())?);
    let (old_value, new_value) = (Decimal::parse(old_text)?, Decimal::parse(new_text)?);
    let are_quantities = is_quantity(before, old.clone()) && is_quantity(after, new.clone());
    if !are_quantities || (is_year(before, old) && is_year(after, new)) {
        return None;
    }
    Some(Delta {
        before: old_text.to_owned(),
        after: new_text.to_owned(),
        by: new_value.minus(old_value),
    })
}

/// Digits with a scale: 19.99 is 1999 of hundredths.
#[derive(Clone, Copy)]
struct Decimal {
    units: i128,
    scale: u32,
}

impl Decimal {
    /// The last separator is the decimal point unless it parts groups of three; `1.299,50` and `1,299.50` both work.
    fn parse(text: &str) -> Option<Decimal> {
        if text.len() > 24 || text.contains(':') {
            return None;
        }
        let last = text.rfind(['.', ',']);
        let scale = match last {
            None => 0,
            Some(at) => {
                let sign = text.as_bytes()[at];
                let behind = text.len() - at - 1;
                let once = text.bytes().filter(|&byte| byte == sign).count() == 1;
                let groups = behind == 3 && (!once || sign == b',');
                if groups { 0 } else { behind }
            }
        };
        // What is parted otherwise is a version (5.3.1), a date (1.12.2024), a section (2.4.1), an address.
        let whole = &text[..last.filter(|_| scale > 0).unwrap_or(text.len())];
        let mut groups = whole.split(['.', ',']);
        let is_grouped = |group: &str| group.len() == 3;
        let is_one_sign = !(whole.contains('.') && whole.contains(','));
        let is_number = groups
            .next()
            .is_some_and(|first| first == whole || first.len() <= 3)
            && groups.all(is_grouped);
        if !is_number || !is_one_sign {
            return None;
        }
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        if digits.is_empty() || text.chars().any(|c| !c.is_ascii_digit() && c != '.' && c != ',') {
            return None;
        }
        Some(Decimal {
            units: digits.parse().ok()?,
            scale: u32::try_from(scale).ok()?,
        })
    }

    fn minus(self, other: Decimal) -> String {
        let scale = self.scale.max(other.scale);
        let raised = |number: Decimal| {
            number
                .units
                .saturating_mul(10i128.saturating_pow(scale - number.scale))
        };
        let difference = raised(self).saturating_sub(raised(other));
        let sign = if difference < 0 { '−' } else { '+' };
        let digits = difference.unsigned_abs().to_string();
        if scale == 0 {
            return format!("{sign}{digits}");
        }
        let scale = scale as usize;
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, part) = digits.split_at(digits.len() - scale);
        format!("{sign}{whole}.{part}")
    }
}

/// Dates that changed, where both texts hold equally many.
fn dates(before: &str, after: &str) -> Vec<Delta> {
    if before.len() + after.len() > DATED_BYTES_MAX {
        return Vec::new();
    }
    let (old, new) = (find_dates(before), find_dates(after));
    if old.len() != new.len() {
        return Vec::new();
    }
    old.iter()
        .zip(&new)
        .filter(|(old, new)| old.1 != new.1)
        .take(DELTAS_MAX)
        .map(|(old, new)| {
            let days = new.1 - old.1;
            let sign = if days < 0 { '−' } else { '+' };
            Delta {
                before: old.0.clone(),
                after: new.0.clone(),
                by: format!("{sign}{}", count(days.unsigned_abs(), "day")),
            }
        })
        .collect()
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Whether a word names a month in English, whole or cut short.
pub(crate) fn month(word: &str) -> Option<i64> {
    let lower = word.to_ascii_lowercase();
    let full = [
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
    let at = full.iter().position(|name| *name == lower);
    let short = || {
        MONTHS
            .iter()
            .position(|name| *name == lower)
            .or((lower == "sept").then_some(8))
    };
    at.or_else(short).map(|at| at as i64 + 1)
}

/// Dates as written, with their day number.
fn find_dates(text: &str) -> Vec<(String, i64)> {
    let words: Vec<&str> = tokens(text)
        .into_iter()
        .filter(|token| !token.trim().is_empty())
        .collect();
    let number = |at: usize, low: i64, high: i64| -> Option<i64> {
        let word = words.get(at)?;
        let plain = word.trim_end_matches(['s', 't', 'n', 'd', 'r', 'h']);
        let value: i64 = if plain.len() <= 4 {
            plain.parse().ok()?
        } else {
            return None;
        };
        (low..=high).contains(&value).then_some(value)
    };
    let is = |at: usize, sign: &str| words.get(at) == Some(&sign);
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let year_first = || {
            let sign = ["-", "/"]
                .into_iter()
                .find(|sign| is(at + 1, sign) && is(at + 3, sign))?;
            let (year, month, day) = (
                number(at, 1000, 9999)?,
                number(at + 2, 1, 12)?,
                number(at + 4, 1, 31)?,
            );
            Some((
                5,
                year,
                month,
                day,
                format!("{year:04}{sign}{}{sign}{}", words[at + 2], words[at + 4]),
            ))
        };
        let day_first = || {
            let (day, month, year) = (
                number(at, 1, 31)?,
                month(words.get(at + 1)?)?,
                number(at + 2, 1000, 9999)?,
            );
            Some((3, year, month, day, words[at..at + 3].join(" ")))
        };
        let month_first = || {
            let (month, day) = (month(words[at])?, number(at + 1, 1, 31)?);
            let comma = usize::from(is(at + 2, ","));
            let year = number(at + 2 + comma, 1000, 9999)?;
            Some((
                3 + comma,
                year,
                month,
                day,
                format!("{} {}, {year}", words[at], words[at + 1]),
            ))
        };
        if let Some((length, year, month, day, shown)) = year_first().or_else(day_first).or_else(month_first)
        {
            found.push((shown, day_number(year, month, day)));
            at += length;
        } else {
            at += 1;
        }
    }
    found
}

/// Days since 1970-01-01 in the Gregorian calendar (the usual reckoning with years that begin in March).
fn day_number(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::super::words::compare_words;
    use super::*;

    #[test]
    fn numbers_and_dates_are_shown_as_deltas() {
        let cases = [
            ("costs $19.99 now", "costs $18.99 now", "19.99 → 18.99 (−1.00)"),
            ("1,299 readers", "1,305 readers", "1,299 → 1,305 (+6)"),
            (
                "1.299.000 readers",
                "1.299.005 readers",
                "1.299.000 → 1.299.005 (+5)",
            ),
            ("1.299,50 €", "1.300,00 €", "1.299,50 → 1.300,00 (+0.50)"),
            (
                "on 2024-02-28 at",
                "on 2024-03-01 at",
                "2024-02-28 → 2024-03-01 (+2 days)",
            ),
            ("3 May 2024", "2 May 2024", "3 May 2024 → 2 May 2024 (−1 day)"),
            (
                "Dec 31, 2023",
                "Jan 1, 2024",
                "Dec 31, 2023 → Jan 1, 2024 (+1 day)",
            ),
        ];
        for (before, after, expected) in cases {
            let found = deltas(before, after, &compare_words(before, after));
            assert_eq!(found.first().map(ToString::to_string).as_deref(), Some(expected));
        }
    }

    #[test]
    fn words_have_no_delta() {
        for (before, after) in [
            ("the red house", "the blue house"),
            // Versions, dates, sections and addresses are no amounts.
            ("version 5.3.0 is out", "version 5.3.1 is out"),
            ("see 2.4.1 below", "see 2.5.1 below"),
            ("at 10.0.0.1 now", "at 10.0.0.12 now"),
            ("since 1.12.2024", "since 4.12.2024"),
            // Nor are numbers of telephones and tickets, and years.
            ("call 030-980-1234 today", "call 030-890-1234 today"),
            ("call (980) 555-0199", "call (890) 555-0199"),
            ("see issue 14", "see issue 15"),
            ("© 2023 the town", "© 2024 the town"),
        ] {
            let found = deltas(before, after, &compare_words(before, after));
            assert!(found.is_empty(), "{before}: {found:?}");
        }
    }
}
