//! `gleaner project list`, `rename`, `copy`, `remove`: projects in the catalog.

use super::open::{Held, find};
use super::transfer::ready;
use crate::arguments::{Given, ListProjects, RemoveProject};
use crate::output::{Output, WrongUsage};
use anyhow::bail;
use gleaner_model::Clock;
use gleaner_model::clock::SystemClock;
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_store::runs::RunStatus;
use gleaner_store::runs::{ProjectRow, Removed};
use gleaner_store::{StoreError, ledger};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

pub(super) fn list(data: &Path, arguments: &ListProjects, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let mut rows = reader.project_rows()?;
    rows.retain(|row| arguments.all || row.archived_at.is_none());
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let mut out = output.writer();
    for row in &rows {
        // One whose settings cannot be read is listed all the same.
        let settings = reader
            .find_project(&row.name)
            .ok()
            .flatten()
            .map(|(_, project)| project);
        let (seeds, schedule) = settings.map_or((Vec::new(), String::new()), |p| (p.seeds, p.schedule));
        if output.json {
            let mut line = object(row);
            line["sources"] = seeds.into();
            line["schedule"] = Some(schedule).filter(|text| !text.is_empty()).into();
            writeln!(out, "{line}")?;
            continue;
        }
        let last = match &row.last_run {
            Some(run) => format!(
                "run {} {}, {}",
                run.id,
                run.status.as_str(),
                time::iso(run.started_at)
            ),
            None => "never ran".to_owned(),
        };
        let removed = if row.archived_at.is_some() {
            ", removed"
        } else {
            ""
        };
        writeln!(
            out,
            "{:width$}  {}  {last}{removed}",
            safe(&row.name),
            time::count(row.documents, "document"),
        )?;
    }
    if rows.is_empty() && !output.json {
        writeln!(out, "no projects yet; begin with `gleaner project new NAME URL`")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn object(row: &ProjectRow) -> Value {
    let last = row.last_run.as_ref().map(|run| {
        json!({ "run": run.id, "status": run.status.as_str(), "started_at": time::iso(run.started_at) })
    });
    json!({
        "project": row.name,
        "created_at": time::iso(row.created_at),
        "removed_at": row.archived_at.map(time::iso),
        "runs": row.runs,
        "documents": row.documents,
        "last_run": last,
    })
}

pub(super) fn rename(data: &Path, name: &str, new: &str, output: Output) -> anyhow::Result<ExitCode> {
    find(&*ledger::open(data)?, name)?;
    let held = Held::open(data)?;
    held.catalog.rename_project(name, new)?;
    held.close()?;
    say(
        output,
        &format!("{}: now called {}", safe(name), safe(new)),
        &json!({ "project": new, "renamed_from": name }),
    )
}

pub(super) fn copy(data: &Path, given: &Given, new: &str, output: Output) -> anyhow::Result<ExitCode> {
    let mut project = match ready(data, given, "nothing was copied", output)? {
        Ok(project) => project,
        Err(code) => return Ok(code),
    };
    let old = project.name.clone();
    new.clone_into(&mut project.name);
    let held = Held::open(data)?;
    held.catalog
        .add_project(&project, SystemClock::default().wall())?;
    held.close()?;
    say(
        output,
        &format!("{}: created with the settings of {}", safe(new), safe(&old)),
        &json!({ "project": new, "copied_from": old }),
    )
}

pub(super) fn remove(data: &Path, arguments: &RemoveProject, output: Output) -> anyhow::Result<ExitCode> {
    let name = &arguments.project;
    let reader = ledger::open(data)?;
    let (id, _) = find(&*reader, name)?;
    let row = reader.project_rows()?.into_iter().find(|row| row.id == id);
    drop(reader);
    let Some(row) = row else {
        bail!("there is no such project: {name}");
    };
    if row.archived_at.is_some() {
        bail!("the project was removed already; only its history is left: {name}");
    }
    // Held from here on: no run of it is going, and none begins while somebody thinks about the answer.
    let held = match Held::open_existing(data) {
        Err(error @ StoreError::InUse { .. }) => {
            let is_running = row
                .last_run
                .as_ref()
                .is_some_and(|run| run.status == RunStatus::Running);
            let why = if is_running {
                "it seems to be running"
            } else {
                "the catalog is in use"
            };
            return Err(anyhow::Error::from(error).context(format!("{why}, so nothing was removed: {name}")));
        }
        other => other?,
    };
    let what = consequences(&row);
    if !arguments.yes && !is_confirmed(&what, name)? {
        held.close()?;
        return say(
            output,
            "nothing was removed",
            &json!({ "project": name, "removed": Value::Null }),
        );
    }
    let removed = held.catalog.remove_project(id, SystemClock::default().wall())?;
    held.close()?;
    let word = match removed {
        Removed::Whole => "whole",
        Removed::Archived => "archived",
    };
    say(
        output,
        &format!("{}: removed; {what}", safe(name)),
        &json!({ "project": name, "removed": word, "runs": row.runs, "documents": row.documents }),
    )
}

fn consequences(row: &ProjectRow) -> String {
    if row.runs == 0 {
        return "it never ran, so only its settings are removed".to_owned();
    }
    format!(
        "it is no longer listed or tracked; its history stays ({}, {}), and so does its name",
        time::count(row.runs, "run"),
        time::count(row.documents, "document"),
    )
}

/// A script has to say that it means it.
fn is_confirmed(what: &str, name: &str) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        let text = format!("add --yes to remove it without being asked ({what}): {name}");
        return Err(WrongUsage(text).into());
    }
    let question = format!("remove {}? {what} [y/N] ", safe(name));
    std::io::stderr().write_all(question.as_bytes())?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

pub(super) fn say(output: Output, text: &str, object: &Value) -> anyhow::Result<ExitCode> {
    let mut out = output.writer();
    if output.json {
        writeln!(out, "{object}")?;
    } else {
        writeln!(out, "{text}")?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
