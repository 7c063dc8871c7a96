//! When a document is looked at again and why, in words: "changes about every 9 days (4–20), last seen 6 days ago, next Tuesday;
//! budget 400 looks a day".

use super::rate::Rate;

const WEEKDAYS: [&str; 7] = [
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
];

/// What a sentence about one document needs. Days are those since 1970, UTC.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookTold {
    pub rate: Rate,
    pub last: f64,
    pub due: f64,
    pub now: f64,
    /// Looks a day that the project may make.
    pub budget: f64,
}

/// The whole sentence, without a full stop.
pub fn in_words(told: &LookTold) -> String {
    let budget = told.budget;
    let places = usize::from(budget < 10.0);
    format!(
        "changes about {}, last seen {}, {}; budget {budget:.places$} looks a day",
        how_often(told.rate),
        ago(told.now - told.last),
        next(told.due, told.now)
    )
}

/// `every 9 days (4–20)`.
pub fn how_often(rate: Rate) -> String {
    let days = 1.0 / rate.best;
    // What is rare is told in years or months, what is frequent in hours; bounds in the unit of the middle.
    let (unit, length) = match days {
        730.0.. => ("years", 365.25),
        90.0.. => ("months", 30.44),
        1.5.. => ("days", 1.0),
        _ => ("hours", 1.0 / 24.0),
    };
    let count = |days: f64| (days / length).round().max(1.0) as u64;
    let (middle, low, high) = (count(days), count(1.0 / rate.high), count(1.0 / rate.low));
    let unit = if middle == 1 {
        unit.trim_end_matches('s')
    } else {
        unit
    };
    let every = if middle == 1 {
        String::new()
    } else {
        format!("{middle} ")
    };
    if low == high {
        format!("every {every}{unit}")
    } else {
        format!("every {every}{unit} ({low}–{high})")
    }
}

fn ago(days: f64) -> String {
    let of = |count: f64, unit: &str| {
        let count = count.round().max(1.0) as u64;
        let ending = if count == 1 { "" } else { "s" };
        format!("{count} {unit}{ending} ago")
    };
    match days {
        ..0.02 => "just now".to_owned(),
        ..1.0 => of(days * 24.0, "hour"),
        _ => of(days, "day"),
    }
}

fn next(due: f64, now: f64) -> String {
    if due <= now {
        return "due now".to_owned();
    }
    match due.floor() as i64 - now.floor() as i64 {
        0 => "next today".to_owned(),
        1 => "next tomorrow".to_owned(),
        ..7 => format!("next {}", WEEKDAYS[(due.floor() as i64).rem_euclid(7) as usize]),
        _ => {
            let (year, month, day) = gleaner_model::date::civil_from_days(due.floor() as i64);
            format!("next on {year:04}-{month:02}-{day:02}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(days: f64, low: f64, high: f64) -> Rate {
        Rate {
            best: 1.0 / days,
            low: 1.0 / high,
            high: 1.0 / low,
        }
    }

    #[test]
    fn b10_why_a_document_is_looked_at_again() {
        // 2026-11-19 is a Thursday and day 20,776.
        let told = LookTold {
            rate: rate(9.0, 4.0, 20.0),
            last: 20_770.4,
            due: 20_781.2,
            now: 20_776.4,
            budget: 400.0,
        };
        let words =
            "changes about every 9 days (4–20), last seen 6 days ago, next Tuesday; budget 400 looks a day";
        assert_eq!(in_words(&told), words);
    }

    #[test]
    fn b10_units_are_those_that_people_use() {
        assert_eq!(how_often(rate(800.0, 400.0, 2000.0)), "every 2 years (1–5)");
        assert_eq!(how_often(rate(95.0, 60.0, 200.0)), "every 3 months (2–7)");
        assert_eq!(how_often(rate(0.25, 0.2, 0.3)), "every 6 hours (5–7)");
        assert_eq!(how_often(rate(1.0 / 24.0, 0.04, 0.05)), "every hour");
        assert_eq!(
            (ago(0.001), ago(0.1), ago(1.2)),
            ("just now".into(), "2 hours ago".into(), "1 day ago".into())
        );
        let due = |due| next(due, 20_776.4);
        assert_eq!(
            (due(20_776.0), due(20_776.9), due(20_777.1)),
            ("due now".into(), "next today".into(), "next tomorrow".into())
        );
        assert_eq!(due(20_790.0), "next on 2026-12-03");
    }
}
