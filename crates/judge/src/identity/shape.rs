//! What does an id look like?
//!
//! In: the values one id had in two sessions. Out: an alphabet and a range of lengths that the next session's value
//! will fit. A shape never decides that something *is* an id; it only keeps a rule for an unnamed place (a path
//! segment, a host label) from taking its neighbours.

use serde::{Deserialize, Serialize};

/// No segment of a path longer than this is one plain word.
const WORD_MAX: usize = 24;

/// The letters and digits an id is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alphabet {
    Digits,
    HexLower,
    HexUpper,
    Lower,
    Upper,
    Mixed,
}

/// Alphabet, other characters, and length of the values of a slot.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ValueShape {
    pub alphabet: Alphabet,
    /// Characters beside letters and digits: `-_` and the like.
    pub marks: String,
    pub length_min: usize,
    pub length_max: usize,
    /// Every value seen held letters and digits both, so a plain word does not fit.
    pub is_mixed: bool,
}

impl Alphabet {
    fn of(values: &[&str]) -> Alphabet {
        let mut has = [false; 5]; // digit, a-f, g-z, A-F, G-Z
        for byte in values.iter().flat_map(|value| value.bytes()) {
            match byte {
                b'0'..=b'9' => has[0] = true,
                b'a'..=b'f' => has[1] = true,
                b'g'..=b'z' => has[2] = true,
                b'A'..=b'F' => has[3] = true,
                b'G'..=b'Z' => has[4] = true,
                _ => {}
            }
        }
        match has {
            [_, false, false, false, false] => Alphabet::Digits,
            [true, true, false, false, false] => Alphabet::HexLower,
            [true, false, false, true, false] => Alphabet::HexUpper,
            [_, _, _, false, false] => Alphabet::Lower,
            [_, false, false, _, _] => Alphabet::Upper,
            _ => Alphabet::Mixed,
        }
    }

    /// The smallest that holds both.
    fn with(self, other: Alphabet) -> Alphabet {
        let holds = |all: Alphabet, part: Alphabet| match part {
            Alphabet::Digits => true,
            Alphabet::HexLower => matches!(all, Alphabet::HexLower | Alphabet::Lower | Alphabet::Mixed),
            Alphabet::HexUpper => matches!(all, Alphabet::HexUpper | Alphabet::Upper | Alphabet::Mixed),
            Alphabet::Lower | Alphabet::Upper | Alphabet::Mixed => all == part || all == Alphabet::Mixed,
        };
        [self, other]
            .into_iter()
            .find(|one| holds(*one, self) && holds(*one, other))
            .unwrap_or(Alphabet::Mixed)
    }

    fn has(self, c: char) -> bool {
        match self {
            Alphabet::Digits => c.is_ascii_digit(),
            Alphabet::HexLower => matches!(c, '0'..='9' | 'a'..='f'),
            Alphabet::HexUpper => matches!(c, '0'..='9' | 'A'..='F'),
            Alphabet::Lower => matches!(c, '0'..='9' | 'a'..='z'),
            Alphabet::Upper => matches!(c, '0'..='9' | 'A'..='Z'),
            Alphabet::Mixed => c.is_ascii_alphanumeric(),
        }
    }
}

impl ValueShape {
    /// The shape that all these values have, with room for the next one.
    pub fn of(values: &[&str]) -> ValueShape {
        let mut marks = String::new();
        for c in values.iter().flat_map(|value| value.chars()) {
            if !c.is_ascii_alphanumeric() && !marks.contains(c) {
                marks.push(c);
            }
        }
        // The alphabets of base 64 come in pairs: who has seen one sign will meet the other.
        for pair in [['-', '_'], ['+', '/']] {
            if pair.iter().any(|c| marks.contains(*c)) {
                marks.extend(
                    pair.iter()
                        .filter(|c| !marks.contains(**c))
                        .copied()
                        .collect::<Vec<_>>(),
                );
            }
        }
        let alphabet = Alphabet::of(values);
        let min = values.iter().map(|v| v.chars().count()).min().unwrap_or(0);
        let max = values.iter().map(|v| v.chars().count()).max().unwrap_or(0);
        // × 0.7 and × 1.4; wider where the length was seen to vary.
        let (length_min, length_max) = if min == max {
            (min * 7 / 10, max * 14 / 10)
        } else {
            (min * 5 / 10, max * 2)
        };
        // Hexadecimal, digits and what is longer than words need no such test.
        let is_mixed = matches!(alphabet, Alphabet::Lower | Alphabet::Upper | Alphabet::Mixed)
            && length_max <= WORD_MAX
            && values.iter().all(|v| is_mixed(v));
        ValueShape {
            alphabet,
            marks,
            length_min: length_min.max(1),
            length_max,
            is_mixed,
        }
    }

