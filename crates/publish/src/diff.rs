//! Two versions of a document, told in every form: the sentence first, then which versions they are, then what changed (B7).

use crate::html::{self, escaped, link, moment};
use crate::listing;
use crate::text::{Colour, Paint, safe};
use crate::time;
use gleaner_history::compare::Comparison;
use gleaner_model::DocumentId;
use gleaner_store::ledger::VersionRow;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What is told about, beside the comparison itself.
#[derive(Debug, Clone, Copy)]
pub struct DiffSubject<'a> {
    pub document: DocumentId,
    pub url: &'a str,
    pub before: &'a VersionRow,
    pub now: &'a VersionRow,
}

/// The forms for a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffForm {
    Unified,
    Words,
    /// So many characters wide.
    SideBySide(usize),
}

/// The first line of every form.
pub fn sentence(comparison: &Comparison, before: &VersionRow, now: &VersionRow) -> String {
    match comparison {
        Comparison::Text { diff, .. } => diff.sentence(),
        Comparison::Bytes { is_same } => {
            let types = if before.media_type == now.media_type {
                now.media_type.clone()
            } else {
                format!("{}, now {}", before.media_type, now.media_type)
            };
            let bytes = if *is_same {
                "the bytes are the same"
            } else {
                "the bytes differ"
            };
            format!(
                "no text to compare ({types}): {} before, {} now, {bytes}.",
                time::size(before.size),
                time::size(now.size)
            )
        }
    }
}

/// For people at a terminal. Text from outside can neither fake a line nor speak to the terminal.
pub fn text(told: &DiffSubject<'_>, comparison: &Comparison, shape: DiffForm, paint: Paint) -> String {
    let mut out = String::new();
    let first = safe(&sentence(comparison, told.before, told.now));
    let _ = writeln!(out, "{}", paint.put(Colour::Bold, &first));
    for (sign, colour, version) in [
        ("---", Colour::Red, told.before),
        ("+++", Colour::Green, told.now),
    ] {
        let line = format!(
            "{sign} version {} of {}  {}  run {}  {}",
            version.number,
            safe(told.url),
            time::iso(version.fetched_at),
            version.run,
            time::size(version.size)
        );
        let _ = writeln!(out, "{}", paint.put(colour, &line));
    }
    match comparison {
        Comparison::Bytes { .. } => {
            let _ = writeln!(out, "- sha256 {}", hex(told.before));
            let _ = writeln!(out, "+ sha256 {}", hex(told.now));
        }
        Comparison::Text { diff, remarks, .. } => {
            for remark in remarks {
                let _ = writeln!(
                    out,
                    "{}",
                    paint.put(Colour::Yellow, &format!("! {}", safe(remark)))
                );
            }
            let body = match shape {
                DiffForm::Unified => diff.unified(),
                DiffForm::Words => diff.words(),
                DiffForm::SideBySide(width) => diff.side_by_side(width),
            };
            for line in body.split_terminator('\n').skip(1) {
                let line = safe(&line.replace('\t', "    "));
                out.push_str(&painted(&line, shape, paint));
                out.push('\n');
            }
        }
    }
    out
}

fn painted(line: &str, shape: DiffForm, paint: Paint) -> String {
    if paint == Paint::Off {
        return line.to_owned();
    }
    let colour = match (line.as_bytes(), shape) {
        ([b'~', ..], _) => Some(Colour::Faint),
        (_, DiffForm::SideBySide(_)) => None,
        ([b'@', b'@', ..], _) => Some(Colour::Cyan),
        ([b'-', b' ', ..], _) => Some(Colour::Red),
        ([b'+', b' ', ..], _) => Some(Colour::Green),
        ([b'>', b' ', ..], _) => Some(Colour::Blue),
        _ => None,
    };
    match colour {
        Some(colour) => paint.put(colour, line).into_owned(),
        None if shape == DiffForm::Words => marks(line, paint),
        None => line.to_owned(),
    }
}

