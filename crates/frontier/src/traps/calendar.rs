//! Dates in URLs that walk on for ever (HC040).
//!
//! A year in a URL is certain when it is written as part of a date (`2031-05`, `2031-W07`, `/2031/05/`, `?year=2031`) or
//! beside a word that says so (`/calendar/2031/5`). Two bare numbers (`/2031/5`) are a hint only: topic 2031, page 5
//! looks the same, so the arm must have behaved like a calendar for a while before they count.

use gleaner_model::date::days_from_civil;
use gleaner_model::{Reason, Timestamp, Url, defaults};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    Strong,
    Weak,
}

/// How finely a date is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Precision {
    Year,
    Month,
    Week,
    Day,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: i32,
    pub(super) precision: Precision,
    /// Days since 1970 of the first day that is meant.
    pub(super) first_day: i64,
}

/// No weak hint is read into numbers below this.
pub(super) const YEAR_WEAK_MIN: i32 = 1900;
/// Not even historians link to pages per month before this.
const YEAR_STRONG_MIN: i32 = 1000;
const CALENDAR_WORDS: [&str; 8] = [
    "calendar",
    "kalender",
    "calendrier",
    "calendario",
    "events",
    "agenda",
    "schedule",
    "termine",
];
const YEAR_NAMES: [&str; 6] = ["year", "yr", "jahr", "annee", "anno", "ano"];
const MONTH_NAMES: [&str; 5] = ["month", "monat", "mois", "mes", "mon"];
const WEEK_NAMES: [&str; 5] = ["week", "woche", "semaine", "semana", "kw"];
const DAY_NAMES: [&str; 4] = ["day", "tag", "jour", "dia"];
const DATE_NAMES: [&str; 10] = [
    "date", "day", "month", "week", "datum", "monat", "mois", "start", "from", "mes",
];

impl Date {
    fn new(year: i32, precision: Precision, month: u8, day: u8) -> Date {
        Date {
            year,
            precision,
            first_day: days_from_civil(year.into(), month.into(), day.into()),
        }
    }

    fn of_year(year: i32) -> Date {
        Date::new(year, Precision::Year, 1, 1)
    }

    fn of_month(year: i32, month: u8) -> Date {
        Date::new(year, Precision::Month, month, 1)
    }

    fn of_week(year: i32, week: u8) -> Date {
        let mut date = Date::new(year, Precision::Week, 1, 1);
        date.first_day += 7 * (i64::from(week) - 1);
        date
    }

    pub(super) fn is_after(&self, now: Timestamp) -> bool {
        self.first_day > now.0.div_euclid(86_400_000)
    }
}

/// The trap, if the date in `url` is certain and lies where no page has content.
pub fn calendar(url: &Url, now: Timestamp) -> Option<Reason> {
    let edge = gleaner_model::date::year_of(now).saturating_add(defaults::TRAP_CALENDAR_YEARS);
    match date_in(url)? {
        (date, Certainty::Strong) if is_beyond(date.year, edge) => Some(Reason::TrapCalendar),
        _ => None,
    }
}

pub(super) fn is_beyond(year: i32, edge: i32) -> bool {
    year > edge || year < YEAR_STRONG_MIN
}

/// The first date in the URL.
pub(super) fn date_in(url: &Url) -> Option<(Date, Certainty)> {
    let in_path = date_in_path(url.path());
    if let Some((_, Certainty::Strong)) = in_path {
        return in_path;
    }
    url.query().and_then(date_in_query).or(in_path)
}

/// Four digits in a row? Every fourth byte tells: if it is none, no four that it belongs to are.
fn has_four_digits(text: &[u8]) -> bool {
    let mut at = 3;
    while let Some(byte) = text.get(at) {
        if !byte.is_ascii_digit() {
            at += 4;
            continue;
        }
        let digits = |bytes: &mut dyn Iterator<Item = &u8>| bytes.take_while(|b| b.is_ascii_digit()).count();
        let before = digits(&mut text[at - 3..at].iter().rev());
        let behind = digits(&mut text[at + 1..].iter().take(3 - before));
        if before + behind == 3 {
            return true;
        }
        at += behind + 5;
    }
    false
}

fn date_in_path(path: &str) -> Option<(Date, Certainty)> {
    // Nearly all URLs are done here: four digits in a row, or there is no year.
    if !has_four_digits(path.as_bytes()) {
        return None;
    }
    let mut is_calendar = false;
    let mut weak = None;
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        if let Some(date) = written(segment) {
            return Some((date, Certainty::Strong));
        }
        if let Some(year) = four_digits(segment) {
            let next = segments.peek().copied().unwrap_or("");
            if let Some(week) = week(next) {
                return Some((Date::of_week(year, week), Certainty::Strong));
            }
            let month = small_number(next, 12);
            let day = segments
                .clone()
                .nth(1)
                .and_then(|day| small_number(day, 31).map(|n| (n, day.len())));
            let is_spelt_out =
                month.is_some() && (next.starts_with('0') || next.len() == 2 && matches!(day, Some((_, 2))));
            if is_calendar || is_spelt_out {
                let date = match (month, day) {
                    (None, _) => Date::of_year(year),
                    (Some(month), None) => Date::of_month(year, month),
                    (Some(month), Some((day, _))) => Date::new(year, Precision::Day, month, day),
                };
                return Some((date, Certainty::Strong));
            }
            if let (Some(month), None) = (month, weak) {
                weak = Some((Date::of_month(year, month), Certainty::Weak));
            }
        }
        is_calendar |= is_one_of(segment, &CALENDAR_WORDS);
    }
    weak
}

