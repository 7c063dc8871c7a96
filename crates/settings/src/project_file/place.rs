//! Where in the file is this? Lines and columns count from 1, columns in characters.

use super::Mistake;
use std::collections::BTreeMap;
use std::ops::Range;

/// A piece of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: usize,
    pub column: usize,
    /// Characters, at least one.
    pub width: usize,
}

/// Where everything stands in a file that was read, so that others who look at the project later can point at it.
///
/// Keys are named by their way from the top: `scope`, `limits.depth`, `sources[0]`, `step[1].links`,
/// `step[1].rule[0].deny`, `login.fields.user`. Numbers count from 0 and are those of the file.
#[derive(Debug, Clone, Default)]
pub struct Places {
    pub(crate) text: String,
    pub(crate) keys: BTreeMap<String, Range<usize>>,
    pub(crate) values: BTreeMap<String, Range<usize>>,
    /// For each step of the project the step of the file that it comes from: a page with a form is two.
    pub(crate) steps: Vec<usize>,
    /// For each rule of the project, or of a step by its way, the rule of the file: those that cannot be read are left out.
    pub(crate) rules: BTreeMap<String, Vec<usize>>,
}

impl Places {
    pub fn key(&self, path: &str) -> Option<Place> {
        Some(place(&self.text, self.keys.get(path)?))
    }

    pub fn value(&self, path: &str) -> Option<Place> {
        Some(place(&self.text, self.values.get(path)?))
    }

    /// The way to a step of the project, by its index there: `step[1]`.
    pub fn step(&self, index: usize) -> Option<String> {
        Some(format!("step[{}]", self.steps.get(index)?))
    }

    /// The way to a rule of the project, or of the step at `way`, by its index there: `rule[2]`, `step[1].rule[0]`.
    pub fn rule(&self, way: &str, index: usize) -> Option<String> {
        let index = self.rules.get(way)?.get(index)?;
        Some(match way {
            "" => format!("rule[{index}]"),
            way => format!("{way}.rule[{index}]"),
        })
    }

    /// A mistake at the value of this key; where the file does not have the key, at the section around it.
    pub fn mistake(&self, path: &str, what: impl Into<String>, help: impl Into<String>) -> Mistake {
        let mut known = path;
        let range = loop {
            if let Some(range) = self.values.get(known) {
                break range.clone();
            }
            match known.rfind(['.', '[']) {
                Some(end) => known = &known[..end],
                None => break 0..0,
            }
        };
        Mistake::new(&self.text, &range, what.into(), help.into())
    }
}

/// From bytes to lines and characters. What spans several lines is cut at the end of the first.
pub(crate) fn place(text: &str, range: &Range<usize>) -> Place {
    let start = floor(text, range.start);
    let before = &text[..start];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = &text[start..floor(text, range.end.max(start))];
    let rest = rest.split(['\n', '\r']).next().unwrap_or("");
    Place {
        line: before.matches('\n').count() + 1,
        column: text[line_start..start].chars().count() + 1,
        width: rest.chars().count().max(1),
    }
}

/// The line of a place without its end.
pub(crate) fn line_of(text: &str, line: usize) -> &str {
    text.lines().nth(line - 1).unwrap_or("")
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "a = 1\nüber = \"ä\"\n";
        let at = text.find('"').unwrap();
        let found = place(text, &(at..at + 4));
        assert_eq!((found.line, found.column, found.width), (2, 8, 3));
        let end = place(text, &(text.len()..text.len()));
        assert_eq!((end.line, end.column, end.width), (3, 1, 1));
        assert_eq!(place("", &(0..0)).line, 1);
    }
}
