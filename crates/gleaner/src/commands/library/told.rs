//! What is told of a library: a line for a person, an object for a program.

use crate::output::Output;
use gleaner_collect::CycleEvent;
use gleaner_collect::report::{CycleReport, SiteReport};
use gleaner_model::Timestamp;
use gleaner_publish::text::safe;
use gleaner_publish::time;
use gleaner_store::libraries::{LibraryCycle, LibraryDocument};
use serde_json::{Value, json};
use std::io::Write;

/// One line of what happens while a library is worked on.
pub(super) fn tell_event(event: &CycleEvent, library: &str, output: Output) -> anyhow::Result<()> {
    let mut out = output.writer();
    if output.json {
        if let Some(line) = event_object(event, library) {
            writeln!(out, "{line}")?;
        }
        return Ok(out.flush()?);
    }
    if output.telling.quiet {
        return Ok(());
    }
    match event {
        CycleEvent::Chosen { cycle, run, sites } => {
            let count = time::count(sites.len() as u64, "site");
            writeln!(out, "{}: cycle {cycle} (run {run}): {count}", safe(library))?;
            for site in sites {
                writeln!(
                    out,
                    "  {:<10} {}  {}",
                    site.state,
                    safe(&site.site),
                    safe(&site.why)
                )?;
            }
        }
        CycleEvent::Judged(document) => {
            if output.telling.verbose {
                write_document(&mut out, document)?;
            }
        }
        CycleEvent::Ended(report) => write_report(&mut out, library, report)?,
        CycleEvent::Idle { until_ms: None } => writeln!(out, "{}: no site is left to visit", safe(library))?,
        CycleEvent::Idle {
            until_ms: Some(until_ms),
        } => {
            let until = time::iso(Timestamp(*until_ms));
            writeln!(out, "{}: nothing is due before {until}", safe(library))?;
        }
        CycleEvent::Note(note) => writeln!(out, "{}", safe(note))?,
    }
    Ok(out.flush()?)
}

fn event_object(event: &CycleEvent, library: &str) -> Option<Value> {
    Some(match event {
        CycleEvent::Chosen { cycle, run, sites } => {
            let sites: Vec<Value> = sites
                .iter()
                .map(|site| json!({ "site": site.site, "state": site.state, "why": site.why }))
                .collect();
            json!({ "event": "chosen", "library": library, "cycle": cycle, "run": run, "sites": sites })
        }
        CycleEvent::Judged(document) => {
            let mut object = document_object(document);
            object["event"] = "document".into();
            object
        }
        CycleEvent::Ended(report) => {
            let mut object = serde_json::to_value(&**report).ok()?;
            object["event"] = "cycle".into();
            object
        }
        CycleEvent::Idle { until_ms } => {
            let until = until_ms.map(|until| time::iso(Timestamp(until)));
            json!({ "event": "idle", "library": library, "until": until })
        }
        CycleEvent::Note(note) => json!({ "event": "note", "note": note }),
    })
}

pub(super) fn document_object(document: &LibraryDocument) -> Value {
    let round = |number: f64| (number * 1000.0).round() / 1000.0;
    json!({
        "document": document.document, "version": document.version, "url": document.url, "site": document.site,
        "verdict": document.verdict.as_str(), "genre": document.genre, "score": round(document.score),
        "topic": round(document.topic), "reasons": document.reasons,
        "by": if document.is_by_person { "person" } else { "filter" }, "cycle": document.cycle,
        "at": time::iso(document.at), "media_type": document.media_type, "size": document.size,
        "title": document.title, "language": document.language, "work": document.work, "role": document.role,
    })
}

pub(super) fn write_document(out: &mut impl Write, document: &LibraryDocument) -> std::io::Result<()> {
    writeln!(
        out,
        "{:>6}  {:<9} {:>4.0} % {:>4.0} %  {:<18} {}",
        document.document,
        document.verdict.as_str(),
        document.score * 100.0,
        document.topic * 100.0,
        document.genre.as_deref().unwrap_or("–"),
        safe(&document.url)
    )?;
    writeln!(out, "        {}", safe(&document.reasons.join("; ")))
}

fn write_report(out: &mut impl Write, library: &str, report: &CycleReport) -> std::io::Result<()> {
    writeln!(
        out,
        "{}: cycle {} {}: {} requests, {} documents, {} accepted, {} rejected, {} uncertain; {} accepted per 100 requests ({})",
        safe(library),
        report.cycle,
        report.status,
        report.fetches,
        report.downloaded,
        report.accepted,
        report.rejected,
        report.uncertain,
        report.per_100,
        time::span(report.ms as f64 / 1000.0),
    )?;
    for site in &report.sites {
        write_site(out, site)?;
    }
    for site in &report.new_sites {
        let why = site.why.join("; ");
        writeln!(
            out,
            "  new: {:<9} {}  {}",
            site.state,
            safe(&site.site),
            safe(&why)
        )?;
    }
    let forecast = &report.forecast;
    match &forecast.next_cycle {
        Some(next) => writeln!(
            out,
            "next: {} from {next} on, about {} min a site",
            time::count(forecast.sites as u64, "site"),
            forecast.minutes_per_site
        ),
        None => writeln!(out, "next: no site is left to visit"),
    }
}

fn write_site(out: &mut impl Write, site: &SiteReport) -> std::io::Result<()> {
    writeln!(
        out,
        "  {:<9} {:>6} requests {:>5} documents {:>5} accepted  {}",
        site.state,
        site.fetches,
        site.downloaded,
        site.accepted,
        safe(&site.site)
    )?;
    let next = match &site.next_visit {
        Some(next) => format!("next on {}", next.get(..10).unwrap_or(next)),
        None => "not visited again".to_owned(),
    };
    writeln!(out, "            {}; {next}", safe(&site.why))
}

/// A cycle as it was kept.
pub(super) fn tell_cycle(cycle: &LibraryCycle, output: Output) -> anyhow::Result<()> {
    let report = CycleReport::of(cycle);
    let mut out = output.writer();
    if output.json {
        let mut object = serde_json::to_value(&report)?;
        object["phase"] = cycle.phase.clone().into();
        object["began_at"] = time::iso(cycle.began_at).into();
        object["ended_at"] = cycle.ended_at.map(time::iso).into();
        writeln!(out, "{object}")?;
    } else {
        writeln!(
            out,
            "{:>4}  {:<8} {}  run {}  {} sites, {} requests, {} accepted, {} rejected, {} uncertain, {} per 100",
            cycle.number,
            cycle.phase,
            time::iso(cycle.began_at),
            cycle.run.map_or_else(|| "–".to_owned(), |run| run.to_string()),
            report.sites.len(),
            report.fetches,
            report.accepted,
            report.rejected,
            report.uncertain,
            report.per_100,
        )?;
    }
    Ok(out.flush()?)
}
