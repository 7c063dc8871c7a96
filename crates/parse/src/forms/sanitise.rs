//! What becomes of a value in a field of some type: HTML's "value sanitization", which browsers apply to what the page
//! gives and to what the reader types alike.
//!
//! Dates are checked for their shape only; that February has no 30th day is left to the server.

use super::control::ControlKind;

/// What the field then holds. `range` is the `min` and `max` of the control.
pub(super) fn sanitise(kind: ControlKind, text: &str, takes_many: bool, range: [Option<&str>; 2]) -> String {
    match kind {
        ControlKind::Text | ControlKind::Search | ControlKind::Telephone | ControlKind::Password => {
            one_line(text)
        }
        ControlKind::Email if takes_many => {
            let line = one_line(text);
            line.split(',').map(trimmed).collect::<Vec<_>>().join(",")
        }
        ControlKind::Url | ControlKind::Email => trimmed(&one_line(text)).to_owned(),
        ControlKind::Number => kept_if(number(text).is_some(), text),
        ControlKind::Range => in_range(text, range),
        ControlKind::Colour => colour(text),
        ControlKind::Date => kept_if(has_shape(text, "y-m-d"), text),
        ControlKind::Month => kept_if(has_shape(text, "y-m"), text),
        ControlKind::Week => kept_if(has_shape(text, "y-Ww"), text),
        ControlKind::Time => kept_if(is_time(text), text),
        ControlKind::DateTime => local_time(text),
        _ => text.to_owned(),
    }
}

fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], "")
}

fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_ascii_whitespace())
}

fn kept_if(is_valid: bool, text: &str) -> String {
    if is_valid { text.to_owned() } else { String::new() }
}

/// HTML's "valid floating-point number": no plus in front, no dot at the end, no `inf`.
fn number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match digits.find(['e', 'E']) {
        Some(at) => (&digits[..at], Some(&digits[at + 1..])),
        None => (digits, None),
    };
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_mantissa = match mantissa.split_once('.') {
        Some((whole, part)) => (whole.is_empty() || all_digits(whole)) && all_digits(part),
        None => all_digits(mantissa),
    };
    let is_exponent = exponent.is_none_or(|text| all_digits(text.strip_prefix(['+', '-']).unwrap_or(text)));
    if !is_mantissa || !is_exponent {
        return None;
    }
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// A slider always stands somewhere: in the middle, if nothing else is said.
fn in_range(text: &str, range: [Option<&str>; 2]) -> String {
    let min = range[0].and_then(number).unwrap_or(0.0);
    let max = range[1].and_then(number).unwrap_or(100.0);
    match number(text) {
        Some(value) if value < min || max < min => min.to_string(),
        Some(value) if value > max => max.to_string(),
        Some(_) => text.to_owned(),
        None if max < min => min.to_string(),
        None => (min + (max - min) / 2.0).to_string(),
    }
}

fn colour(text: &str) -> String {
    let is_colour = text
        .strip_prefix('#')
        .is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    if is_colour {
        text.to_ascii_lowercase()
    } else {
        "#000000".to_owned()
    }
}

/// `y` is a year of four or more digits, `m`, `d` and `w` two digits in their range, all else itself.
fn has_shape(text: &str, shape: &str) -> bool {
    let mut rest = text;
    for part in shape.chars() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (len, range) = match part {
            'y' => (digits.max(4), 1..=u32::MAX),
            'm' => (2, 1..=12),
            'd' => (2, 1..=31),
            'w' => (2, 1..=53),
            'h' => (2, 0..=23),
            's' => (2, 0..=59),
            mark => match rest.strip_prefix(mark) {
                Some(after) => {
                    rest = after;
                    continue;
                }
                None => return false,
            },
        };
        let number = rest.get(..len).filter(|_| digits >= len).map(str::parse::<u32>);
        match number {
            Some(Ok(number)) if range.contains(&number) => rest = &rest[len..],
            _ => return false,
        }
    }
    rest.is_empty()
}

fn is_time(text: &str) -> bool {
    let (time, part) = match text.split_once('.') {
        Some((time, part)) => (time, Some(part)),
        None => (text, None),
    };
    let is_part = |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    match part {
        Some(part) => has_shape(time, "h:s:s") && is_part(part),
        None => has_shape(time, "h:s") || has_shape(time, "h:s:s"),
    }
}

fn local_time(text: &str) -> String {
    match text.split_once(['T', ' ']) {
        Some((day, time)) if has_shape(day, "y-m-d") && is_time(time) => format!("{day}T{time}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_what_browsers_make_of_them() {
        use ControlKind::*;
        let cases = [
            (Text, " a\r\nb ", " ab "),
            (Password, "p\nq", "pq"),
            (Hidden, "a\r\nb", "a\r\nb"),
            (Url, "  http://x \n", "http://x"),
            (Email, " a@b ", "a@b"),
            (Number, "-1.5e3", "-1.5e3"),
            (Number, ".5", ".5"),
            (Number, "+1", ""),
            (Number, "1.", ""),
            (Number, "inf", ""),
            (Number, "", ""),
            (Range, "", "50"),
            (Range, "7", "7"),
            (Range, "101", "100"),
            (Range, "-1", "0"),
            (Colour, "#ABCDEF", "#abcdef"),
            (Colour, "red", "#000000"),
            (Date, "2024-02-29", "2024-02-29"),
            (Date, "2024-13-01", ""),
            (Date, "24-01-01", ""),
            (Date, "0000-01-01", ""),
            (Month, "2024-12", "2024-12"),
            (Week, "2024-W07", "2024-W07"),
            (Week, "2024-07", ""),
            (Time, "23:59", "23:59"),
            (Time, "23:59:01.5", "23:59:01.5"),
            (Time, "24:00", ""),
            (DateTime, "2024-01-02 03:04", "2024-01-02T03:04"),
            (DateTime, "2024-01-02", ""),
        ];
        for (kind, text, want) in cases {
            assert_eq!(sanitise(kind, text, false, [None; 2]), want, "{kind:?} {text:?}");
        }
        assert_eq!(sanitise(Email, "a , b", true, [None; 2]), "a,b");
        assert_eq!(sanitise(Range, "", false, [Some("1"), Some("4")]), "2.5");
        assert_eq!(sanitise(Range, "9", false, [Some("5"), Some("1")]), "5");
        assert_eq!(sanitise(Date, "٣", false, [None; 2]), "");
    }
}
