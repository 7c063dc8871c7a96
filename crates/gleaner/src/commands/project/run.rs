//! `gleaner project run`: collects what a project says, or looks again at what it has.

use super::transfer::ready;
use crate::arguments::{Given, RunProject};
use crate::commands::crawl::again;
use crate::output::Output;
use gleaner_store::ledger;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn run(data: &Path, arguments: &RunProject, output: Output) -> anyhow::Result<ExitCode> {
    match &arguments.project {
        Given::Name(name) => {
            // A name makes no new folder, and who has a file of that name is told how to say so.
            super::open::find(&*ledger::open(data)?, name)?;
            again(data, name, None, &arguments.again, output)
        }
        // The file is what the user looks at, so it is what runs: its history stays, whatever changed in it.
        file @ Given::File(_) => match ready(data, file, "nothing was fetched", output)? {
            Ok(project) => again(data, &project.name, Some(&project), &arguments.again, output),
            Err(code) => Ok(code),
        },
    }
}
