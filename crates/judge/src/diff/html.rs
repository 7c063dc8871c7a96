//! A diff as a piece of HTML that stands alone: its own few styles, every text escaped (HC085), no script.

use super::effort::{Effort, shown};
use super::unified::moved_links;
use super::words::{Fate, Run};
use super::{ChangeKind, Diff, Hunk};
use std::fmt::Write as _;

/// The styles of a diff, light and dark. A page that holds several diffs needs them once.
pub const STYLE: &str = ".gd{font:14px/1.5 system-ui,sans-serif}\
.gd-s{font-weight:600;margin:.4em 0}.gd-p{color:#667085;font:12px/1.6 ui-monospace,monospace}\
.gd-h{border-left:3px solid #c9cfdb;margin:.6em 0;padding:0 .8em;white-space:pre-wrap;overflow-wrap:anywhere}\
.gd ins{background:#d3f3da;color:#0b4a1c;text-decoration:none;border-radius:2px}\
.gd del{background:#fbdcdc;color:#7c1414;border-radius:2px}\
.gd-d{color:#475467;font-size:12px;font-weight:600}.gd-m{border-color:#7f8fd4}.gd-i{color:#667085}\
@media(prefers-color-scheme:dark){.gd-p,.gd-i{color:#98a2b3}.gd-d{color:#cbd2de}.gd-h{border-color:#475061}\
.gd ins{background:#12391f;color:#a6e9b8}.gd del{background:#4a1a1d;color:#ffc2c2}.gd-m{border-color:#6d7fd0}}";

/// Ignored blocks that are shown at all.
const IGNORED_MAX: usize = 100;

impl Diff {
    /// A `<div class="gd">` with its own `<style>`.
    pub fn html(&self) -> String {
        format!(
            "<div class=\"gd\"><style>{STYLE}</style><p class=\"gd-s\">{}</p>{}</div>",
            escaped(&self.sentence()),
            self.html_piece(usize::MAX)
        )
    }

    /// The same without sentence and style, at most so many hunks of it.
    pub fn html_piece(&self, hunks_max: usize) -> String {
        let mut effort = Effort::new();
        let mut out = "<div class=\"gd\">".to_owned();
        if let (Some((before, after)), None) = (&self.title, &self.title_ignored) {
            let _ = write!(
                out,
                "<div class=\"gd-h\"><div class=\"gd-p\">title</div>{}</div>",
                marked(&effort.compare(before, after))
            );
        }
        let (hunks, ignored, mut left) = self.listed();
        left += hunks.len().saturating_sub(hunks_max);
        for hunk in hunks.into_iter().take(hunks_max) {
            put(&mut out, hunk, &mut effort);
        }
        if left > 0 {
            let _ = write!(
                out,
                "<p class=\"gd-i\">… {left} more changed blocks, too many to show</p>"
            );
        }
        if !ignored.is_empty() {
            let _ = write!(
                out,
                "<details class=\"gd-i\"><summary>{} ignored</summary>",
                ignored.len()
            );
            for hunk in ignored.into_iter().take(hunks_max.min(IGNORED_MAX)) {
                let why = hunk.ignored.as_deref().unwrap_or_default();
                let _ = write!(out, "<p>ignored ({})</p>", escaped(why));
                put(&mut out, hunk, &mut effort);
            }
            out += "</details>";
        }
        out + "</div>"
    }
}

fn put(out: &mut String, hunk: &Hunk, effort: &mut Effort) {
    let after = shown(hunk.after.as_ref());
    let class = if hunk.kind == ChangeKind::Move {
        "gd-h gd-m"
    } else {
        "gd-h"
    };
    let _ = write!(
        out,
        "<div class=\"{class}\"><div class=\"gd-p\">{}</div>",
        escaped(&hunk.path)
    );
    match hunk.kind {
        ChangeKind::Move => {
            let _ = write!(out, "{} <span class=\"gd-d\">(moved)</span>", escaped(&after));
        }
        ChangeKind::Link => {
            *out += &escaped(&after);
            for (before, after) in moved_links(hunk) {
                let _ = write!(
                    out,
                    "<div><del>{}</del> → <ins>{}</ins></div>",
                    escaped(&before),
                    escaped(&after)
                );
            }
        }
        ChangeKind::Add | ChangeKind::Remove | ChangeKind::Change => {
            let (runs, deltas) = effort.words(hunk);
            *out += &marked(&runs);
            for delta in deltas {
                let _ = write!(out, "<div class=\"gd-d\">{}</div>", escaped(&delta.to_string()));
            }
        }
    }
    *out += "</div>";
}

fn marked(runs: &[Run]) -> String {
    runs.iter()
        .map(|run| match run.fate {
            Fate::Kept => escaped(&run.text),
            Fate::Removed => format!("<del>{}</del>", escaped(&run.text)),
            Fate::Added => format!("<ins>{}</ins>", escaped(&run.text)),
        })
        .collect()
}

/// Text that can be nothing but text, between tags and in quoted attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters and those that turn the direction of text have no business in a report.
            '\u{0}'..='\u{8}'
            | '\u{b}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
