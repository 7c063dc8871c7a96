//! `gleaner project edit`: a project in a person's own editor.
//!
//! What is edited is a draft beside the thing itself. It is checked before it takes its place, and it stays where it is
//! for as long as it has not: a mistake, a full disk or a running crawl costs nobody's work. The catalog is not held
//! while a person thinks.

use super::check::{Checked, check, shown};
use super::manage::say;
use super::open::{Draft, Held, find, write_file};
use super::paths::settle;
use super::transfer::warn;
use crate::arguments::Given;
use crate::output::Output;
use anyhow::{Context, bail};
use gleaner_model::clock::SystemClock;
use gleaner_model::{Clock, Project};
use gleaner_publish::time;
use gleaner_settings::project_file::{Mistake, check_name};
use gleaner_store::ledger;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

pub(super) fn edit(data: &Path, given: &Given, output: Output) -> anyhow::Result<ExitCode> {
    let stored = match given {
        Given::Name(name) => Some(find(&*ledger::open(data)?, name)?.1),
        Given::File(_) => None,
    };
    // A crawl of a folder is called after it, whatever that is called.
    if let Some(project) = &stored
        && let Err((what, _)) = check_name(&project.name)
    {
        bail!(
            "{what}; first give it another name with `gleaner project rename`: {}",
            project.name
        );
    }
    let before = match &stored {
        Some(project) => Draft::of_project(project),
        None => Draft::open(data, given)?,
    };
    let path = draft_path(data, given)?;
    if path.is_file() {
        output.say(&format!(
            "continuing with the draft from last time: {}",
            path.display()
        ));
    } else {
        write_file(&path, &before.bytes)?;
    }
    loop {
        run_editor(&path, &before)?;
        let mut draft = Draft::of_file(&path)?;
        draft.base.clone_from(&before.base);
        if draft.bytes == before.bytes {
            let _it_says_nothing_of_its_own = std::fs::remove_file(&path);
            let object = json!({ "project": before.title, "changed": false });
            return say(output, &format!("{}: nothing was changed", before.title), &object);
        }
        let mut checked = check(&draft);
        if let (Some(stored), Some(project)) = (&stored, &checked.project)
            && stored.name != project.name
        {
            checked.mistakes.extend(renamed(&draft, stored));
            checked.project = None;
        }
        let Some(project) = checked.project.clone() else {
            let _nobody_listens = std::io::stderr().write_all(shown(&draft, &checked).as_bytes());
            if wants_again(&checked)? {
                continue;
            }
            let count = time::count(checked.mistakes.len() as u64, "mistake");
            bail!(
                "the draft has {count}, so {} was not changed; run the same command again to continue with the draft: {}",
                before.title,
                path.display()
            );
        };
        warn(&draft, &checked, output);
        let kept = match &stored {
            Some(stored) => keep(data, stored, project, &draft),
            None => replace(given, &before, &draft),
        };
        kept.with_context(|| format!("nothing was changed; the draft was kept: {}", path.display()))?;
        let _it_is_kept_elsewhere_now = std::fs::remove_file(&path);
        let object = json!({ "project": before.title, "changed": true });
        return say(output, &format!("{}: changed", before.title), &object);
    }
}

/// Beside the file, or in the data folder for what is in the catalog.
fn draft_path(data: &Path, given: &Given) -> anyhow::Result<PathBuf> {
    match given {
        Given::File(path) => {
            let name = path.file_name().context("this is not a file")?.to_string_lossy();
            Ok(path.with_file_name(format!("{name}.draft.toml")))
        }
        Given::Name(name) => {
            // Names from old crawls may have anything in them.
            Ok(data.join(gleaner_publish::possible_name(&format!("draft-{name}.toml"))))
        }
    }
}

fn run_editor(path: &Path, before: &Draft) -> anyhow::Result<()> {
    let set = |name: &str| std::env::var(name).ok().filter(|text| !text.trim().is_empty());
    let editor = set("VISUAL")
        .or_else(|| set("EDITOR"))
        .unwrap_or_else(|| "vi".to_owned());
    // By the shell, because people write `code --wait`; the path is an argument of its own, whatever is in it.
    let ended = Command::new("sh")
        .args(["-c", &format!("{editor} \"$1\""), "editor"])
        .arg(path)
        .status()
        .with_context(|| format!("the editor cannot be started; set EDITOR: {editor}"))?;
    if ended.success() {
        return Ok(());
    }
    let is_untouched = std::fs::read(path).is_ok_and(|bytes| bytes == before.bytes);
    if is_untouched {
        let _it_says_nothing_of_its_own = std::fs::remove_file(path);
        bail!("the editor failed ({ended}), so nothing was changed: {editor}");
    }
    bail!(
        "the editor failed ({ended}), so nothing was changed; the draft was kept: {}",
        path.display()
    );
}

/// In the catalog a name has a history; it is changed by a command that says so.
fn renamed(draft: &Draft, stored: &Project) -> Option<Mistake> {
    let file = draft.read().ok()?;
    Some(file.places.mistake(
        "name",
        "a project in the catalog cannot be renamed here",
        format!(
            "write name = \"{}\" again, and use `gleaner project rename {} {}` afterwards",
            stored.name, stored.name, file.project.name
        ),
    ))
}

fn wants_again(checked: &Checked) -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Ok(false);
    }
    let count = time::count(checked.mistakes.len() as u64, "mistake");
    write!(std::io::stderr(), "{count}; edit again? [Y/n] ")?;
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer)?;
    let is_no = matches!(answer.trim().to_lowercase().as_str(), "n" | "no" | "q");
    Ok(read > 0 && !is_no)
}

fn keep(data: &Path, stored: &Project, mut project: Project, draft: &Draft) -> anyhow::Result<()> {
    settle(&mut project, &draft.base);
    let held = Held::open_existing(data)?;
    let now = held.catalog.find_project(&stored.name)?;
    if now.is_none_or(|(_, now)| now != *stored) {
        bail!(
            "the project was changed by somebody else in the meantime: {}",
            stored.name
        );
    }
    held.catalog.project(&project, SystemClock::default().wall())?;
    Ok(held.close()?)
}

fn replace(given: &Given, before: &Draft, draft: &Draft) -> anyhow::Result<()> {
    let Given::File(path) = given else {
        return Ok(());
    };
    if Draft::of_file(path).is_ok_and(|now| now.bytes != before.bytes) {
        bail!(
            "the file was changed by somebody else in the meantime: {}",
            path.display()
        );
    }
    write_file(path, &draft.bytes)
}
