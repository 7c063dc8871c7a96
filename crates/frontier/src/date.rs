//! Days and years of the proleptic Gregorian calendar, UTC: enough for `Retry-After` and for calendars in URLs.

use gleaner_model::Timestamp;

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

/// The year in which `now` lies.
pub fn year_of(now: Timestamp) -> i32 {
    let days = now.0.div_euclid(MS_PER_DAY) + 719_468;
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Day 306 of a year that begins in March is the first of January.
    let year = days.div_euclid(146_097) * 400 + year_of_era + i64::from(day_of_year >= 306);
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
    fn a_year_begins_on_its_first_day() {
        for year in (1600..2400).step_by(7) {
            let first = days_from_civil(year, 1, 1) * MS_PER_DAY;
            assert_eq!(i64::from(year_of(Timestamp(first))), year);
            assert_eq!(i64::from(year_of(Timestamp(first - 1))), year - 1);
        }
    }
}
