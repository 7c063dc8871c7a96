//! When to come back, as people write it: `daily at 03:00`, `every 6h`, or a line of cron (D3).
//!
//! The text itself is kept with the project; this file only knows whether it can be understood.

use crate::measure;

const FORMS: &str =
    "write hourly, daily at 03:00, weekly on monday at 03:00, every 6h, or five fields of cron as 0 3 * * *";
const DAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];
const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// What is wrong, and what would be right.
pub type Wrong = (String, String);

pub fn check(text: &str) -> Result<(), Wrong> {
    let lower = text.trim().to_lowercase();
    let words: Vec<&str> = lower.split_whitespace().collect();
    match words.as_slice() {
        ["hourly" | "daily" | "weekly"] => Ok(()),
        ["daily" | "weekly", "at", time] => clock(time),
        ["weekly", "on", one] => day(one),
        ["weekly", "on", one, "at", time] => day(one).and_then(|()| clock(time)),
        ["every", length @ ..] if !length.is_empty() => every(&length.concat()),
        fields @ [first, ..] if fields.len() == 5 && is_cron_field(first) => cron(fields),
        _ => Err((
            format!("this schedule cannot be understood: {text}"),
            FORMS.to_owned(),
        )),
    }
}

fn clock(text: &str) -> Result<(), Wrong> {
    let parts = text.split_once(':');
    let is_right = parts.is_some_and(|(hour, minute)| {
        let in_range =
            |text: &str, end: u32| text.len() <= 2 && text.parse::<u32>().is_ok_and(|number| number < end);
        in_range(hour, 24) && in_range(minute, 60) && minute.len() == 2
    });
    if is_right {
        return Ok(());
    }
    Err((
        format!("no time of day: {text}"),
        "write hours and minutes from 00:00 to 23:59, as 03:00".to_owned(),
    ))
}

fn day(text: &str) -> Result<(), Wrong> {
    let is_day = text.len() >= 2 && DAYS.iter().any(|day| *day == text || day[..3] == *text);
    if is_day {
        return Ok(());
    }
    Err((
        format!("no day of the week: {text}"),
        format!("one of {}", DAYS.join(", ")),
    ))
}

fn every(text: &str) -> Result<(), Wrong> {
    let has_unit = text.ends_with(|c: char| c.is_ascii_alphabetic());
    match measure::seconds(text) {
        Ok(seconds) if has_unit && seconds >= 60 => Ok(()),
        Ok(_) if has_unit => Err((
            format!("more often than once a minute: every {text}"),
            "write at least every 1m".to_owned(),
        )),
        Ok(_) => Err((
            format!("the unit is missing: every {text}"),
            format!("write every {text}h, or m for minutes, d for days"),
        )),
        Err(why) => Err((format!("no length of time: {text}"), why)),
    }
}

fn is_cron_field(field: &str) -> bool {
    field.starts_with(|c: char| c.is_ascii_digit() || c == '*')
}

fn cron(fields: &[&str]) -> Result<(), Wrong> {
    let rules: [(&str, u32, u32, &[&str]); 5] = [
        ("minute", 0, 59, &[]),
        ("hour", 0, 23, &[]),
        ("day of the month", 1, 31, &[]),
        ("month", 1, 12, &MONTHS),
        ("day of the week", 0, 7, &DAYS),
    ];
    for (field, (name, low, high, words)) in fields.iter().zip(rules) {
        let is_right = field.split(',').all(|part| is_cron_part(part, low, high, words));
        if !is_right {
            return Err((
                format!("field `{name}` of the cron line is wrong: {field}"),
                format!("write *, a number from {low} to {high}, a range as {low}-{high}, or a step as */5"),
            ));
        }
    }
    Ok(())
}

/// `*`, `5`, `mon`, `1-5`, each perhaps with a step behind a slash.
fn is_cron_part(part: &str, low: u32, high: u32, words: &[&str]) -> bool {
    let (span, step) = match part.split_once('/') {
        Some((span, step)) => (span, Some(step)),
        None => (part, None),
    };
    let number = |text: &str| {
        let word = words
            .iter()
            .position(|word| text.len() >= 3 && text == &word[..3])
            .map(|place| place as u32 + low.max(1));
        word.or_else(|| text.parse().ok().filter(|number| (low..=high).contains(number)))
    };
    let is_span = match span.split_once('-') {
        _ if span == "*" => true,
        Some((from, to)) => matches!((number(from), number(to)), (Some(from), Some(to)) if from <= to),
        None => number(span).is_some(),
    };
    is_span && step.is_none_or(|step| step.parse::<u32>().is_ok_and(|step| step > 0))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_people_write_is_understood() {
        for right in [
            "hourly",
            "daily",
            "Daily at 03:00",
            "daily at 3:00",
            "weekly",
            "weekly on Monday",
            "weekly on sun at 23:59",
            "weekly at 00:00",
            "every 6h",
            "every 30 min",
            "0 3 * * *",
            "*/15 8-18 * * mon-fri",
            "0 0 1,15 jan-jun 0",
        ] {
            assert_eq!(check(right), Ok(()), "{right}");
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        for wrong in [
            "",
            "sometimes",
            "daily at",
            "daily at 25:00",
            "daily at 3",
            "daily at 03:0",
            "daily 03:00",
            "weekly on mo",
            "weekly on someday",
            "every",
            "every 6",
            "every 10s",
            "every day",
            "60 3 * * *",
            "0 3 * *",
            "0 3 * * * *",
            "0 3 0 * *",
            "0 18-8 * * *",
            "*/0 * * * *",
        ] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
