//! A diff as a piece of HTML that stands alone: its own few styles, every text escaped (HC085), no script.

use super::words::{Fate, compare_words};
use super::{ChangeKind, Diff, Hunk, Part, clipped};
use std::fmt::Write as _;

const STYLE: &str = "<style>.gd{font:14px/1.5 system-ui,sans-serif}.gd-p{color:#667;font:12px monospace}\
.gd-h{border-left:3px solid #ccd;margin:.6em 0;padding:0 .8em;white-space:pre-wrap;overflow-wrap:anywhere}\
.gd ins{background:#d7f5dd;text-decoration:none}.gd del{background:#fbdcdc}.gd-d{color:#445;font-size:12px}\
.gd-m{border-color:#88c}.gd-i{color:#889}</style>";

impl Diff {
    /// A `<div class="gd">` with its own `<style>`.
    pub fn html(&self) -> String {
        let mut out = format!(
            "<div class=\"gd\">{STYLE}<p><strong>{}</strong></p>",
            escaped(&self.sentence())
        );
        if let Some((before, after)) = &self.title {
            let _ = write!(
                out,
                "<div class=\"gd-h\"><div class=\"gd-p\">title</div>{}</div>",
                marked(before, after)
            );
        }
        for hunk in self.shown() {
            put(&mut out, hunk);
        }
        let ignored: Vec<&Hunk> = self.hunks.iter().filter(|hunk| hunk.ignored.is_some()).collect();
        if !ignored.is_empty() {
            let _ = write!(
                out,
                "<details class=\"gd-i\"><summary>{} ignored</summary>",
                ignored.len()
            );
            for hunk in ignored {
                let why = hunk.ignored.as_deref().unwrap_or_default();
                let _ = write!(out, "<p>ignored ({})</p>", escaped(why));
                put(&mut out, hunk);
            }
            out += "</details>";
        }
        out + "</div>"
    }
}

fn put(out: &mut String, hunk: &Hunk) {
    let text = |part: &Option<Part>| {
        part.as_ref()
            .map_or_else(String::new, |part| clipped(&part.text).into_owned())
    };
    let (before, after) = (text(&hunk.before), text(&hunk.after));
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
            for (before, after) in super::unified::moved_links(hunk) {
                let _ = write!(
                    out,
                    "<div><del>{}</del> → <ins>{}</ins></div>",
                    escaped(&before),
                    escaped(&after)
                );
            }
        }
        ChangeKind::Add | ChangeKind::Remove | ChangeKind::Change => *out += &marked(&before, &after),
    }
    for delta in hunk.deltas() {
        let _ = write!(out, "<div class=\"gd-d\">{}</div>", escaped(&delta.to_string()));
    }
    *out += "</div>";
}

fn marked(before: &str, after: &str) -> String {
    compare_words(before, after)
        .iter()
        .map(|run| match run.fate {
            Fate::Kept => escaped(&run.text),
            Fate::Removed => format!("<del>{}</del>", escaped(&run.text)),
            Fate::Added => format!("<ins>{}</ins>", escaped(&run.text)),
        })
        .collect()
}

fn escaped(text: &str) -> String {
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
