//! Steps and rules of a project file.

use super::forms::filling;
use super::keys::{Kind, nearest};
use super::section::{Notes, Section};
use super::words::{address, pattern, pattern_help};
use gleaner_model::project::{Rule, RuleAction};
use gleaner_model::steps::{Start, Step};

/// Of the first of two steps that a page with a form becomes.
pub(super) fn page_name(name: &str) -> String {
    format!("{name}: page")
}

pub(super) fn read(file: &Section<'_>, notes: &mut Notes) -> Vec<Step> {
    let sections = file.sections("step", Kind::Step, notes);
    let mut steps: Vec<Step> = Vec::new();
    // The name of each section so far, and the step whose pages others go on from.
    let mut known: Vec<(String, usize)> = Vec::new();
    let names: Vec<String> = (1..)
        .zip(&sections)
        .map(|(place, section)| name_at(place, section))
        .collect();
    for (index, section) in sections.iter().enumerate() {
        let name = names[index].clone();
        check_name(index, section, &names, notes);
        let (start, page) = start(section, &name, notes);
        let from = match &page {
            _ if section.has("url") => {
                forbid_from(section, notes);
                None
            }
            _ => from(index, section, &names, &known, notes),
        };
        let mut step = Step {
            name: name.clone(),
            start,
            from,
            depth: section
                .number("depth", 0, u32::MAX.into(), notes)
                .map_or(0, |depth| depth as u32),
            keep: section.yes_or_no("keep", notes).unwrap_or(true),
            rules: rules(section, Kind::StepRule, notes),
        };
        if let Some(urls) = page {
            steps.push(Step {
                name: page_name(&name),
                start: Start::Urls(urls),
                from: None,
                depth: 0,
                keep: false,
                rules: Vec::new(),
            });
            notes.places.steps.push(index);
            step.from = Some(steps.len() - 1);
        }
        steps.push(step);
        notes.places.steps.push(index);
        known.push((name, steps.len() - 1));
    }
    steps
}

fn name_at(place: usize, section: &Section<'_>) -> String {
    let given = section
        .entry("name")
        .and_then(|entry| entry.value.get_ref().as_str());
    given.map_or_else(|| format!("step {place}"), |name| name.trim().to_owned())
}

fn check_name(index: usize, section: &Section<'_>, names: &[String], notes: &mut Notes) {
    let given = section.words("name", notes);
    let at = given.map_or_else(|| section.at.clone(), |(_, at)| at);
    let name = &names[index];
    let is_taken = |other: &String| other == name || *name == page_name(other);
    if let Some(other) = names[..index].iter().position(is_taken) {
        notes.wrong(
            &at,
            format!(
                "there is a step `{name}` already, the {} of the file",
                nth(other + 1)
            ),
            format!("give each its own name, such as \"{name} {}\"", index + 1),
        );
    }
}

/// Where a step begins; for a page with a form also the addresses of that page.
fn start(section: &Section<'_>, name: &str, notes: &mut Notes) -> (Start, Option<Vec<String>>) {
    let urls = section.texts("url", notes).map(|given| {
        if given.is_empty()
            && let Some(at) = section.key_at("url")
        {
            notes.wrong(&at, "`url` is empty", "write url = \"https://…\"");
        }
        let read = given.iter().filter_map(|(text, at)| address(text, at, notes));
        read.collect::<Vec<String>>()
    });
    let links = section.words("links", notes).map(|(selector, _)| selector);
    let filling = section.has("form").then(|| filling(section, notes));
    if !section.has("form") {
        for key in ["fields", "extra", "button"] {
            if let Some(at) = section.key_at(key) {
                notes.wrong(
                    &at,
                    format!("`{key}` is for forms, and step `{name}` has none"),
                    "add form = \"fitting\" for the form that has these fields, or form = { action = \"…\" }",
                );
            }
        }
    }
    let two = |first: &str, second: &str, help: &str, notes: &mut Notes| {
        if let Some(at) = section.key_at(second) {
            notes.wrong(
                &at,
                format!("a step begins at one place, but `{first}` and `{second}` are two"),
                help,
            );
        }
    };
    match (section.has("url"), section.has("links"), section.has("form")) {
        (false, false, false) if ["url", "links", "form"].iter().any(|key| section.means(key)) => {}
        (false, false, false) => {
            notes.missing(
                &section.at,
                format!("step `{name}` does not say where it begins"),
                "add url = \"https://…\", links = \"a CSS selector\" or form = \"fitting\"",
            );
        }
        (true, true, _) => two(
            "url",
            "links",
            "make it two: a step with `url` and keep = false, followed by one with `links`",
            notes,
        ),
        (false, true, true) => two(
            "links",
            "form",
            "make it two: a step with `links` and keep = false, followed by one with `form`",
            notes,
        ),
        _ => {}
    }
    match (urls, links, filling) {
        (urls, _, Some(filling)) => (Start::Form(filling), urls),
        (_, Some(links), None) => (Start::Links(links), None),
        (urls, None, None) => (Start::Urls(urls.unwrap_or_default()), None),
    }
}

