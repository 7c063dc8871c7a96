//! The report of a run: counts first, then every change with its reason, then what was left out and why.

use crate::{PublishError, listing, time};
use gleaner_model::{Reason, RunId, State, Url};
use gleaner_store::Reader;
use gleaner_store::read::ChangeRow;
use std::collections::BTreeMap;
use std::io::Write;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One object a line.
    Json,
    Csv,
}

pub fn write_report(
    reader: &Reader,
    run: RunId,
    state: Option<State>,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    match format {
        Format::Text => write_text(reader, run, state, out),
        Format::Json => each_change(reader, run, state, out, |row, out| {
            writeln!(out, "{}", listing::change(row))
        }),
        Format::Csv => {
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
                    csv(row.reason.as_deref().unwrap_or("")),
                )
            })
        }
    }
}

fn each_change(
    reader: &Reader,
    run: RunId,
    state: Option<State>,
    out: &mut dyn Write,
    mut write: impl FnMut(&ChangeRow, &mut dyn Write) -> std::io::Result<()>,
) -> Result<(), PublishError> {
    reader.run(run)?; // A run that is not there is an error, not an empty report.
    let mut failed = None;
    reader.changes(run, state.map(State::as_str), |row| match write(&row, out) {
        Ok(()) => true,
        Err(error) => {
            failed = Some(error);
            false
        }
    })?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

fn write_text(
    reader: &Reader,
    run: RunId,
    state: Option<State>,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    let (row, counts) = (reader.run(run)?, reader.counts(run)?);
    writeln!(
        out,
        "run {} of {}: {}, started {}, {} in {}",
        row.id,
        row.project_name,
        row.status.as_str(),
        time::iso(row.started_at),
        time::size(row.wire_bytes),
        time::span(row.active_ms as f64 / 1000.0),
    )?;
    if let Some(note) = &row.note {
        writeln!(out, "{note}")?;
    }
    writeln!(
        out,
        "NEW {}   UPD {}   SAM {}   MIS {}   ERR {}   OUT {}",
        counts.new, counts.updated, counts.same, counts.missing, counts.errors, counts.out
    )?;
    writeln!(
        out,
        "{} URLs answered, {} redirects, {} dead links, {} still queued",
        counts.fetched, counts.redirects, counts.dead_links, counts.queued
    )?;
    writeln!(out)?;
    let mut hosts = Hosts::new();
    each_change(reader, run, state, out, |row, out| {
        if !gather(&mut hosts, row) {
            write_change(
                &row.state,
                &row.url,
                row.reason.as_deref(),
                row.detail.as_deref(),
                out,
            )?;
            writeln!(out)?;
        }
        Ok(())
    })?;
    for ((state, reason, origin, detail), count) in &hosts {
        write_change(state, &format!("{origin}/"), Some(reason), detail.as_deref(), out)?;
        match count {
            1 => writeln!(out)?,
            count => writeln!(out, " ({count} URLs)")?,
        }
    }
    let cuts = reader.cuts(run)?;
    if !cuts.is_empty() {
        writeln!(out, "\nleft out:")?;
        for cut in cuts {
            let meaning = Reason::parse(&cut.reason).map_or("", Reason::meaning);
            write!(out, "  {:>8}  {}: {meaning}", cut.count, cut.reason)?;
            if !cut.example.is_empty() {
                write!(out, " For example {}", safe(&cut.example))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Changes that concern a whole host: state, reason, origin and detail, and how many URLs they stand for.
type Hosts = BTreeMap<(String, String, String, Option<String>), u64>;

/// Takes a change that all URLs of a host share, so that it is one line and not one for each of them.
fn gather(hosts: &mut Hosts, row: &ChangeRow) -> bool {
    let Some(reason) = &row.reason else { return false };
    let is_of_host = matches!(
        Reason::parse(reason),
        Some(Reason::RobotsUnreachable | Reason::HostPaused)
    );
    let Some(url) = is_of_host.then(|| Url::parse(&row.url).ok()).flatten() else {
        return false;
    };
    let key = (
        row.state.clone(),
        reason.clone(),
        url.origin().to_owned(),
        row.detail.clone(),
    );
    *hosts.entry(key).or_default() += 1;
    true
}

fn write_change(
    state: &str,
    url: &str,
    reason: Option<&str>,
    detail: Option<&str>,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    write!(out, "{state:3}  {}", safe(url))?;
    if let Some(reason) = reason {
        write!(out, "  [{reason}]")?;
    }
    if let Some(detail) = detail {
        write!(out, " {}", safe(detail))?;
    }
    Ok(())
}

/// A field of a CSV line (RFC 4180). A leading `=`, `+`, `-` or `@` would be a formula to a spreadsheet: quoted apart.
fn csv(text: &str) -> String {
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

/// Text from outside, made unable to fake a line or turn the writing direction (HC080, HC085).
pub fn safe(text: &str) -> String {
    let is_tricky = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if !text.contains(is_tricky) {
        return text.to_owned();
    }
    text.chars()
        .map(|c| {
            if is_tricky(c) {
                c.escape_unicode().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hc080_text_from_outside_cannot_fake_a_line() {
        assert_eq!(safe("a\nERR  b"), "a\\u{a}ERR  b");
        assert_eq!(safe("a\u{202e}gnp.exe"), "a\\u{202e}gnp.exe");
        assert_eq!(safe("Grüße, мир"), "Grüße, мир");
    }

    #[test]
    fn csv_fields_stay_fields() {
        assert_eq!(csv("a,b"), "\"a,b\"");
        assert_eq!(csv("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(csv("=1+1"), "'=1+1");
    }
}
