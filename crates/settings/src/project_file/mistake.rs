//! What is wrong, where, and what would be right.

use super::place::{line_of, place};
use std::fmt::Write as _;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Characters to underline, at least one.
    pub width: usize,
    pub what: String,
    /// What would be right; empty where nobody can know.
    pub help: String,
    /// The line as it stands in the file, secrets masked.
    pub excerpt: String,
}

impl Mistake {
    pub(crate) fn new(text: &str, range: &Range<usize>, what: String, help: String) -> Mistake {
        let place = place(text, range);
        Mistake {
            line: place.line,
            column: place.column,
            width: place.width,
            what,
            help,
            excerpt: line_of(text, place.line).to_owned(),
        }
    }

    /// As people are shown it: where, what, the line with the place underlined, and the way out.
    pub fn show(&self, file: &str) -> String {
        let mut shown = format!("{file}:{}:{}: {}\n", self.line, self.column, plain(&self.what));
        let number = self.line.to_string();
        let (line, column) = self.window();
        let width = self
            .width
            .min(line.chars().count().saturating_sub(column - 1).max(1));
        let _ = writeln!(shown, "  {number} | {line}");
        let _ = writeln!(
            shown,
            "  {:1$} | {2:3$}{4}",
            "",
            number.len(),
            "",
            column - 1,
            "^".repeat(width)
        );
        if !self.help.is_empty() {
            let _ = writeln!(shown, "  {}", plain(&self.help));
        }
        shown
    }

    /// The line, or what stands around the place where the line is long.
    fn window(&self) -> (String, usize) {
        const SHOWN_MAX: usize = 120;
        const BEFORE: usize = 40;
        let line = plain(&self.excerpt);
        if line.chars().count() <= SHOWN_MAX {
            return (line.trim_end().to_owned(), self.column);
        }
        let skipped = if self.column > SHOWN_MAX / 2 {
            self.column - BEFORE
        } else {
            0
        };
        let mut shown: String = line.chars().skip(skipped).take(SHOWN_MAX).collect();
        let mut column = self.column - skipped;
        if skipped > 0 {
            shown.insert(0, '…');
            column += 1;
        }
        if skipped + SHOWN_MAX < line.chars().count() {
            shown.push('…');
        }
        (shown, column)
    }
}

/// One character for each, none that a terminal would obey.
fn plain(text: &str) -> String {
    let one = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_shown_with_its_line() {
        let text = "name = \"x\"\n\n[[step]]\n\tdept = 3\n";
        let at = text.find("dept").unwrap();
        let mistake = Mistake::new(
            text,
            &(at..at + 4),
            "unknown key `dept` in [[step]]".to_owned(),
            "did you mean `depth`?".to_owned(),
        );
        assert_eq!(
            mistake.show("board.toml"),
            "board.toml:4:2: unknown key `dept` in [[step]]\n  4 |  dept = 3\n    |  ^^^^\n  did you mean `depth`?\n"
        );
    }

    #[test]
    fn a_long_line_is_shown_around_the_place() {
        let text = format!("x = [{}]", "\"12345678\", ".repeat(40));
        let at = 5 + 12 * 20;
        let shown = Mistake::new(&text, &(at..at + 10), "wrong".to_owned(), String::new()).show("f");
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[1].chars().count() < 140, "{shown}");
        let caret = lines[2].find('^').unwrap();
        let below: String = lines[1].chars().skip(caret).take(10).collect();
        assert_eq!(below, "\"12345678\"", "{shown}");
    }
}
