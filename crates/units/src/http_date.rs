//! How is a moment written in a `Last-Modified` field? `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7).
//!
//! For units whose servers give times as numbers. What is finer than a second is left out.

use gleaner_model::Timestamp;
use gleaner_model::date::civil_from_days;

const DAY_S: i64 = 86_400;
/// The first of January 1970 was a Thursday.
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

pub(crate) fn http_date(at: Timestamp) -> String {
    let seconds = at.0.div_euclid(1000);
    let days = seconds.div_euclid(DAY_S);
    let (year, month, day) = civil_from_days(days);
    let weekday = WEEKDAYS[days.rem_euclid(7) as usize];
    let month = MONTHS[(month - 1).rem_euclid(12) as usize];
    let of_day = seconds.rem_euclid(DAY_S);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments() {
        let cases = [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777_999, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_825_600_000, "Tue, 29 Feb 2000 12:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        ];
        for (at, text) in cases {
            assert_eq!(http_date(Timestamp(at)), text);
        }
    }
}
