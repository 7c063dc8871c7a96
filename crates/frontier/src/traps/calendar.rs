//! Dates in URLs that walk on for ever (HC040).
//!
//! A year in a URL is certain when it is written as part of a date (`2031-05`, `/2031/05/`, `?year=2031`) or beside a
//! word that says so (`/calendar/2031/5`). Two bare numbers (`/2031/5`) are a hint only: topic 2031, page 5 looks the
//! same, so the arm must have behaved like a calendar for a while before they count.

use gleaner_model::{Reason, Timestamp, Url, defaults};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    Strong,
    Weak,
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
const DATE_NAMES: [&str; 10] = [
    "date", "day", "month", "week", "datum", "monat", "mois", "start", "from", "mes",
];

/// The trap, if the date in `url` is certain and lies where no page has content.
pub fn calendar(url: &Url, now: Timestamp) -> Option<Reason> {
    let edge = crate::date::year_of(now).saturating_add(defaults::TRAP_CALENDAR_YEARS);
    match date_in(url)? {
        (year, Certainty::Strong) if is_beyond(year, edge) => Some(Reason::TrapCalendar),
        _ => None,
    }
}

pub(super) fn is_beyond(year: i32, edge: i32) -> bool {
    year > edge || year < YEAR_STRONG_MIN
}

/// The year of the first date in the URL.
pub(super) fn date_in(url: &Url) -> Option<(i32, Certainty)> {
    let in_path = date_in_path(url.path());
    if let Some((_, Certainty::Strong)) = in_path {
        return in_path;
    }
    url.query().and_then(date_in_query).or(in_path)
}

fn date_in_path(path: &str) -> Option<(i32, Certainty)> {
    let mut is_calendar = false;
    let mut weak = None;
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        if let Some(year) = iso(segment) {
            return Some((year, Certainty::Strong));
        }
        if let Some(year) = four_digits(segment) {
            if is_calendar {
                return Some((year, Certainty::Strong));
            }
            match segments.peek().map(|next| next.as_bytes()) {
                Some([b'0', b'1'..=b'9']) => return Some((year, Certainty::Strong)),
                Some([b'1'..=b'9'] | [b'1', b'0'..=b'2']) if weak.is_none() => {
                    weak = Some((year, Certainty::Weak));
                }
                _ => {}
            }
        }
        is_calendar |= is_one_of(segment, &CALENDAR_WORDS);
    }
    weak
}

fn date_in_query(query: &str) -> Option<(i32, Certainty)> {
    let mut short_year = None;
    let mut has_month = false;
    for pair in query.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if let Some(year) = iso(value) {
            return Some((year, Certainty::Strong));
        }
        let number = four_digits(value);
        if let (Some(year), true) = (number, is_one_of(name, &YEAR_NAMES)) {
            return Some((year, Certainty::Strong));
        }
        if is_date_name(name)
            && let Some(year) = compact(value)
        {
            return Some((year, Certainty::Strong));
        }
        if name.eq_ignore_ascii_case("y") {
            short_year = number;
        }
        has_month |= name.eq_ignore_ascii_case("m") && matches!(value.parse::<u8>(), Ok(1..=12));
    }
    short_year
        .filter(|_| has_month)
        .map(|year| (year, Certainty::Strong))
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

/// `2031-05` or `2031-05-17`, alone or followed by a time; also with `.` or `_` between.
fn iso(text: &str) -> Option<i32> {
    let bytes = text.as_bytes();
    let [y @ .., _, _, _] = bytes.get(..7)? else {
        return None;
    };
    let separator = bytes[4];
    if !matches!(separator, b'-' | b'.' | b'_') || !y.iter().all(u8::is_ascii_digit) {
        return None;
    }
    two_digits(&bytes[5..7], 12)?;
    match &bytes[7..] {
        [] => {}
        [s, day @ ..] if *s == separator && day.len() >= 2 => {
            two_digits(&day[..2], 31)?;
            // `2031-05-17T10:00` is a date, `2031-05-171` is not.
            if day.get(2).is_some_and(u8::is_ascii_alphanumeric) && day[2] != b'T' {
                return None;
            }
        }
        _ => return None,
    }
    four_digits(&text[..4])
}

/// `203105` or `20310517` under a name that says it is a date.
fn compact(text: &str) -> Option<i32> {
    if !matches!(text.len(), 6 | 8) || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    two_digits(&text.as_bytes()[4..6], 12)?;
    four_digits(&text[..4])
}

fn two_digits(text: &[u8], max: u8) -> Option<u8> {
    let [a @ b'0'..=b'9', b @ b'0'..=b'9'] = text else {
        return None;
    };
    Some((a - b'0') * 10 + b - b'0').filter(|n| (1..=max).contains(n))
}
