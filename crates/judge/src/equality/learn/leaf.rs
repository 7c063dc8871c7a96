//! What kind of thing differs inside a block: a clock, a counter, money, a nonce, or words? In: the text before and now.
//! Out: the slots that moved, each with the words around it.
//!
//! The one idea: a block that holds a counter is not noise, its counter is. A slot is the stretch of numbers, times and
//! names of months between two ordinary words; learning a slot leaves every other word of the block watched (HC088).
//! Where words differ ("Hello Ann"), their slot is the stretch between two words that stay.

use crate::diff::align::align;
use crate::diff::delta::month;
use crate::diff::words::tokens;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use xxhash_rust::xxh3::xxh3_64;

/// Sorts of tokens, as bits.
pub(super) const NUMBER: u8 = 1;
pub(super) const TIME: u8 = 2;
/// Months, days of the week, units of time, "ago".
pub(super) const CALENDAR: u8 = 4;
pub(super) const MONEY: u8 = 8;
/// Letters and digits mixed: nonces, ids.
pub(super) const OPAQUE: u8 = 16;
/// Ordinary words.
pub(super) const WORDS: u8 = 32;

/// Longer texts are not taken apart.
const TEXT_BYTES_MAX: usize = 20_000;

/// A stretch that may move: the hash of the words around it, and what stands in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Slot {
    #[serde(rename = "c")]
    pub(super) context: u32,
    #[serde(rename = "s")]
    pub(super) sorts: u8,
}

/// How two texts differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    /// Ordinary words differ, not only numbers and their like.
    pub(super) is_text: bool,
    pub(super) slots: Vec<Slot>,
    /// How much of both is the same, in percent.
    pub(super) likeness: u8,
}

impl Leaf {
    pub(super) fn between(before: &str, now: &str) -> Leaf {
        if before.is_empty() || now.is_empty() {
            return Leaf {
                is_text: true,
                slots: Vec::new(),
                likeness: 0,
            };
        }
        if before.len() + now.len() > TEXT_BYTES_MAX {
            return Leaf {
                is_text: true,
                slots: Vec::new(),
                likeness: 100,
            };
        }
        let (old, new) = (Tokens::of(before), Tokens::of(now));
        let matched = align(&old.hashes, &new.hashes);
        let (mut old_kept, mut new_kept) = (vec![false; old.words.len()], vec![false; new.words.len()]);
        for &(before, now) in &matched {
            old_kept[before] = true;
            new_kept[now] = true;
        }
        let mut slots = BTreeSet::new();
        let is_text = old.moved(&old_kept, &mut slots) | new.moved(&new_kept, &mut slots);
        let likeness = 200 * matched.len() / (old.words.len() + new.words.len()).max(1);
        Leaf {
            // Signs alone ("!" for "?") are text too.
            is_text: is_text || slots.is_empty(),
            slots: slots.into_iter().collect(),
            likeness: u8::try_from(likeness).unwrap_or(100),
        }
    }

    /// A name for what moved, for people.
    pub(super) fn name(slots: &[Slot]) -> &'static str {
        let sorts = slots.iter().fold(0, |sorts, slot| sorts | slot.sorts);
        match sorts {
            _ if sorts & MONEY != 0 => "money",
            _ if sorts & (TIME | CALENDAR) != 0 => "clock",
            _ if sorts & OPAQUE != 0 => "nonce",
            _ => "counter",
        }
    }
}

/// The text with what may move masked, if both words and something masked are in it.
pub(super) fn skeleton(text: &str) -> Option<u64> {
    if text.len() > TEXT_BYTES_MAX {
        return None;
    }
    let tokens = Tokens::of(text);
    let has_money = tokens.sorts.iter().any(|sort| sort & MONEY != 0);
    let typed = tokens.sorts.iter().any(|sort| *sort != 0);
    let words = tokens
        .words
        .iter()
        .zip(&tokens.sorts)
        .any(|(word, sort)| *sort == 0 && is_word(word));
    if has_money || !typed || !words {
        return None;
    }
    let mut masked = String::with_capacity(text.len());
    let mut last_typed = false;
    for (word, sort) in tokens.words.iter().zip(&tokens.sorts) {
        if *sort == 0 {
            masked.push_str(word);
        } else if !last_typed {
            masked.push('#');
        }
        last_typed = *sort != 0;
    }
    Some(xxh3_64(masked.as_bytes()))
}

struct Tokens<'a> {
    words: Vec<&'a str>,
    sorts: Vec<u8>,
    hashes: Vec<u64>,
}

