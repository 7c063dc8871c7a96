//! `gleaner verify`: is everything there, and is it what it was?

use crate::arguments::Verify;
use crate::output::Output;
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_store::{DataFolder, Reader, verify as check};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn verify(data: &Path, arguments: &Verify, output: Output) -> anyhow::Result<ExitCode> {
    let mut found = check::verify(data)?;
    let mut fixed = 0;
    if arguments.fix && !found.findings.is_empty() {
        let folder = DataFolder::open(data)?;
        fixed = check::fix(&folder, &found)?;
        drop(folder); // The second look is at a folder that nobody uses.
        let before = found.findings;
        found = check::verify(data)?;
        for finding in &before {
            output.say(&format!(
                "was: {} ({})",
                safe(&finding.what),
                safe(&finding.place)
            ));
        }
    }
    let mut out = output.writer();
    for finding in &found.findings {
        if output.json {
            let line = serde_json::json!({
                "what": finding.what, "place": finding.place, "fix": finding.fix.describe(),
            });
            writeln!(out, "{line}")?;
        } else {
            writeln!(
                out,
                "{}: {} ({})",
                safe(&finding.place),
                safe(&finding.what),
                finding.fix.describe()
            )?;
        }
    }
    let lost = Reader::open(data)
        .and_then(|reader| reader.lost_bodies())
        .unwrap_or(0);
    if output.json {
        let line = serde_json::json!({
            "ok": found.findings.is_empty(), "findings": found.findings.len(), "fixed": fixed,
            "archives": found.archives, "records": found.records, "bodies": found.bodies,
            "versions": found.versions, "lost": lost,
        });
        writeln!(out, "{line}")?;
    } else {
        let verdict = if found.findings.is_empty() {
            "all good"
        } else {
            "something is wrong"
        };
        writeln!(
            out,
            "{verdict}: {} with {} records, {} bodies, {} versions; {}, {fixed} fixed, {lost} marked as lost",
            time::count(found.archives, "archive file"),
            found.records,
            found.bodies,
            found.versions,
            time::count(found.findings.len() as u64, "finding"),
        )?;
    }
    out.flush()?;
    Ok(if found.findings.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}
