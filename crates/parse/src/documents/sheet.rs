//! Values of cells as text: numbers as people read them, dates as dates. Shared by the readers of sheets.

/// What a number format makes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Look {
    #[default]
    Number,
    Date,
    Time,
    DateTime,
    Percent,
}

/// By the number of a built-in format (ECMA-376, 18.8.30).
pub(super) fn builtin(format: u32) -> Look {
    match format {
        9 | 10 => Look::Percent,
        14..=17 | 27..=31 | 36 | 50..=54 | 57 | 58 => Look::Date,
        18..=21 | 32..=35 | 45..=47 | 55 | 56 => Look::Time,
        22 => Look::DateTime,
        _ => Look::Number,
    }
}

/// By the text of a format: letters of dates, outside quotes and brackets.
pub(super) fn of_code(code: &str) -> Look {
    let first = code.split(';').next().unwrap_or("");
    let (mut has_date, mut has_time, mut has_percent, mut has_digit) = (false, false, false, false);
    let mut chars = first.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                let _quoted = chars.by_ref().find(|c| *c == '"');
            }
            '\\' | '_' | '*' => {
                chars.next();
            }
            '[' => {
                let inner: String = chars.by_ref().take_while(|c| *c != ']').collect();
                has_time |= matches!(
                    inner.to_ascii_lowercase().as_str(),
                    "h" | "hh" | "m" | "mm" | "s" | "ss"
                );
            }
            'y' | 'Y' | 'd' | 'D' | 'g' => has_date = true,
            'h' | 'H' | 's' | 'S' => has_time = true,
            '%' => has_percent = true,
            '0' | '#' | '?' => has_digit = true,
            'm' | 'M' if !has_time => has_date |= !first.contains(['h', 'H', 's', 'S']) || has_date,
            'E' | 'e' if has_digit => {}
            _ => {}
        }
    }
    match (has_date, has_time) {
        _ if first.eq_ignore_ascii_case("general") => Look::Number,
        (true, true) => Look::DateTime,
        (true, false) if !has_digit => Look::Date,
        (false, true) => Look::Time,
        _ if has_percent => Look::Percent,
        _ => Look::Number,
    }
}

/// A number as text.
pub(super) fn shown(value: f64, look: Look, is_1904: bool) -> String {
    match look {
        Look::Number => number(value),
        Look::Percent => format!("{}%", number(round(value * 100.0))),
        Look::Date | Look::Time | Look::DateTime => {
            moment(value, look, is_1904).unwrap_or_else(|| number(value))
        }
    }
}

fn round(value: f64) -> f64 {
    (value * 1e10).round() / 1e10
}

/// As short as it is exact, without an exponent where people would not write one.
pub(super) fn number(value: f64) -> String {
    if value.fract().abs() < f64::MIN_POSITIVE && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    if value != 0.0 && (value.abs() >= 1e15 || value.abs() < 1e-9) {
        return format!("{value:E}");
    }
    // Fifteen digits are what a sheet keeps; the rest is noise of binary fractions.
    let digits = 15 - (value.abs().log10().floor() as i32 + 1).clamp(0, 15);
    let text = format!("{value:.*}", digits as usize);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    text.to_owned()
}

fn moment(value: f64, look: Look, is_1904: bool) -> Option<String> {
    if !(0.0..=2_958_466.0).contains(&value) {
        return None;
    }
    let mut days = value.trunc() as i64;
    let mut seconds = ((value - value.trunc()) * 86_400.0).round() as i64;
    if seconds >= 86_400 {
        days += 1;
        seconds = 0;
    }
    let clock = format!(
        "{:02}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    );
    if look == Look::Time && days == 0 {
        return Some(clock);
    }
    // Sheets count from 1900 and believe that it was a leap year; day 60 was never.
    let since_1970 = if is_1904 {
        days - 24_107
    } else if days < 60 {
        days - 25_568
    } else {
        days - 25_569
    };
    let date = date_of_days(since_1970);
    Some(match look {
        Look::Date => date,
        _ if seconds == 0 && look == Look::DateTime => date,
        _ => format!("{date} {clock}"),
    })
}

/// Days since 1970 as year-month-day (H. Hinnant's civil calendar).
pub(super) fn date_of_days(days: i64) -> String {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}
