//! Does a text only show when it was sent? In: two texts and the moments their pages were made. Out: whether they are one
//! text with a clock or a calendar in it.
//!
//! A clock that shows no seconds cannot be caught by two looks a second apart: it stands still between them and is wrong
//! at the next track. But what it shows is known, because the server said when it answered. A stretch of the text that
//! reads as that moment, in any zone of the earth, is masked together with its zone; masked texts that are equal differ in
//! nothing but the time. One text must not be right by chance: both have to show their own moment in the same zone.

use crate::diff::delta::month;
use crate::diff::words::tokens;
use gleaner_model::Timestamp;
use gleaner_model::date::civil_from_days;
use std::fmt::Write as _;

/// Longer texts are not taken apart.
const TEXT_BYTES_MAX: usize = 20_000;
const DAY: i64 = 86_400;
/// Zones lie a quarter of an hour apart.
const ZONE_STEP: i64 = 900;
/// How far a clock may be behind the server's own word, in seconds (a minute that is cut off, a minute in a cache), and
/// before it.
const BEHIND_MAX: i64 = 120;
const BEFORE_MAX: i64 = 60;

/// Whether two texts are the same but for showing the moments they were made at.
pub(super) fn only_time_passed(before: &str, now: &str, made: (Timestamp, Timestamp)) -> bool {
    if before.len() + now.len() > TEXT_BYTES_MAX {
        return false;
    }
    let old = masked(before, made.0);
    old.is_some() && old == masked(now, made.1)
}

/// The text with what shows the moment masked; `None` where nothing does.
fn masked(text: &str, made: Timestamp) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut stretch = Stretch::default();
    let mut has_clock = false;
    for token in split(text) {
        let part = Part::of(token);
        if matches!(part, Part::Word) || matches!(part, Part::Joint) && stretch.parts.is_empty() {
            has_clock |= stretch.end(made, &mut out);
            out.push_str(token);
        } else {
            stretch.add(token, part);
        }
    }
    has_clock |= stretch.end(made, &mut out);
    has_clock.then_some(out)
}

