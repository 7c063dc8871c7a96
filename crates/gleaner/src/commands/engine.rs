//! A run, from its row in the catalog to its summary: what it needs is brought together, and it is let go.

use super::company::Company;
use super::network::{http_settings, take_cookies};
use super::nothing;
use super::session::Session;
use super::sockets;
use super::stats;
use crate::arguments::Network;
use crate::limits;
use crate::output::{Output, is_closed};
use crate::progress::Display;
use anyhow::bail;
use gleaner_model::chance::SplitMix;
use gleaner_model::{Clock, Project, ProjectId, RunId};
use gleaner_publish::report::safe;
use gleaner_publish::{listing, time};
use gleaner_run::forms::SecretLookup;
use gleaner_run::{CrawlEnd, Guidance, Measured, Processor, Progress, Surroundings, Witness};
use gleaner_store::runs::Runs as _;
use gleaner_store::runs::{Counts, RunRow, RunStatus};
use gleaner_store::work::Work as _;
use gleaner_store::{Catalog, DataFolder, Ledger, RunRef, SqliteStore, Store, ledger, wait};
use gleaner_units::registry::{self, Around, UnitOptions};
use gleaner_units::{Http, Net};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::sync::watch;

/// One run and what it needs from outside.
pub(super) struct Job<'a> {
    pub(super) id: ProjectId,
    pub(super) run: RunId,
    pub(super) project: &'a Project,
    pub(super) network: &'a Network,
    pub(super) company: Company,
    pub(super) secrets: Arc<SecretLookup>,
    pub(super) witness: Option<Arc<Witness>>,
    /// What a library looks for.
    pub(super) guidance: Option<Guidance>,
    pub(super) output: Output,
}

impl<'a> Job<'a> {
    /// A run that nobody watches.
    pub(super) fn new(
        (id, run): (ProjectId, RunId),
        project: &'a Project,
        network: &'a Network,
        company: Company,
        secrets: Arc<SecretLookup>,
        output: Output,
    ) -> Job<'a> {
        Job {
            id,
            run,
            project,
            network,
            company,
            secrets,
            witness: None,
            guidance: None,
            output,
        }
    }
}

/// Works on a run and tells how it ended.
pub(super) fn work(store: SqliteStore, job: &Job<'_>) -> ExitCode {
    let data = store.root().to_owned();
    let closed = run_to_its_end(&store, job).and_then(|ended| close(&store, ended, job));
    match closed {
        Ok(closed) => tell_end(&store, &closed, job),
        Err(error) => {
            note_failure(&store, job, &error);
            drop(store);
            failed(&data, job, &error)
        }
    }
}

/// Among others, a run that could not go on says so through the store that they share. Alone, it frees the folder first,
/// because what failed may be its connection.
fn note_failure(store: &SqliteStore, job: &Job<'_>, error: &anyhow::Error) {
    if !job.company.is_alone() {
        let now = job.company.clock.wall();
        let _the_message_is_out_already = wait(store.fail_run(job.run, now, error.to_string()));
    }
}

/// Finishes a run that was left behind with nothing to ask for; a new one is then to follow. Gives the store back, or the
/// way it ended where that was another.
pub(super) fn work_on_left_behind(store: SqliteStore, job: &Job<'_>) -> LeftBehind {
    let data = store.root().to_owned();
    let closed = match run_to_its_end(&store, job).and_then(|ended| close(&store, ended, job)) {
        Ok(closed) => closed,
        Err(error) => {
            note_failure(&store, job, &error);
            drop(store);
            return LeftBehind::Worked(failed(&data, job, &error));
        }
    };
    if closed.status == RunStatus::Finished && closed.had_nothing_to_ask {
        job.output.note(&format!(
            "run {} had nothing left to fetch and is finished; a new run follows",
            job.run
        ));
        return LeftBehind::Idle(store);
    }
    LeftBehind::Worked(tell_end(&store, &closed, job))
}

/// What came of a run that was left behind.
pub(super) enum LeftBehind {
    /// It had nothing to ask, and nobody has looked at the site since.
    Idle(SqliteStore),
    Worked(ExitCode),
}

fn failed(data: &Path, job: &Job<'_>, error: &anyhow::Error) -> ExitCode {
    let &Job {
        run, project, output, ..
    } = job;
    output.say(&format!(
        "run {run} had to stop; everything kept so far is safe, and `gleaner resume {run}` continues it"
    ));
    mark_failed(data, run, &error.to_string(), job.company.clock.as_ref());
    output.failure_of(error, summary_of_failure(data, run, project))
}

