//! `gleaner project new`: a file to begin with. What is not needed at once is there, switched off, so that nobody has to
//! remember the names of settings.

use super::interactive::{agreed, interview};
use crate::arguments::NewProject;
use crate::commands::crawl::read_seed;
use crate::commands::naming::name_of;
use crate::output::{Output, WrongUsage};
use anyhow::{Context, bail};
use gleaner_model::{Project, ScopeKind, Url};
use gleaner_publish::possible_name;
use gleaner_settings::project_file;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

pub(super) fn new(arguments: &NewProject, output: Output) -> anyhow::Result<ExitCode> {
    let (name, urls) = arguments.read().map_err(WrongUsage)?;
    let seeds: Vec<Url> = urls
        .iter()
        .map(|text| read_seed(text))
        .collect::<anyhow::Result<_>>()?;
    let (name, text) = if arguments.interactive {
        let [url] = seeds.as_slice() else {
            return Err(WrongUsage("give only one address with --interactive".to_owned()).into());
        };
        let project = interview(name.as_deref(), url, &arguments.network, output)?;
        output.say(&format!("that is {}", agreed(&project)));
        (project.name.clone(), project_file::write(&project))
    } else {
        let name = name.unwrap_or_else(|| name_of(&seeds[0]));
        let text = starter(&name, seeds);
        (name, text)
    };
    let path = match &arguments.file {
        Some(path) => path.clone(),
        // A port stands behind a colon, which Windows refuses in names of files.
        None => PathBuf::from(possible_name(&format!("{name}.toml"))),
    };
    let made = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path);
    let mut file = match made {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            bail!(
                "the file exists already; choose another with --file: {}",
                path.display()
            );
        }
        other => other.with_context(|| format!("the file cannot be written: {}", path.display()))?,
    };
    file.write_all(text.as_bytes())
        .with_context(|| format!("the file cannot be written: {}", path.display()))?;
    let mut out = output.writer();
    let shown = path.display();
    if output.json {
        let line = json!({ "project": name, "file": shown.to_string() });
        writeln!(out, "{line}")?;
    } else {
        writeln!(out, "{name}: wrote {shown}")?;
        writeln!(out, "next: edit it to say what you want, then")?;
        writeln!(out, "  gleaner project check {shown}   finds mistakes")?;
        writeln!(
            out,
            "  gleaner project try {shown}     shows what it would collect, and stores nothing"
        )?;
        writeln!(
            out,
            "  gleaner project run {shown}     collects it, and later shows what changed"
        )?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn starter(name: &str, seeds: Vec<Url>) -> String {
    let host = seeds
        .iter()
        .find(|seed| seed.is_web())
        .map_or("https://example.com".to_owned(), |seed| seed.origin().to_owned());
    // A file server is taken from the folder that was named downwards, as a crawl does.
    let is_files = seeds.iter().all(|seed| !seed.is_web());
    let mut project = Project::new(name, seeds);
    if is_files {
        project.scope = ScopeKind::Subtree;
    }
    let mut text = project_file::write(&project);
    for line in EXAMPLES.lines() {
        let is_said = is_files && line.starts_with("scope");
        if !is_said {
            let off = if line.is_empty() || line.starts_with('#') {
                ""
            } else {
                "#"
            };
            text.push_str(off);
            text.push_str(&line.replace("HOST", &host));
            text.push('\n');
        }
    }
    text
}

/// Lines that are no comments yet become ones; without their # they are right as they stand.
const EXAMPLES: &str = r#"
# Everything below is switched off. Remove the # in front of what you need.
scope = "host"                   # host | domain | subtree | list | web
sitemaps = "auto"                # auto | on | off
types = ["html", "documents"]    # html xml text documents assets images audio video other, or all
equality = "main,learned"        # when two versions are the same (docs/track.md)
retention = "all"                # which versions stay: all | 5 (the newest five) | 90d (of ninety days)
schedule = "daily at 03:00"      # hourly | daily at 03:00 | weekly on monday | every 6h | a cron line
cookies_file = "cookies.txt"     # exported from a browser
volatile = ["?sid"]              # parts of addresses that do not distinguish pages
default_rule = "deny"            # for addresses that match no rule; without it the scope decides

# Where a run stops.
[limits]
depth = 3
pages = 1000
bytes = "2GB"
time = "2h"

# How servers are treated.
[manners]
delay = "1s"
user_agent = "my-reader (+mailto:me@example.com)"

# Sent to the sources and steps, and to nobody else. Secrets as references: env:NAME, file:PATH, secret:NAME.
[headers]
Accept-Language = "en"

# How to log in, and how to see that it worked.
[login]
url = "HOST/login"
fields = { user = "me", password = "env:PASSWORD" }
must_have = "text:Log out"       # a CSS selector, or words

# The first rule that matches an address decides.
[[rule]]
deny = "*/print/*"               # glob: has a *; prefix: has none; or "regex:…"
note = "the same pages again"

# What a visitor would do, one step after the other. Without steps everything in scope is taken.
[[step]]
name = "search"
url = "HOST/search"
form = "fitting"
fields = { q = "gleaning" }
keep = false                     # only the way to others
[[step]]
name = "results"
links = ".results a"             # of the step before
depth = 1

# Who is told.
[[notify]]
to = "mailto:me@example.com"
states = ["NEW", "UPD"]
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_starter_is_right_with_and_without_its_examples() {
        let seeds = vec![Url::parse("https://board.example/start").unwrap()];
        let text = starter("board", seeds.clone());
        let file = project_file::read(&text).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
        assert_eq!(
            file.project,
            Project::new("board", seeds),
            "nothing is on by itself"
        );
        let on: String = text
            .lines()
            .map(|line| match line.strip_prefix('#') {
                Some(rest) if !rest.starts_with(' ') => format!("{rest}\n"),
                _ => format!("{line}\n"),
            })
            .collect();
        let file = project_file::read(&on).unwrap_or_else(|mistakes| panic!("{mistakes:#?}"));
        assert_eq!(file.project.steps.len(), 3, "{on}");
        assert!(on.contains("https://board.example/search"));
    }
}
