//! `gleaner project try`: the run as it would be, of a few pages, in a folder that is thrown away (A2).
//!
//! It is the run itself that is tried, not a model of it: the same stages with a witness beside them. So what it tells is what
//! a run then does.

mod seen;
mod told;

use super::transfer::ready;
use crate::arguments::TryProject;
use crate::commands::company::Company;
use crate::commands::crawl::open;
use crate::commands::engine::{Job, run_to_its_end};
use crate::commands::network::check_network;
use crate::commands::secrets;
use crate::output::Output;
use anyhow::Context;
use gleaner_store::runs::Runs as _;
use gleaner_store::runs::{RunKind, RunStatus};
use gleaner_store::{ledger, wait};
use seen::{Found, Seen};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) fn trial(data: &Path, arguments: &TryProject, output: Output) -> anyhow::Result<ExitCode> {
    check_network(&arguments.network)?;
    let mut project = match ready(data, &arguments.project, "nothing was fetched", output)? {
        Ok(project) => project,
        Err(code) => return Ok(code),
    };
    project.allow_private |= arguments.network.allow_private;
    project.delay_ms = arguments.delay.unwrap_or(project.delay_ms);
    let of_project = project.pages_max;
    project.pages_max = Some(of_project.map_or(arguments.max, |max| max.min(arguments.max)));
    // One page after the other, so that no more are fetched than were asked for.
    (project.concurrency, project.per_host) = (1, 1);

    let aside = tempfile::Builder::new()
        .prefix("gleaner-trial-")
        .tempdir()
        .context("there is no folder for temporary files")?;
    let store = open(aside.path(), output)?;
    let company = Company::of(1);
    let clock = Arc::clone(&company.clock);
    let id = wait(store.project(project.clone(), clock.wall()))?;
    let run = wait(store.start_run(id, project.clone(), RunKind::Crawl, clock.wall()))?;

    let seen = Arc::new(Mutex::new(Seen::default()));
    let stop = Arc::clone(&company.stop);
    let (watching, stopping, max) = (Arc::clone(&seen), Arc::clone(&stop), arguments.max);
    let mut job = Job::new(
        (id, run),
        &project,
        &arguments.network,
        company,
        secrets::reader(data),
        output,
    );
    job.witness = Some(Arc::new(move |sight| {
        let mut seen = watching.lock().unwrap_or_else(PoisonError::into_inner);
        seen.take(sight);
        // Pages that are only passed through are no documents, and count here all the same.
        if seen.pages.len() as u64 >= max {
            stopping.send_replace(true);
        }
    }));
    let ended = run_to_its_end(&store, &job);
    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    let (status, note, failure) = match ended {
        Ok(ended) => {
            wait(store.tidy())?;
            (ended.status, ended.note, None)
        }
        Err(error) => (RunStatus::Failed, None, Some(error)),
    };
    let mut found = Found::read(&*ledger::open(aside.path())?, run, &seen)?;
    let is_whole = status == RunStatus::Finished && found.left == 0;
    // That not everything was fetched is told with the numbers.
    found.notes.extend(note.filter(|_| is_whole));
    let told = told::Told {
        project: &project,
        seen: &seen,
        found: &found,
        is_whole,
        max: arguments.max,
    };
    if let Some(error) = failure {
        // What was seen until then says most about why.
        if !output.json {
            told.write(output)?;
        }
        return Ok(output.failure_of(&error, told.object()));
    }
    told.write(output)?;
    Ok(ExitCode::from(u8::from(found.documents.is_empty())))
}