/// The tokens of a text, `16T08:30Z` cut between day and time.
fn split(text: &str) -> impl Iterator<Item = &str> {
    tokens(text).into_iter().flat_map(|token| {
        let at = token.find('T').filter(|at| {
            let (day, time) = (&token[..*at], &token[at + 1..]);
            is_digits(day) && time.starts_with(|c: char| c.is_ascii_digit())
        });
        match at {
            Some(at) => [&token[..at], &token[at..=at], &token[at + 1..]],
            None => [token, "", ""],
        }
        .into_iter()
        .filter(|part| !part.is_empty())
    })
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[derive(Clone, Copy)]
enum Part {
    /// Seconds since midnight.
    Time(i64),
    /// Afternoon, or not.
    Half(bool),
    /// Digits, with signs between them.
    Number,
    Month(i64),
    /// From Monday, 0.
    Weekday(i64),
    /// Blanks, signs, zones and the like.
    Joint,
    Word,
}

impl Part {
    fn of(token: &str) -> Part {
        if let Some(time) = time_of(token) {
            return Part::Time(time);
        }
        let ordinal = token.trim_end_matches("st").trim_end_matches("nd");
        let ordinal = ordinal.trim_end_matches("rd").trim_end_matches("th");
        if ordinal.split(['.', ',']).all(is_digits) {
            return Part::Number;
        }
        let lower = token.to_lowercase();
        match lower.as_str() {
            "am" => Part::Half(false),
            "pm" => Part::Half(true),
            "t" | "z" | "utc" | "gmt" | "cet" | "cest" | "at" | "um" | "uhr" | "of" => Part::Joint,
            _ if !lower.chars().any(char::is_alphanumeric) => Part::Joint,
            _ => match (month(&lower), weekday(&lower)) {
                (Some(month), _) => Part::Month(month),
                (None, Some(day)) => Part::Weekday(day),
                (None, None) => Part::Word,
            },
        }
    }
}

/// `16:01`, `4:01pm`, `16:01:07Z`, `16:01:07.250`.
fn time_of(token: &str) -> Option<i64> {
    let body = token.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let suffix = token[body.len()..].to_ascii_lowercase();
    let body = body.split(['.', ',']).next()?;
    let mut fields = body.split(':');
    let mut field = |max: i64| -> Option<i64> {
        let text = fields.next()?;
        let number: i64 = text.parse().ok().filter(|_| is_digits(text) && text.len() <= 2)?;
        (number <= max).then_some(number)
    };
    let (hours, minutes) = (field(23)?, field(59)?);
    let seconds = match fields.clone().next() {
        Some(_) => {
            let mut field = |max: i64| fields.next()?.parse::<i64>().ok().filter(|number| *number <= max);
            field(60)?
        }
        None => 0,
    };
    if fields.next().is_some() {
        return None;
    }
    let hours = match suffix.as_str() {
        "" | "z" | "h" => hours,
        "am" => hours % 12,
        "pm" => hours % 12 + 12,
        _ => return None,
    };
    Some(hours * 3600 + minutes * 60 + seconds)
}

fn weekday(lower: &str) -> Option<i64> {
    const NAMES: [&str; 7] = [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ];
    let is_short = lower.len() == 3;
    let at = (NAMES.iter()).position(|name| *name == lower || is_short && name.starts_with(lower))?;
    Some(at as i64)
}

/// A run of times, numbers, and names of months and days.
#[derive(Default)]
struct Stretch<'a> {
    parts: Vec<(&'a str, Part)>,
}

impl<'a> Stretch<'a> {
    fn add(&mut self, token: &'a str, part: Part) {
        self.parts.push((token, part));
    }

    /// Writes what was gathered, masked if it shows the moment.
    fn end(&mut self, made: Timestamp, out: &mut String) -> bool {
        let parts = std::mem::take(&mut self.parts);
        // Signs at the end belong to what follows.
        let last = parts.iter().rposition(|(_, part)| !matches!(part, Part::Joint));
        let (shown, rest) = parts.split_at(last.map_or(0, |last| last + 1));
        let mask = mask(shown, made.0.div_euclid(1000));
        match &mask {
            Some(mask) => out.push_str(mask),
            None => out.extend(shown.iter().map(|(token, _)| *token)),
        }
        out.extend(rest.iter().map(|(token, _)| *token));
        mask.is_some()
    }
}

/// What stands in place of a stretch that shows the moment.
fn mask(parts: &[(&str, Part)], made: i64) -> Option<String> {
    let mut time = None;
    let mut half = None;
    for (_, part) in parts {
        match part {
            Part::Time(_) if time.is_some() => return None, // From … to …
            Part::Time(seconds) => time = Some(*seconds),
            Part::Half(is_afternoon) => half = Some(*is_afternoon),
            _ => {}
        }
    }
    let mut text = String::from("\u{1}");
    // West of Greenwich a zone is the day less.
    let zones = match time {
        Some(seconds) => {
            let seconds = match half {
                Some(is_afternoon) => seconds % (DAY / 2) + i64::from(is_afternoon) * (DAY / 2),
                None => seconds,
            };
            let ahead = (seconds - made).rem_euclid(DAY);
            let zone = (ahead + BEHIND_MAX).div_euclid(ZONE_STEP) * ZONE_STEP;
            if ahead - zone > BEFORE_MAX {
                return None;
            }
            let _never_fails = write!(text, "{}", zone % DAY);
            vec![zone, zone - DAY]
        }
        None => vec![-DAY / 2, 0, DAY * 7 / 12],
    };
    let is_date = |zone: &i64| shows_day(parts, (made + zone).div_euclid(DAY), time.is_some());
    zones.iter().any(is_date).then_some(text)
}

/// Whether all that a stretch says of the date is right for a day. Beside a time it need not say anything.
fn shows_day(parts: &[(&str, Part)], days: i64, has_time: bool) -> bool {
    let (year, month, day) = civil_from_days(days);
    let (mut says_day, mut says_month) = (false, false);
    for (token, part) in parts {
        let is_right = match part {
            Part::Month(shown) => {
                says_month = true;
                *shown == month
            }
            Part::Weekday(shown) => *shown == (days + 3).rem_euclid(7),
            Part::Number => token.split(['.', ',']).all(|number| {
                let digits = number.trim_end_matches(|c: char| c.is_ascii_alphabetic());
                let Ok(number) = digits.parse::<i64>() else {
                    return false;
                };
                if number == day && !says_day {
                    says_day = true;
                } else if number == month && !says_month {
                    says_month = true;
                } else {
                    return number == year || digits.len() == 2 && number == year % 100;
                }
                true
            }),
            Part::Time(_) | Part::Half(_) | Part::Joint | Part::Word => true,
        };
        if !is_right {
            return false;
        }
    }
    let has_numbers = parts.iter().any(|(_, part)| matches!(part, Part::Number));
    says_day && (says_month || has_time) || has_time && !has_numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::date::days_from_civil;

    fn at(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> Timestamp {
        Timestamp((days_from_civil(year, month, day) * DAY + hour * 3600 + minute * 60 + second) * 1000)
    }

    #[test]
    fn a_clock_without_seconds_is_seen() {
        let made = (at(2026, 11, 16, 16, 1, 20), at(2026, 11, 17, 9, 45, 2));
        let cases = [
            ("Page made at 16:01", "Page made at 09:45"),
            ("16:01", "9:45"),
            ("Local time 17:01 (CET)", "Local time 10:45 (CET)"),
            ("Now 4:01 pm", "Now 9:45 am"),
            ("Now 4:01pm.", "Now 9:45am."),
            ("India: 21:31", "India: 15:15"),
            (
                "Server time: 2026-11-16 16:01 UTC",
                "Server time: 2026-11-17 09:45 UTC",
            ),
            (
                "Generated 2026-11-16T16:01:19Z by x",
                "Generated 2026-11-17T09:45:01Z by x",
            ),
            (
                "Monday, November 16, 2026, 16:01",
                "Tuesday, November 17, 2026, 09:45",
            ),
            ("Today is 16.11.2026", "Today is 17.11.2026"),
            ("Mon 16 Nov", "Tue 17 Nov"),
            ("November 16th, 2026", "November 17th, 2026"),
        ];
        for (before, now) in cases {
            assert!(only_time_passed(before, now, made), "{before} → {now}");
        }
    }

    #[test]
    fn other_times_count() {
        let made = (at(2026, 11, 16, 16, 1, 20), at(2026, 11, 17, 9, 45, 2));
        let cases = [
            ("Doors open 18:00", "Doors open 19:30"),
            ("Doors open at 16:01", "Doors open at 19:30"),
            ("Train 16:01 platform 3", "Train 09:45 platform 4"),
            ("Open 16:01 to 18:00", "Open 09:45 to 18:00"),
            ("Posted 3 November 2026", "Posted 17 November 2026"),
            ("16 people", "17 people"),
            ("Version 16.1", "Version 9.45"),
            ("The red house, 16:01", "The blue house, 09:45"),
            (
                "Friday, November 16, 2026, 16:01",
                "Saturday, November 17, 2026, 09:45",
            ),
            ("16 comments, 16:01", "17 replies, 09:45"),
        ];
        for (before, now) in cases {
            assert!(!only_time_passed(before, now, made), "{before} → {now}");
        }
    }

    #[test]
    fn a_schedule_at_the_same_hour_every_day_excuses_nothing_by_chance() {
        let made = (at(2026, 11, 16, 3, 0, 5), at(2026, 11, 17, 3, 0, 5));
        let mut excused = 0;
        for minutes in 0..1440 {
            let other = (minutes * 7 + 11) % 1440;
            let show = |minutes: i64| format!("Opens at {}:{:02}", minutes / 60, minutes % 60);
            if minutes != other && only_time_passed(&show(minutes), &show(other), made) {
                excused += 1;
            }
        }
        assert!(excused <= 2, "{excused} of 1440");
    }
}
