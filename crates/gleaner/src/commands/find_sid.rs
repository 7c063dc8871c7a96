//! `gleaner find-sid`: the session id in lists of links, for people who have nothing else.

use crate::arguments::FindSid;
use crate::output::Output;
use anyhow::Context;
use gleaner_judge::identity;
use gleaner_publish::text::safe;
use gleaner_publish::time;
use std::io::Write;
use std::process::ExitCode;

/// Larger files are no lists of links.
const FILE_BYTES_MAX: u64 = 256 << 20;

pub(crate) fn find_sid(arguments: &FindSid, output: Output) -> anyhow::Result<ExitCode> {
    let lists = arguments
        .files
        .iter()
        .map(|path| read(path))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let found = identity::find_sid(&lists, arguments.length);
    let mut out = output.writer();
    if output.json {
        writeln!(out, "{}", serde_json::to_string(&found)?)?;
    } else if let Some(sid) = &found.sid {
        let first = found.candidates.first().map_or(0, |candidate| candidate.count);
        let links = lists.first().map_or(0, Vec::len);
        writeln!(
            out,
            "{}  ({}, in {first} of {}{})",
            safe(sid),
            time::count(found.length.unwrap_or_default() as u64, "character"),
            time::count(links as u64, "link"),
            found
                .slot
                .as_ref()
                .map(|slot| format!(", at {}", safe(slot)))
                .unwrap_or_default(),
        )?;
        for other in found.candidates.iter().skip(1) {
            writeln!(
                out,
                "or {}  (in {})",
                safe(&other.value),
                time::count(other.count as u64, "link")
            )?;
        }
    } else {
        writeln!(out, "no session ID was found")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The lines of a file that hold something.
fn read(path: &std::path::Path) -> anyhow::Result<Vec<String>> {
    let cannot = || format!("the list of links cannot be read: {}", path.display());
    let length = std::fs::metadata(path).with_context(cannot)?.len();
    anyhow::ensure!(
        length <= FILE_BYTES_MAX,
        "the list of links is larger than 256 MiB: {}",
        path.display()
    );
    let bytes = std::fs::read(path).with_context(cannot)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect())
}
