//! `gleaner export`: what was collected, in the forms that others read.

use super::convert::pool_for_texts;
use super::search::moment;
use crate::arguments::{Export, ExportForm, ExportGone, ExportText};
use crate::output::{Output, WrongUsage};
use crate::progress::Counted;
use anyhow::{Context, bail};
use gleaner_model::clock::{Clock, SystemClock};
use gleaner_model::{ProjectId, RunId, Timestamp};
use gleaner_publish::export::{
    ExportRequest, Exported, FileNaming, GoneDocuments, PathPattern, Selection, Sources, TextPart, Tree,
    TreeForm, WholeFile, write_jsonl, write_parquet, write_tree, write_wacz, write_warc,
};
use gleaner_publish::report::safe;
use gleaner_publish::time::{self, Edge};
use gleaner_publish::{ExportError, FileError};
use gleaner_store::runs::RunStatus;
use gleaner_store::{Ledger, ledger};
use gleaner_text::TextError;
use serde_json::json;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Documents that are named at the end.
const NAMED_MAX: usize = 5;

/// Where it goes.
enum Target {
    Folder(PathBuf),
    /// Whole or not at all.
    File(PathBuf),
    /// A device or a pipe: nothing can be put in its place.
    Device(PathBuf),
    Output,
}

pub(crate) fn export(data: &Path, arguments: &Export, output: Output) -> anyhow::Result<ExitCode> {
    let target = target(arguments, output)?;
    let selection = selection(arguments)?;
    let reader = ledger::open(data)?;
    let Some((project, _)) = reader.find_project(&arguments.project)? else {
        bail!(TextError::NoProject {
            given: arguments.project.clone()
        });
    };
    let run = choose_run(&*reader, project, arguments)?;
    let readers = pool_for_texts();
    let request = ExportRequest {
        data,
        project,
        name: &arguments.project,
        run,
        selection: &selection,
        part: match arguments.text {
            ExportText::Main => TextPart::Main,
            ExportText::All => TextPart::All,
            ExportText::Paragraphs => TextPart::Paragraphs,
        },
        gone: match arguments.gone {
            ExportGone::Remove => GoneDocuments::Removed,
            ExportGone::Mark => GoneDocuments::Marked,
        },
    };
    let sources = Sources {
        reader: &*reader,
        readers: &readers,
    };
    let mut shown = Counted::new(output);
    let mut progress = |done, all| shown.show(done, all);
    let done = match &target {
        Target::Folder(folder) => {
            let tree = Tree {
                folder,
                form: tree_form(arguments),
                is_forced: arguments.force,
            };
            write_tree(sources, &request, &tree, &mut progress)?
        }
        Target::File(path) => {
            let mut file = WholeFile::create(path, arguments.force)?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let done = to_file(arguments.form, &name, sources, &request, &mut file, &mut progress);
            let done = done.map_err(|error| told_of(error, path))?;
            file.finish()?;
            done
        }
        Target::Device(path) => {
            let to = File::options().write(true).open(path);
            let mut to = to.map_err(|cause| told_of(cause.into(), path))?;
            to_stream(arguments.form, sources, &request, &mut to, &mut progress)
                .map_err(|error| told_of(error, path))?
        }
        Target::Output => to_stream(
            arguments.form,
            sources,
            &request,
            &mut output.writer(),
            &mut progress,
        )?,
    };
    drop(shown);
    tell(&done, &request, arguments, &target, output)
}

/// A failure to write is told with the file's name.
fn told_of(error: ExportError, file: &Path) -> anyhow::Error {
    match error {
        ExportError::Write(cause) => FileError::Write {
            file: file.to_owned(),
            cause,
        }
        .into(),
        other => other.into(),
    }
}

