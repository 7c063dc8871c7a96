//! `gleaner reconsider`: a project's history judged anew under another equality.

use crate::arguments::Reconsider;
use crate::output::{Output, WrongUsage};
use gleaner_history::CompareError;
use gleaner_history::compare::Judging;
use gleaner_history::reconsider::{Effect, reconsider as judge_anew};
use gleaner_model::clock::{Clock, SystemClock};
use gleaner_publish::text::safe;
use gleaner_publish::time;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn reconsider(data: &Path, arguments: &Reconsider, output: Output) -> anyhow::Result<ExitCode> {
    let judging = Judging::parse(&arguments.equality).map_err(wrong)?;
    let effect = if arguments.dry_run {
        Effect::Tell
    } else {
        Effect::Write
    };
    let done = judge_anew(
        data,
        &arguments.project,
        &judging,
        effect,
        SystemClock::default().wall(),
    )?;
    let mut out = output.writer();
    let equality = judging.chain.to_string();
    if output.json {
        let summary = json!({
            "project": arguments.project,
            "equality": equality,
            "dry_run": arguments.dry_run,
            "documents": done.documents,
            "versions": done.versions,
            "became_same": done.became_same,
            "became_updated": done.became_updated,
            "unreadable": done.unreadable,
        });
        writeln!(out, "{summary}")?;
    } else {
        let would = if arguments.dry_run {
            "would become"
        } else {
            "became"
        };
        writeln!(
            out,
            "{} with {} judged by {}: {} {would} SAM, {} {would} UPD",
            time::count(done.documents, "document"),
            time::count(done.versions, "version"),
            safe(&equality),
            time::count(done.became_same, "change"),
            time::count(done.became_updated, "change"),
        )?;
    }
    out.flush()?;
    if done.unreadable > 0 {
        output.say(&format!(
            "{} could not be read and stayed as they were; `gleaner verify` says why",
            time::count(done.unreadable, "version")
        ));
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// An equality that makes no sense is the command line's fault.
fn wrong(error: CompareError) -> anyhow::Error {
    if error.is_wrong_equality() {
        WrongUsage(error.to_string()).into()
    } else {
        error.into()
    }
}
