//! When does a site's own list (a sitemap's `<lastmod>`, Atom's `<updated>`) say that a page changed last? (B2)
//!
//! Dates come in all the precisions of <https://www.w3.org/TR/NOTE-datetime>, from the year to fractions of a second, so one
//! is a stretch of time and not a moment: "2024-05-01" ends when that day is over in the last time zone of the earth. What is
//! no such date says nothing; nor does one from before there was a web, which is how programs write "unknown".

use crate::clock::Timestamp;
use crate::date::{civil_from_days, days_from_civil};
use crate::defaults::LIST_CLOCK_SLACK;

const SECOND_MS: i64 = 1000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;
/// Where no zone is given it may be any: the last one is twelve hours behind UTC.
const LAST_ZONE_MS: i64 = 12 * HOUR_MS;
/// No page is older. `0001-01-01` and `1970-01-01` are what programs make of no date at all.
const FIRST_YEAR: i64 = 1990;

/// The stretch of time in which a page changed last, as its site says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modified {
    /// Its beginning, in UTC where no zone is given.
    pub at: Timestamp,
    /// Its end, in the last zone where none is given.
    pub until: Timestamp,
}

impl Modified {
    /// Reads a date as the W3C writes it; `None` for everything else.
    pub fn parse(text: &str) -> Option<Modified> {
        let mut rest = Rest(text.trim().as_bytes());
        let year = rest.number(4, FIRST_YEAR, 9999)?;
        if rest.is_empty() {
            return Some(days(days_from_civil(year, 1, 1), days_from_civil(year + 1, 1, 1)));
        }
        rest.skip(b'-')?;
        let month = rest.number(2, 1, 12)?;
        if rest.is_empty() {
            let next = (year + month / 12, month % 12 + 1);
            return Some(days(
                days_from_civil(year, month, 1),
                days_from_civil(next.0, next.1, 1),
            ));
        }
        rest.skip(b'-')?;
        let day = rest.number(2, 1, 31)?;
        let date = days_from_civil(year, month, day);
        if civil_from_days(date) != (year, month, day) {
            return None; // There is no 30th of February.
        }
        if rest.is_empty() {
            return Some(days(date, date + 1));
        }
        rest.skip(b'T')?;
        let hour = rest.number(2, 0, 23)?;
        rest.skip(b':')?;
        let minute = rest.number(2, 0, 59)?;
        let (mut second, mut precision) = (0, MINUTE_MS);
        if rest.skip(b':').is_some() {
            // A leap second counts as the next one.
            (second, precision) = (rest.number(2, 0, 60)?, SECOND_MS);
            if rest.skip(b'.').is_some() {
                rest.digits()?;
            }
        }
        let at = date * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
        // Many leave the zone out, which the W3C does not allow.
        let (first_ms, last_ms) = if rest.is_empty() {
            (0, -LAST_ZONE_MS)
        } else {
            let ahead_ms = rest.zone()?;
            (ahead_ms, ahead_ms)
        };
        Some(Modified {
            at: Timestamp(at - first_ms),
            until: Timestamp(at + precision - last_ms),
        })
    }

    /// Whether the page is as it was at `looked`: it changed last before that, whichever of the two clocks is ahead.
    pub fn is_before(&self, looked: Timestamp) -> bool {
        self.until.0.saturating_add(slack_ms()) < looked.0
    }

    /// Whether the page changed since `looked`, whichever of the two clocks is ahead. Neither may hold: the date is too coarse.
    pub fn is_after(&self, looked: Timestamp) -> bool {
        self.at.0.saturating_sub(slack_ms()) > looked.0
    }

    /// Of two lists that name one page the later is right: it was told of a change that the other was not.
    #[must_use]
    pub fn or_later(self, other: Modified) -> Modified {
        Modified {
            at: self.at.max(other.at),
            until: self.until.max(other.until),
        }
    }
}

fn slack_ms() -> i64 {
    i64::try_from(LIST_CLOCK_SLACK.as_millis()).unwrap_or(i64::MAX)
}

/// From one day to another, which is no longer part of it.
fn days(first: i64, end: i64) -> Modified {
    Modified {
        at: Timestamp(first * DAY_MS),
        until: Timestamp(end * DAY_MS + LAST_ZONE_MS),
    }
}

