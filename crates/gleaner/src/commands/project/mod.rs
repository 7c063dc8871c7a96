//! `gleaner project`: what to collect, as one file each (D2). One file per thing a person does with it.
//!
//! A project is named by its name in the catalog or by a file; [`open`] makes one [`Draft`] of both: the text with its places.
//! [`check`] finds what is wrong with it, [`paths`] makes it independent of where the file lies.

mod check;
mod edit;
mod interactive;
mod manage;
mod new;
mod open;
mod paths;
mod run;
mod transfer;
mod trial;

use crate::arguments::Project;
use crate::output::Output;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn project(data: &Path, action: &Project, output: Output) -> anyhow::Result<ExitCode> {
    match action {
        Project::New(arguments) => new::new(arguments, output),
        Project::Run(arguments) => run::run(data, arguments, output),
        Project::Try(arguments) => trial::trial(data, arguments, output),
        Project::List(arguments) => manage::list(data, arguments, output),
        Project::Show { project } => transfer::show(data, project, output),
        Project::Check { project } => check::command(data, project, output),
        Project::Edit { project } => edit::edit(data, project, output),
        Project::Rename { project, new } => manage::rename(data, project, new, output),
        Project::Copy { project, new } => manage::copy(data, project, new, output),
        Project::Remove(arguments) => manage::remove(data, arguments, output),
        Project::Import { file, replace } => transfer::import(data, file, *replace, output),
        Project::Export {
            project,
            file,
            replace,
        } => transfer::export(data, project, file.as_deref(), *replace, output),
    }
}
