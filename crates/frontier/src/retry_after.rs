//! How long does the server ask us to wait? (A7, HC016; RFC 9110 10.2.3 and 5.6.7)
//!
//! In: the text of a `Retry-After` field and the present. Out: a wait between nothing and a day, or `None` if the text
//! says nothing that can be understood; the back-off then decides.

use gleaner_model::Timestamp;
use gleaner_model::date::days_from_civil;
use gleaner_model::defaults::RETRY_AFTER_MAX;
use std::time::Duration;

/// Seconds, or a date in any of HTTP's three spellings. A date in the past is no wait at all.
pub fn retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) {
        // Too many digits for a number are surely more than a day.
        let seconds = text.parse::<u64>().unwrap_or(u64::MAX);
        return Some(Duration::from_secs(seconds).min(RETRY_AFTER_MAX));
    }
    let at = http_date(text, now)?;
    let wait_ms = u64::try_from(at.0.saturating_sub(now.0)).unwrap_or(0);
    Some(Duration::from_millis(wait_ms).min(RETRY_AFTER_MAX))
}

/// `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` or `Sun Nov  6 08:49:37 1994`.
/// The weekday is not compared: servers get it wrong and it tells nothing. `now` places two-digit years.
pub fn http_date(text: &str, now: Timestamp) -> Option<Timestamp> {
    let mut words = text.split([' ', ',', '-']).filter(|w| !w.is_empty());
    words
        .next()
        .filter(|w| w.len() >= 3 && w.bytes().all(|b| b.is_ascii_alphabetic()))?;
    let (a, b, c, d) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let zone = words.next();
    if words.next().is_some() {
        return None;
    }
    let is_asctime = a.bytes().all(|x| x.is_ascii_alphabetic());
    let (day, month, time, year) = if is_asctime { (b, a, c, d) } else { (a, b, d, c) };
    match zone {
        None if is_asctime => {}
        Some(zone) if ["GMT", "UTC", "Z"].iter().any(|z| zone.eq_ignore_ascii_case(z)) => {}
        _ => return None,
    }
    let day = number(day, 1..=31)?;
    let month = month_of(month)?;
    let year = year_in_full(year, now)?;
    let mut clock = time.split(':');
    let (hour, minute) = (number(clock.next()?, 0..=23)?, number(clock.next()?, 0..=59)?);
    let second = number(clock.next()?, 0..=60)?;
    if clock.next().is_some() {
        return None;
    }
    let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
    Some(Timestamp(seconds * 1000))
}

fn number(text: &str, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
    let digits_only = (1..=4).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|n| digits_only && range.contains(n))
}

fn month_of(text: &str) -> Option<i64> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let index = MONTHS.iter().position(|m| text.eq_ignore_ascii_case(m))?;
    Some(index as i64 + 1)
}

/// A two-digit year that seems more than 50 years ahead lies in the past (RFC 9110 5.6.7).
fn year_in_full(text: &str, now: Timestamp) -> Option<i64> {
    let year = number(text, 0..=9999)?;
    if text.len() != 2 {
        return Some(year).filter(|_| text.len() == 4);
    }
    let this = i64::from(gleaner_model::date::year_of(now));
    let year = this.div_euclid(100) * 100 + year;
    Some(if year > this + 50 { year - 100 } else { year })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1994-11-06 08:49:37, the moment of the RFC's examples.
    const EXAMPLE: Timestamp = Timestamp(784_111_777_000);

    #[test]
    fn all_three_spellings_name_one_moment() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
        ] {
            assert_eq!(http_date(text, EXAMPLE), Some(EXAMPLE), "{text}");
        }
    }

    #[test]
    fn hc016_retry_after_is_clamped_to_a_sane_range() {
        let cases = [
            ("120", Some(120)),
            (" 7 ", Some(7)),
            ("0", Some(0)),
            ("315360000", Some(86_400)),
            ("99999999999999999999999999", Some(86_400)),
            ("-1", None),
            ("soon", None),
            ("", None),
            ("1.5", None),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sun Nov  6 08:50:37 1994", Some(60)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("Sun, 06 Nov 1994 08:00:00 GMT", Some(0)),
            ("Sat, 06 Nov 2004 08:49:37 GMT", Some(86_400)),
            ("Sun, 06 Nov 1994 08:50:37 PST", None),
            ("Sun, 32 Nov 1994 08:50:37 GMT", None),
            ("Sun, 06 Foo 1994 08:50:37 GMT", None),
            ("Sun, 06 Nov 1994 8:5 GMT", None),
            ("Sun, 06 Nov 1994 08:50:37 GMT GMT", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(
                retry_after(text, EXAMPLE),
                seconds.map(Duration::from_secs),
                "{text}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_safe(text in "\\PC{0,60}", now in proptest::num::i64::ANY) {
            let wait = retry_after(&text, Timestamp(now / 1000));
            assert!(wait.is_none_or(|w| w <= RETRY_AFTER_MAX));
        }
    }
}
