//! Every command fits together, and its help is whole.

use super::*;

/// Every command that people see, by its whole name.
fn commands(of: &clap::Command, name: &str, found: &mut Vec<(String, clap::Command)>) {
    found.push((name.to_owned(), of.clone()));
    for below in of.get_subcommands().filter(|one| !one.is_hide_set()) {
        commands(below, &format!("{name} {}", below.get_name()), found);
    }
}

#[test]
fn row7_every_help_is_whole() {
    let mut all = Vec::new();
    let mut whole = <Arguments as clap::CommandFactory>::command();
    whole.build();
    commands(&whole, "gleaner", &mut all);
    let mut wrong = Vec::new();
    for (name, command) in all.iter().filter(|(name, _)| !name.contains(" help")) {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        if about.is_empty() || about.contains(". ") || about.ends_with('.') || about.len() > 95 {
            wrong.push(format!("{name}: not one sentence: {about:?}"));
        }
        let after = command
            .get_after_help()
            .map(ToString::to_string)
            .unwrap_or_default();
        let examples = after.lines().skip(1).take_while(|line| line.starts_with("  "));
        let examples: Vec<&str> = examples.collect();
        // A line that is wrapped reads as two commands.
        let are_short = examples.iter().all(|line| line.len() <= 98);
        let is_whole = after.starts_with("Examples:\n") && (2..=4).contains(&examples.len()) && are_short;
        if !is_whole {
            wrong.push(format!("{name}: two to four examples are needed"));
        }
        let own = command.get_arguments().filter(|one| !one.is_hide_set());
        let own: Vec<&clap::Arg> = own
            .filter(|one| !["help", "version"].contains(&one.get_id().as_str()))
            .collect();
        for argument in &own {
            let id = argument.get_id();
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            if help.trim().is_empty() || help.contains('\u{2026}') || help.len() > 125 {
                wrong.push(format!("{name} {id}: {help:?}"));
            }
            let values = argument.get_possible_values();
            let is_flag = !argument.get_action().takes_values();
            let is_known = ["state", "shell"].contains(&id.as_str());
            if !is_flag && !is_known && values.iter().any(|value| value.get_help().is_none()) {
                wrong.push(format!("{name} {id}: a value without a word about it"));
            }
        }
        let plain = own
            .iter()
            .filter(|one| one.get_help_heading().is_none() && !one.is_positional());
        let plain = plain.count();
        if own.len() > 12 && plain > 6 {
            wrong.push(format!("{name}: {plain} options without a heading"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(all.len() > 45);
}

#[test]
fn arguments_fit_together() {
    <Arguments as clap::CommandFactory>::command().debug_assert();
}