fn date_in_query(query: &str) -> Option<(Date, Certainty)> {
    let (mut year, mut short_year) = (None, None);
    let (mut month, mut week, mut day) = (None, None, None);
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if let Some(date) = written(value) {
            return Some((date, Certainty::Strong));
        }
        if is_date_name(name)
            && let Some(date) = compact(value)
        {
            return Some((date, Certainty::Strong));
        }
        let is = |short: &str, names: &[&str]| name.eq_ignore_ascii_case(short) || is_one_of(name, names);
        if is_one_of(name, &YEAR_NAMES) {
            year = year.or(four_digits(value));
        } else if name.eq_ignore_ascii_case("y") {
            short_year = four_digits(value);
        } else if is("m", &MONTH_NAMES) {
            month = small_number(value, 12);
        } else if is("w", &WEEK_NAMES) {
            week = small_number(value, 53);
        } else if is("d", &DAY_NAMES) {
            day = small_number(value, 31);
        }
    }
    // `y` alone may be anything; beside a month or a week it is a year.
    let year = year.or(short_year.filter(|_| month.is_some() || week.is_some()))?;
    let date = match (month, day, week) {
        (Some(month), Some(day), _) => Date::new(year, Precision::Day, month, day),
        (Some(month), None, _) => Date::of_month(year, month),
        (None, _, Some(week)) => Date::of_week(year, week),
        (None, _, None) => Date::of_year(year),
    };
    Some((date, Certainty::Strong))
}

fn is_one_of(text: &str, words: &[&str]) -> bool {
    words.iter().any(|w| text.eq_ignore_ascii_case(w))
}

/// `date`, `start_date`, `tribe-bar-date`.
fn is_date_name(name: &str) -> bool {
    name.split(['_', '-', '[', ']', '.'])
        .any(|part| is_one_of(part, &DATE_NAMES))
}

fn four_digits(text: &str) -> Option<i32> {
    let is_year = text.len() == 4 && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| is_year)
}

/// One or two digits, from 1 to `max`.
fn small_number(text: &str, max: u8) -> Option<u8> {
    let is_short = matches!(text.len(), 1 | 2) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|n| is_short && (1..=max).contains(n))
}

/// `W07`, `w7`.
fn week(text: &str) -> Option<u8> {
    small_number(text.strip_prefix(['W', 'w'])?, 53)
}

/// A date as it is written in one piece.
fn written(text: &str) -> Option<Date> {
    iso(text).or_else(|| day_first(text))
}

/// `2031-05`, `2031-05-17` or `2031-W07`, alone or followed by a time; also with `.` or `_` between.
fn iso(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    let year = four_digits(text.get(..4)?)?;
    if let Some(week) = text.get(4..).and_then(|rest| week(rest.trim_start_matches('-'))) {
        return Some(Date::of_week(year, week));
    }
    let separator = *bytes.get(4)?;
    if !matches!(separator, b'-' | b'.' | b'_') {
        return None;
    }
    let month = two_digits(bytes.get(5..7)?, 12)?;
    match &bytes[7..] {
        [] => Some(Date::of_month(year, month)),
        [s, day @ ..] if *s == separator && day.len() >= 2 => {
            // `2031-05-17T10:00` is a date, `2031-05-171` is not.
            if day.get(2).is_some_and(u8::is_ascii_alphanumeric) && day[2] != b'T' {
                return None;
            }
            Some(Date::new(year, Precision::Day, month, two_digits(&day[..2], 31)?))
        }
        _ => None,
    }
}

/// `17.05.2031`, `17-05-2031` and, where the first number can be no day, `05-17-2031`.
fn day_first(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[2] != bytes[5] || !matches!(bytes[2], b'-' | b'.' | b'_') {
        return None;
    }
    let (first, second) = (two_digits(&bytes[..2], 31)?, two_digits(&bytes[3..5], 31)?);
    let (day, month) = if second > 12 {
        (second, first)
    } else {
        (first, second)
    };
    let year = four_digits(text.get(6..)?)?;
    (month <= 12).then(|| Date::new(year, Precision::Day, month, day))
}

/// `203105` or `20310517` under a name that says it is a date.
fn compact(text: &str) -> Option<Date> {
    if !matches!(text.len(), 6 | 8) || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let year = four_digits(&text[..4])?;
    let month = two_digits(&text.as_bytes()[4..6], 12)?;
    match text.as_bytes().get(6..8) {
        Some(day) => Some(Date::new(year, Precision::Day, month, two_digits(day, 31)?)),
        None => Some(Date::of_month(year, month)),
    }
}

fn two_digits(text: &[u8], max: u8) -> Option<u8> {
    let [a @ b'0'..=b'9', b @ b'0'..=b'9'] = text else {
        return None;
    };
    Some((a - b'0') * 10 + b - b'0').filter(|n| (1..=max).contains(n))
}
