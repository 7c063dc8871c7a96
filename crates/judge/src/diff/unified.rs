//! A diff as lines: `-` before, `+` after, `>` moved, `~` ignored; and the same with the words marked inside.

use super::delta::Delta;
use super::effort::Effort;
use super::words::Fate;
use super::{ChangeKind, Diff, DiffPart, Hunk, clipped};
use std::fmt::Write as _;

impl Diff {
    /// Unified text: each hunk under its path, old lines before new lines.
    pub fn unified(&self) -> String {
        self.lines(|hunk, effort, out| {
            for (sign, part) in [('-', &hunk.before), ('+', &hunk.after)] {
                if let Some(part) = part {
                    put_lines(out, sign, &part.text);
                }
            }
            effort.deltas(hunk)
        })
    }

    /// One text per hunk with `[-removed-]` and `{+added+}` words.
    pub fn words(&self) -> String {
        self.lines(|hunk, effort, out| {
            let (runs, deltas) = effort.words(hunk);
            let marked: String = runs
                .into_iter()
                .map(|run| match run.fate {
                    Fate::Kept => run.text,
                    Fate::Removed => format!("[-{}-]", run.text),
                    Fate::Added => format!("{{+{}+}}", run.text),
                })
                .collect();
            // Both sides are cut for showing already; together they may be longer than one.
            for line in marked.split('\n') {
                let _ = writeln!(out, "  {line}");
            }
            deltas
        })
    }

    /// What both forms share: sentence, title, moves, links, deltas, and what is ignored.
    fn lines(&self, body: impl Fn(&Hunk, &mut Effort, &mut String) -> Vec<Delta>) -> String {
        let mut out = self.sentence();
        out.push('\n');
        if let (Some((before, after)), None) = (&self.title, &self.title_ignored) {
            out.push_str("@@ title\n");
            put_lines(&mut out, '-', before);
            put_lines(&mut out, '+', after);
        }
        let mut effort = Effort::new();
        let (hunks, ignored, left) = self.listed();
        for hunk in hunks {
            let _ = writeln!(out, "@@ {}", hunk.path);
            let deltas = match hunk.kind {
                ChangeKind::Move => {
                    put_lines(&mut out, '>', hunk.after.as_ref().map_or("", |part| &part.text));
                    Vec::new()
                }
                ChangeKind::Link => {
                    for (before, after) in moved_links(hunk) {
                        let _ = writeln!(out, "  link: {before} → {after}");
                    }
                    Vec::new()
                }
                ChangeKind::Add | ChangeKind::Remove | ChangeKind::Change => {
                    body(hunk, &mut effort, &mut out)
                }
            };
            for delta in deltas {
                let _ = writeln!(out, "  {delta}");
            }
        }
        put_left(&mut out, left);
        if let Some(why) = &self.title_ignored {
            let _ = writeln!(out, "~ ignored ({why}): title");
        }
        put_ignored(&mut out, &ignored);
        out
    }
}

/// How many changed blocks are not shown.
pub(super) fn put_left(out: &mut String, left: usize) {
    if left > 0 {
        let _ = writeln!(out, "… {left} more changed blocks, too many to show");
    }
}

/// One line for each block that does not count, as many as people read.
pub(super) fn put_ignored(out: &mut String, ignored: &[&Hunk]) {
    const LINES_MAX: usize = 100;
    for hunk in ignored.iter().take(LINES_MAX) {
        let why = hunk.ignored.as_deref().unwrap_or_default();
        let _ = writeln!(out, "~ ignored ({why}): {}", hunk.path);
    }
    if ignored.len() > LINES_MAX {
        let _ = writeln!(out, "~ … {} more ignored blocks", ignored.len() - LINES_MAX);
    }
}

/// Link targets that differ, side by side, the first few; `–` where one side has none.
pub(super) fn moved_links(hunk: &Hunk) -> Vec<(String, String)> {
    const LINKS_MAX: usize = 100;
    let links = |part: &Option<DiffPart>| part.as_ref().map(|part| part.links.clone()).unwrap_or_default();
    let (before, after) = (links(&hunk.before), links(&hunk.after));
    let at = |links: &[String], place: usize| links.get(place).cloned().unwrap_or_else(|| "–".to_owned());
    (0..before.len().max(after.len()))
        .map(|place| (at(&before, place), at(&after, place)))
        .filter(|(before, after)| before != after)
        .take(LINKS_MAX)
        .collect()
}

fn put_lines(out: &mut String, sign: char, text: &str) {
    for line in clipped(text).split('\n') {
        let _ = writeln!(out, "{sign} {line}");
    }
}
