//! Every example that people are shown is run: those of each command's help, and those of the README and of docs.

use super::world::World;
use std::collections::BTreeSet;
use std::path::Path;

/// Lines of documents that cannot be run here, and why.
const NOT_RUN: [(&str, &str); 2] = [
    ("make test", "it would run this very test"),
    (
        "gleaner convert slides.odp --to pdf -o slides.pdf",
        "it needs LibreOffice",
    ),
];

/// Blocks that begin in an empty folder; all others have a history.
const FROM_NOTHING: [&str; 5] = ["README.md", "crawl.md", "mirror.md", "track.md", "retention.md"];

/// What `gleaner rebuild` is for: the catalog is lost, or archives came from elsewhere.
const WITHOUT_CATALOG: &str = "mkdir archives && cp gleaner-data/archive/*.warc.gz archives/
cat archives/*.warc.gz > crawl.warc.gz && rm gleaner-data/gleaner.db*";

/// Examples of help that mean the only project there is.
const ONLY_PROJECT: [&str; 1] = ["gleaner track"];

/// Whoever has read the help of a command has seen what it does, its options and how it is used.
#[test]
fn every_example_of_every_help_runs() {
    let (world, fresh) = (World::collected(), World::new());
    let mut failed = Vec::new();
    let mut run = BTreeSet::new();
    for (command, help) in helps(&world) {
        let examples = examples_in(&help);
        if examples.len() < 2 {
            failed.push(format!(
                "gleaner {command} --help has {} examples",
                examples.len()
            ));
        }
        for example in examples {
            if !run.insert(example.clone()) {
                continue;
            }
            let done = if ONLY_PROJECT.contains(&example.as_str()) {
                fresh.run(&format!("gleaner crawl https://example.com/ && {example}"))
            } else if let Some(before) = before_library(&example) {
                world.run(&format!("{before}\n{example}"))
            } else if example.contains(" rebuild") && !example.contains("search") {
                world.run(&format!("{WITHOUT_CATALOG}\n{example}"))
            } else {
                world.run(&example)
            };
            if done.code() != Some(0) {
                failed.push(format!("$ {example}\n{done}"));
            }
        }
    }
    assert!(run.len() > 60, "only {} examples were found", run.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What a library must have for an example: nothing, its sites, pages that are not judged, documents.
fn before_library(example: &str) -> Option<&'static str> {
    let rest = example.strip_prefix("gleaner library ")?;
    Some(match rest.split(' ').next()? {
        "new" | "check" | "classify" => "true",
        "run" | "fetch" | "judge" => "gleaner library judge crawling.toml --quiet",
        "analyse" => "gleaner library fetch crawling.toml --quiet",
        _ => "gleaner library run crawling.toml --cycles 1 --quiet",
    })
}

#[test]
fn every_example_of_the_documents_runs() {
    let (world, fresh) = (World::collected(), World::new());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut pages = vec![root.join("README.md")];
    let docs = std::fs::read_dir(root.join("docs")).expect("docs");
    pages.extend(docs.filter_map(|entry| Some(entry.ok()?.path())));
    pages.retain(|path| path.extension().is_some_and(|end| end == "md"));
    pages.sort();
    let mut failed = Vec::new();
    let mut count = 0;
    for page in pages {
        let name = page
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let text = std::fs::read_to_string(&page).expect("a page");
        for block in blocks_in(&text) {
            let begins_with_nothing = FROM_NOTHING.contains(&name);
            let done = if begins_with_nothing {
                fresh.run(&block)
            } else if name == "rebuild.md" {
                world.run(&format!("{WITHOUT_CATALOG}\n{block}"))
            } else {
                world.run(&block)
            };
            count += 1;
            if done.code() != Some(0) {
                failed.push(format!("{name}:\n{block}\n{done}"));
            }
        }
    }
    assert!(count >= 15, "only {count} blocks were found");
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Every command with its help, and those below it.
fn helps(world: &World) -> Vec<(String, String)> {
    let mut open = vec![String::new()];
    let mut found = Vec::new();
    while let Some(command) = open.pop() {
        let help = world.run_in(world.path(), &format!("gleaner {command} --help"));
        help.expect_code(&[0]);
        for below in commands_in(&help.stdout) {
            open.push(format!("{command} {below}").trim().to_owned());
        }
        found.push((command, help.stdout));
    }
    assert!(found.len() > 45, "only {} commands were found", found.len());
    found
}

fn commands_in(help: &str) -> Vec<&str> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

/// A line is a command, then two blanks or more, then what it does.
fn examples_in(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    let command = |line: &str| line.trim().split("  ").next().unwrap_or_default().to_owned();
    lines.map(command).collect()
}

/// The shell blocks of a page, without what cannot be run here.
fn blocks_in(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut block: Option<String> = None;
    for line in page.lines() {
        match (&mut block, line) {
            (None, "```sh") => block = Some(String::new()),
            (Some(text), "```") => {
                blocks.push(std::mem::take(text));
                block = None;
            }
            (Some(text), line) => {
                let is_not_run = NOT_RUN.iter().any(|(known, _)| line.starts_with(known));
                if !is_not_run {
                    text.push_str(line);
                    text.push('\n');
                }
            }
            (None, _) => {}
        }
    }
    blocks
}
