//! A library from its file or by its name.

use crate::arguments::Given;
use crate::output::{Output, WrongUsage};
use anyhow::{Context, bail};
use gleaner_collect::sites::addresses_in;
use gleaner_library::genre::Genre;
use gleaner_model::Url;
use gleaner_model::library::LibrarySettings;
use gleaner_publish::time;
use gleaner_settings::library_file::{self, LibraryFile};
use gleaner_settings::project_file::{FILE_BYTES_MAX, Mistake};
use gleaner_store::libraries::LibraryRow;
use gleaner_store::{Ledger, ledger};
use serde_json::json;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// A list of sites is no longer.
const LIST_BYTES_MAX: u64 = 64 << 20;

/// What a file says, with all mistakes in it.
struct CheckedLibrary {
    settings: Option<LibrarySettings>,
    mistakes: Vec<Mistake>,
}

pub(super) fn check(file: &Path, output: Output) -> anyhow::Result<ExitCode> {
    let checked = checked(file)?;
    let mut out = output.writer();
    let name = file.display().to_string();
    if output.json {
        let told: Vec<_> = checked
            .mistakes
            .iter()
            .map(|one| json!({ "line": one.line, "column": one.column, "what": one.what, "help": one.help }))
            .collect();
        let library = checked.settings.as_ref().map(LibrarySettings::name);
        let ok = checked.mistakes.is_empty();
        writeln!(
            out,
            "{}",
            json!({ "file": name, "library": library, "ok": ok, "mistakes": told })
        )?;
    } else {
        for mistake in &checked.mistakes {
            writeln!(out, "{}", mistake.show(&name))?;
        }
        match &checked.settings {
            Some(settings) => writeln!(
                out,
                "{name}: no mistakes; {}, {}, {}",
                time::count(settings.topic.len() as u64, "topic word"),
                time::count(settings.sites.len() as u64, "site or list"),
                time::count(settings.examples.len() as u64, "example"),
            )?,
            None => writeln!(
                out,
                "{name}: {}",
                time::count(checked.mistakes.len() as u64, "mistake")
            )?,
        }
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(!checked.mistakes.is_empty())))
}

fn checked(file: &Path) -> anyhow::Result<CheckedLibrary> {
    let unreadable = || format!("the library's file cannot be read: {}", file.display());
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file).with_context(unreadable)?;
    opened
        .take(FILE_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)
        .with_context(unreadable)?;
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let base = std::path::absolute(folder.unwrap_or(Path::new(".")))?;
    let (read, mut mistakes) = library_file::read_with_mistakes(&bytes);
    let Some(mut read) = read else {
        return Ok(CheckedLibrary {
            settings: None,
            mistakes,
        });
    };
    words(&read, &mut mistakes);
    files(&mut read, &base, &mut mistakes);
    mistakes.sort_by_key(|one| (one.line, one.column));
    Ok(CheckedLibrary {
        settings: mistakes.is_empty().then_some(read.settings),
        mistakes,
    })
}

/// Names of genres and languages.
fn words(read: &LibraryFile, mistakes: &mut Vec<Mistake>) {
    let accept = &read.settings.accept;
    let known: Vec<&str> = Genre::ALL.into_iter().map(Genre::as_str).collect();
    for (index, name) in accept.genres.iter().enumerate() {
        if Genre::parse(name).is_none() {
            let what = format!("there is no such genre: {name}");
            let help = format!("one of {}", known.join(", "));
            let place = format!("accept.genres[{index}]");
            mistakes.push(read.places.mistake(&place, what, help));
        }
    }
    for (index, name) in accept.languages.iter().enumerate() {
        if name.len() != 2 || !name.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let what = format!("this is not the code of a language: {name}");
            let place = format!("accept.languages[{index}]");
            mistakes.push(
                read.places
                    .mistake(&place, what, "write two letters, such as \"en\""),
            );
        }
    }
}

/// Paths become whole, and what they name must be there.
fn files(read: &mut LibraryFile, base: &Path, mistakes: &mut Vec<Mistake>) {
    let settings = &mut read.settings;
    for (key, list) in [
        ("examples", &mut settings.examples),
        ("counterexamples", &mut settings.counterexamples),
        ("sites", &mut settings.sites),
    ] {
        for (index, one) in list.iter_mut().enumerate() {
            if one.contains("://") {
                continue;
            }
            let path = base.join(one.as_str());
            if !path.is_file() {
                let what = format!("there is no such file: {one}");
                let help = "a path is relative to this file; an address begins with https://";
                mistakes.push(read.places.mistake(&format!("{key}[{index}]"), what, help));
            }
            *one = path.display().to_string();
        }
    }
}

/// What the file says; its mistakes are told where it has some.
pub(super) fn settings_of(file: &Path, output: Output) -> anyhow::Result<LibrarySettings> {
    let checked = checked(file)?;
    let name = file.display().to_string();
    for mistake in &checked.mistakes {
        output.line(&mistake.show(&name));
    }
    match checked.settings {
        Some(settings) => Ok(settings),
        None => Err(WrongUsage(format!(
            "the library's file has {}, nothing was done: {name}",
            time::count(checked.mistakes.len() as u64, "mistake")
        ))
        .into()),
    }
}

/// The name of a library that is given by its name or its file.
fn name_of(given: &Given, output: Output) -> anyhow::Result<String> {
    match given {
        Given::Name(name) => Ok(name.clone()),
        Given::File(file) => Ok(settings_of(file, output)?.name().to_owned()),
    }
}

/// The stored library, for whoever only looks.
pub(super) fn stored(
    data: &Path,
    given: &Given,
    output: Output,
) -> anyhow::Result<(Box<dyn Ledger>, LibraryRow)> {
    let name = name_of(given, output)?;
    let reader = ledger::open(data)?;
    let row = find(&*reader, &name)?;
    Ok((reader, row))
}

pub(super) fn find(reader: &dyn Ledger, name: &str) -> anyhow::Result<LibraryRow> {
    if let Some(found) = reader.find_library(name)? {
        return Ok(found);
    }
    let file = format!("{name}.toml");
    if Path::new(&file).is_file() {
        bail!("there is no such library in the catalog; to use the file, write {file}: {name}");
    }
    let known: Vec<String> = reader
        .libraries()?
        .iter()
        .map(|row| row.settings.name().to_owned())
        .collect();
    if known.is_empty() {
        bail!("there is no library yet; begin with `gleaner library new`: {name}");
    }
    bail!(
        "there is no such library (there are: {}): {name}",
        known.join(", ")
    );
}

/// The addresses that a library's file names: its own, and those of lists.
pub(super) fn addresses(settings: &LibrarySettings, output: Output) -> anyhow::Result<Vec<(Url, String)>> {
    let mut found = Vec::new();
    for one in &settings.sites {
        if one.contains("://") {
            if let Ok(url) = Url::parse(one) {
                found.push((url, "named in the file".to_owned()));
            }
            continue;
        }
        let path = PathBuf::from(one);
        let unreadable = || format!("the list of sites cannot be read: {}", path.display());
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&path).with_context(unreadable)?;
        file.take(LIST_BYTES_MAX)
            .read_to_end(&mut bytes)
            .with_context(unreadable)?;
        let (addresses, wrong) = addresses_in(&String::from_utf8_lossy(&bytes));
        for (line, text) in wrong.iter().take(20) {
            output.say(&format!(
                "this is no address and was left out: {text} ({}, line {line})",
                path.display()
            ));
        }
        let list = path
            .file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        found.extend(addresses.into_iter().map(|url| (url, format!("named in {list}"))));
    }
    Ok(found)
}
