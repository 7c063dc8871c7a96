//! `gleaner track --all`: every project, one after the other, and one table at the end.

use super::crawl::again;
use crate::arguments::Again;
use crate::output::Output;
use anyhow::bail;
use gleaner_publish::report::safe;
use gleaner_publish::{listing, time};
use gleaner_store::Reader;
use gleaner_store::catalog::runs::{Counts, RunRow, RunStatus};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// How one project came out.
struct Tracked {
    name: String,
    /// None: no run was begun.
    run: Option<(RunRow, Counts)>,
    /// What kept it from running.
    error: Option<String>,
}

impl Tracked {
    /// 0 done, 1 done and nothing was there, 3 could not do it, 130 stopped.
    fn code(&self) -> u8 {
        match (&self.error, &self.run) {
            (Some(_), _) | (None, None) => 3,
            (None, Some((run, _))) if run.status == RunStatus::Stopped => 130,
            (None, Some((run, _))) if run.status != RunStatus::Finished => 3,
            (None, Some((_, counts))) if counts.new + counts.updated + counts.same == 0 => 1,
            (None, Some(_)) => 0,
        }
    }
}

pub(super) fn track_all(data: &Path, how: &Again, output: Output) -> anyhow::Result<ExitCode> {
    let names = Reader::open(data)?.projects()?;
    if names.is_empty() {
        bail!("there is no project yet; begin with `gleaner crawl URL`");
    }
    let mut all: Vec<Tracked> = Vec::new();
    for name in names {
        let before = last_run(data, &name)?.map(|(run, _)| (run.id, run.active_ms, run.status.as_str()));
        let tried = again(data, &name, None, how, output);
        let error = tried.err().map(|error| {
            let text = format!("{error:#}");
            output.say(&format!("{name}: {text}"));
            text
        });
        let is_new =
            |(run, _): &(RunRow, Counts)| before != Some((run.id, run.active_ms, run.status.as_str()));
        let tracked = Tracked {
            run: last_run(data, &name)?.filter(is_new),
            name,
            error,
        };
        let is_stopped = tracked.code() == 130;
        all.push(tracked);
        if is_stopped {
            break; // Whoever stops one means all of them.
        }
    }
    write(&all, output)?;
    Ok(ExitCode::from(all.iter().map(Tracked::code).max().unwrap_or(0)))
}

fn last_run(data: &Path, name: &str) -> anyhow::Result<Option<(RunRow, Counts)>> {
    let reader = Reader::open(data)?;
    // Settings that cannot be read keep it from running, which is said then.
    let Ok(Some((id, _))) = reader.find_project(name) else {
        return Ok(None);
    };
    let Some(run) = reader.last_run_of(id)? else {
        return Ok(None);
    };
    Ok(Some((reader.run(run)?, reader.counts(run)?)))
}

fn write(all: &[Tracked], output: Output) -> anyhow::Result<()> {
    let mut out = output.writer();
    let failed = all.iter().filter(|one| one.code() == 3).count();
    if output.json {
        let projects: Vec<_> = all
            .iter()
            .map(|one| {
                let run = one.run.as_ref().map(|(row, counts)| listing::run(row, counts));
                json!({ "project": one.name, "run": run, "error": one.error })
            })
            .collect();
        writeln!(out, "{}", json!({ "projects": projects, "failed": failed }))?;
        return Ok(out.flush()?);
    }
    let width = all
        .iter()
        .map(|one| one.name.chars().count())
        .max()
        .unwrap_or(0)
        .max(7);
    writeln!(
        out,
        "\n{:width$}  {:>5}  {:8}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6}",
        "project", "run", "status", "new", "changed", "gone", "errors", "same"
    )?;
    for one in all {
        match &one.run {
            Some((run, counts)) => writeln!(
                out,
                "{:width$}  {:>5}  {:8}  {:>6}  {:>7}  {:>6}  {:>6}  {:>6}",
                safe(&one.name),
                run.id,
                run.status.as_str(),
                counts.new,
                counts.updated,
                counts.missing,
                counts.errors,
                counts.same
            )?,
            None => writeln!(out, "{:width$}  {:>5}  {:8}", safe(&one.name), "-", "failed")?,
        }
    }
    if failed > 0 {
        writeln!(
            out,
            "{} could not be tracked; see the reasons above",
            time::count(failed as u64, "project")
        )?;
    }
    Ok(out.flush()?)
}
