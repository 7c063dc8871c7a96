//! The report of a run: what it was, counts, every change with its reason, and what was left out and why (B8).

mod broken;
mod gather;
mod page;
mod plain;

use crate::text::Paint;
use crate::{PublishError, listing};
use gleaner_model::{Reason, RunId, State};
use gleaner_store::Ledger;
use gleaner_store::ledger::{Before, ChangeRow};
use std::io::Write;

pub use crate::text::safe;
pub use broken::write_broken;

/// The states in the order in which people ask: what changed, what is new, what is gone, what could not be told.
const ORDER: [(State, &str, &str); 6] = [
    (State::Upd, "Changed", "changed"),
    (State::New, "New", "new"),
    (State::Mis, "Gone", "gone"),
    (State::Err, "Could not tell", "could not tell"),
    (State::Out, "No longer taken by our rules", "not taken"),
    (State::Sam, "The same as before", "the same"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportFormat {
    /// For people.
    Text(Paint),
    /// One object per line.
    Json,
    Csv,
    /// One self-contained page.
    Html,
}

pub fn write_report(
    reader: &dyn Ledger,
    run: RunId,
    state: Option<State>,
    format: ReportFormat,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    match format {
        ReportFormat::Text(paint) => plain::write(reader, run, state, paint, out),
        ReportFormat::Html => page::write(reader, run, state, out),
        ReportFormat::Json => each_change(reader, run, state, out, |row, out| {
            writeln!(out, "{}", listing::change(row))
        }),
        ReportFormat::Csv => {
            writeln!(out, "state,id,url,type,size,reason")?;
            each_change(reader, run, state, out, |row, out| {
                let id = row.document.map(|d| d.to_string()).unwrap_or_default();
                let size = row.size.map(|s| s.to_string()).unwrap_or_default();
                writeln!(
                    out,
                    "{},{id},{},{},{size},{}",
                    row.state,
                    csv(&row.url),
                    csv(row.media_type.as_deref().unwrap_or("")),
                    row.reason.map_or("", Reason::code),
                )
            })
        }
    }
}

fn each_change(
    reader: &dyn Ledger,
    run: RunId,
    state: Option<State>,
    out: &mut dyn Write,
    mut write: impl FnMut(&ChangeRow, &mut dyn Write) -> std::io::Result<()>,
) -> Result<(), PublishError> {
    reader.run(run)?; // A run that is not there is an error, not an empty report.
    for row in reader.all_changes(run, state) {
        write(&row?, out)?;
    }
    Ok(())
}

/// Such as "412 documents before: 3 UPD + 400 SAM + 2 MIS + 7 ERR + 0 OUT".
fn proof(before: &Before) -> String {
    format!(
        "{} before: {} UPD + {} SAM + {} MIS + {} ERR + {} OUT",
        crate::time::count(before.documents(), "document"),
        before.updated,
        before.same,
        before.missing,
        before.errors,
        before.out,
    )
}

/// Such as "2 URLs that lead nowhere": each counts once, however many pages link to it.
fn lead_nowhere(count: u64) -> String {
    match count {
        1 => "1 URL that leads nowhere".to_owned(),
        count => format!("{count} URLs that lead nowhere"),
    }
}

/// What the other errors of a track are about.
fn elsewhere(before: &Before) -> Option<String> {
    match before.errors_elsewhere {
        0 => None,
        1 => Some("1 ERR is about a URL that never was a document".to_owned()),
        count => Some(format!("{count} ERR are about URLs that never were documents")),
    }
}

/// A field of a CSV line (RFC 4180). A leading `=`, `+`, `-` or `@` would be a formula to a spreadsheet: quoted apart.
pub fn csv(text: &str) -> String {
    let text = if text.starts_with(['=', '+', '-', '@']) {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_fields_stay_fields() {
        assert_eq!(csv("a,b"), "\"a,b\"");
        assert_eq!(csv("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(csv("=1+1"), "'=1+1");
    }

    #[test]
    fn the_counts_of_a_track_add_up() {
        let before = Before {
            updated: 3,
            same: 400,
            missing: 2,
            errors: 7,
            out: 0,
            errors_elsewhere: 1,
        };
        assert_eq!(
            proof(&before),
            "412 documents before: 3 UPD + 400 SAM + 2 MIS + 7 ERR + 0 OUT"
        );
        assert_eq!(
            elsewhere(&before).as_deref(),
            Some("1 ERR is about a URL that never was a document")
        );
    }
}
