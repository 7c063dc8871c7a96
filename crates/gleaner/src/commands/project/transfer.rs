//! `gleaner project show`, `import`, `export`: between the catalog and files.

use super::check::{Checked, check, object, shown};
use super::manage::say;
use super::open::{Draft, Held, find, write_file};
use super::paths::settle;
use crate::arguments::Given;
use crate::output::Output;
use anyhow::bail;
use gleaner_model::Clock;
use gleaner_model::Project;
use gleaner_model::clock::SystemClock;
use gleaner_publish::report::safe;
use gleaner_publish::time;
use gleaner_settings::project_file;
use gleaner_store::ledger;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(super) fn show(data: &Path, given: &Given, output: Output) -> anyhow::Result<ExitCode> {
    let draft = Draft::open(data, given)?;
    let project = match read(data, given, &draft, "it cannot be shown", output)? {
        Ok(project) => project,
        Err(code) => return Ok(code),
    };
    let mut out = output.writer();
    if output.json {
        writeln!(out, "{}", serde_json::to_string(&project)?)?;
    } else {
        out.write_all(project_file::write(&project).as_bytes())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn import(data: &Path, path: &Path, replace: bool, output: Output) -> anyhow::Result<ExitCode> {
    let draft = Draft::of_file(path)?;
    let checked = check(&draft);
    let Some(mut project) = checked.project.clone() else {
        return Ok(refuse(&draft, &checked, "nothing was stored", output));
    };
    warn(&draft, &checked, output);
    settle(&mut project, &draft.base);
    let held = Held::open(data)?;
    let is_there = held.catalog.find_project(&project.name)?.is_some();
    if is_there && !replace {
        bail!(
            "there is already a project of that name; --replace replaces its settings and keeps its history: {}",
            project.name
        );
    }
    held.catalog.project(&project, SystemClock::default().wall())?;
    held.close()?;
    let name = &project.name;
    let how = if is_there { "replaced" } else { "stored" };
    say(
        output,
        &format!(
            "{}: {how}; `gleaner track {name}` collects it, and later shows what changed",
            safe(name)
        ),
        &json!({ "project": name, "replaced": is_there, "warnings": object(&draft, &checked)["warnings"] }),
    )
}

pub(super) fn export(
    data: &Path,
    given: &Given,
    file: Option<&Path>,
    replace: bool,
    output: Output,
) -> anyhow::Result<ExitCode> {
    let draft = Draft::open(data, given)?;
    let project = match read(data, given, &draft, "nothing was written", output)? {
        Ok(project) => project,
        Err(code) => return Ok(code),
    };
    let text = project_file::write(&project);
    let Some(path) = file else {
        let mut out = output.writer();
        if output.json {
            writeln!(out, "{}", json!({ "project": project.name, "toml": text }))?;
        } else {
            out.write_all(text.as_bytes())?;
        }
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    };
    if path.exists() && !replace {
        bail!(
            "the file exists already; --replace overwrites it: {}",
            path.display()
        );
    }
    write_file(path, text.as_bytes())?;
    say(
        output,
        &format!("{}: wrote {}", safe(&project.name), path.display()),
        &json!({ "project": project.name, "file": path.display().to_string() }),
    )
}

/// A project as a run needs it: from the catalog, or from a file that has no mistakes, its paths made whole. The exit code
/// where there are some: they have been shown.
pub(super) fn ready(
    data: &Path,
    given: &Given,
    what: &str,
    output: Output,
) -> anyhow::Result<Result<Project, ExitCode>> {
    let path = match given {
        Given::Name(name) => return Ok(Ok(find(&*ledger::open(data)?, name)?.1)),
        Given::File(path) => path,
    };
    let draft = Draft::of_file(path)?;
    let checked = check(&draft);
    let Some(mut project) = checked.project.clone() else {
        return Ok(Err(refuse(&draft, &checked, what, output)));
    };
    warn(&draft, &checked, output);
    settle(&mut project, &draft.base);
    Ok(Ok(project))
}

/// The project itself: from the catalog as it is, from a file if that is right.
fn read(
    data: &Path,
    given: &Given,
    draft: &Draft,
    what: &str,
    output: Output,
) -> anyhow::Result<Result<Project, ExitCode>> {
    if let Given::Name(name) = given {
        let (_, project) = find(&*ledger::open(data)?, name)?;
        return Ok(Ok(project));
    }
    Ok(match draft.read() {
        Ok(file) => Ok(file.project),
        Err(mistakes) => {
            let checked = Checked {
                project: None,
                mistakes,
                warnings: Vec::new(),
            };
            Err(refuse(draft, &checked, what, output))
        }
    })
}

/// A file with mistakes is no project: they are shown, and the command could not do its job.
pub(super) fn refuse(draft: &Draft, checked: &Checked, what: &str, output: Output) -> ExitCode {
    let _nobody_listens = std::io::stderr().write_all(shown(draft, checked).as_bytes());
    let count = time::count(checked.mistakes.len() as u64, "mistake");
    let error = anyhow::anyhow!("the project file has {count}; {what}: {}", draft.title);
    output.failure_of(&error, object(draft, checked))
}

pub(super) fn warn(draft: &Draft, checked: &Checked, output: Output) {
    for warning in &checked.warnings {
        output.say(&format!(
            "{}:{}:{}: {}; {}",
            draft.title, warning.line, warning.column, warning.what, warning.help
        ));
    }
}
