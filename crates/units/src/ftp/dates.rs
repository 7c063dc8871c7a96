//! When was a file written, as file servers print it? Words in, moments with their precision out (HC096).
//!
//! What is impossible is refused (30:01, 31 April), so that a column is never taken for a date by mistake. Times without
//! a zone are taken as they are printed: they are compared with what the same server printed before and with nothing else.

use crate::FileTime;
use gleaner_model::Timestamp;
use gleaner_model::date::{civil_from_days, days_from_civil};
use std::time::Duration;

const DAY_S: i64 = 86_400;
pub(super) const SECOND: Duration = Duration::from_secs(1);
pub(super) const MINUTE: Duration = Duration::from_mins(1);
pub(super) const DAY: Duration = Duration::from_hours(24);
/// The 29th of February may lie this far back (1896 to 1904 was the last such gap).
const YEARS_BACK_MAX: i64 = 8;

/// A time of day and how exactly it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Clock {
    pub(super) seconds: i64,
    pub(super) precision: Duration,
}

/// Month names of listings in the languages that servers were met in, without accents' second spelling: bytes are compared
/// as UTF-8 and as Latin-1.
const MONTHS: [&[&str]; 12] = [
    &["jan", "janv", "ene", "gen", "januar", "januari"],
    &["feb", "fev", "fév", "févr", "fevr", "februar"],
    &["mar", "mär", "mrz", "mars", "maart", "mrt", "märz"],
    &["apr", "avr", "abr", "april"],
    &["may", "mai", "mag", "maj", "mei"],
    &["jun", "juin", "giu", "juni"],
    &["jul", "juil", "lug", "juli"],
    &["aug", "août", "aoû", "aout", "ago"],
    &["sep", "sept", "set"],
    &["oct", "okt", "ott", "out"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

/// A decimal number and nothing else.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// A decimal number of at most so many digits.
pub(super) fn short_number(text: &[u8], digits_max: usize) -> Option<i64> {
    if text.len() > digits_max {
        return None;
    }
    number(text).and_then(|number| i64::try_from(number).ok())
}

/// A month by its name, or as `6月`.
pub(super) fn month_of(word: &[u8]) -> Option<i64> {
    if let Some(digits) = word.strip_suffix("月".as_bytes()) {
        return short_number(digits, 2).filter(|month| (1..=12).contains(month));
    }
    let word = word.strip_suffix(b".").unwrap_or(word);
    if word.len() < 3 || word.len() > 9 {
        return None;
    }
    let text = match std::str::from_utf8(word) {
        Ok(text) => text.to_lowercase(),
        Err(_) => word
            .iter()
            .map(|&byte| char::from(byte))
            .collect::<String>()
            .to_lowercase(),
    };
    let found = MONTHS.iter().position(|names| names.contains(&text.as_str()))?;
    Some(found as i64 + 1)
}

/// A year in full.
pub(super) fn year_of(word: &[u8]) -> Option<i64> {
    if word.len() != 4 {
        return None;
    }
    short_number(word, 4).filter(|year| (1900..=2200).contains(year))
}

/// A year as it is printed on old systems: 91, 2001, and 100 for 2000.
pub(super) fn old_year_of(word: &[u8]) -> Option<i64> {
    match (word.len(), short_number(word, 4)?) {
        (2, year @ 0..70) => Some(2000 + year),
        (2, year) | (3, year @ 100..200) => Some(1900 + year),
        (4, _) => year_of(word),
        _ => None,
    }
}

/// `17:32`, `17:32:05`, `17:32:05.07`, `05:32PM`.
pub(super) fn clock_of(word: &[u8]) -> Option<Clock> {
    let upper = word.to_ascii_uppercase();
    let (text, half) = match upper.as_slice() {
        [text @ .., b'A', b'M'] | [text @ .., b'A'] => (text, Some(0)),
        [text @ .., b'P', b'M'] | [text @ .., b'P'] => (text, Some(12)),
        text => (text, None),
    };
    let mut parts = text.split(|byte| *byte == b':');
    let hour = short_number(parts.next()?, 2)?;
    let minute = parts.next().filter(|minute| minute.len() == 2)?;
    let minute = short_number(minute, 2).filter(|minute| *minute < 60)?;
    let (second, precision) = match parts.next() {
        None => (0, MINUTE),
        Some(second) => {
            // Fractions say more than is compared.
            let whole = second.split(|byte| *byte == b'.').next()?;
            (short_number(whole, 2).filter(|second| *second <= 60)?, SECOND)
        }
    };
    let hour = match half {
        None => Some(hour).filter(|hour| *hour < 24),
        Some(half) => Some(hour % 12 + half).filter(|_| (1..=12).contains(&hour)),
    }?;
    let is_over = parts.next().is_none();
    is_over.then_some(Clock {
        seconds: hour * 3600 + minute * 60 + second,
        precision,
    })
}

/// A whole date, with its time of day if that was told.
pub(super) fn modified(year: i64, month: i64, day: i64, clock: Option<Clock>) -> Option<FileTime> {
    let days = days_from_civil(year, month, day);
    if civil_from_days(days) != (year, month, day) {
        return None;
    }
    let (seconds, precision) = clock.map_or((0, DAY), |clock| (clock.seconds, clock.precision));
    Some(FileTime {
        at: Timestamp((days * DAY_S + seconds) * 1000),
        precision,
    })
}

/// A date without a year: the latest such day that is not ahead. A day's grace, because the server's clock may be in
/// another zone than ours.
pub(super) fn modified_lately(month: i64, day: i64, clock: Clock, now: Timestamp) -> Option<FileTime> {
    let latest = now.after(DAY);
    let (year, ..) = civil_from_days(latest.0.div_euclid(DAY_S * 1000));
    (0..=YEARS_BACK_MAX)
        .filter_map(|back| modified(year - back, month, day, Some(clock)))
        .find(|modified| modified.at <= latest)
}

/// `20141205180002` with or without a fraction, UTC (RFC 3659 §2.3).
pub(super) fn utc_of(text: &[u8]) -> Option<FileTime> {
    let (digits, fraction) = match text.iter().position(|byte| *byte == b'.') {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, b"0".as_slice()),
    };
    number(fraction)?;
    if digits.len() != 14 {
        return None;
    }
    let part = |from: usize, to: usize| short_number(&digits[from..to], 4);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let clock = Clock {
        seconds: hour * 3600 + minute * 60 + second,
        precision: SECOND,
    };
    modified(part(0, 4)?, part(4, 6)?, part(6, 8)?, Some(clock))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gleaner_model::date::http_date;

    fn at(text: &str) -> Timestamp {
        utc_of(text.as_bytes()).unwrap().at
    }

    #[test]
    fn hc096_a_year_is_guessed_backwards() {
        let clock = clock_of(b"10:00").unwrap();
        let cases = [
            ("20020711120000", 7, 11, "20020711100000"),
            ("20020711120000", 7, 12, "20020712100000"), // within the day's grace
            ("20020711120000", 7, 14, "20010714100000"),
            ("20020101120000", 12, 31, "20011231100000"),
            ("20021230230000", 1, 1, "20020101100000"),
            ("20060711120000", 2, 29, "20040229100000"),
            ("19030711120000", 2, 29, "18960229100000"),
        ];
        for (now, month, day, expected) in cases {
            let found = modified_lately(month, day, clock, at(now)).unwrap();
            assert_eq!(found.at, at(expected), "{month}-{day} seen at {now}");
            assert_eq!(found.precision, MINUTE);
        }
        assert_eq!(modified_lately(2, 30, clock, at("20060711120000")), None);
    }

    #[test]
    fn hc096_impossible_times_are_refused() {
        for word in [
            "30:01",
            "18:79",
            "24:00",
            "1:2",
            "12",
            "12:00:61",
            "13:00PM",
            "00:10AM",
            "-1:00",
            "12:00:00:00",
        ] {
            assert_eq!(clock_of(word.as_bytes()), None, "{word}");
        }
        for (word, seconds) in [
            ("05:03PM", 61_380),
            ("12:30AM", 1800),
            ("12:30PM", 45_000),
            ("7:05", 25_500),
        ] {
            assert_eq!(clock_of(word.as_bytes()).unwrap().seconds, seconds, "{word}");
        }
        for word in [
            "20141205180002Z",
            "2014120518000",
            "20141305180002",
            "20140230180002",
            "20141205240002",
            "",
        ] {
            assert_eq!(utc_of(word.as_bytes()), None, "{word}");
        }
        assert!(utc_of(b"20141205180002.123").is_some());
    }

    #[test]
    fn months_are_known_by_many_names() {
        for (word, month) in [
            ("Jan", 1),
            ("MAI", 5),
            ("Okt", 10),
            ("févr.", 2),
            ("6月", 6),
            ("Dez", 12),
            ("août", 8),
        ] {
            assert_eq!(month_of(word.as_bytes()), Some(month), "{word}");
        }
        assert_eq!(month_of(b"M\xe4r"), Some(3));
        assert_eq!(month_of(b"13\xe6\x9c\x88"), None);
        assert_eq!(month_of(b"Foo"), None);
    }

    #[test]
    fn dates_are_written_for_headers() {
        assert_eq!(http_date(at("19941106084937")), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(http_date(Timestamp(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
    }
}