/// The run itself says that it failed, where that can still be written; it can be resumed all the same.
fn mark_failed(data: &Path, run: RunId, why: &str, clock: &dyn Clock) {
    if !gleaner_store::folder::catalog(data).is_file() {
        return; // The folder was removed: no half-made one takes its place.
    }
    let _the_message_is_out_already = DataFolder::open(data).and_then(|folder| {
        let catalog = Catalog::open(&folder.catalog())?;
        catalog.fail_run(run, clock.wall(), why)
    });
}

/// What the run had found until it failed, as far as that can still be read.
fn summary_of_failure(data: &Path, run: RunId, project: &Project) -> Value {
    let found = ledger::open(data).and_then(|reader| Ok((reader.run(run)?, reader.counts(run)?)));
    let mut summary = match found {
        Ok((row, counts)) => listing::run(&row, &counts),
        Err(_) => json!({ "project": project.name, "run": run }),
    };
    summary["status"] = RunStatus::Failed.as_str().into();
    summary
}

/// Lets a run go until it is over or somebody stops it.
pub(super) fn run_to_its_end(store: &SqliteStore, job: &Job<'_>) -> anyhow::Result<CrawlEnd> {
    let Job {
        id,
        run,
        project,
        network,
        company,
        output,
        ..
    } = job;
    let (id, run, output) = (*id, *run, *output);
    if let Some(lacking) = limits::lacking(project.concurrency) {
        bail!(lacking);
    }
    let of = RunRef { project: id, run };
    // Also of a run that goes on: killed right after it began, it has none in its frontier yet.
    wait(store.enqueue_starts(of, gleaner_run::way::starts(project)?, company.clock.wall()))?;
    let homes = gleaner_run::way::homes(project)?;
    let settings = http_settings(job, &homes, gleaner_store::folder::spool(store.root()))?;
    let net = Arc::new(Net::new(settings.net.clone())?);
    let http = Arc::new(Http::on(Arc::clone(&net), settings));
    let units = registry::all(&Around {
        net,
        http: Arc::clone(&http),
        seeds: homes.clone(),
        options: UnitOptions {
            pairs: network.option.clone(),
        },
        data: store.root().to_owned(),
    })?;
    let session = Session::of(run, output);
    let is_restored = match wait(store.cookies(run))? {
        Some(sealed) => session.restore(&sealed, &http)?,
        None => false,
    };
    if !is_restored {
        take_cookies(&http, project, &homes, output)?;
    }
    let progress = Arc::new(Progress::default());
    let stop = company.stop.subscribe();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let ended = {
        let _display = Display::start(Arc::clone(&progress), project, company.is_alone(), output);
        runtime.block_on(async {
            if company.is_alone() && !company.is_in_turn {
                tokio::spawn(listen_for_stop(Arc::clone(&company.stop), output));
            }
            let around = Surroundings {
                store: Arc::new(store.clone()),
                worker: store.worker().to_owned(),
                spool: gleaner_store::folder::spool(store.root()),
                units,
                clock: Arc::clone(&company.clock),
                paces: company.paces.clone(),
                chance: Arc::new(SplitMix::from_system()),
                processor: Processor::Threads,
                progress,
                stop,
                sockets_max: sockets::max() / company.at_once,
                secrets: Arc::clone(&job.secrets),
                readers: Some(Arc::clone(&company.readers)),
                witness: job.witness.clone(),
                guidance: job.guidance.clone(),
                cookies: session.jar_when_changed(Arc::clone(&http)),
            };
            gleaner_run::crawl(of, project, around).await
        })
    };
    Ok(ended?)
}

/// A run that has its end in the catalog.
pub(super) struct Closed {
    pub(super) status: RunStatus,
    had_nothing_to_ask: bool,
    measured: Measured,
}

/// Writes the end of a run down. From here on nothing changes it any more.
pub(super) fn close(store: &SqliteStore, ended: CrawlEnd, job: &Job<'_>) -> anyhow::Result<Closed> {
    let CrawlEnd {
        status,
        note,
        had_nothing_to_ask,
        measured,
    } = ended;
    wait(store.end_run(job.run, status, job.company.clock.wall(), note))?;
    if let Err(error) = wait(store.tidy()) {
        // All of it is committed; only the log stays where it is until the next start.
        job.output
            .say(&format!("the catalog could not be tidied up: {error}"));
    }
    Ok(Closed {
        status,
        had_nothing_to_ask,
        measured,
    })
}

