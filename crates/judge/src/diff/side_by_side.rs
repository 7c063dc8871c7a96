//! A diff in two columns, wrapped to a width, for terminals.

use super::{ChangeKind, Diff, Part, clipped};

/// Narrower than this no column holds a word.
const WIDTH_MIN: usize = 24;

impl Diff {
    /// Before on the left, after on the right; `width` counts characters of the whole line.
    pub fn side_by_side(&self, width: usize) -> String {
        let column = (width.max(WIDTH_MIN) - 3) / 2;
        let mut out = self.sentence();
        out.push('\n');
        if let Some((before, after)) = &self.title {
            put(&mut out, before, '|', after, column);
        }
        let text = |part: &Option<Part>| {
            part.as_ref()
                .map_or_else(String::new, |part| clipped(&part.text).into_owned())
        };
        for hunk in self.shown() {
            let (sign, before, after) = match hunk.kind {
                ChangeKind::Add => ('>', String::new(), text(&hunk.after)),
                ChangeKind::Remove => ('<', text(&hunk.before), String::new()),
                ChangeKind::Move => ('↕', text(&hunk.before), text(&hunk.after)),
                ChangeKind::Change => ('|', text(&hunk.before), text(&hunk.after)),
                ChangeKind::Link => {
                    let links = super::unified::moved_links(hunk);
                    let (before, after): (Vec<String>, Vec<String>) = links.into_iter().unzip();
                    ('|', before.join("\n"), after.join("\n"))
                }
            };
            put(&mut out, &before, sign, &after, column);
        }
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
