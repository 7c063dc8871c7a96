//! `gleaner project check`: every mistake at its place, from all who know something about it.
//!
//! The model reads the file; `frontier` compiles the rules, `judge` reads the equality, `parse` the selectors. What may
//! be there later, a file or a variable, is only warned of.

use super::open::Draft;
use super::paths::{What, needed};
use crate::arguments::Given;
use crate::output::Output;
use gleaner_frontier::{FileNames, RuleError, Rules};
use gleaner_model::project::{PatternKind, Rule, RuleAction};
use gleaner_model::steps::{Check, Filling, Start, WhichForm};
use gleaner_model::{Project, Url};
use gleaner_publish::time;
use gleaner_settings::project_file::{Mistake, Places, ProjectFile};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// What was found.
pub(super) struct Checked {
    /// Where there are no mistakes.
    pub(super) project: Option<Project>,
    pub(super) mistakes: Vec<Mistake>,
    pub(super) warnings: Vec<Mistake>,
}

pub(super) fn command(data: &Path, given: &Given, output: Output) -> anyhow::Result<ExitCode> {
    let draft = Draft::open(data, given)?;
    let checked = check(&draft);
    let mut out = output.writer();
    if output.json {
        writeln!(out, "{}", object(&draft, &checked))?;
    } else {
        write!(out, "{}", shown(&draft, &checked))?;
        if let Some(project) = &checked.project {
            writeln!(out, "{}: no mistakes; {}", draft.title, summary(project))?;
        } else {
            let count = time::count(checked.mistakes.len() as u64, "mistake");
            writeln!(out, "{}: {count}", draft.title)?;
        }
    }
    out.flush()?;
    Ok(if checked.mistakes.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

/// All mistakes and warnings for people, in the order of the file.
pub(super) fn shown(draft: &Draft, checked: &Checked) -> String {
    let mut all: Vec<Mistake> = checked.mistakes.clone();
    for warning in &checked.warnings {
        let what = format!("warning: {}", warning.what);
        all.push(Mistake {
            what,
            ..warning.clone()
        });
    }
    all.sort_by_key(|one| (one.line, one.column));
    all.iter().map(|one| one.show(&draft.title) + "\n").collect()
}

pub(super) fn object(draft: &Draft, checked: &Checked) -> Value {
    let list = |mistakes: &[Mistake]| -> Vec<Value> {
        mistakes
            .iter()
            .map(|one| json!({ "line": one.line, "column": one.column, "what": one.what, "help": one.help }))
            .collect()
    };
    json!({
        "file": draft.title,
        "project": checked.project.as_ref().map(|project| &project.name),
        "ok": checked.mistakes.is_empty(),
        "mistakes": list(&checked.mistakes),
        "warnings": list(&checked.warnings),
    })
}

fn summary(project: &Project) -> String {
    let mut parts = Vec::new();
    for (count, one) in [
        (project.seeds.len(), "source"),
        (project.steps.len(), "step"),
        (project.rules.len(), "rule"),
    ] {
        if count > 0 {
            parts.push(time::count(count as u64, one));
        }
    }
    if project.login.is_some() {
        parts.push("a login".to_owned());
    }
    parts.join(", ")
}

pub(super) fn check(draft: &Draft) -> Checked {
    let (file, mut mistakes) = draft.read_with_mistakes();
    let Some(file) = file else {
        return Checked {
            project: None,
            mistakes,
            warnings: Vec::new(),
        };
    };
    // One mistake hides no other; what may still come is said of a file that is right.
    let is_read = mistakes.is_empty();
    rules(&file, &mut mistakes);
    equality(&file, &mut mistakes);
    forms(&file, &mut mistakes);
    mistakes.sort_by_key(|one| (one.line, one.column));
    let mut warnings = Vec::new();
    if is_read {
        warnings = missing(&file, &draft.base);
        waiting(&file, &mut warnings);
    }
    warnings.sort_by_key(|one| (one.line, one.column));
    Checked {
        project: mistakes.is_empty().then_some(file.project),
        mistakes,
        warnings,
    }
}

fn rules(file: &ProjectFile, mistakes: &mut Vec<Mistake>) {
    file_names(file, mistakes);
    compile("", &file.project.rules, &file.places, mistakes);
    for (index, step) in file.project.steps.iter().enumerate() {
        let way = file.places.step(index).unwrap_or_default();
        compile(&way, &step.rules, &file.places, mistakes);
    }
}

fn file_names(file: &ProjectFile, mistakes: &mut Vec<Mistake>) {
    for (key, names) in [("accept", &file.project.accept), ("reject", &file.project.reject)] {
        for (index, name) in names.iter().enumerate() {
            let alone = Project {
                accept: vec![name.clone()],
                ..Project::new("", Vec::new())
            };
            if let Err(error) = FileNames::of(&alone) {
                let (what, help) = halves(&error.to_string());
                mistakes.push(file.places.mistake(&format!("{key}[{index}]"), what, help));
            }
        }
    }
}

fn compile(way: &str, rules: &[Rule], places: &Places, mistakes: &mut Vec<Mistake>) {
    let Err(errors) = Rules::compile(rules) else {
        return;
    };
    for error in errors {
        let place = match error.position().checked_sub(1) {
            Some(index) => {
                let action = match rules[index].action {
                    RuleAction::Allow => "allow",
                    RuleAction::Deny => "deny",
                };
                let rule = places.rule(way, index).unwrap_or_default();
                format!("{rule}.{action}")
            }
            None if way.is_empty() => "rule".to_owned(),
            None => format!("{way}.rule"),
        };
        let (what, help) = explain(&error);
        let found = places.mistake(&place, what, help);
        // Whoever read the file may have said so already.
        let is_said = |one: &Mistake| (one.line, one.column) == (found.line, found.column);
        if !mistakes.iter().any(is_said) {
            mistakes.push(found);
        }
    }
}

fn explain(error: &RuleError) -> (String, String) {
    if let RuleError::Malformed { kind, why, .. } = error {
        let help = match *kind {
            "regex" => {
                "characters that are meant literally need a backslash: \\( \\[ \\. \\* \\+ \\?; a plain address needs no `regex:` in front"
            }
            _ => {
                "in a glob, * matches anything and ? one character; [ and { need a matching ] and }, or a backslash before them"
            }
        };
        return (format!("this is not a valid {kind}: {why}"), help.to_owned());
    }
    halves(&error.to_string())
}

fn equality(file: &ProjectFile, mistakes: &mut Vec<Mistake>) {
    if let Err(error) = gleaner_history::compare::Judging::parse(&file.project.equality) {
        let (what, mut help) = halves(&error.to_string());
        if help.is_empty() {
            "docs/track.md lists them, with their options; \"main,learned\" is the usual choice"
                .clone_into(&mut help);
        }
        mistakes.push(file.places.mistake("equality", what, help));
    }
}

/// A message says what, then behind a semicolon what to do.
fn halves(message: &str) -> (String, String) {
    match message.split_once("; ") {
        Some((what, help)) => (what.to_owned(), help.to_owned()),
        None => (message.to_owned(), String::new()),
    }
}

fn forms(file: &ProjectFile, mistakes: &mut Vec<Mistake>) {
    let places = &file.places;
    if let Some(login) = &file.project.login {
        which("login", &login.filling, places, mistakes);
        for (key, checks) in [
            ("must_have", &login.must_have),
            ("must_not_have", &login.must_not_have),
        ] {
            for (index, check) in checks.iter().enumerate() {
                if let Check::Selector(selector) = check {
                    select(&format!("login.{key}[{index}]"), selector, places, mistakes);
                }
            }
        }
    }
    for (index, step) in file.project.steps.iter().enumerate() {
        let way = places.step(index).unwrap_or_default();
        match &step.start {
            Start::Urls(urls) => web_only(&way, urls, places, mistakes),
            Start::Links(selector) => select(&format!("{way}.links"), selector, places, mistakes),
            Start::Form(filling) => which(&way, filling, places, mistakes),
        }
    }
}

/// Folders have no links to choose and no forms to fill: what is in them is known by listing them.
fn web_only(way: &str, urls: &[String], places: &Places, mistakes: &mut Vec<Mistake>) {
    let is_web = |text: &String| Url::parse(text).is_ok_and(|url| url.is_web());
    if let Some(other) = urls.iter().find(|url| !is_web(url)) {
        let what = format!("steps lead through web pages, and this is not one: {other}");
        let help = "list it under `sources` in a project without steps".to_owned();
        mistakes.push(places.mistake(&format!("{way}.url"), what, help));
    }
}

fn which(way: &str, filling: &Filling, places: &Places, mistakes: &mut Vec<Mistake>) {
    match &filling.form {
        WhichForm::Selector(selector) => select(&format!("{way}.form.selector"), selector, places, mistakes),
        WhichForm::Action(glob) => {
            let rule = Rule {
                action: RuleAction::Allow,
                pattern_kind: PatternKind::Glob,
                pattern: glob.clone(),
                note: String::new(),
            };
            if let Err(errors) = Rules::compile(&[rule]) {
                for error in errors {
                    let (what, help) = explain(&error);
                    mistakes.push(places.mistake(&format!("{way}.form.action"), what, help));
                }
            }
        }
        _ => {}
    }
}

fn select(place: &str, selector: &str, places: &Places, mistakes: &mut Vec<Mistake>) {
    if let Some((what, help)) = selector_mistake(selector) {
        mistakes.push(places.mistake(place, what, help));
    }
}

fn selector_mistake(selector: &str) -> Option<(String, String)> {
    let error = gleaner_parse::Selector::check(selector).err()?;
    let (what, help) = halves(&error.to_string());
    // The selector itself is shown with its line.
    let help = help.split(": ").next().unwrap_or_default().to_owned();
    Some((what, help))
}

/// What is kept with the project and does nothing yet.
fn waiting(file: &ProjectFile, warnings: &mut Vec<Mistake>) {
    let project = &file.project;
    for (is_there, place) in [
        (!project.schedule.is_empty(), "schedule"),
        (!project.notify.is_empty(), "notify[0]"),
    ] {
        if is_there {
            let what = "this is stored, but nothing acts on it yet".to_owned();
            let help = "for now, start runs with `gleaner project run` and see what they found with `gleaner report`";
            warnings.push(file.places.mistake(place, what, help.to_owned()));
        }
    }
}

/// What may still come: files and variables that are not there now.
fn missing(file: &ProjectFile, base: &Path) -> Vec<Mistake> {
    let mut warnings = Vec::new();
    for one in needed(&file.project, &file.places, base) {
        let (what, help) = match one.what {
            What::File(path) if !path.exists() => (
                format!("this file does not exist now: {}", path.display()),
                "it must exist when the project runs".to_owned(),
            ),
            What::Variable(name) if std::env::var_os(&name).is_none() => (
                format!("this variable is not set now: {name}"),
                "set it before the project runs, in the same shell or service".to_owned(),
            ),
            _ => continue,
        };
        warnings.push(file.places.mistake(&one.place, what, help));
    }
    warnings
}
