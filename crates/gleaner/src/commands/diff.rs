//! `gleaner diff`: what changed between two versions of a document.

use super::versions::choose;
use crate::arguments::{Diff, DiffFormat};
use crate::output::{Output, paint, width};
use anyhow::bail;
use gleaner_history::compare::{Comparer, Comparison};
use gleaner_publish::diff::{self, DiffForm, DiffSubject};
use gleaner_store::ledger;
use gleaner_store::ledger::VersionRow;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn diff(data: &Path, arguments: &Diff, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let document = reader.document_named(arguments.document.exposed())?;
    let (_, url) = reader.document(document)?;
    let versions = reader.versions(document)?;
    let (before, now) = pair(&versions, &arguments.versions)?;
    let mut comparison = Comparer::new(&*reader).compare(document, before.id, now.id)?;
    if let (true, Comparison::Text { diff, .. }) = (arguments.all, &mut comparison) {
        diff.unfold();
    }
    let told = DiffSubject {
        document,
        url: &url,
        before,
        now,
    };
    let format = match arguments.format {
        Some(format) => format,
        None if output.json => DiffFormat::Json,
        None => DiffFormat::Unified,
    };
    let text = |shape: DiffForm| diff::text(&told, &comparison, shape, paint());
    let written = match format {
        DiffFormat::Unified => text(DiffForm::Unified),
        DiffFormat::Words => text(DiffForm::Words),
        DiffFormat::SideBySide => text(DiffForm::SideBySide(arguments.width.unwrap_or_else(width))),
        DiffFormat::Json => format!("{}\n", diff::json(&told, &comparison)),
        DiffFormat::Html => diff::html(&told, &comparison),
    };
    let mut out = output.writer();
    out.write_all(written.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Which two versions are meant: those named; one and the newest; the last two that say something of their own.
fn pair<'a>(versions: &'a [VersionRow], given: &[i64]) -> anyhow::Result<(&'a VersionRow, &'a VersionRow)> {
    match *given {
        [before, now] => return Ok((choose(versions, before)?, choose(versions, now)?)),
        [before] => return Ok((choose(versions, before)?, choose(versions, -1)?)),
        _ => {}
    }
    let mut own = versions.iter().rev().filter(|version| version.is_own());
    match (own.next(), own.next(), versions.last()) {
        (Some(now), Some(before), _) => Ok((before, now)),
        // It never said anything else: what differed in the newest was ignored, and can be looked at.
        (Some(only), None, Some(newest)) if only.id != newest.id => Ok((only, newest)),
        _ => bail!(
            "the document has only one version, so there is nothing to compare; its content: `gleaner cat`, what a run \
             found: `gleaner report`"
        ),
    }
}
