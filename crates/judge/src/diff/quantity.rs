//! Is a number in a text a quantity, of which one can say by how much it changed? In: the text and where the number stands in it.
//!
//! Numbers are also names: of telephones, versions, years, standards, tickets, rooms. What such a name changed by means nothing. They are
//! told by what stands beside them: a dash, a slash or another number, a word that announces a name; and by their own form. Doubt is
//! silence: a difference that is not shown can still be seen, because both numbers are.

use std::ops::Range;

/// Words after which a number is a name, as in "version 5" or "No. 7"; in lower case.
const NAMING: &[&str] = &[
    "article",
    "artikel",
    "bug",
    "build",
    "chapter",
    "fax",
    "figure",
    "id",
    "isbn",
    "iso",
    "issn",
    "issue",
    "kapitel",
    "line",
    "n",
    "nº",
    "n°",
    "no",
    "nr",
    "nro",
    "number",
    "num",
    "numéro",
    "número",
    "nummer",
    "page",
    "phone",
    "pin",
    "port",
    "postcode",
    "ref",
    "release",
    "rev",
    "revision",
    "rfc",
    "room",
    "section",
    "seite",
    "sku",
    "step",
    "tel",
    "telefon",
    "telephone",
    "teléfono",
    "ticket",
    "téléphone",
    "v",
    "ver",
    "version",
    "versione",
    "versión",
    "volume",
    "zip",
];

/// Digits of a number that is not parted into groups, from which on it is somebody's number.
const DIGITS_MAX: usize = 9;

/// Whether a difference of the number that stands there says something.
pub(super) fn is_quantity(text: &str, place: Range<usize>) -> bool {
    let (before, number, after) = (&text[..place.start], &text[place.clone()], &text[place.end..]);
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let is_bare = digits == number.len();
    let has_leading_zero = is_bare && digits > 1 && number.starts_with('0');
    let is_name = has_leading_zero
        || (is_bare && digits > DIGITS_MAX)
        || is_joined(before, after)
        || is_in_a_row(before, after)
        || counts_a_list(before, after)
        || is_announced(before);
    !is_name
}

/// Whether a number is a year rather than a sum of money or a share.
pub(super) fn is_year(text: &str, place: Range<usize>) -> bool {
    let number = &text[place.clone()];
    let is_unit = |sign: char| matches!(sign, '$' | '€' | '£' | '¥' | '₹' | '%' | '‰' | '°');
    let has_unit = text[..place.start].trim_end().ends_with(is_unit)
        || text[place.end..].trim_start().starts_with(is_unit);
    let is_four_digits = number.len() == 4 && number.bytes().all(|byte| byte.is_ascii_digit());
    is_four_digits && ("1900"..="2099").contains(&number) && !has_unit
}

fn is_dash(sign: char) -> bool {
    matches!(sign, '-' | '‐' | '‑' | '–' | '—' | '−')
}

/// A part of something longer: 555-0199, 3/4, F-16, #12, +49, 5.x. A dash before a number may be a minus, and then the difference
/// would have the wrong sign.
fn is_joined(before: &str, after: &str) -> bool {
    let is_glue = |sign: char| {
        is_dash(sign)
            || matches!(
                sign,
                '/' | '\\' | '#' | '@' | '§' | '№' | '.' | ':' | '=' | '&' | '+' | '_'
            )
    };
    let mut behind = after.chars();
    let (sign, next) = (behind.next(), behind.next());
    let goes_on = |sign: char| match sign {
        '/' | '\\' | '@' => true,
        '.' | ':' | '_' => next.is_some_and(char::is_alphanumeric),
        _ => is_dash(sign) && next.is_some_and(|next| next.is_ascii_digit()),
    };
    before.ends_with(is_glue) || sign.is_some_and(goes_on)
}

/// One of several numbers in a row: 01 23 45 67, (980) 555 0199.
fn is_in_a_row(before: &str, after: &str) -> bool {
    let is_blank = |sign: char| matches!(sign, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}');
    let ends_in_digit = |text: &str| text.ends_with(|sign: char| sign.is_ascii_digit());
    let left = before.trim_end_matches(is_blank);
    let right = after.trim_start_matches(is_blank);
    let left_code = left.strip_suffix(')').is_some_and(|inside| {
        inside.rsplit_once('(').is_some_and(|(_, code)| {
            !code.is_empty() && code.chars().all(|sign| sign.is_ascii_digit() || sign == ' ')
        })
    });
    let is_code = before.ends_with('(')
        && after.strip_prefix(')').is_some_and(|rest| {
            rest.trim_start_matches(is_blank)
                .starts_with(|sign: char| sign.is_ascii_digit())
        });
    ends_in_digit(left) || left_code || is_code || right.starts_with(|sign: char| sign.is_ascii_digit())
}

/// The number of an entry, as in "3. Salt".
fn counts_a_list(before: &str, after: &str) -> bool {
    before.trim().is_empty()
        && after
            .strip_prefix(['.', ')'])
            .is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

fn is_announced(before: &str) -> bool {
    let word_end = before.trim_end().trim_end_matches(['.', ':', '(']).trim_end();
    let start = word_end
        .rfind(|sign: char| !sign.is_alphanumeric() && sign != '°')
        .map_or(0, |at| {
            at + word_end[at..].chars().next().map_or(1, char::len_utf8)
        });
    NAMING.contains(&word_end[start..].to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of the number between the two bars.
    fn placed(marked: &str) -> (String, Range<usize>) {
        let parts: Vec<&str> = marked.split('|').collect();
        let start = parts[0].len();
        (parts.concat(), start..start + parts[1].len())
    }

    #[test]
    fn names_are_no_quantities() {
        for marked in [
            "call (|980|) 555-0199",
            "call (980) |555| 0199",
            "call 980-|555|-0199",
            "call |980|-555-0199",
            "tel. |5550199|",
            "Tel.: |5550199|",
            "+|49| 30 901820",
            "dial 01 |23| 45",
            "dial |01|",
            "version |5|",
            "v. |5.3|",
            "release |5.3| is out",
            "Python |5|.x",
            "the F-|16| flies",
            "at -|5| degrees",
            "issue #|14|",
            "issue |14| is closed",
            "§|14|",
            "room |14|",
            "No. |7|",
            "n° |7|",
            "ISBN |9781234567897|",
            "order |1234567890| came",
            "agent |007|",
            "from |5|–7 May",
            "from 5–|7| May",
            "open |24|/7",
            "?id=|17|",
            "|3|. Salt",
            "|3|) Salt",
            "Rue 5 |75001| Paris",
        ] {
            let (text, place) = placed(marked);
            assert!(!is_quantity(&text, place), "{marked}");
        }
    }

    #[test]
    fn what_can_be_counted_is_a_quantity() {
        for marked in [
            "costs $|19.99| now",
            "costs |1.299,50| €",
            "|1,299| readers",
            "a |5|-day trip",
            "in stock: |12|",
            "Downloads |980| (12 today)",
            "Downloads 980 (|12| today)",
            "0 of |12|",
            "|0.5| %",
            "|0| left",
            "It was |12|.",
            "Pressure\t|980|\t1013",
            "共|5|人",
        ] {
            let (text, place) = placed(marked);
            assert!(is_quantity(&text, place), "{marked}");
        }
        let year = |marked: &str| {
            let (text, place) = placed(marked);
            is_year(&text, place)
        };
        assert!(year("© |2024| the town") && year("founded in |1987|"));
        assert!(!year("costs $|2024|") && !year("|2024| €") && !year("|1234| readers") && !year("|2024.5|"));
    }
}