impl<'a> Tokens<'a> {
    fn of(text: &'a str) -> Tokens<'a> {
        let words: Vec<&str> = tokens(text)
            .into_iter()
            .filter(|token| !token.trim().is_empty())
            .collect();
        let mut sorts: Vec<u8> = words.iter().map(|word| sort_of(word)).collect();
        for (at, sort) in sorts.iter_mut().enumerate() {
            let is_money = |neighbour: Option<&&str>| neighbour.is_some_and(|word| is_currency(word));
            let next_to = (at > 0 && is_money(words.get(at - 1))) || is_money(words.get(at + 1));
            if *sort == NUMBER && next_to {
                *sort = MONEY;
            }
        }
        let hashes = words.iter().map(|word| xxh3_64(word.as_bytes())).collect();
        Tokens { words, sorts, hashes }
    }

    /// Adds the slots of what was not kept; true if an ordinary word is among it.
    fn moved(&self, kept: &[bool], slots: &mut BTreeSet<Slot>) -> bool {
        let mut is_text = false;
        let mut at = 0;
        while at < self.words.len() {
            if kept[at] {
                at += 1;
                continue;
            }
            if self.sorts[at] == 0 {
                if is_word(self.words[at]) {
                    is_text = true;
                    slots.insert(self.worded(at, kept));
                }
                at += 1;
                continue;
            }
            let joins = |at: usize| self.sorts[at] != 0 || is_joint(self.words[at]);
            let mut from = at;
            while from > 0 && joins(from - 1) {
                from -= 1;
            }
            let mut to = at + 1;
            while to < self.words.len() && joins(to) {
                to += 1;
            }
            let sorts = self.sorts[from..to].iter().fold(0, |all, sort| all | sort);
            slots.insert(Slot {
                context: self.context(from, to),
                sorts,
            });
            // The rest of the stretch belongs to the same slot.
            at = to;
        }
        is_text
    }

    /// The slot of words that were not kept, around one of them.
    fn worded(&self, at: usize, kept: &[bool]) -> Slot {
        let from = kept[..at]
            .iter()
            .rposition(|kept| *kept)
            .map_or(0, |last| last + 1);
        let to = kept[at..]
            .iter()
            .position(|kept| *kept)
            .map_or(kept.len(), |next| at + next);
        Slot {
            context: self.context(from, to),
            sorts: WORDS,
        }
    }

    fn context(&self, from: usize, to: usize) -> u32 {
        let word = |at: Option<usize>| at.map_or("", |at| self.words[at]).to_lowercase();
        let around = format!(
            "{}\u{1f}{}",
            word(from.checked_sub(1)),
            word((to < self.words.len()).then_some(to))
        );
        xxh3_64(around.as_bytes()) as u32
    }
}

fn is_word(token: &str) -> bool {
    token.chars().next().is_some_and(char::is_alphanumeric)
}

/// Signs inside a date or a time; others part slots.
fn is_joint(token: &str) -> bool {
    matches!(token, "-" | "/" | "," | "." | ":" | "+" | "'" | "~")
}

fn is_currency(token: &str) -> bool {
    matches!(
        token,
        "$" | "€" | "£" | "¥" | "₹" | "₽" | "₩" | "USD" | "EUR" | "GBP" | "JPY" | "CHF" | "CNY" | "INR"
    )
}

fn sort_of(token: &str) -> u8 {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    if digits == 0 {
        return if is_calendar(token) { CALENDAR } else { 0 };
    }
    let body = token.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = token[body.len()..].to_ascii_lowercase();
    let is_number = body.starts_with(|c: char| c.is_ascii_digit())
        && body
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b',' | b':'));
    if is_number && (body.contains(':') || matches!(suffix.as_str(), "am" | "pm")) {
        return TIME;
    }
    if is_number
        && matches!(
            suffix.as_str(),
            "" | "k" | "m" | "b" | "st" | "nd" | "rd" | "th" | "s" | "h" | "d" | "ms"
        )
    {
        return NUMBER;
    }
    // `B2B`, `mp3` and `COVID19` are words.
    if token.len() >= 6
        && digits >= 2
        && token
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    {
        return OPAQUE;
    }
    0
}

fn is_calendar(token: &str) -> bool {
    const NAMES: [&str; 34] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
        "am",
        "pm",
        "ago",
        "second",
        "seconds",
        "sec",
        "secs",
        "minute",
        "minutes",
        "min",
        "mins",
        "hour",
        "hours",
        "hrs",
        "day",
        "days",
        "week",
        "weeks",
        "utc",
        "gmt",
    ];
    // "may" and "second" alone are common words; they only matter where a number stands beside them in a slot.
    token.len() <= 9 && (month(token).is_some() || NAMES.contains(&token.to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_named() {
        let cases = [
            ("Read 1,204 times", "Read 1,311 times", Some("counter")),
            ("Now 12:33:01 UTC", "Now 12:33:09 UTC", Some("clock")),
            ("Updated 3 minutes ago", "Updated 1 hour ago", Some("clock")),
            ("From $19.99 on", "From $18.99 on", Some("money")),
            (
                "Request a81f03bc77 done",
                "Request 99ab12cd34 done",
                Some("nonce"),
            ),
            ("The red house", "The blue house", None),
            ("Really?", "Really!", None),
        ];
        for (before, now, expected) in cases {
            let leaf = Leaf::between(before, now);
            let found = (!leaf.is_text).then(|| Leaf::name(&leaf.slots));
            assert_eq!(found, expected, "{before}");
        }
    }

    #[test]
    fn a_slot_is_known_by_its_words() {
        let one = Leaf::between("Chapter 3 has 17 notes", "Chapter 3 has 18 notes");
        let again = Leaf::between("Chapter 3 has 18 notes", "Chapter 3 has 2,000 notes");
        let other = Leaf::between("Chapter 3 has 17 notes", "Chapter 4 has 17 notes");
        assert_eq!(one.slots, again.slots);
        assert_ne!(one.slots, other.slots);
    }
}