fn target(arguments: &Export, output: Output) -> anyhow::Result<Target> {
    let wrong = |text: &str| WrongUsage(text.to_owned());
    let form = arguments.form;
    if form != ExportForm::S3 && (arguments.s3_names || arguments.absolute) {
        bail!(wrong("--s3-names and --absolute can be used with --as s3 only"));
    }
    let is_archive = matches!(form, ExportForm::Warc | ExportForm::Wacz);
    if is_archive && arguments.gone == ExportGone::Mark {
        bail!(wrong(
            "archive records cannot be marked as gone; --state MIS writes those of documents that are gone"
        ));
    }
    let is_folder = matches!(form, ExportForm::S3 | ExportForm::Text | ExportForm::Markdown);
    match (&arguments.folder, &arguments.output) {
        (Some(folder), None) if is_folder => Ok(Target::Folder(folder.clone())),
        (_, _) if is_folder => bail!(wrong(
            "this form is written into a folder: give the folder after the project's name, without -o"
        )),
        (None, Some(file)) if file.as_os_str() == "-" => {
            if output.json {
                bail!(wrong(
                    "with -o - the export itself is printed, so --json needs -o FILE"
                ));
            }
            Ok(Target::Output)
        }
        (None, Some(file)) => {
            let found = std::fs::metadata(file);
            let is_device = found.is_ok_and(|found| !found.is_file() && !found.is_dir());
            Ok(if is_device {
                Target::Device(file.clone())
            } else {
                Target::File(file.clone())
            })
        }
        _ => bail!(wrong(
            "this form is one file: name it with -o FILE (-o - prints it)"
        )),
    }
}

fn tree_form(arguments: &Export) -> TreeForm {
    match arguments.form {
        ExportForm::Markdown => TreeForm::Markdown,
        ExportForm::Text => TreeForm::Text,
        _ => TreeForm::S3 {
            naming: if arguments.s3_names {
                FileNaming::Numbers
            } else {
                FileNaming::Urls
            },
            is_absolute: arguments.absolute,
        },
    }
}

fn selection(arguments: &Export) -> anyhow::Result<Selection> {
    let chosen = &arguments.chosen;
    let mut paths = Vec::new();
    for text in &chosen.path {
        let pattern = PathPattern::parse(text);
        paths.push(pattern.map_err(|why| {
            WrongUsage(format!(
                "--path needs a pattern, such as '/docs/*' ({why}): {text}"
            ))
        })?);
    }
    let now = SystemClock::default().wall();
    let since = chosen.since.as_ref();
    Ok(Selection {
        states: chosen
            .state
            .iter()
            .map(|state| state.to_ascii_uppercase())
            .collect(),
        types: chosen.media_type.clone(),
        hosts: chosen.host.clone(),
        paths,
        since: since
            .map(|text| moment("--since", text, now, Edge::Start))
            .transpose()?,
    })
}

/// The run that is named, the last that had begun at a time, or the newest that is finished.
fn choose_run(reader: &dyn Ledger, project: ProjectId, arguments: &Export) -> anyhow::Result<RunId> {
    let runs = reader.runs()?;
    let mut own = runs.iter().filter(|row| row.project == project);
    let none = || TextError::NoRun {
        project: arguments.project.clone(),
    };
    let Some(text) = &arguments.chosen.as_of else {
        let finished = own.filter(|row| row.status == RunStatus::Finished);
        return Ok(finished.map(|row| row.id).max().ok_or_else(none)?);
    };
    if let Ok(number) = text.parse::<i64>() {
        let row = reader.run(RunId(number))?;
        if row.project != project {
            bail!(
                "run {number} belongs to {}; `gleaner runs` lists the runs of {}",
                row.project_name,
                arguments.project
            );
        }
        return Ok(row.id);
    }
    let at = moment("--as-of", text, SystemClock::default().wall(), Edge::End)?;
    let before = own
        .by_ref()
        .filter(|row| row.started_at <= at)
        .map(|row| row.id)
        .max();
    before.with_context(|| format!("the project had no run by then: {text}"))
}

type Progress<'a> = &'a mut dyn FnMut(u64, u64);

fn now() -> Timestamp {
    SystemClock::default().wall()
}