/// What is left to read.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn skip(&mut self, byte: u8) -> Option<()> {
        self.0 = self.0.strip_prefix(&[byte])?;
        Some(())
    }

    /// Exactly so many digits, of a number between the two.
    fn number(&mut self, digits: usize, min: i64, max: i64) -> Option<i64> {
        let (head, tail) = self.0.split_at_checked(digits)?;
        let mut number = 0;
        for byte in head {
            number = number * 10 + i64::from(byte.is_ascii_digit().then(|| byte - b'0')?);
        }
        self.0 = tail;
        (min..=max).contains(&number).then_some(number)
    }

    /// One digit or more, whatever they are: no clock is that exact.
    fn digits(&mut self) -> Option<()> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.0 = &self.0[count..];
        (count > 0).then_some(())
    }

    /// The zone at the end: how far its clocks are ahead of UTC.
    fn zone(&mut self) -> Option<i64> {
        let sign = match *self.0 {
            [b'Z'] => return Some(0),
            [b'+', ..] => 1,
            [b'-', ..] => -1,
            _ => return None,
        };
        self.0 = &self.0[1..];
        let hours = self.number(2, 0, 14)?;
        let _many_leave_it_out = self.skip(b':');
        let minutes = self.number(2, 0, 59)?;
        self.is_empty()
            .then_some(sign * (hours * HOUR_MS + minutes * MINUTE_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A moment in UTC, to the second.
    fn moment(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> Timestamp {
        let time = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
        Timestamp(days_from_civil(year, month, day) * DAY_MS + time)
    }

    fn read(text: &str) -> (Timestamp, Timestamp) {
        let modified = Modified::parse(text).unwrap_or_else(|| panic!("a date: {text}"));
        (modified.at, modified.until)
    }

    #[test]
    fn b2_a_date_without_a_time_ends_in_the_last_zone() {
        let day = (moment(2024, 5, 1, 0, 0, 0), moment(2024, 5, 2, 12, 0, 0));
        assert_eq!(read("2024-05-01"), day);
        assert_eq!(read(" 2024-05-01\n"), day);
        let month = (moment(2024, 2, 1, 0, 0, 0), moment(2024, 3, 1, 12, 0, 0));
        assert_eq!(read("2024-02"), month);
        let december = (moment(2023, 12, 1, 0, 0, 0), moment(2024, 1, 1, 12, 0, 0));
        assert_eq!(read("2023-12"), december);
        let year = (moment(2024, 1, 1, 0, 0, 0), moment(2025, 1, 1, 12, 0, 0));
        assert_eq!(read("2024"), year);
        let leap = (moment(2024, 2, 29, 0, 0, 0), moment(2024, 3, 1, 12, 0, 0));
        assert_eq!(read("2024-02-29"), leap);
    }

    #[test]
    fn b2_a_time_is_as_exact_as_it_is_written_and_belongs_to_its_zone() {
        let second = (moment(2024, 5, 1, 10, 30, 7), moment(2024, 5, 1, 10, 30, 8));
        for text in [
            "2024-05-01T10:30:07Z",
            "2024-05-01T12:30:07+02:00",
            "2024-05-01T12:30:07+0200",
            "2024-05-01T05:00:07-05:30",
            "2024-05-02T00:30:07+14:00",
            "2024-05-01T10:30:07.25Z",
            "2024-05-01T10:30:07.123456789+00:00",
        ] {
            assert_eq!(read(text), second, "{text}");
        }
        let minute = (moment(2024, 5, 1, 10, 30, 0), moment(2024, 5, 1, 10, 31, 0));
        assert_eq!(read("2024-05-01T10:30Z"), minute);
        // Without a zone it may be that of the reader or the last of all.
        let anywhere = (moment(2024, 5, 1, 10, 30, 7), moment(2024, 5, 1, 22, 30, 8));
        assert_eq!(read("2024-05-01T10:30:07"), anywhere);
        let at_midnight = (moment(2017, 1, 1, 0, 0, 0), moment(2017, 1, 1, 0, 0, 1));
        assert_eq!(read("2016-12-31T23:59:60Z"), at_midnight);
    }

    #[test]
    fn b2_rubbish_is_no_date() {
        for text in [
            "",
            "yesterday",
            "24-05-01",
            "2024-13",
            "2024-00-01",
            "2024-02-30",
            "2023-02-29",
            "2024-5-1",
            "2024/05/01",
            "01.05.2024",
            "20240501",
            "2024-05-01T",
            "2024-05-01T10",
            "2024-05-01T24:00Z",
            "2024-05-01T10:60Z",
            "2024-05-01T10:30:61Z",
            "2024-05-01T10:30:07.Z",
            "2024-05-01T10:30:07 Z",
            "2024-05-01T10:30:07z+",
            "2024-05-01T10:30:07+15:00",
            "2024-05-01T10:30:07+2",
            "2024-05-01T10:30:07+02:00x",
            "2024-05-01 10:30:07",
            "Wed, 01 May 2024 10:30:07 GMT",
            "2024-05-0\u{661}",
            "+2024-05-01",
            // What programs make of "never".
            "0000-00-00",
            "0001-01-01T00:00:00+00:00",
            "1970-01-01T00:00:00Z",
        ] {
            assert_eq!(Modified::parse(text), None, "{text}");
        }
    }

    #[test]
    fn b2_unchanged_is_what_changed_last_before_the_look_and_some_minutes() {
        let exact = Modified::parse("2024-05-01T10:00:00Z").expect("a date");
        // One second for the precision, ten minutes for the clocks.
        assert!(!exact.is_before(moment(2024, 5, 1, 10, 0, 30)));
        assert!(!exact.is_before(moment(2024, 5, 1, 10, 10, 1)));
        assert!(exact.is_before(moment(2024, 5, 1, 10, 10, 2)));
        // And the other way round: nine minutes may be the clocks.
        assert!(!exact.is_after(moment(2024, 5, 1, 9, 51, 0)));
        assert!(exact.is_after(moment(2024, 5, 1, 9, 49, 59)));
        let day = Modified::parse("2024-05-01").expect("a date");
        assert!(!day.is_before(moment(2024, 5, 1, 23, 0, 0)));
        assert!(!day.is_before(moment(2024, 5, 2, 12, 10, 0)));
        assert!(day.is_before(moment(2024, 5, 2, 12, 10, 1)));
        assert!(!day.is_after(moment(2024, 5, 1, 12, 0, 0)));
        assert!(day.is_after(moment(2024, 4, 30, 23, 0, 0)));
    }

    #[test]
    fn b2_of_two_lists_the_later_is_right() {
        let early = Modified::parse("2024-05-01").expect("a date");
        let late = Modified::parse("2024-05-01T20:00:00Z").expect("a date");
        let both = early.or_later(late);
        assert_eq!((both.at, both.until), (late.at, early.until));
        assert_eq!(late.or_later(early), both);
    }
}