fn forbid_from(section: &Section<'_>, notes: &mut Notes) {
    if let Some(at) = section.key_at("from") {
        notes.wrong(
            &at,
            "a step with `url` begins there and does not continue from another step",
            "leave out `from`, or use `links` or `form` instead of `url`",
        );
    }
}

/// The step whose pages this one goes on from: the one that is named, or the one before.
fn from(
    index: usize,
    section: &Section<'_>,
    names: &[String],
    known: &[(String, usize)],
    notes: &mut Notes,
) -> Option<usize> {
    let Some((wanted, at)) = section.text("from", notes) else {
        if index == 0 && !section.has("from") && (section.has("links") || section.has("form")) {
            notes.missing(
                &section.at,
                "the first step has no page to continue from",
                "add url = \"https://…\", or a step before it that has one",
            );
        }
        return known.last().map(|(_, step)| *step);
    };
    let wanted = wanted.trim();
    if let Some((_, step)) = known.iter().find(|(name, _)| name == wanted) {
        return Some(*step);
    }
    let (what, help) = match names.iter().position(|name| name == wanted) {
        Some(other) if other == index => (
            format!("step `{wanted}` cannot continue from itself"),
            "name an earlier step".to_owned(),
        ),
        Some(_) => (
            format!("step `{wanted}` comes later in the file"),
            "move it before this one, or name an earlier step".to_owned(),
        ),
        None => {
            let earlier = names[..index].iter().map(String::as_str);
            let help = match (nearest(wanted, earlier), index) {
                (Some(name), _) => format!("did you mean \"{name}\"?"),
                (None, 0) => "there is no step before this one".to_owned(),
                (None, _) => format!("steps before this one: {}", names[..index].join(", ")),
            };
            (format!("there is no step `{wanted}`"), help)
        }
    };
    notes.wrong(&at, what, help);
    None
}

pub(super) fn rules(parent: &Section<'_>, kind: Kind, notes: &mut Notes) -> Vec<Rule> {
    let sections = parent.sections("rule", kind, notes);
    let mut rules = Vec::new();
    for (index, section) in sections.iter().enumerate() {
        if let Some(rule) = rule(section, notes) {
            rules.push(rule);
            let kept = notes.places.rules.entry(parent.path.clone()).or_default();
            kept.push(index);
        }
    }
    rules
}

fn rule(section: &Section<'_>, notes: &mut Notes) -> Option<Rule> {
    let note = section
        .text("note", notes)
        .map_or_else(String::new, |(note, _)| note);
    let allow = section.text("allow", notes);
    let deny = section.text("deny", notes);
    if let (true, Some(at)) = (section.has("allow"), section.key_at("deny")) {
        notes.wrong(
            &at,
            "a rule either allows or denies",
            "make it two rules; the first that matches an address decides",
        );
        return None;
    }
    let (action, (text, at)) = match (allow, deny) {
        (Some(given), _) => (RuleAction::Allow, given),
        (None, Some(given)) => (RuleAction::Deny, given),
        (None, None) => {
            if !section.means("allow") && !section.means("deny") {
                notes.missing(
                    &section.at,
                    "a rule without a pattern",
                    "add allow = \"https://…/*\" or deny = \"…\"",
                );
            }
            return None;
        }
    };
    let (pattern_kind, pattern) = pattern(&text);
    if pattern.is_empty() {
        notes.wrong(
            &at,
            "the pattern is empty and would match every address",
            "write \"*\" if you mean that",
        );
    } else if let Some(help) = pattern_help(pattern_kind, pattern) {
        let what = "a pattern is compared with whole addresses, and no address begins like this";
        notes.wrong(&at, format!("{what}: {pattern}"), help);
    }
    Some(Rule {
        action,
        pattern_kind,
        pattern: pattern.to_owned(),
        note,
    })
}

fn nth(place: usize) -> String {
    match place {
        1 => "first".to_owned(),
        2 => "second".to_owned(),
        3 => "third".to_owned(),
        other => format!("{other}th"),
    }
}
