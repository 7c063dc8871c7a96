//! `gleaner prune`: what retention no longer wants leaves the catalog and the archive.

use super::convert::pool_for_texts;
use crate::arguments::Prune;
use crate::output::Output;
use gleaner_model::Clock;
use gleaner_model::clock::SystemClock;
use gleaner_model::project::Retention;
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_store::compact::{PruneOptions, Pruned, prune as drop_and_compact};
use gleaner_store::{DataFolder, ledger};
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn prune(data: &Path, arguments: &Prune, output: Output) -> anyhow::Result<ExitCode> {
    ledger::open(data)?; // Pruning makes no new folder.
    let folder = DataFolder::open(data)?;
    let wish = PruneOptions {
        project: arguments.project.clone(),
        keep: arguments.keep,
        every_file: arguments.all,
        is_trial: arguments.dry_run,
    };
    let software = concat!("gleaner/", env!("CARGO_PKG_VERSION"));
    let done = drop_and_compact(&folder, &wish, software, SystemClock::default().wall())?;
    for file in &done.left_alone {
        output.say(&format!(
            "not touched, {}; `gleaner verify` says more: {}",
            safe(&file.why),
            file.path.display()
        ));
    }
    if done.files_waiting > 0 {
        output.say(&format!(
            "another program may still be reading {} that are no longer needed; the next crawl or prune removes them",
            time::count(done.files_waiting, "old archive file")
        ));
    }
    if !wish.is_trial && done.versions_dropped() > 0 {
        // What was made from them goes with them.
        gleaner_text::forget_departed(data, &pool_for_texts())?;
    }
    let mut out = output.writer();
    if output.json {
        writeln!(out, "{}", object(&done, &wish))?;
    } else {
        tell(&done, &wish, &mut out)?;
    }
    out.flush()?;
    Ok(if done.left_alone.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn tell(done: &Pruned, wish: &PruneOptions, out: &mut impl Write) -> std::io::Result<()> {
    let (drop, free) = if wish.is_trial {
        ("would be removed", "would be freed")
    } else {
        ("removed", "freed")
    };
    for project in &done.projects {
        let rule = match project.keep {
            Retention::All => "all versions stay".to_owned(),
            Retention::Versions(1) => "the newest version of each document stays".to_owned(),
            Retention::Versions(count) => format!("the newest {count} versions of each document stay"),
            Retention::Days(days) => format!("versions of the last {} stay", time::count(days.into(), "day")),
        };
        writeln!(
            out,
            "{}: {rule}; {} of {} {drop}",
            safe(&project.name),
            project.dropped,
            time::count(project.versions, "version"),
        )?;
    }
    writeln!(
        out,
        "{} of {} in the archive {free}: {} rewritten, {} removed",
        time::size(done.bytes_freed),
        time::size(done.bytes_before),
        time::count(done.files_rewritten, "file"),
        done.files_removed,
    )
}

fn object(done: &Pruned, wish: &PruneOptions) -> serde_json::Value {
    let projects: Vec<_> = done
        .projects
        .iter()
        .map(|project| {
            json!({
                "project": project.name, "keep": project.keep.to_string(),
                "versions": project.versions, "dropped": project.dropped,
            })
        })
        .collect();
    let left_alone: Vec<_> = done
        .left_alone
        .iter()
        .map(|file| json!({ "file": file.path.display().to_string(), "why": file.why }))
        .collect();
    json!({
        "dry_run": wish.is_trial, "projects": projects, "versions_dropped": done.versions_dropped(),
        "bodies_dropped": done.bodies_dropped, "files_rewritten": done.files_rewritten,
        "files_removed": done.files_removed, "files_waiting": done.files_waiting,
        "bytes_before": done.bytes_before, "bytes_freed": done.bytes_freed, "left_alone": left_alone,
    })
}