    /// The shape of whatever has this one or that one.
    pub(super) fn with(&self, other: &ValueShape) -> ValueShape {
        let marks = other.marks.chars().filter(|c| !self.marks.contains(*c));
        ValueShape {
            alphabet: self.alphabet.with(other.alphabet),
            marks: self.marks.chars().chain(marks).collect(),
            length_min: self.length_min.min(other.length_min),
            length_max: self.length_max.max(other.length_max),
            is_mixed: self.is_mixed && other.is_mixed,
        }
    }

    /// Whether names that people give to pages (`chapter12`) could have this shape.
    pub(super) fn is_like_names(&self) -> bool {
        matches!(self.alphabet, Alphabet::Lower | Alphabet::Upper | Alphabet::Mixed)
            && self.length_max <= WORD_MAX
    }

    pub fn fits(&self, value: &str) -> bool {
        let length = value.chars().count();
        (self.length_min..=self.length_max).contains(&length)
            && value
                .chars()
                .all(|c| self.alphabet.has(c) || self.marks.contains(c))
            && (!self.is_mixed || is_mixed(value) || !is_word(value))
    }
}

fn is_mixed(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Could a person have written it? Letters only, most of them in pairs that languages use.
pub(super) fn is_word(value: &str) -> bool {
    if value.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    let letters = value.to_ascii_lowercase();
    let pairs: Vec<&[u8]> = letters
        .as_bytes()
        .windows(2)
        .filter(|p| p.iter().all(u8::is_ascii_alphabetic))
        .collect();
    let usual = pairs.iter().filter(|pair| is_usual(pair[0], pair[1])).count();
    usual * 2 >= pairs.len()
}

/// Letters that often follow each letter, in the languages of most web sites.
const FOLLOWERS: [&str; 26] = [
    "bcdgilmnprstuvy",
    "aelorsuy",
    "aehikortu",
    "aeiosu",
    "acdeilmnrstvxw",
    "aefiloru",
    "aehilorsu",
    "aeioty",
    "acdefglmnoprstvz",
    "aou",
    "aeins",
    "adeiklosty",
    "abeimopsu",
    "acdegiknostu",
    "bcdfgiklmnoprstuvw",
    "aehiloprt",
    "u",
    "acdegiklmnosty",
    "achekiopstu",
    "aehiorstu",
    "abcdegilmnprst",
    "aeio",
    "aehio",
    "acipt",
    "aelos",
    "aeioz",
];

fn is_usual(first: u8, second: u8) -> bool {
    FOLLOWERS[usize::from(first - b'a')].as_bytes().contains(&second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_value_fits_and_a_word_does_not() {
        let shape = ValueShape::of(&["k3j9x0zq1m", "a8d0w2mmx1"]);
        assert_eq!(shape.alphabet, Alphabet::Lower);
        assert!(shape.fits("zz81kq0p"));
        assert!(!shape.fits("products"), "a word");
        assert!(!shape.fits("categories"), "a word");
        assert!(shape.fits("qzkvbxjwpd"), "letters only, and no word");
        assert!(!shape.fits("K3J9X0ZQ1M"), "another alphabet");
        assert!(!shape.fits("k3j9"), "too short");
    }

    #[test]
    fn alphabets_are_the_smallest_that_hold_all() {
        for (values, expected) in [
            (["0123", "99"], Alphabet::Digits),
            (["0a", "b1"], Alphabet::HexLower),
            (["0A", "1F"], Alphabet::HexUpper),
            (["0a", "1z"], Alphabet::Lower),
            (["0A", "Z1"], Alphabet::Upper),
            (["aB", "1-"], Alphabet::Mixed),
        ] {
            assert_eq!(ValueShape::of(&values).alphabet, expected, "{values:?}");
        }
    }
}