/// The words between `[-` and `-]`, `{+` and `+}` in their colours.
fn marks(line: &str, paint: Paint) -> String {
    let mut out = String::new();
    let mut left = line;
    loop {
        let pairs = [("[-", "-]", Colour::Red), ("{+", "+}", Colour::Green)];
        let next = pairs
            .iter()
            .filter_map(|(open, close, colour)| {
                let start = left.find(open)?;
                let end = start + left[start..].find(close)? + close.len();
                Some((start, end, *colour))
            })
            .min_by_key(|found| found.0);
        let Some((start, end, colour)) = next else {
            out.push_str(left);
            return out;
        };
        out.push_str(&left[..start]);
        out.push_str(&paint.put(colour, &left[start..end]));
        left = &left[end..];
    }
}

/// For programs: one object.
pub fn json(told: &DiffSubject<'_>, comparison: &Comparison) -> Value {
    let mut object = match comparison {
        Comparison::Text {
            diff,
            verdict,
            remarks,
        } => {
            let mut object = diff.json();
            object["same"] = json!(verdict.is_same());
            object["remarks"] = json!(remarks);
            object
        }
        Comparison::Bytes { is_same } => json!({
            "sentence": sentence(comparison, told.before, told.now),
            "title": null,
            "kept": 0,
            "hunks": [],
            "left": 0,
            "same": is_same,
            "remarks": [],
        }),
    };
    object["id"] = json!(told.document);
    object["url"] = json!(told.url);
    object["before"] = version(told.before);
    object["after"] = version(told.now);
    object
}

fn version(row: &VersionRow) -> Value {
    json!({
        "number": row.number,
        "id": row.id,
        "fetched_at": time::iso(row.fetched_at),
        "run": row.run,
        "type": row.media_type,
        "size": row.size,
        "sha256": hex(row),
    })
}

/// One self-contained page.
pub fn html(told: &DiffSubject<'_>, comparison: &Comparison) -> String {
    let title = told.now.title.as_deref().filter(|title| !title.is_empty());
    let title = title.unwrap_or(told.url);
    let mut out = html::head(title);
    let _ = writeln!(
        out,
        "<main>\n<h1>{}</h1>\n<p>{}</p>",
        escaped(title),
        link(told.url)
    );
    for (word, version) in [("Before", told.before), ("After", told.now)] {
        let _ = writeln!(
            out,
            "<p class=\"meta\">{word}: version {}, {}, run {}, {}</p>",
            version.number,
            moment(version.fetched_at),
            version.run,
            time::size(version.size)
        );
    }
    if let Comparison::Text { remarks, .. } = comparison {
        for remark in remarks {
            let _ = writeln!(out, "<p class=\"note\">{}</p>", escaped(remark));
        }
    }
    let _ = writeln!(
        out,
        "<div class=\"paper\"><p class=\"title\">{}</p>{}</div>\n</main>",
        escaped(&sentence(comparison, told.before, told.now)),
        html_piece(comparison, told.before, told.now, usize::MAX)
    );
    out + &html::foot(false)
}

/// The changes themselves, at most so many blocks, for a page that has our styles.
pub(crate) fn html_piece(
    comparison: &Comparison,
    before: &VersionRow,
    now: &VersionRow,
    hunks_max: usize,
) -> String {
    match comparison {
        Comparison::Text { diff, .. } => diff.html_piece(hunks_max),
        Comparison::Bytes { .. } => format!(
            "<div class=\"gd\"><div class=\"gd-h\"><del>sha256 {}</del>\n<ins>sha256 {}</ins></div></div>",
            hex(before),
            hex(now)
        ),
    }
}

fn hex(version: &VersionRow) -> String {
    listing::hex(&version.digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_painted_where_they_are_marked() {
        let line = "a [-b-]{+c+} d";
        assert_eq!(
            marks(line, Paint::On),
            "a \u{1b}[31m[-b-]\u{1b}[0m\u{1b}[32m{+c+}\u{1b}[0m d"
        );
        assert_eq!(marks("a [- {+ b", Paint::On), "a [- {+ b");
        assert_eq!(painted("- gone", DiffForm::Unified, Paint::Off), "- gone");
    }
}
