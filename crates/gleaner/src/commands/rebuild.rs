//! `gleaner rebuild`: a catalog from WARC files alone.

use super::convert;
use super::crawl::SOFTWARE;
use crate::arguments::Rebuild;
use crate::output::Output;
use crate::progress::Counted;
use gleaner_model::clock::SystemClock;
use gleaner_model::{Clock, VersionId};
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_run::rebuild::{Means, Rebuilt, import, rebuild as make};
use gleaner_store::ledger;
use gleaner_store::ledger::DocumentFilter;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// Damaged records that are named one by one.
const NAMED_MAX: usize = 20;

pub(crate) fn rebuild(data: &Path, arguments: &Rebuild, output: Output) -> anyhow::Result<ExitCode> {
    let readers = convert::pool_for_runs();
    let means = Means {
        software: SOFTWARE,
        readers: Some(&readers),
    };
    let now = SystemClock::default().wall();
    let mut shown = Counted::new(output);
    let mut progress = |done, all| shown.show(done, all);
    let done = if arguments.from.is_empty() {
        make(data, means, now, &mut progress)?
    } else {
        import(
            data,
            &arguments.from,
            arguments.name.as_deref(),
            means,
            now,
            &mut progress,
        )?
    };
    drop(shown);
    tell(data, &done, output)
}

fn tell(data: &Path, done: &Rebuilt, output: Output) -> anyhow::Result<ExitCode> {
    for damaged in done.damaged.iter().take(NAMED_MAX) {
        output.say(&format!(
            "skipped a damaged record ({}): {} at byte {}",
            safe(&damaged.what),
            damaged.path.display(),
            damaged.offset
        ));
    }
    if done.damaged.len() > NAMED_MAX {
        let more = done.damaged.len() - NAMED_MAX;
        output.say(&format!("and {more} more (--json lists all)"));
    }
    if done.without_content > 0 {
        output.say(&format!(
            "{} left out because the content is in none of the files",
            time::count(done.without_content, "capture")
        ));
    }
    let reader = ledger::open(data)?;
    let mut documents = 0u64;
    for row in reader.all_documents(&DocumentFilter::default()) {
        row?;
        documents += 1;
    }
    let versions = reader.version_numbers(VersionId(i64::MAX))?.len() as u64;
    let mut out = output.writer();
    if output.json {
        let damaged: Vec<_> = done
            .damaged
            .iter()
            .map(|one| json!({ "file": one.path.display().to_string(), "offset": one.offset, "what": one.what }))
            .collect();
        let summary = json!({
            "projects": done.projects, "runs": done.runs, "captures": done.captures, "documents": documents,
            "versions": versions, "damaged": damaged, "without_content": done.without_content, "skipped": done.skipped,
        });
        writeln!(out, "{summary}")?;
    } else {
        writeln!(
            out,
            "{}: {}, {} and {} from {}; {}",
            safe(&done.projects.join(", ")),
            time::count(documents, "document"),
            time::count(versions, "version"),
            time::count(done.runs, "run"),
            time::count(done.captures, "capture"),
            time::count(done.damaged.len() as u64, "damaged record"),
        )?;
        writeln!(
            out,
            "see more: gleaner runs, gleaner ls; `gleaner track` looks at everything again"
        )?;
    }
    out.flush()?;
    Ok(if done.damaged.is_empty() && done.without_content == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}
