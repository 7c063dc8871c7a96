//! `gleaner versions`: what a document was, from the oldest to the newest; and how people name one of them.

use crate::arguments::Versions;
use crate::output::{Output, WrongUsage, paint};
use anyhow::bail;
use gleaner_model::State;
use gleaner_publish::text::{Colour, safe};
use gleaner_publish::{listing, time};
use gleaner_store::ledger;
use gleaner_store::ledger::{PrunedVersion, VersionRow};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn versions(data: &Path, arguments: &Versions, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let document = reader.document_named(arguments.document.exposed())?;
    let (_, url) = reader.document(document)?;
    let versions = reader.versions(document)?;
    let number_of = |version: &VersionRow| {
        let same_as = version.same_as?;
        versions
            .iter()
            .find(|row| row.id == same_as)
            .map(|row| row.number)
    };
    let mut pruned = reader.pruned_versions(document)?.into_iter().peekable();
    let mut out = output.writer();
    if !output.json {
        writeln!(out, "document {document}: {}", safe(&url))?;
    }
    for version in &versions {
        while let Some(dropped) = pruned.next_if(|dropped| dropped.run < version.run) {
            write_pruned(&dropped, output, &mut out)?;
        }
        let same_as = number_of(version);
        if output.json {
            writeln!(out, "{}", listing::version(version, same_as))?;
            continue;
        }
        let state = version.state.map_or("–", State::as_str);
        let said = match (version.same_as, same_as) {
            (None, _) => state.to_owned(),
            (Some(_), Some(number)) => format!("same as {number}"),
            // The version it repeats was dropped since.
            (Some(_), None) => "same as an earlier one".to_owned(),
        };
        let paint = paint();
        let colour = match version.same_as {
            None => Colour::of_state(state),
            Some(_) => Colour::Faint,
        };
        write!(
            out,
            "{:>4}  {}  run {:<4} {}  {:>9}  {}  {}",
            version.number,
            time::iso(version.fetched_at),
            version.run,
            paint.put(colour, &format!("{said:<10}")),
            time::size(version.size),
            safe(&version.media_type),
            safe(version.title.as_deref().unwrap_or("")),
        )?;
        for mark in marks(version) {
            write!(out, "  {}", paint.put(Colour::Faint, &format!("({mark})")))?;
        }
        writeln!(out, "  #{}", version.id)?;
    }
    for dropped in pruned {
        write_pruned(&dropped, output, &mut out)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A version that was there once.
fn write_pruned(dropped: &PrunedVersion, output: Output, out: &mut impl Write) -> std::io::Result<()> {
    if output.json {
        return writeln!(out, "{}", listing::pruned_version(dropped));
    }
    let line = format!(
        "   -  {}  run {:<4} {}  pruned",
        time::iso(dropped.at),
        dropped.run,
        dropped.state
    );
    writeln!(out, "{}", paint().put(Colour::Faint, &line))
}

fn marks(version: &VersionRow) -> Vec<String> {
    let ignored = version
        .ignored
        .as_deref()
        .and_then(|text| serde_json::from_str::<Vec<serde_json::Value>>(text).ok());
    let mut marks = Vec::new();
    match ignored.map_or(0, |list| list.len()) {
        0 => {}
        1 => marks.push("1 difference ignored".to_owned()),
        count => marks.push(format!("{count} differences ignored")),
    }
    if let Some(url) = &version.url {
        marks.push(format!("fetched as {}", safe(url)));
    }
    if version.is_lost {
        marks.push("its bytes are lost".to_owned());
    }
    marks
}

/// The version that a person means: 1 is the oldest, -1 the newest.
pub(crate) fn choose(versions: &[VersionRow], number: i64) -> anyhow::Result<&VersionRow> {
    if number == 0 {
        bail!(WrongUsage(
            "there is no version 0; the oldest is 1, the newest -1".to_owned()
        ));
    }
    let at = if number > 0 {
        usize::try_from(number - 1).ok()
    } else {
        let back = usize::try_from(number.unsigned_abs()).ok();
        back.and_then(|back| versions.len().checked_sub(back))
    };
    match at.and_then(|at| versions.get(at)) {
        Some(version) => Ok(version),
        None => bail!(
            "there is no such version; the document has {}: {number}",
            time::count(versions.len() as u64, "version")
        ),
    }
}