/// A file can be sought in, so that every form is written straight into it.
fn to_file(
    form: ExportForm,
    name: &str,
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    file: &mut WholeFile,
    progress: Progress<'_>,
) -> Result<Exported, ExportError> {
    let mut to = BufWriter::new(file);
    let done = match form {
        ExportForm::Parquet => write_parquet(sources, request, &mut to, progress)?.0,
        ExportForm::Wacz => write_wacz(sources, request, now(), &mut to, progress)?.0,
        ExportForm::Warc => write_warc(sources, request, name, now(), &mut to, progress)?,
        _ => write_jsonl(sources, request, &mut to, progress)?,
    };
    to.flush()?;
    Ok(done)
}

/// What cannot be written piece by piece is made in a file without a name first.
fn to_stream(
    form: ExportForm,
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    to: &mut dyn Write,
    progress: Progress<'_>,
) -> Result<Exported, ExportError> {
    let mut made = match form {
        ExportForm::Parquet => write_parquet(sources, request, tempfile::tempfile()?, progress)?,
        ExportForm::Wacz => write_wacz(sources, request, now(), tempfile::tempfile()?, progress)?,
        ExportForm::Warc => return write_warc(sources, request, "export.warc.gz", now(), to, progress),
        _ => return write_jsonl(sources, request, to, progress),
    };
    made.1.rewind()?;
    io::copy(&mut made.1, to)?;
    to.flush()?;
    Ok(made.0)
}

fn tell(
    done: &Exported,
    request: &ExportRequest<'_>,
    arguments: &Export,
    target: &Target,
    output: Output,
) -> anyhow::Result<ExitCode> {
    for (url, why) in &done.failed {
        output.say(&format!(
            "not exported, {}; `gleaner verify` says more: {}",
            safe(why),
            safe(url)
        ));
    }
    if !done.without_text.is_empty() {
        let count = time::count(done.without_text.len() as u64, "document");
        output.say(&format!("{count} without text:"));
        for (url, reason) in done.without_text.iter().take(NAMED_MAX) {
            output.say(&format!("  {reason}: {}", safe(url)));
        }
        if done.without_text.len() > NAMED_MAX {
            let more = done.without_text.len() - NAMED_MAX;
            output.say(&format!("  and {more} more (--json lists all)"));
        }
    }
    if done.documents == 0 {
        output.say(&format!(
            "no document of {} as of run {} matches",
            safe(request.name),
            request.run
        ));
    }
    let place = match target {
        Target::Folder(path) | Target::File(path) | Target::Device(path) => Some(path.display().to_string()),
        Target::Output => None,
    };
    if let Some(place) = place {
        let mut out = output.writer();
        let form = clap::ValueEnum::to_possible_value(&arguments.form);
        let form = form.map(|form| form.get_name().to_owned());
        if output.json {
            let pairs = |list: &[(String, String)], name: &str| -> Vec<_> {
                let object = |(url, what): &(String, String)| json!({ "url": url, name: what });
                list.iter().map(object).collect()
            };
            let summary = json!({
                "project": request.name, "run": request.run, "as": form, "to": place,
                "documents": done.documents, "gone": done.gone,
                "written": done.written, "unchanged": done.unchanged, "removed": done.removed,
                "without_text": pairs(&done.without_text, "reason"), "failed": pairs(&done.failed, "why"),
            });
            writeln!(out, "{summary}")?;
        } else {
            let files = match target {
                Target::Folder(_) => format!(
                    ": {} written, {} unchanged, {} removed",
                    time::count(done.written, "file"),
                    done.unchanged,
                    done.removed
                ),
                _ => String::new(),
            };
            writeln!(
                out,
                "{} as of run {}, {} as {}{files}",
                safe(request.name),
                request.run,
                time::count(done.documents, "document"),
                form.unwrap_or_default(),
            )?;
            writeln!(out, "written to: {place}")?;
        }
        out.flush()?;
    }
    Ok(if done.failed.is_empty() && done.documents > 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(1)
    })
}
