//! A diff as lines: `-` before, `+` after, `>` moved, `~` ignored; and the same with the words marked inside.

use super::delta::deltas;
use super::words::{Fate, compare_words};
use super::{ChangeKind, Diff, Hunk, Part, clipped};
use std::fmt::Write as _;

impl Diff {
    /// Unified text: each hunk under its path, old lines before new lines.
    pub fn unified(&self) -> String {
        self.lines(|hunk, out| {
            for (sign, part) in [('-', &hunk.before), ('+', &hunk.after)] {
                if let Some(part) = part {
                    put_lines(out, sign, &part.text);
                }
            }
        })
    }

    /// One text per hunk with `[-removed-]` and `{+added+}` words.
    pub fn words(&self) -> String {
        self.lines(|hunk, out| {
            let empty = String::new();
            let text = |part: &Option<Part>| {
                part.as_ref()
                    .map_or(empty.clone(), |part| clipped(&part.text).into_owned())
            };
            let marked: String = compare_words(&text(&hunk.before), &text(&hunk.after))
                .into_iter()
                .map(|run| match run.fate {
                    Fate::Kept => run.text,
                    Fate::Removed => format!("[-{}-]", run.text),
                    Fate::Added => format!("{{+{}+}}", run.text),
                })
                .collect();
            put_lines(out, ' ', &marked);
        })
    }

    /// What both forms share: sentence, title, moves, links, deltas, and what is ignored.
    fn lines(&self, body: impl Fn(&Hunk, &mut String)) -> String {
        let mut out = self.sentence();
        out.push('\n');
        if let Some((before, after)) = &self.title {
            out.push_str("@@ title\n");
            put_lines(&mut out, '-', before);
            put_lines(&mut out, '+', after);
        }
        for hunk in self.shown() {
            let _ = writeln!(out, "@@ {}", hunk.path);
            match hunk.kind {
                ChangeKind::Move => {
                    put_lines(&mut out, '>', hunk.after.as_ref().map_or("", |part| &part.text));
                }
                ChangeKind::Link => {
                    for (before, after) in moved_links(hunk) {
                        let _ = writeln!(out, "  link: {before} → {after}");
                    }
                }
                ChangeKind::Add | ChangeKind::Remove | ChangeKind::Change => body(hunk, &mut out),
            }
            for delta in hunk.deltas() {
                let _ = writeln!(out, "  {delta}");
            }
        }
        for hunk in &self.hunks {
            if let Some(why) = &hunk.ignored {
                let _ = writeln!(out, "~ ignored ({why}): {}", hunk.path);
            }
        }
        out
    }
}

impl Hunk {
    /// Numbers and dates of a changed block that took other values.
    pub fn deltas(&self) -> Vec<super::delta::Delta> {
        match (self.kind, &self.before, &self.after) {
            (ChangeKind::Change, Some(before), Some(after)) => deltas(
                &before.text,
                &after.text,
                &compare_words(&before.text, &after.text),
            ),
            _ => Vec::new(),
        }
    }
}

/// Link targets that differ, side by side; `–` where one side has none.
pub(super) fn moved_links(hunk: &Hunk) -> Vec<(String, String)> {
    let links = |part: &Option<Part>| part.as_ref().map(|part| part.links.clone()).unwrap_or_default();
    let (before, after) = (links(&hunk.before), links(&hunk.after));
    let at = |links: &[String], place: usize| links.get(place).cloned().unwrap_or_else(|| "–".to_owned());
    (0..before.len().max(after.len()))
        .map(|place| (at(&before, place), at(&after, place)))
        .filter(|(before, after)| before != after)
        .collect()
}

fn put_lines(out: &mut String, sign: char, text: &str) {
    for line in clipped(text).split('\n') {
        let _ = writeln!(out, "{sign} {line}");
    }
}
