//! `gleaner search`: which documents speak of this, and when did they begin to?

use super::convert::pool_for_texts;
use crate::arguments::Search;
use crate::output::{Output, WrongUsage, is_terminal, paint};
use anyhow::bail;
use gleaner_model::clock::{Clock, SystemClock};
use gleaner_model::{Reason, RunId, Timestamp};
use gleaner_publish::found::{happening, happening_text, listed, listed_text};
use gleaner_publish::time;
use gleaner_store::ledger;
use gleaner_text::{Facets, Finder, FollowProgress, Maker, SearchFilter, TextError, Turn, When, rebuild};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Phrases that are suggested.
const SUGGESTIONS: usize = 10;

pub(crate) fn search(data: &Path, arguments: &Search, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let readers = pool_for_texts();
    if arguments.words == ["rebuild"] {
        let mut bar = Indexing::new(output);
        rebuild(data, &*reader, &readers, |progress| bar.show(progress))?;
        bar.finish();
        let (versions, _) = reader.count_versions(gleaner_model::VersionId(i64::MAX))?;
        let silent = Maker::open(&*reader, data, &readers)?.silent()?;
        let mut out = output.writer();
        if output.json {
            let without: BTreeMap<&str, u64> = (silent.iter())
                .map(|(reason, count)| (reason.code(), *count))
                .collect();
            writeln!(
                out,
                "{}",
                json!({ "versions": versions, "without_text": without })
            )?;
        } else {
            writeln!(out, "the index has {}", time::count(versions, "version"))?;
            if !silent.is_empty() {
                writeln!(out, "without text: {}", counted(&silent))?;
            }
        }
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let words = arguments.words.join(" ");
    // What is wrong with the question is told before anything is done for it.
    gleaner_search::Question::parse(&words).map_err(|error| WrongUsage(error.to_string()))?;
    let wish = wish(arguments)?;
    let mut bar = Indexing::new(output);
    let (mut finder, is_level) = Finder::open(data, &*reader, &readers, |progress| bar.show(progress))?;
    bar.finish();
    if !is_level {
        output.say("another gleaner is updating the index; these results may be out of date");
    }
    let mut out = output.writer();
    if arguments.appeared.is_some() || arguments.vanished.is_some() {
        let happenings = happenings(&mut finder, &words, &wish, arguments)?;
        for one in &happenings {
            if output.json {
                writeln!(out, "{}", happening(one))?;
            } else {
                write!(out, "{}", happening_text(one, paint()))?;
            }
        }
        out.flush()?;
        say_if_none(happenings.is_empty(), &finder, output)?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.facets {
        let facets = finder.facets(&words, &wish).map_err(usage)?;
        write_facets(&facets, &mut out, output)?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let answers = finder.find(&words, &wish).map_err(usage)?;
    if arguments.suggest {
        let suggestions = finder.suggestions(&words, &answers, SUGGESTIONS)?;
        for one in &suggestions {
            if output.json {
                let line = json!({ "phrase": one.phrase, "answers": one.answers, "score": one.score });
                writeln!(out, "{line}")?;
            } else {
                writeln!(out, "{}", gleaner_publish::text::safe(&one.phrase))?;
            }
        }
        out.flush()?;
        say_if_none(answers.is_empty(), &finder, output)?;
        return Ok(ExitCode::SUCCESS);
    }
    for answer in &answers {
        if output.json {
            writeln!(out, "{}", listed(answer))?;
        } else {
            write!(out, "{}", listed_text(answer, paint()))?;
        }
    }
    out.flush()?;
    say_if_none(answers.is_empty() && wish.cursor.is_none(), &finder, output)?;
    if let Some(last) = answers
        .last()
        .filter(|_| answers.len() == wish.limit && !output.json)
    {
        output.say(&format!("there may be more: --cursor {}", last.cursor));
    }
    Ok(ExitCode::SUCCESS)
}

fn say_if_none(is_none: bool, finder: &Finder<'_>, output: Output) -> anyhow::Result<()> {
    if !is_none {
        return Ok(());
    }
    output.say("nothing was found; a document must contain every word, unless there is an OR between them");
    let mut silent = finder.silent()?;
    silent.retain(|reason, _| !matches!(reason, Reason::DocumentNoText | Reason::DocumentUnknown));
    if !silent.is_empty() {
        output.say(&format!(
            "some documents could not be read; `gleaner convert` says more about each, and `gleaner search rebuild` tries again: {}",
            counted(&silent)
        ));
    }
    Ok(())
}

/// Reasons with the number of versions that each silences.
fn counted(silent: &BTreeMap<Reason, u64>) -> String {
    let counts: Vec<String> = (silent.iter())
        .map(|(reason, count)| format!("{count} {reason}"))
        .collect();
    counts.join(", ")
}

fn happenings(
    finder: &mut Finder<'_>,
    words: &str,
    wish: &SearchFilter,
    arguments: &Search,
) -> anyhow::Result<Vec<gleaner_text::Happening>> {
    let mut found = Vec::new();
    for (runs, turn) in [
        (arguments.appeared, Turn::Appeared),
        (arguments.vanished, Turn::Vanished),
    ] {
        let Some(runs) = runs else { continue };
        let (from, to) = (runs.from.map(RunId), runs.to.map(RunId));
        found.extend(finder.happenings(words, wish, &[turn], from, to).map_err(usage)?);
    }
    found.sort_by_key(|one| (one.run, one.turn, one.version));
    found.truncate(wish.limit);
    Ok(found)
}

fn wish(arguments: &Search) -> anyhow::Result<SearchFilter> {
    let now = SystemClock::default().wall();
    let when = match &arguments.as_of {
        None if arguments.all_versions => When::Ever,
        None => When::Now,
        Some(text) => match text.parse() {
            Ok(run) => When::Run(RunId(run)),
            Err(_) => When::Time(moment("--as-of", text, now, time::Edge::End)?),
        },
    };
    let edge = |flag, text: &Option<String>, edge| -> anyhow::Result<Option<Timestamp>> {
        text.as_ref()
            .map(|text| moment(flag, text, now, edge))
            .transpose()
    };
    Ok(SearchFilter {
        projects: arguments.project.clone(),
        hosts: arguments.host.clone(),
        types: arguments.media_type.clone(),
        languages: arguments.lang.clone(),
        states: arguments
            .state
            .iter()
            .map(|state| state.to_ascii_uppercase())
            .collect(),
        since: edge("--since", &arguments.since, time::Edge::Start)?,
        until: edge("--until", &arguments.until, time::Edge::End)?,
        when,
        limit: arguments.limit as usize,
        cursor: arguments.cursor.clone(),
    })
}

pub(super) fn moment(flag: &str, text: &str, now: Timestamp, edge: time::Edge) -> anyhow::Result<Timestamp> {
    let Some(at) = time::moment(text, now, edge) else {
        bail!(WrongUsage(format!(
            "{flag} needs a time, such as 2026-11-16 or 2026-11-16T03:04:05Z, or an age, such as 7d or 12h: {text}"
        )));
    };
    Ok(at)
}

/// A question or cursor that is wrong by itself is wrong usage.
pub(super) fn usage(error: TextError) -> anyhow::Error {
    match error {
        TextError::Query(_) | TextError::SearchCursor { .. } | TextError::ChunkCursor { .. } => {
            WrongUsage(error.to_string()).into()
        }
        error => error.into(),
    }
}

fn write_facets(facets: &Facets, out: &mut impl Write, output: Output) -> anyhow::Result<()> {
    let groups = [
        ("projects", &facets.projects),
        ("hosts", &facets.hosts),
        ("types", &facets.types),
        ("languages", &facets.languages),
        ("states", &facets.states),
    ];
    if output.json {
        let mut object = json!({ "documents": facets.all });
        for (name, counts) in groups {
            object[name] = json!(counts);
        }
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(out, "{}", time::count(facets.all, "document"))?;
    for (name, counts) in groups {
        let mut counts: Vec<_> = counts.iter().collect();
        counts.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), (*name).clone()));
        writeln!(out, "{name}")?;
        for (name, count) in counts {
            writeln!(out, "{count:>9}  {}", gleaner_publish::text::safe(name))?;
        }
    }
    Ok(())
}

/// Tells how far the index is, where that takes a while.
pub(super) struct Indexing {
    output: Output,
    began: Instant,
    told: Instant,
    bar: Option<ProgressBar>,
}

impl Indexing {
    pub(super) fn new(output: Output) -> Indexing {
        let now = Instant::now();
        Indexing {
            output,
            began: now,
            told: now,
            bar: None,
        }
    }

    pub(super) fn show(&mut self, progress: FollowProgress) {
        const PATIENCE: Duration = Duration::from_secs(1);
        const EVERY: Duration = Duration::from_secs(5);
        if self.began.elapsed() < PATIENCE {
            return;
        }
        if is_terminal() {
            let bar = self.bar.get_or_insert_with(|| {
                let bar = ProgressBar::new(progress.all);
                if let Ok(style) =
                    ProgressStyle::with_template("reading documents {pos} of {len} {wide_bar} {eta}")
                {
                    bar.set_style(style);
                }
                bar
            });
            bar.set_position(progress.done);
        } else if self.told.elapsed() >= EVERY {
            self.told = Instant::now();
            let line = format!("reading documents: {} of {}", progress.done, progress.all);
            self.output.say(&line);
        }
    }

    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
