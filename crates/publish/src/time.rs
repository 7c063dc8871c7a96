//! Times as people and programs read them.

use gleaner_model::Timestamp;
pub use gleaner_model::measure::count;

/// `2026-11-16T03:04:05Z`.
pub fn iso(at: Timestamp) -> String {
    let at = jiff::Timestamp::from_millisecond(at.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// `1.2 MB`: decimal units, as disks and networks are sold.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{bytes} B")
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// `3 min 20 s`.
pub fn span(seconds: f64) -> String {
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{hours} h {minutes} min")
    } else {
        format!("{minutes} min {seconds} s")
    }
}

/// Which end of a day is meant, where only a day is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edge {
    Start,
    End,
}

/// A moment as people write it: `2026-11-16`, `2026-11-16T03:04:05Z`, or how long before `now`: `7d`, `12h`, `30m`.
pub fn moment(text: &str, now: Timestamp, edge: Edge) -> Option<Timestamp> {
    const MINUTE_MS: i64 = 60_000;
    let text = text.trim();
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp(at.as_millisecond()));
    }
    let in_utc = |at: jiff::civil::DateTime| {
        let at = at.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Timestamp(at.timestamp().as_millisecond()))
    };
    if let Ok(day) = text.parse::<jiff::civil::Date>()
        && text.len() == "2026-11-16".len()
    {
        return match edge {
            Edge::Start => in_utc(day.at(0, 0, 0, 0)),
            Edge::End => in_utc(day.at(23, 59, 59, 999_000_000)),
        };
    }
    if let Ok(at) = text.parse::<jiff::civil::DateTime>() {
        return in_utc(at);
    }
    let unit = match text.chars().last()? {
        'm' => MINUTE_MS,
        'h' => 60 * MINUTE_MS,
        'd' => 24 * 60 * MINUTE_MS,
        'w' => 7 * 24 * 60 * MINUTE_MS,
        _ => return None,
    };
    let count: u32 = text[..text.len() - 1].parse().ok()?;
    Some(Timestamp(now.0.saturating_sub(i64::from(count) * unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_read_well() {
        assert_eq!(size(999), "999 B");
        assert_eq!(size(1_000), "1.0 kB");
        assert_eq!(size(999_960), "1.0 MB");
        assert_eq!(span(3.25), "3.2 s");
        assert_eq!(span(200.0), "3 min 20 s");
        assert_eq!(span(7_260.0), "2 h 1 min");
        assert_eq!(iso(Timestamp(0)), "1970-01-01T00:00:00Z");
    }

    #[test]
    fn moments_are_read_as_people_write_them() {
        let now = Timestamp(1_000_000_000_000);
        let at = |text: &str, edge| moment(text, now, edge).map(iso);
        let is = |text: &str| Some(text.to_owned());
        assert_eq!(at("2026-11-16", Edge::Start), is("2026-11-16T00:00:00Z"));
        assert_eq!(at("2026-11-16", Edge::End), is("2026-11-16T23:59:59Z"));
        assert_eq!(at("2026-11-16T03:04:05Z", Edge::End), is("2026-11-16T03:04:05Z"));
        assert_eq!(
            at("2026-11-16T03:04:05+02:00", Edge::End),
            is("2026-11-16T01:04:05Z")
        );
        assert_eq!(at("2026-11-16T03:04", Edge::End), is("2026-11-16T03:04:00Z"));
        assert_eq!(moment("2d", now, Edge::End), Some(Timestamp(now.0 - 172_800_000)));
        for wrong in ["", "soon", "d", "2026-13-01", "3"] {
            assert_eq!(at(wrong, Edge::Start), None, "{wrong}");
        }
    }
}
