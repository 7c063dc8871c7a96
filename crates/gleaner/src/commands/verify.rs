//! `gleaner verify`: is everything there, and is it what it was?

use crate::arguments::Verify;
use crate::output::Output;
use anyhow::anyhow;
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_store::verify::{self as check, Verified};
use gleaner_store::{DataFolder, ledger};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn verify(data: &Path, arguments: &Verify, output: Output) -> anyhow::Result<ExitCode> {
    let looked = if arguments.fix {
        put_right(data, output)
    } else {
        check::verify(data).map(|found| (found, 0)).map_err(Into::into)
    };
    let (found, fixed) = looked.map_err(|error| anyhow!(without_itself(&format!("{error:#}"))))?;
    let mut out = output.writer();
    for finding in &found.findings {
        if output.json {
            let line = serde_json::json!({
                "what": without_itself(&finding.what), "place": finding.place, "fix": finding.fix.describe(),
            });
            writeln!(out, "{line}")?;
        } else {
            writeln!(
                out,
                "{}: {} ({})",
                safe(&finding.place),
                safe(&without_itself(&finding.what)),
                finding.fix.describe()
            )?;
        }
    }
    let lost = ledger::open(data)
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
            "{verdict}: {} with {}, {}, {}; {}, {fixed} fixed, {lost} marked as lost",
            time::count(found.archives, "archive file"),
            time::count(found.records, "record"),
            time::count(found.bodies, "body"),
            time::count(found.versions, "version"),
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

/// What others say of damage tells to run this very command.
fn without_itself(text: &str) -> String {
    [
        "; run `gleaner verify` to check everything",
        "; run `gleaner verify` to see where",
        ", or run `gleaner verify` to see where",
    ]
    .iter()
    .fold(text.to_owned(), |text, advice| text.replace(advice, ""))
}

/// Holds the folder from before the first look to the end of the second: what a crawl is about to commit is nothing to put
/// right, and no crawl may build on what is being changed.
fn put_right(data: &Path, output: Output) -> anyhow::Result<(Verified, u64)> {
    if !gleaner_store::folder::catalog(data).is_file() {
        return Ok((check::verify(data)?, 0)); // It says that there is nothing, and no folder is made.
    }
    let folder = DataFolder::open(data)?;
    let before = check::verify_held(&folder)?;
    if before.findings.is_empty() {
        return Ok((before, 0));
    }
    let fixed = check::fix(&folder, &before)?;
    for finding in &before.findings {
        output.say(&format!(
            "was: {} ({})",
            safe(&without_itself(&finding.what)),
            safe(&finding.place)
        ));
    }
    Ok((check::verify_held(&folder)?, fixed))
}
