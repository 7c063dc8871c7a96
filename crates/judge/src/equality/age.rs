//! Does a text only say how long ago something was? In: two texts and the moments their pages were made. Out: whether they
//! are one text whose ages grew.
//!
//! "4 min." becomes "5 min." without anybody writing it, and two looks seconds apart cannot catch it. An age that says so
//! ("2 days ago", "vor 3 Stunden") must not have grown by more than the time between the visits. One that stands alone in
//! its cell ("4 min.") may be the time a cake bakes: it must have grown by just that time.

mod units;

use crate::diff::words::tokens;
use gleaner_model::Timestamp;
use units::{day_word, unit_of};

/// Longer texts are not taken apart.
const TEXT_BYTES_MAX: usize = 20_000;
/// How much a page may lag behind the server's clock, in seconds.
const SLACK: i64 = 180;
const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// Whether two texts are the same but for ages that grew with time.
pub(super) fn only_aged(before: &str, now: &str, made: (Timestamp, Timestamp)) -> bool {
    if before.len() + now.len() > TEXT_BYTES_MAX {
        return false;
    }
    let (old, new) = (pieces(before), pieces(now));
    let passed = (made.1.0 - made.0.0).div_euclid(1000).max(0);
    let agrees = |pair: (&Piece<'_>, &Piece<'_>)| match pair {
        (Piece::Age(old), Piece::Age(new)) => old.becomes(new, passed),
        (old, new) => old == new,
    };
    old.len() == new.len()
        && old.iter().any(|piece| matches!(piece, Piece::Age(_)))
        && old.iter().zip(&new).all(agrees)
}

#[derive(Debug, PartialEq)]
enum Piece<'a> {
    Text(&'a str),
    Age(Age),
}

/// How long ago, in seconds: rounded in an unknown way.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Age {
    least: i64,
    most: i64,
    /// The text says that it is an age.
    is_said: bool,
}

impl Age {
    fn becomes(&self, new: &Age, passed: i64) -> bool {
        let grown_least = if self.is_said { 0 } else { passed };
        self == new
            || self.is_said == new.is_said
                && new.most >= self.least + grown_least - SLACK
                && new.least <= self.most + passed + SLACK
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let parts = tokens(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < parts.len() {
        if let Some((age, length)) = age_at(&parts, at) {
            found.push(Piece::Age(age));
            at += length;
            continue;
        }
        if !parts[at].trim().is_empty() {
            found.push(Piece::Text(parts[at]));
        }
        at += 1;
    }
    found
}

/// Words in front of an age, each a list of words.
const BEFORE: &[&[&str]] = &[
    &["vor"],
    &["il", "y", "a"],
    &["hace"],
    &["há"],
    &["för"],
    &["for"],
    &["vor", "etwa"],
    &["vor", "ca"],
    &["il", "y", "a", "environ"],
];
/// Words behind an age.
const BEHIND: &[&str] = &[
    "ago",
    "fa",
    "geleden",
    "siden",
    "sedan",
    "temu",
    "назад",
    "tomu",
    "önce",
    "atrás",
    "前",
    "전",
    "trước",
    "lalu",
];
/// Of the words in front, those that need one behind as well: they mean much else.
const NEED_BEHIND: &[&str] = &["for", "för"];

/// The age that begins at a token, and how many tokens it takes.
fn age_at(parts: &[&str], at: usize) -> Option<(Age, usize)> {
    let mut reader = Reader { parts, at };
    if let Some(days) = day_word(&reader.peek()?) {
        reader.next();
        let age = Age {
            least: (days - 1).max(0) * DAY,
            most: (days + 1) * DAY,
            is_said: true,
        };
        return is_label(parts).then_some((age, reader.at - at));
    }
    let is_in_front = BEFORE
        .iter()
        .rev()
        .find(|words| reader.takes(words))
        .map(|words| !NEED_BEHIND.contains(&words[0]));
    let (number, glued) = reader.number()?;
    let unit = match glued {
        Some(unit) => unit_of(&unit)?,
        None => unit_of(&reader.next()?)?,
    };
    let after_unit = reader.at;
    reader.takes(&["."]);
    let mut end = reader.at;
    let is_behind = reader.peek().is_some_and(|word| BEHIND.contains(&word.as_str()));
    if is_behind {
        reader.next();
        end = reader.at;
    }
    let is_said = is_behind || is_in_front == Some(true);
    if !is_said && (is_in_front.is_some() || !stands_alone(parts, at, end)) {
        return None;
    }
    // A full stop behind a whole sentence is the sentence's.
    let end = if is_said && !is_behind { after_unit } else { end };
    let age = Age {
        least: number * unit - unit / 2,
        most: (number + 1) * unit,
        is_said,
    };
    Some((age, end - at))
}

/// Nothing but borders on both sides.
fn stands_alone(parts: &[&str], from: usize, to: usize) -> bool {
    let is_border = |token: &&str| matches!(*token, "|" | "·" | "•" | "–" | "—" | "(" | ")");
    let shown = |token: &&&str| !token.trim().is_empty();
    let ahead = parts[..from].iter().rev().find(shown);
    let behind = parts[to..].iter().find(shown);
    ahead.is_none_or(is_border) && behind.is_none_or(is_border)
}

/// "Yesterday" is an age in a short label and part of the story in a sentence.
fn is_label(parts: &[&str]) -> bool {
    const WORDS_MAX: usize = 8;
    let words = parts
        .iter()
        .filter(|token| token.chars().any(char::is_alphanumeric));
    words.count() <= WORDS_MAX
}

struct Reader<'a> {
    parts: &'a [&'a str],
    at: usize,
}

