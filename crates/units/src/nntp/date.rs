//! When was an article written? `Date` in all its forms (RFC 5322 §3.3 and §4.3) in, milliseconds since 1970 out.
//!
//! Forgiving about what does not matter (weekday, comments, seconds left out, years of two digits), strict about what does:
//! a date without a zone that can be read is no date.

use gleaner_model::Timestamp;
use gleaner_model::date::{civil_from_days, days_from_civil};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const S_PER_DAY: i64 = 86_400;
/// No date is longer, comments and all.
const DATE_BYTES_MAX: usize = 200;

pub(super) fn parse(text: &str) -> Option<Timestamp> {
    if text.len() > DATE_BYTES_MAX {
        return None;
    }
    let plain = without_comments(text);
    let plain = plain.split_once(',').map_or(plain.as_str(), |(_, date)| date);
    let mut words = plain.split_ascii_whitespace().peekable();
    // A weekday without its comma.
    words.next_if(|word| word.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let day = number(words.next()?, 2)?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|known| {
        month
            .get(..3)
            .is_some_and(|name| name.eq_ignore_ascii_case(known))
    })?;
    let month = month as i64 + 1;
    let year = words.next()?;
    let year = match (number(year, 4)?, year.len()) {
        (year, 2) if year < 50 => year + 2000,
        (year, 2 | 3) => year + 1900,
        (year, 4) => year,
        _ => return None,
    };
    let mut clock = words.next()?.split(':').map(|part| number(part, 2));
    let (hour, minute) = (clock.next()??, clock.next()??);
    let second = clock.next().unwrap_or(Some(0))?;
    let zone_s = zone(words.next()?)?;
    let days = days_from_civil(year, month, day);
    let is_date = civil_from_days(days) == (year, month, day);
    // 60 is a leap second; it is taken as the first of the next minute.
    if !is_date || hour > 23 || minute > 59 || second > 60 || clock.next().is_some() {
        return None;
    }
    let seconds = days * S_PER_DAY + hour * 3600 + minute * 60 + second - zone_s;
    Some(Timestamp(seconds * 1000))
}

/// As HTTP writes it (RFC 9110 §5.6.7); `None` for years that its form has no room for.
pub(super) fn http_date(at: Timestamp) -> Option<String> {
    let (year, ..) = civil_from_days(at.0.div_euclid(1000 * S_PER_DAY));
    (0..=9999)
        .contains(&year)
        .then(|| gleaner_model::date::http_date(at))
}

fn number(word: &str, digits_max: usize) -> Option<i64> {
    let is_number = (1..=digits_max).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| word.parse().ok()).flatten()
}

/// Seconds east of Greenwich.
fn zone(word: &str) -> Option<i64> {
    let hours = match word.to_ascii_uppercase().as_str() {
        "GMT" | "UT" | "UTC" | "Z" => 0,
        "EDT" => -4,
        "EST" | "CDT" => -5,
        "CST" | "MDT" => -6,
        "MST" | "PDT" => -7,
        "PST" => -8,
        numeric => {
            let (sign, digits) = match numeric.split_at_checked(1)? {
                ("+", digits) => (1, digits),
                ("-", digits) => (-1, digits),
                _ => return None,
            };
            let (hours, minutes) = digits.split_at_checked(2)?;
            let (hours, minutes) = (number(hours, 2)?, number(minutes, 2)?);
            return (minutes < 60 && digits.len() == 4).then_some(sign * (hours * 3600 + minutes * 60));
        }
    };
    Some(hours * 3600)
}

/// Comments are parenthesised and nest.
fn without_comments(text: &str) -> String {
    let mut depth = 0usize;
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if depth == 0 => plain.push(c),
            _ => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_people_and_programs_write() {
        let cases = [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("1 Jan 1970 00:00 +0000", Some(0)),
            ("Sat, 30 Sep 2023 12:34:56 +0200 (CEST)", Some(1_696_070_096)),
            ("Sat 30 Sep 2023 06:34:56 EDT", Some(1_696_070_096)),
            ("30 september 99 00:00:00 Z", Some(938_649_600)),
            ("Thu, 31 Dec 1998 23:59:60 +0000", Some(915_148_800)),
            ("29 Feb 2023 00:00:00 GMT", None),
            ("30 Sep 2023 12:34:56", None),
            ("30 Sep 2023 25:00:00 GMT", None),
            ("30 Sep 2023 12:34:56 XYZ", None),
            ("30 Sep 20233 12:34:56 GMT", None),
            ("0 Sep 2023 12:34:56 GMT", None),
            ("30 Sep 2023 12:34:56 +ä000", None),
            ("", None),
            ("yesterday", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(parse(text), seconds.map(|s: i64| Timestamp(s * 1000)), "{text}");
        }
    }

    #[test]
    fn a_date_is_written_as_http_does() {
        let at = parse("Sun, 6 Nov 1994 08:49:37 GMT").unwrap();
        assert_eq!(http_date(at).unwrap(), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(http_date(Timestamp(-1)).unwrap(), "Wed, 31 Dec 1969 23:59:59 GMT");
        assert_eq!(http_date(Timestamp(i64::MAX)), None);
    }
}
