//! What did this run learn about a server that no reply tells? How far the times that it prints may lie behind UTC, and
//! whether the ports that it opens for `EPSV` can be reached.
//!
//! `LIST` prints the server's own time without its zone (RFC 959 knows no better). West of Greenwich such a time looks
//! older than it is, and a file that is being written right now looks settled (HC096). `MDTM` is in UTC, so one file that
//! has both tells the zone; until then the farthest one is assumed. The printed time itself is left as it is: it is
//! compared with what the same server printed before.

use super::dates::MINUTE;
use crate::FileTime;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const HOUR_MS: i64 = 3_600_000;
/// Zones are whole quarters of an hour …
const QUARTER_MS: i64 = HOUR_MS / 4;
/// … up to this far from UTC (UTC+14; the other side ends at UTC-12).
const FARTHEST_MS: i64 = 14 * HOUR_MS;
/// Both ends of the world, so that neither a wrong zone nor a wrong sign matters.
pub(super) const UNKNOWN_LAG: Duration = Duration::from_hours(26);
/// The file that told may have been written in winter and another one in summer.
const SUMMER_TIME: Duration = Duration::from_hours(1);

/// What is known of the servers of a run, by their origins.
#[derive(Debug, Default)]
pub(super) struct Lessons(Mutex<HashMap<Box<str>, Lesson>>);

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lesson {
    /// How much earlier than the truth a printed time may be; `None` as long as nobody asked.
    pub(super) lag: Option<Duration>,
    /// A port that the server opened for `EPSV` could not be reached, and that of `PASV` could.
    pub(super) is_epsv_shut: bool,
}

impl Lessons {
    pub(super) fn of(&self, origin: &str) -> Lesson {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(origin).copied().unwrap_or_default()
    }

    pub(super) fn note(&self, origin: &str, learn: impl FnOnce(&mut Lesson)) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        learn(known.entry(origin.into()).or_default());
    }
}

/// How far printed times may lie behind, from one that was printed and the same one in UTC.
pub(super) fn lag_of(printed: FileTime, utc: Option<FileTime>) -> Duration {
    let minute_ms = MINUTE.as_millis() as i64;
    let minutes = |time: FileTime| time.at.0.div_euclid(minute_ms) * minute_ms;
    let Some(offset_ms) = utc.map(|utc| minutes(printed) - minutes(utc)) else {
        return UNKNOWN_LAG;
    };
    // Anything else is not the zone's doing: another file by now, a wrong year, a clock of its own.
    if offset_ms.abs() > FARTHEST_MS || offset_ms % QUARTER_MS != 0 {
        return UNKNOWN_LAG;
    }
    Duration::from_millis((-offset_ms).max(0).unsigned_abs()) + SUMMER_TIME
}

#[cfg(test)]
mod tests {
    use super::super::dates::utc_of;
    use super::*;

    #[test]
    fn hc096_a_zone_is_told_by_one_file() {
        let lag = |printed: &str, utc: &str| {
            let of = |text: &str| utc_of(text.as_bytes());
            lag_of(of(printed).unwrap(), of(utc))
        };
        let hours = Duration::from_hours;
        let cases = [
            ("20260314100000", "20260314100059", hours(1)),
            ("20260314050000", "20260314100013", hours(6)),
            ("20260313220000", "20260314100000", hours(13)),
            ("20260314153000", "20260314100000", hours(1)), // India
            ("20260314063000", "20260314100000", hours(1) + MINUTE * 210), // Newfoundland
            ("20260314100700", "20260314100000", UNKNOWN_LAG),
            ("20250314100000", "20260314100000", UNKNOWN_LAG),
            ("20260314100000", "none", UNKNOWN_LAG),
        ];
        for (printed, utc, expected) in cases {
            assert_eq!(lag(printed, utc), expected, "{printed} {utc}");
        }
    }
}
