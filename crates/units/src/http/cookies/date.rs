//! When does a cookie expire? The forgiving date parser of RFC 6265 §5.1.1: it looks for a time, a day, a month and a
//! year among the words, in any order, and takes whatever stands between as separators.

/// Seconds since 1970, UTC.
pub(crate) fn parse(text: &str) -> Option<i64> {
    let (mut time, mut day, mut month, mut year) = (None, None, None, None);
    for token in text
        .as_bytes()
        .split(|byte| is_delimiter(*byte))
        .filter(|token| !token.is_empty())
    {
        if time.is_none() && token.contains(&b':') {
            time = time_of(token);
            if time.is_some() {
                continue;
            }
        }
        if day.is_none() {
            day = number(token, 1, 2);
            if day.is_some() {
                continue;
            }
        }
        if month.is_none() {
            month = month_of(token);
            if month.is_some() {
                continue;
            }
        }
        if year.is_none() {
            year = number(token, 2, 4);
        }
    }
    let (hour, minute, second) = time?;
    let (day, month) = (day?, month?);
    let year = match year? {
        short @ 70..=99 => short + 1900,
        short @ 0..=69 => short + 2000,
        whole => whole,
    };
    let valid = year >= 1601
        && (1..=days_in(month, year)).contains(&day)
        && hour <= 23
        && minute <= 59
        && second <= 59;
    valid.then(|| days_since_1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, 0x09 | 0x20..=0x2f | 0x3b..=0x40 | 0x5b..=0x60 | 0x7b..=0x7e)
}

/// A number of `least` to `most` digits at the start of `token`, followed by anything but a digit.
fn number(token: &[u8], least: usize, most: usize) -> Option<i64> {
    let digits = token.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(least..=most).contains(&digits) {
        return None;
    }
    Some(
        token[..digits]
            .iter()
            .fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')),
    )
}

fn time_of(token: &[u8]) -> Option<(i64, i64, i64)> {
    let mut parts = token.splitn(3, |byte| *byte == b':');
    let whole = |part: &[u8]| number(part, 1, 2).filter(|_| part.iter().all(u8::is_ascii_digit));
    let hour = whole(parts.next()?)?;
    let minute = whole(parts.next()?)?;
    let second = number(parts.next()?, 1, 2)?;
    Some((hour, minute, second))
}

fn month_of(token: &[u8]) -> Option<i64> {
    const MONTHS: [&[u8]; 12] = [
        b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec",
    ];
    let name = token.get(..3)?;
    let index = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))?;
    Some(index as i64 + 1)
}

fn days_in(month: i64, year: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days by the Gregorian calendar; the year is counted from March, so that leap days come last.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_people_and_servers_write() {
        for (text, expected) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", Some(0)),
            ("Thu, 01-Jan-70 00:00:01 GMT", Some(1)),
            ("Tue, 29 Feb 2000 12:00:00 GMT", Some(951_825_600)),
            ("20 Nov 2286 17:46:40", Some(10_000_000_000)),
            ("31 Dec 1969 23:59:59", Some(-1)),
            ("29 Feb 2001 12:00:00", None),
            ("31 Apr 2001 12:00:00", None),
            ("1 Jan 1600 00:00:00", None),
            ("1 Jan 2001 24:00:00", None),
            ("1 Jan 2001", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
    }
}