impl Reader<'_> {
    /// The next token that is no blank, in lower case.
    fn peek(&self) -> Option<String> {
        let token = self.parts[self.at..]
            .iter()
            .find(|token| !token.trim().is_empty())?;
        Some(token.to_lowercase())
    }

    fn next(&mut self) -> Option<String> {
        let blanks = self.parts[self.at..]
            .iter()
            .take_while(|token| token.trim().is_empty())
            .count();
        let token = self.parts.get(self.at + blanks)?;
        self.at += blanks + 1;
        Some(token.to_lowercase())
    }

    /// Goes past these words if they are next.
    fn takes(&mut self, words: &[&str]) -> bool {
        let start = self.at;
        let are_next = words.iter().all(|word| self.next().as_deref() == Some(*word));
        if !are_next {
            self.at = start;
        }
        are_next
    }

    /// A number in digits or as "one", and a unit that hangs on it (`3h`).
    fn number(&mut self) -> Option<(i64, Option<String>)> {
        let word = self.next()?;
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            let ones = [
                "a", "an", "one", "ein", "eine", "einer", "einem", "un", "une", "una", "uno", "um", "uma",
                "een",
            ];
            return ones.contains(&word.as_str()).then_some((1, None));
        }
        let number = word[..digits].parse().ok().filter(|number| *number < 10_000)?;
        let glued = &word[digits..];
        Some((number, (!glued.is_empty()).then(|| glued.to_owned())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: i64) -> (Timestamp, Timestamp) {
        (
            Timestamp(1_000_000_000),
            Timestamp(1_000_000_000 + seconds * 1000),
        )
    }

    #[test]
    fn case31_ages_grow_by_themselves() {
        let cases = [
            ("4 min.", "5 min.", MINUTE),
            (
                "gleaner | A crawler | ann | 4 min.",
                "gleaner | A crawler | ann | 5 min.",
                70,
            ),
            ("repo | 23 hours", "repo | 2 days", DAY),
            ("Posted 2 days ago by Ann", "Posted 3 days ago by Ann", DAY),
            ("3h ago", "5d ago", 5 * DAY),
            ("a minute ago", "2 hours ago", 2 * HOUR),
            ("vor 3 Stunden", "vor 5 Stunden", 2 * HOUR),
            ("vor einer Minute bearbeitet", "vor 2 Tagen bearbeitet", 2 * DAY),
            ("il y a 2 jours", "il y a 3 jours", DAY),
            ("hace 3 días", "hace 4 días", DAY),
            ("há 3 horas", "há 5 horas", 2 * HOUR),
            ("3 giorni fa", "4 giorni fa", DAY),
            ("3 dagen geleden", "4 dagen geleden", DAY),
            ("för 3 timmar sedan", "för 5 timmar sedan", 2 * HOUR),
            ("3 dni temu", "4 dni temu", DAY),
            ("3 часа назад", "5 часов назад", 2 * HOUR),
            ("3 天前", "4 天前", DAY),
            ("Updated yesterday", "Updated 3 days ago", 2 * DAY),
            ("gestern", "vor 2 Tagen", DAY),
            ("hier", "il y a 2 jours", DAY),
        ];
        for (before, now, passed) in cases {
            assert!(
                only_aged(before, now, after(passed)),
                "{before} → {now}\n{:?}\n{:?}",
                pieces(before),
                pieces(now)
            );
        }
    }

    #[test]
    fn case31_other_spans_of_time_count() {
        let cases = [
            ("Bake 4 min.", "Bake 5 min.", MINUTE),
            ("Bake | 4 min.", "Bake | 5 min.", DAY),
            ("Posted 3 days ago", "Posted 5 minutes ago", DAY),
            ("Posted 2 days ago by Ann", "Posted 3 days ago by Bob", DAY),
            ("Ships in 2 days", "Ships in 3 days", DAY),
            ("The trip takes 3 hours", "The trip takes 5 hours", 2 * HOUR),
            ("Open for 3 hours", "Open for 5 hours", 2 * HOUR),
            (
                "We met yesterday in the old town and talked at length",
                "We met today in the old town and talked at length",
                DAY,
            ),
            ("Reading time: 4 min", "Reading time: 5 min", MINUTE),
            ("It was 2 years ago", "It was 20 years ago", DAY),
        ];
        for (before, now, passed) in cases {
            assert!(!only_aged(before, now, after(passed)), "{before} → {now}");
        }
    }
}
