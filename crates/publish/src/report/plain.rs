//! The report as text: what a person reads on a terminal.

use super::gather::Gathered;
use super::{ORDER, each_change, elsewhere, lead_nowhere, proof};
use crate::text::{Colour, Paint, safe};
use crate::{PublishError, time};
use gleaner_model::{Reason, RunId, State};
use gleaner_store::Ledger;
use gleaner_store::ledger::ChangeRow;
use std::io::Write;

pub(super) fn write(
    reader: &dyn Ledger,
    run: RunId,
    only: Option<State>,
    paint: Paint,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    write_head(reader, run, paint, out)?;
    let mut is_first = true;
    for (of, heading, _) in ORDER {
        if only.is_none_or(|only| only == of) {
            write_state(
                reader,
                run,
                (of, heading),
                only.is_some(),
                &mut is_first,
                paint,
                out,
            )?;
        }
    }
    let cuts = reader.cuts(run)?;
    if !cuts.is_empty() {
        writeln!(
            out,
            "\n{}",
            paint.put(Colour::Bold, "Left out, by the number of URLs")
        )?;
        for cut in cuts {
            write!(
                out,
                "  {:>8}  {}: {}",
                cut.count,
                cut.reason.code(),
                cut.reason.meaning()
            )?;
            if !cut.example.is_empty() {
                write!(out, " For example {}", safe(&cut.example))?;
            }
            writeln!(out)?;
        }
    }
    Ok(())
}

/// The changes of one state under a heading. What stayed as it was is most of a site and no news: it is counted above, and
/// listed when it is asked for.
fn write_state(
    reader: &dyn Ledger,
    run: RunId,
    (state, heading): (State, &str),
    is_asked_for: bool,
    is_first: &mut bool,
    paint: Paint,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    let is_told =
        |row: &ChangeRow| is_asked_for || state != State::Sam || row.is_orphan || row.moved_from.is_some();
    let mut gathered = Gathered::default();
    let (mut told, mut untold) = (0u64, 0u64);
    for row in reader.all_changes(run, Some(state)) {
        let row = row?;
        gathered.count(&row);
        *(if is_told(&row) { &mut told } else { &mut untold }) += 1;
    }
    if told + untold == 0 {
        return Ok(());
    }
    if !std::mem::take(is_first) {
        writeln!(out)?;
    }
    let title = format!("{heading}: {}", told + untold);
    writeln!(out, "{}", paint.put(Colour::Bold, &title))?;
    each_change(reader, run, Some(state), out, |row, out| {
        if is_told(row) && !gathered.take(row) {
            // Where it was stands among the marks.
            let detail = row.detail.as_deref().filter(|_| row.moved_from.is_none());
            write_change(row.state, &row.url, row.reason, detail, paint, out)?;
            write_marks(row, paint, out)?;
            writeln!(out)?;
        }
        Ok(())
    })?;
    for ((state, reason, origin, detail), count) in gathered.stories() {
        let url = format!("{origin}/");
        write_change(*state, &url, Some(*reason), detail.as_deref(), paint, out)?;
        match count {
            1 => writeln!(out)?,
            count => writeln!(out, " ({count} URLs)")?,
        }
    }
    if untold > 0 {
        let documents = time::count(untold, "document");
        writeln!(out, "{documents} as before, not listed (--state SAM lists them)")?;
    }
    Ok(())
}

fn write_head(
    reader: &dyn Ledger,
    run: RunId,
    paint: Paint,
    out: &mut dyn Write,
) -> Result<(), PublishError> {
    let (row, counts) = (reader.run(run)?, reader.counts(run)?);
    let first = format!(
        "run {} of {}: {}, started {}, {} in {}",
        row.id,
        safe(&row.project_name),
        row.status.as_str(),
        time::iso(row.started_at),
        time::size(row.wire_bytes),
        time::span(row.active_ms as f64 / 1000.0),
    );
    writeln!(out, "{}", paint.put(Colour::Bold, &first))?;
    if let Some(note) = &row.note {
        writeln!(out, "{}", safe(note))?;
    }
    for note in reader.notes(run)? {
        writeln!(out, "{} {}", paint.put(Colour::Yellow, "!"), safe(&note))?;
    }
    let tally = [
        ("NEW", counts.new),
        ("UPD", counts.updated),
        ("SAM", counts.same),
        ("MIS", counts.missing),
        ("ERR", counts.errors),
        ("OUT", counts.out),
    ];
    let tally: Vec<String> = tally
        .iter()
        .map(|(state, count)| {
            let colour = if *count == 0 {
                Colour::Faint
            } else {
                Colour::of_state(state)
            };
            paint.put(colour, &format!("{state} {count}")).into_owned()
        })
        .collect();
    writeln!(out, "{}", tally.join("   "))?;
    if let Some(before) = reader.before(run)? {
        writeln!(out, "{}", proof(&before))?;
        if let Some(other) = elsewhere(&before) {
            writeln!(out, "{other}")?;
        }
    }
    writeln!(
        out,
        "{} answered, {}, {}, {} still queued",
        time::count(counts.fetched, "URL"),
        time::count(counts.redirects, "redirect"),
        lead_nowhere(counts.dead_links),
        counts.queued
    )?;
    if counts.dead_links + counts.missing > 0 {
        writeln!(
            out,
            "dead links, and the pages that have them: gleaner report {run} --broken"
        )?;
    }
    writeln!(out)?;
    Ok(())
}

fn write_change(
    state: State,
    url: &str,
    reason: Option<Reason>,
    detail: Option<&str>,
    paint: Paint,
    out: &mut dyn Write,
) -> std::io::Result<()> {
    let word = format!("{:3}", state.as_str());
    write!(
        out,
        "{}  {}",
        paint.put(Colour::of_state(state.as_str()), &word),
        safe(url)
    )?;
    if let Some(reason) = reason {
        write!(
            out,
            "  {}",
            paint.put(Colour::Faint, &format!("[{}]", reason.code()))
        )?;
    }
    if let Some(detail) = detail {
        write!(out, " {}", safe(detail))?;
    }
    Ok(())
}

/// What tracking knows about an address.
fn write_marks(row: &ChangeRow, paint: Paint, out: &mut dyn Write) -> std::io::Result<()> {
    if let Some(old) = &row.moved_from {
        let told = format!("moved from {}", safe(old));
        write!(out, "  {}", paint.put(Colour::Cyan, &told))?;
    }
    if row.is_orphan {
        write!(
            out,
            "  {}",
            paint.put(Colour::Cyan, "orphan: nothing links to it any more")
        )?;
    }
    Ok(())
}
