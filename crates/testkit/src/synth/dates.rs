//! How are dates written? Civil dates from seconds, for headers and pages, without a clock or a time zone.

use std::io::Write;

/// Seconds in a day.
pub(super) const DAY: i64 = 86_400;

fn civil(days: i64) -> (i64, u32, u32) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let d = (doy - (153 * mp + 2) / 5 + 1) as u32;
    let m = if mp < 10 { mp + 3 } else { mp - 9 } as u32;
    (yoe + era * 400 + i64::from(m <= 2), m, d)
}
fn days_from_civil(y: i64, m: i64, d: i64) -> i64 {
    let y = if m <= 2 { y - 1 } else { y };
    let era = y.div_euclid(400);
    let yoe = y.rem_euclid(400);
    let doy = (153 * (m + if m > 2 { -3 } else { 9 }) + 2) / 5 + d - 1;
    era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
}
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

pub(super) fn push_iso_date(t: i64, out: &mut impl Write) {
    let (y, m, d) = civil(t.div_euclid(DAY));
    let _ = write!(out, "{y:04}-{m:02}-{d:02}");
}
pub(super) fn http_date(t: i64) -> String {
    let days = t.div_euclid(DAY);
    let s = t.rem_euclid(DAY);
    let (y, m, d) = civil(days);
    format!(
        "{}, {d:02} {} {y:04} {:02}:{:02}:{:02} GMT",
        WEEKDAYS[days.rem_euclid(7) as usize],
        MONTHS[m as usize - 1],
        s / 3600,
        s / 60 % 60,
        s % 60
    )
}
pub(super) fn parse_http_date(s: &str) -> Option<i64> {
    let mut it = s.split(", ").nth(1)?.split(' ');
    let d: i64 = it.next()?.parse().ok()?;
    let mon = it.next()?;
    let m = MONTHS.iter().position(|x| *x == mon)? as i64 + 1;
    let y: i64 = it.next()?.parse().ok()?;
    let mut t = it.next()?.split(':').map(str::parse::<i64>);
    let (h, mi, se) = (t.next()?.ok()?, t.next()?.ok()?, t.next()?.ok()?);
    Some(days_from_civil(y, m, d) * DAY + h * 3600 + mi * 60 + se)
}
