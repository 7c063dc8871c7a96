//! Words of a page made short: white space folded, length bounded, nothing else touched (HC080, HC085).

/// Collects text, folding every run of white space into one space and stopping at a number of characters.
#[derive(Debug, Default, Clone)]
pub(crate) struct Folded {
    out: String,
    chars_left: usize,
    space_due: bool,
}

impl Folded {
    pub(crate) fn new(chars_max: usize) -> Folded {
        Folded {
            out: String::new(),
            chars_left: chars_max,
            space_due: false,
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.chars_left == 0
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.out.reserve(text.len().min(self.chars_left));
        let mut rest = text;
        while !rest.is_empty() {
            if self.chars_left == 0 {
                return;
            }
            // Words of plain letters are most of it, and are taken whole.
            let plain = rest.bytes().take_while(u8::is_ascii_graphic).count();
            let c = rest.chars().next().filter(|_| plain == 0);
            let (next, after) = rest.split_at(c.map_or(plain, char::len_utf8));
            rest = after;
            // NUL cannot be kept in every store; browsers show it as U+FFFD or drop it.
            if c == Some('\0') {
                continue;
            }
            if c.is_some_and(char::is_whitespace) {
                self.space_due = !self.out.is_empty();
                continue;
            }
            if self.space_due {
                self.space_due = false;
                self.chars_left -= 1;
                if self.chars_left == 0 {
                    return;
                }
                self.out.push(' ');
            }
            let taken = if plain > 0 { plain.min(self.chars_left) } else { 1 };
            self.out.push_str(if plain > 0 { &next[..taken] } else { next });
            self.chars_left -= taken;
        }
    }

    /// A word border that leaves no trace unless words follow: what a tag is between words.
    pub(crate) fn push_space(&mut self) {
        self.space_due = !self.out.is_empty();
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}

/// Folds a whole text.
pub(crate) fn fold(text: &str, chars_max: usize) -> String {
    let mut folded = Folded::new(chars_max);
    folded.push(text);
    folded.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_folded_and_length_bounded() {
        let cases = [
            ("", 10, ""),
            ("  a \n\t b  ", 10, "a b"),
            ("a\u{a0}\u{2003}b", 10, "a b"),
            ("abcdef", 3, "abc"),
            ("ab cdef", 3, "ab"),
            ("äöü ß", 5, "äöü ß"),
            ("a\0b", 5, "ab"),
        ];
        for (text, max, want) in cases {
            assert_eq!(fold(text, max), want, "{text:?}");
        }
    }

    #[test]
    fn hc080_marks_and_overrides_are_kept_but_bounded() {
        let marks = "\u{301}".repeat(1_000_000);
        assert_eq!(fold(&marks, 300).chars().count(), 300);
        assert_eq!(fold("a\u{202e}b\u{200b}c", 300), "a\u{202e}b\u{200b}c");
    }
}
