//! A diff in two columns, wrapped to a width, for terminals.

use super::effort::shown;
use super::unified::{moved_links, put_ignored, put_left};
use super::{ChangeKind, Diff};

/// Narrower than this no column holds a word.
const WIDTH_MIN: usize = 24;

impl Diff {
    /// Before on the left, after on the right; `width` counts characters of the whole line.
    pub fn side_by_side(&self, width: usize) -> String {
        let column = (width.max(WIDTH_MIN) - 3) / 2;
        let mut out = self.sentence();
        out.push('\n');
        if let (Some((before, after)), None) = (&self.title, &self.title_ignored) {
            put(&mut out, before, '|', after, column);
        }
        let (hunks, ignored, left) = self.listed();
        for hunk in hunks {
            let (before, after) = (shown(hunk.before.as_ref()), shown(hunk.after.as_ref()));
            let sign = match hunk.kind {
                ChangeKind::Add => '>',
                ChangeKind::Remove => '<',
                ChangeKind::Move => '↕',
                ChangeKind::Change | ChangeKind::Link => '|',
            };
            if hunk.kind == ChangeKind::Link {
                let (before, after): (Vec<String>, Vec<String>) = moved_links(hunk).into_iter().unzip();
                put(&mut out, &before.join("\n"), sign, &after.join("\n"), column);
            } else {
                put(&mut out, &before, sign, &after, column);
            }
        }
        put_left(&mut out, left);
        put_ignored(&mut out, &ignored);
        out
    }
}

fn put(out: &mut String, before: &str, sign: char, after: &str, column: usize) {
    let (left, right) = (wrapped(before, column), wrapped(after, column));
    for row in 0..left.len().max(right.len()) {
        let cell = |lines: &[String]| lines.get(row).cloned().unwrap_or_default();
        let (before, after) = (cell(&left), cell(&right));
        let padding = " ".repeat(column.saturating_sub(before.chars().count()));
        out.push_str(format!("{before}{padding} {sign} {after}").trim_end());
        out.push('\n');
    }
}

/// Lines of at most `column` characters, broken at blanks where there are any.
fn wrapped(text: &str, column: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for source in text.split('\n') {
        let mut line = String::new();
        let mut filled = 0;
        for word in source.split(' ') {
            let mut word: Vec<char> = word.chars().collect();
            if filled > 0 && filled + 1 + word.len() > column {
                lines.push(std::mem::take(&mut line));
                filled = 0;
            }
            while word.len() > column {
                let rest = word.split_off(column);
                lines.push(word.into_iter().collect());
                word = rest;
            }
            if filled > 0 {
                line.push(' ');
                filled += 1;
            }
            filled += word.len();
            line.extend(word);
        }
        lines.push(line);
    }
    lines
}
