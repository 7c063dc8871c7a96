//! Days as people and programs write them.

/// Years outside are numbers of something else.
const YEARS: std::ops::RangeInclusive<u32> = 1990..=2099;

/// The first letters of the months, in the languages that write them with Latin letters.
const MONTHS: [&[&str]; 12] = [
    &["jan", "ene", "gen", "jän"],
    &["feb", "fév", "fev"],
    &["mar", "mär", "mrz", "maa"],
    &["apr", "avr", "abr"],
    &["may", "mai", "mag", "mei"],
    &["jun", "juin", "giu"],
    &["jul", "juil", "lug"],
    &["aug", "aoû", "ago"],
    &["sep", "set"],
    &["oct", "okt", "ott", "out"],
    &["nov"],
    &["dec", "dez", "déc", "dic"],
];

/// The months in full and as they are cut, in the languages that bylines are mostly read in.
const NAMED: [&[&str]; 12] = [
    &["january", "jan", "januar", "janvier", "enero", "gennaio"],
    &["february", "feb", "februar", "février", "febrero", "febbraio"],
    &["march", "mar", "märz", "mars", "marzo"],
    &["april", "apr", "avril", "abril", "aprile"],
    &["may", "mai", "mayo", "maggio"],
    &["june", "jun", "juni", "juin", "junio", "giugno"],
    &["july", "jul", "juli", "juillet", "julio", "luglio"],
    &["august", "aug", "août", "agosto"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre"],
    &[
        "october", "oct", "okt", "oktober", "octobre", "octubre", "ottobre",
    ],
    &["november", "nov", "novembre", "noviembre"],
    &[
        "december",
        "dec",
        "dez",
        "dezember",
        "décembre",
        "diciembre",
        "dicembre",
    ],
];

/// The day that a text names first, as `2024-05-17`.
pub(super) fn day(text: &str) -> Option<String> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .take(60)
        .map(str::to_lowercase)
        .collect();
    for at in 0..words.len() {
        let word = |offset: usize| words.get(at + offset).map_or("", String::as_str);
        let found = compact(word(0))
            .or_else(|| numbers(word(0), word(1), word(2), text))
            .or_else(|| named(word(0), word(1), word(2)));
        if found.is_some() {
            return found;
        }
    }
    None
}

/// `/2024/05/17/…`, `/17-05-2024` or `/20240517-…` in a path.
pub(super) fn in_path(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split(['/', '-', '_']).take(200).collect();
    let whole = parts.windows(3).find_map(|three| {
        let is_day = three[0].len() == 4 && three[1].len() == 2 && three[2].len() == 2;
        let [year, month, day] = [three[0], three[1], three[2]].map(|part| part.parse().ok());
        let is_turned = three[0].len() == 2 && three[1].len() == 2 && three[2].len() == 4;
        if is_day {
            written(year?, month?, day?)
        } else if is_turned {
            written(day?, month?, year?)
        } else {
            None
        }
    });
    whole.or_else(|| {
        parts
            .iter()
            .filter(|part| part.len() == 8)
            .find_map(|part| compact(part))
    })
}

/// The month that a word names.
pub(super) fn month_in(text: &str) -> Option<u32> {
    text.split_whitespace().map(str::to_lowercase).find_map(|word| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        NAMED
            .iter()
            .position(|names| names.contains(&word))
            .map(|at| at as u32 + 1)
    })
}

/// `20240517`, also with a time behind it; `2024-05-17T…` is three words to us.
fn compact(word: &str) -> Option<String> {
    let digits = word.get(..8)?;
    let is_alone = word.len() == 8 || word.as_bytes().get(8) == Some(&b't');
    if !is_alone || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    written(
        digits[..4].parse().ok()?,
        digits[4..6].parse().ok()?,
        digits[6..].parse().ok()?,
    )
}

fn numbers(first: &str, second: &str, third: &str, text: &str) -> Option<String> {
    let number = |word: &str| -> Option<u32> {
        // `17t10` of `2024-05-17T10:00` begins with the day.
        let digits: &str = word
            .split(|c: char| !c.is_ascii_digit())
            .next()
            .unwrap_or_default();
        let is_day = digits.len() <= 2 && word[digits.len()..].starts_with('t');
        if digits.len() == word.len() || is_day {
            digits.parse().ok()
        } else {
            None
        }
    };
    let (a, b, c) = (number(first)?, number(second)?, number(third)?);
    if first.len() == 4 {
        return written(a, b, c);
    }
    if third.len() != 4 || first.len() > 2 || second.len() > 2 {
        return None;
    }
    // With points the day comes first; with bars it does outside of one country, where no day can be a month.
    let is_pointed = text.contains(&format!("{first}.{second}.{third}"));
    if is_pointed || a > 12 {
        written(c, b, a)
    } else {
        written(c, a, b)
    }
}

/// `May 17, 2024`, `17. Mai 2024`, `17 de mayo de 2024`.
fn named(first: &str, second: &str, third: &str) -> Option<String> {
    let day = |word: &str| -> Option<u32> {
        let digits = word.trim_end_matches(|c: char| c.is_alphabetic());
        (!digits.is_empty() && digits.len() <= 2)
            .then(|| digits.parse().ok())
            .flatten()
    };
    let year = |word: &str| -> Option<u32> { (word.len() == 4).then(|| word.parse().ok()).flatten() };
    if let Some(month) = month(first) {
        return written(year(third)?, month, day(second)?);
    }
    written(year(third)?, month(second)?, day(first)?)
}

fn month(word: &str) -> Option<u32> {
    if word.chars().count() > 10 || word.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let found = MONTHS
        .iter()
        .position(|starts| starts.iter().any(|start| word.starts_with(start)));
    found.map(|at| at as u32 + 1)
}

fn written(year: u32, month: u32, day: u32) -> Option<String> {
    let is_day = YEARS.contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_day.then(|| format!("{year:04}-{month:02}-{day:02}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_found_as_people_write_them() {
        for (text, wanted) in [
            ("2024-05-17T10:00:00+02:00", Some("2024-05-17")),
            ("2024/5/7", Some("2024-05-07")),
            ("20240517", Some("2024-05-17")),
            ("Published May 17, 2024 at noon", Some("2024-05-17")),
            ("17. Mai 2024", Some("2024-05-17")),
            ("17th September 2024", Some("2024-09-17")),
            ("17.05.2024", Some("2024-05-17")),
            ("05/17/2024", Some("2024-05-17")),
            ("17/05/2024", Some("2024-05-17")),
            ("1024 people in 12 houses", None),
            ("version 2.13.2024", None),
            ("", None),
        ] {
            assert_eq!(day(text).as_deref(), wanted, "{text}");
        }
        assert_eq!(in_path("/news/2024/05/17/story").as_deref(), Some("2024-05-17"));
        assert_eq!(in_path("/news/2024/story"), None);
    }
}