/// Says how a run ended. That this may fail changes nothing about the run.
fn tell_end(store: &SqliteStore, closed: &Closed, job: &Job<'_>) -> ExitCode {
    let status = closed.status.as_str();
    try_tell_end(store, closed, job).unwrap_or_else(|error| {
        let error = error.context(format!("run {} is {status}", job.run));
        job.output
            .failure_of(&error, json!({ "run": job.run, "status": status }))
    })
}

fn try_tell_end(store: &SqliteStore, closed: &Closed, job: &Job<'_>) -> anyhow::Result<ExitCode> {
    let Closed { status, measured, .. } = closed;
    let run = job.run;
    let (row, counts) = (wait(store.run_row(run))?, wait(store.counts(run))?);
    let collected = counts.new + counts.updated + counts.same;
    let code = match status {
        RunStatus::Stopped => ExitCode::from(130),
        _ if collected == 0 => ExitCode::from(1),
        _ => ExitCode::SUCCESS,
    };
    let reader = store.reader()?;
    if collected == 0
        && *status == RunStatus::Finished
        && let Some(why) = nothing::why(&*reader, job.project, row.active_ms as f64 / 1000.0)?
    {
        job.output.say(&why);
    }
    if collected > 0
        && let Some(hint) = nothing::login_forgotten(&*reader, run, job.project, job.network.user.is_some())?
    {
        job.output.say(&hint);
    }
    let measured = job.output.telling.stats.then_some(measured);
    match write_end(&*reader, &row, &counts, measured, job.output) {
        Err(error) if !is_closed(&error) => Err(error),
        _ => Ok(code),
    }
}

fn write_end(
    reader: &dyn Ledger,
    row: &RunRow,
    counts: &Counts,
    measured: Option<&Measured>,
    output: Output,
) -> anyhow::Result<()> {
    let mut out = output.writer();
    if output.json {
        let mut summary = listing::run(row, counts);
        if let Some(measured) = measured {
            summary["stats"] = serde_json::to_value(measured)?;
        }
        writeln!(out, "{summary}")?;
        return Ok(out.flush()?);
    }
    if !output.telling.quiet {
        write_summary(&mut out, reader, row, counts)?;
    }
    if let Some(measured) = measured {
        out.write_all(stats::table(measured).as_bytes())?;
    }
    Ok(out.flush()?)
}

fn write_summary(
    out: &mut impl Write,
    reader: &dyn Ledger,
    row: &RunRow,
    counts: &Counts,
) -> anyhow::Result<()> {
    let seconds = row.active_ms as f64 / 1000.0;
    writeln!(
        out,
        "{}: run {} {}: {} new, {} updated, {} same, {} missing, {}{} ({} fetched, {} in {})",
        row.project_name,
        row.id,
        row.status.as_str(),
        counts.new,
        counts.updated,
        counts.same,
        counts.missing,
        time::count(counts.errors, "error"),
        match counts.out {
            0 => String::new(),
            out => format!(", {out} out"),
        },
        counts.fetched,
        time::size(row.wire_bytes),
        time::span(seconds),
    )?;
    if let Some(note) = &row.note {
        writeln!(out, "{note}")?;
    }
    for note in reader.notes(row.id)? {
        writeln!(out, "{}", safe(&note))?;
    }
    match row.status {
        RunStatus::Stopped => writeln!(out, "continue with: gleaner resume {}", row.id)?,
        _ => writeln!(
            out,
            "see more: gleaner report {}, gleaner ls, gleaner cat URL",
            row.id
        )?,
    }
    Ok(())
}

/// The first Ctrl-C (or SIGTERM) finishes what is in flight, the second stops at once.
pub(super) async fn listen_for_stop(stop: Arc<watch::Sender<bool>>, output: Output) {
    wait_for_signal().await;
    output.say("finishing what has begun; press Ctrl-C again to stop at once (nothing is lost either way)");
    let _the_run_may_be_over = stop.send_replace(true);
    wait_for_signal().await;
    std::process::exit(130);
}

#[cfg(unix)]
async fn wait_for_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
        }
        Err(_) => {
            let _without_signals_there_is_no_stop = tokio::signal::ctrl_c().await;
        }
    }
}

#[cfg(not(unix))]
async fn wait_for_signal() {
    let _without_signals_there_is_no_stop = tokio::signal::ctrl_c().await;
}
