//! Days and years of the proleptic Gregorian calendar, UTC: enough for dates in headers, URLs and texts.

mod words;

pub use words::{is_month_or_day, month_of, weekday_of};

use crate::Timestamp;

const MS_PER_DAY: i64 = 86_400_000;

/// Days since 1970-01-01. `month` and `day` count from 1 and are taken as they are.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    // Years begin in March here, so that the leap day is the last of its year (Hinnant's algorithm).
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = days.div_euclid(146_097) * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}

/// A moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`.
pub fn http_date(at: Timestamp) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let seconds = at.0.div_euclid(1000);
    let (days, time) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    let name =
        |names: &[&'static str], at: i64| usize::try_from(at).ok().and_then(|at| names.get(at).copied());
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        name(&DAYS, days.rem_euclid(7)).unwrap_or_default(),
        name(&MONTHS, month - 1).unwrap_or_default(),
        time / 3600,
        time / 60 % 60,
        time % 60
    )
}

/// The year in which `now` lies.
pub fn year_of(now: Timestamp) -> i32 {
    let (year, ..) = civil_from_days(now.0.div_euclid(MS_PER_DAY));
    i32::try_from(year).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 3, 1), 11_017);
        assert_eq!(days_from_civil(1969, 12, 31), -1);
        assert_eq!(days_from_civil(9999, 12, 31), 2_932_896);
    }

    #[test]
    fn days_and_dates_are_two_names_of_one_thing() {
        for days in (-200_000..400_000).step_by(13) {
            let (year, month, day) = civil_from_days(days);
            assert!((1..=12).contains(&month) && (1..=31).contains(&day));
            assert_eq!(days_from_civil(year, month, day), days);
        }
        assert_eq!(civil_from_days(0), (1970, 1, 1));
    }

    #[test]
    fn a_moment_is_written_as_http_does() {
        assert_eq!(
            http_date(Timestamp(784_111_777_000)),
            "Sun, 06 Nov 1994 08:49:37 GMT"
        );
        assert_eq!(http_date(Timestamp(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(
            http_date(Timestamp(951_825_600_000)),
            "Tue, 29 Feb 2000 12:00:00 GMT"
        );
        assert_eq!(http_date(Timestamp(-1)), "Wed, 31 Dec 1969 23:59:59 GMT");
    }

    #[test]
    fn a_year_begins_on_its_first_day() {
        for year in (1600..2400).step_by(7) {
            let first = days_from_civil(year, 1, 1) * MS_PER_DAY;
            assert_eq!(i64::from(year_of(Timestamp(first))), year);
            assert_eq!(i64::from(year_of(Timestamp(first - 1))), year - 1);
        }
    }
}
