//! `gleaner track --all`: every project, all at once on one store, and one table at the end.

use super::company::Company;
use super::crawl::{in_company, open};
use super::network::check_network;
use crate::arguments::Again;
use crate::output::Output;
use anyhow::bail;
use gleaner_publish::report::safe;
use gleaner_publish::{listing, time};
use gleaner_store::runs::{Counts, RunRow, RunStatus};
use gleaner_store::{SqliteStore, Store as _, ledger};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How one project came out.
#[derive(Clone)]
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

/// Runs that go on at once; more wait for their turn.
const AT_ONCE_MAX: usize = 32;

pub(super) fn track_all(data: &Path, how: &Again, output: Output) -> anyhow::Result<ExitCode> {
    let names = ledger::open(data)?.projects()?;
    if names.is_empty() {
        bail!("there is no project yet; begin with `gleaner crawl URL`");
    }
    check_network(&how.network)?;
    let output = Output {
        telling: how.telling,
        ..output
    };
    let company = Company::of(names.len().min(AT_ONCE_MAX));
    if !company.is_alone() {
        company.listen(output)?;
    }
    let store = open(data, output)?;
    let all = Mutex::new(vec![None; names.len()]);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..company.at_once {
            scope.spawn(|| {
                while let Some((at, name)) = take(&next, &names) {
                    if *company.stop.borrow() {
                        break; // Whoever stops one means all of them.
                    }
                    let tracked = track_one(&store, name, how, &company, output);
                    all.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(tracked);
                }
            });
        }
    });
    drop(store);
    let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let all: Vec<Tracked> = all.into_iter().flatten().collect();
    write(&all, output)?;
    let code = all.iter().map(Tracked::code).max().unwrap_or(130);
    Ok(ExitCode::from(code))
}

fn take<'n>(next: &AtomicUsize, names: &'n [String]) -> Option<(usize, &'n str)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    Some((at, names.get(at)?.as_str()))
}

fn track_one(store: &SqliteStore, name: &str, how: &Again, company: &Company, output: Output) -> Tracked {
    let of = |run: Option<(RunRow, Counts)>| run.map(|(run, _)| (run.id, run.active_ms, run.status.as_str()));
    let last = |store: &SqliteStore| last_run(store, name).unwrap_or_default();
    let before = of(last(store));
    let tried = in_company(store.clone(), name, None, how, company, output);
    let error = tried.err().map(|error| {
        let text = format!("{error:#}");
        output.say(&format!("{name}: {text}"));
        text
    });
    let after = last(store);
    Tracked {
        run: if of(after.clone()) == before { None } else { after },
        name: name.to_owned(),
        error,
    }
}

fn last_run(store: &SqliteStore, name: &str) -> anyhow::Result<Option<(RunRow, Counts)>> {
    let reader = store.reader()?;
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
