//! `gleaner runs`, `gleaner report`, `gleaner ls`: what is there, as lines.

use crate::arguments::{FormatArgument, Ls, Report};
use crate::output::{Output, paint};
use anyhow::Context;
use gleaner_model::{RunId, State};
use gleaner_publish::report::write_broken;
use gleaner_publish::text::{Colour, safe};
use gleaner_publish::{ReportFormat, listing, time, write_report};
use gleaner_store::ledger;
use gleaner_store::ledger::{Absence, DocumentFilter};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn runs(data: &Path, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let mut out = output.writer();
    for row in reader.runs()? {
        let counts = reader.counts(row.id)?;
        if output.json {
            writeln!(out, "{}", listing::run(&row, &counts))?;
            continue;
        }
        writeln!(
            out,
            "{:>4}  {:8}  {}  {}  {} new, {} updated, {} same, {} missing, {}, {} queued",
            row.id,
            row.status.as_str(),
            time::iso(row.started_at),
            safe(&row.project_name),
            counts.new,
            counts.updated,
            counts.same,
            counts.missing,
            time::count(counts.errors, "error"),
            counts.queued,
        )?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn report(data: &Path, arguments: &Report, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let run = match arguments.run {
        Some(run) => RunId(run),
        None => reader
            .last_run()?
            .context("there is no run yet; crawl something first")?,
    };
    let format = match arguments.format {
        Some(FormatArgument::Json) => ReportFormat::Json,
        Some(FormatArgument::Csv) => ReportFormat::Csv,
        Some(FormatArgument::Html) => ReportFormat::Html,
        None if output.json => ReportFormat::Json,
        Some(FormatArgument::Text) | None => ReportFormat::Text(paint()),
    };
    if arguments.broken {
        let (project, dead) = super::graph::dead_ends(data, &*reader, run, output)?;
        let mut out = output.writer();
        write_broken(&project, run, &dead, format, &mut out)?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output.writer();
    write_report(
        &*reader,
        run,
        arguments.state.as_deref().and_then(State::parse),
        format,
        &mut out,
    )?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn ls(data: &Path, arguments: Ls, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    if let Some(name) = &arguments.project {
        let found = reader.find_project(name)?;
        found.with_context(|| format!("there is no such project: {name}"))?;
    }
    let filter = DocumentFilter {
        host: arguments.host,
        media_type: arguments.media_type,
        project: arguments.project,
        only_absent: arguments.gone,
    };
    let paint = paint();
    let mut out = output.writer();
    for row in reader.all_documents(&filter) {
        let row = row?;
        if output.json {
            writeln!(out, "{}", listing::document(&row))?;
        } else {
            let mark = match row.absence {
                None => String::new(),
                Some(Absence::Gone(run)) => format!("  (gone since run {run})"),
                Some(Absence::Out(_)) => "  (out: no longer taken by the project)".to_owned(),
            };
            writeln!(
                out,
                "{:>7}  {:>9}  {:<24}  {}  {}{}",
                row.id,
                time::size(row.size),
                safe(&row.media_type),
                safe(&row.url),
                safe(row.title.as_deref().unwrap_or("")),
                paint.put(Colour::Magenta, &mark),
            )?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
