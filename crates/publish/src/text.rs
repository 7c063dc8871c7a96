//! Text from outside on its way to a terminal: made harmless, then coloured.

use std::borrow::Cow;

/// Text from outside, made unable to fake a line or turn the writing direction (HC080, HC085).
pub fn safe(text: &str) -> String {
    let is_tricky = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if !text.contains(is_tricky) {
        return text.to_owned();
    }
    text.chars()
        .map(|c| {
            if is_tricky(c) {
                c.escape_unicode().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// Whether colours are wanted: on a terminal, unless its owner said no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    On,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Bold,
    Faint,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
}

impl Colour {
    /// The colour of a state's word.
    pub fn of_state(state: &str) -> Colour {
        match state {
            "NEW" => Colour::Green,
            "UPD" => Colour::Yellow,
            "MIS" => Colour::Magenta,
            "ERR" => Colour::Red,
            "OUT" => Colour::Blue,
            _ => Colour::Faint,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Colour::Bold => "1",
            Colour::Faint => "2",
            Colour::Red => "31",
            Colour::Green => "32",
            Colour::Yellow => "33",
            Colour::Blue => "34",
            Colour::Magenta => "35",
            Colour::Cyan => "36",
        }
    }
}

impl Paint {
    pub fn put(self, colour: Colour, text: &str) -> Cow<'_, str> {
        match self {
            Paint::On if !text.is_empty() => Cow::Owned(format!("\u{1b}[{}m{text}\u{1b}[0m", colour.code())),
            _ => Cow::Borrowed(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc080_text_from_outside_cannot_fake_a_line() {
        assert_eq!(safe("a\nERR  b"), "a\\u{a}ERR  b");
        assert_eq!(safe("a\u{202e}gnp.exe"), "a\\u{202e}gnp.exe");
        assert_eq!(safe("Grüße, мир"), "Grüße, мир");
    }

    #[test]
    fn colours_are_off_where_nobody_wants_them() {
        assert_eq!(Paint::Off.put(Colour::Red, "x"), "x");
        assert_eq!(Paint::On.put(Colour::Red, "x"), "\u{1b}[31mx\u{1b}[0m");
    }
}
