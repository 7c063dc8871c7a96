//! `gleaner library classify`: documents judged by themselves (G3, G5).

use crate::arguments::Classify;
use crate::commands::convert::pool;
use crate::output::Output;
use anyhow::{Context, bail};
use gleaner_library::genre::{self, Genre, GenreVerdict, Judge, Overrules, Seen, Subject};
use gleaner_library::record::BibliographicRecord;
use gleaner_readers::{Given, Pool};
use serde::Deserialize;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// So many files are read before the first is told.
const FILES_TOGETHER: usize = 8;
/// No document is larger: what is read is held in memory.
const FILE_BYTES_MAX: u64 = 1 << 30;

pub(super) fn classify(arguments: &Classify, output: Output) -> anyhow::Result<ExitCode> {
    let pool = pool(!arguments.no_tools);
    let overrules = match &arguments.overrules {
        Some(file) => overrules(file, &pool, output)?,
        None => Overrules::default(),
    };
    let judge = Judge::new(genre::model(), &overrules);
    let mut out = output.writer();
    let mut are_all_read = true;
    for files in arguments.files.chunks(FILES_TOGETHER) {
        for (file, seen) in files.iter().zip(seen_of(files, &pool)?) {
            let name = file.display().to_string();
            match seen {
                Ok((seen, record)) => {
                    let seen = seen.without(arguments.ignore_names, false);
                    judge.check(&seen)?;
                    let verdict = judge.judge(&seen, Some(&name));
                    if output.json {
                        let told = json!({
                            "file": name, "genre": verdict.genre, "accept": verdict.accept,
                            "score": (f64::from(verdict.score) * 1000.0).round() / 1000.0, "reasons": verdict.reasons,
                            "record": record,
                        });
                        writeln!(out, "{told}")?;
                    } else {
                        tell(&mut out, &name, &verdict)?;
                    }
                }
                Err(reason) => {
                    are_all_read = false;
                    if output.json {
                        let told = json!({ "file": name, "genre": null, "accept": false, "score": 0.0, "reasons": [reason] });
                        writeln!(out, "{told}")?;
                    } else {
                        writeln!(out, "not read   –  {:<20} {name}\n           {reason}", "")?;
                    }
                }
            }
            out.flush()?;
        }
    }
    Ok(if are_all_read {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}

fn tell(out: &mut impl Write, name: &str, verdict: &GenreVerdict) -> std::io::Result<()> {
    let word = match (verdict.is_uncertain, verdict.accept) {
        (true, _) => "uncertain",
        (false, true) => "accepted",
        (false, false) => "rejected",
    };
    writeln!(
        out,
        "{word:<9} {:>4.0} %  {:<20} {name}",
        verdict.score * 100.0,
        verdict.genre.as_str()
    )?;
    writeln!(out, "           {}", verdict.reasons.join("; "))
}

/// What is seen of each file, or why nothing; several are read at a time.
fn seen_of<P: AsRef<Path> + Sync>(files: &[P], pool: &Pool) -> anyhow::Result<Vec<Result<Told, String>>> {
    std::thread::scope(|scope| {
        let work: Vec<_> = files
            .iter()
            .map(|file| scope.spawn(|| seen(file.as_ref(), pool)))
            .collect();
        let done = work.into_iter().map(std::thread::ScopedJoinHandle::join);
        done.map(|seen| seen.unwrap_or_else(|_| Ok(Err("the filter failed on it".to_owned()))))
            .collect()
    })
}

/// What the filter looks at, and what a catalogue would say.
type Told = (Seen, BibliographicRecord);

fn seen(file: &Path, pool: &Pool) -> anyhow::Result<Result<Told, String>> {
    let bytes = match bytes_of(file) {
        Ok(bytes) => bytes,
        Err(reason) => return Ok(Err(reason)),
    };
    // Folders are named by those who keep the file, and say nothing of it.
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let given = Given {
        media_type: "",
        name: &name,
    };
    Ok(match pool.read(&bytes, &given)? {
        Ok(reading) => {
            let seen = Seen::of(&Subject {
                reading: &reading,
                name: Some(&name),
                size_bytes: Some(bytes.len() as u64),
            });
            Ok((seen, BibliographicRecord::of(&reading)))
        }
        Err(unread) => Err(unread.to_string()),
    })
}

fn bytes_of(file: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| format!("the file cannot be read: {error}");
    let metadata = std::fs::metadata(file).map_err(unreadable)?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    if metadata.len() == 0 {
        return Err("it is empty".to_owned());
    }
    if metadata.len() > FILE_BYTES_MAX {
        return Err("it is larger than the limit for documents".to_owned());
    }
    std::fs::read(file).map_err(unreadable)
}

/// A line of the file with what people decided.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decided {
    file: String,
    genre: Option<String>,
    accept: Option<bool>,
    #[serde(default)]
    at: String,
}

fn overrules(file: &Path, pool: &Pool, output: Output) -> anyhow::Result<Overrules> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("the file cannot be read: {}", file.display()))?;
    let mut overrules = Overrules::default();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let place = format!("{}, line {}", file.display(), number + 1);
        let decided: Decided =
            serde_json::from_str(line).with_context(|| format!("this line is not an overrule: {place}"))?;
        let genre = match &decided.genre {
            Some(name) => Some(
                Genre::parse(name).with_context(|| format!("there is no such genre: {name} ({place})"))?,
            ),
            None => None,
        };
        let Some(accept) = decided.accept.or(genre.map(Genre::is_accepted)) else {
            bail!("an overrule needs \"genre\" or \"accept\": {place}");
        };
        match seen(Path::new(&decided.file), pool)? {
            Ok((seen, _)) => {
                for found in overrules.add(seen.overrule(&decided.file, genre, accept, &decided.at)) {
                    let what = if found.is_same_document {
                        "the same document"
                    } else {
                        "a document that says the same"
                    };
                    output.say(&format!(
                        "two overrules contradict each other, and the later one counts: {} is {what} as {} ({place})",
                        found.later, found.earlier
                    ));
                }
            }
            Err(reason) => output.say(&format!(
                "nothing can be learned from this overrule: {reason}: {} ({place})",
                decided.file
            )),
        }
    }
    Ok(overrules)
}
