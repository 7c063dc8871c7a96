//! `gleaner convert`: a document's text in another form, or the document as PDF (G6).

use super::versions::choose;
use crate::arguments::{Convert, Form};
use crate::output::Output;
use anyhow::{Context, bail};
use gleaner_history::compare::opened;
use gleaner_history::side::Opened;
use gleaner_model::Url;
use gleaner_parse::content::{self, Part};
use gleaner_parse::documents::{detect, html, to_markdown, to_text, unpack};
use gleaner_readers::{Format, Given, Pool, ReaderLimits, Unread};
use gleaner_store::{StoreError, ledger};
use serde_json::json;
use std::borrow::Cow;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// A document in a run that takes longer is left without its links: pages wait behind it. Three times its processor time, for
/// there may be others who want the processor.
const TIME_IN_RUNS: Duration = Duration::from_secs(30);
const OFFICE_CPU: Duration = Duration::from_secs(55);
/// What LibreOffice needs to start at all.
const OFFICE_MEMORY_BYTES: u64 = 4 << 30;

pub(crate) fn convert(data: &Path, arguments: &Convert, output: Output) -> anyhow::Result<ExitCode> {
    let (document, name) = source(data, arguments)?;
    match converted(&document, arguments, output)? {
        Ok(bytes) => {
            if let Some(file) = &arguments.output {
                write_whole(file, &bytes)?;
            } else {
                let mut out = output.writer();
                out.write_all(&bytes)?;
                out.flush()?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(unread) => {
            let reason = unread.reason();
            if output.json {
                let mut out = output.writer();
                let told =
                    json!({ "status": "unread", "reason": reason.code(), "detail": unread.to_string() });
                writeln!(out, "{told}")?;
                out.flush()?;
            } else {
                output.say(&format!("nothing was converted: {unread} ({reason}): {name}"));
            }
            Ok(ExitCode::from(1))
        }
    }
}

/// The document itself: a file where there is one of that name, else from the store.
fn source(data: &Path, arguments: &Convert) -> anyhow::Result<(Opened, String)> {
    let given = arguments.document.exposed();
    let path = Path::new(given);
    if arguments.version.is_none() && path.is_file() {
        let body = std::fs::read(path).with_context(|| format!("the file cannot be read: {given}"))?;
        let name: String = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let url = Url::parse("http://document.invalid/")?;
        let headers = vec![("x-file-name".to_owned(), name.clone())];
        return Ok((Opened { url, headers, body }, name));
    }
    let reader = ledger::open(data).with_context(|| {
        format!(
            "there is no such file, and no Gleaner data to look it up in: {}",
            arguments.document
        )
    })?;
    let document = match reader.document_named(given) {
        Err(StoreError::NotFound { .. }) => bail!(
            "there is no such file and no such document; `gleaner ls` lists the documents: {}",
            arguments.document
        ),
        found => found?,
    };
    let version = match arguments.version {
        Some(number) => Some(choose(&reader.versions(document)?, number)?.id),
        None => None,
    };
    let opened = opened(&*reader, document, version)?;
    let name = opened.url.to_string();
    Ok((opened, name))
}

/// What is known of a document besides its bytes.
pub(crate) fn given(opened: &Opened) -> Given<'_> {
    let field = |wanted: &str| {
        let found = opened.headers.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str())
    };
    Given {
        media_type: field("content-type").unwrap_or(""),
        name: field("x-file-name").unwrap_or_else(|| opened.url.path()),
    }
}

fn converted(
    document: &Opened,
    arguments: &Convert,
    output: Output,
) -> anyhow::Result<Result<Vec<u8>, Unread>> {
    let given = given(document);
    let body: Cow<'_, [u8]> = match unpack(&document.body) {
        Ok(body) => body,
        Err(unread) => return Ok(Err(unread)),
    };
    let format = match detect(&body, &given) {
        Ok(format) => format,
        Err(unread) => return Ok(Err(unread)),
    };
    if arguments.to == Form::Pdf {
        if format == Format::Pdf {
            return Ok(Ok(body.into_owned()));
        }
        let limits = ReaderLimits {
            cpu: OFFICE_CPU,
            time: Duration::from_mins(2),
            memory_bytes: OFFICE_MEMORY_BYTES,
            tools: !arguments.no_tools,
            ..ReaderLimits::default()
        };
        return Ok(Pool::new(program(), limits).to_pdf(&body, &given)?);
    }
    // Pages as `cat` shows them, so that both say the same.
    if format == Format::Html && matches!(arguments.to, Form::Text | Form::Markdown) {
        let (url, headers) = (&document.url, &document.headers);
        let text = match arguments.to {
            Form::Markdown => content::read_markdown(url, headers, &body, Part::Whole),
            _ => content::read(url, headers, &body).map(|page| content::text(&page)),
        };
        return Ok(text
            .filter(|text| !text.is_empty())
            .map(String::into_bytes)
            .ok_or(Unread::NoText));
    }
    let reading = match pool(!arguments.no_tools).read(&document.body, &given)? {
        Ok(reading) => reading,
        Err(unread) => return Ok(Err(unread)),
    };
    if reading.is_cut {
        output.say("the document is longer than the limits allow; the rest is left out");
    }
    Ok(Ok(match arguments.to {
        Form::Text => to_text(&reading).into_bytes(),
        Form::Markdown => to_markdown(&reading).into_bytes(),
        Form::Html => html(&reading).into_bytes(),
        Form::Json | Form::Pdf => {
            let mut line = serde_json::to_vec(&reading)?;
            line.push(b'\n');
            line
        }
    }))
}

/// Whole or not at all: a file that is there is replaced in one step.
fn write_whole(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let failed = || format!("the file cannot be written: {}", file.display());
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut part = tempfile::NamedTempFile::new_in(folder).with_context(failed)?;
    part.write_all(bytes).with_context(failed)?;
    part.persist(file).with_context(failed)?;
    Ok(())
}

/// Readers for one person.
pub(crate) fn pool(uses_tools: bool) -> Pool {
    let limits = ReaderLimits {
        tools: uses_tools,
        ..ReaderLimits::default()
    };
    Pool::new(program(), limits)
}

/// Readers for texts; nothing is started before the first document comes that is no page.
pub(super) fn pool_for_texts() -> Pool {
    let limits = ReaderLimits {
        time: TIME_IN_RUNS,
        ..ReaderLimits::default()
    };
    Pool::new(program(), limits)
}

/// Readers for a run; nothing is started before the first document comes.
pub(super) fn pool_for_runs() -> Arc<Pool> {
    Arc::new(pool_for_texts())
}

/// This program. By the kernel's own link, which also leads to a program that was replaced while it runs.
fn program() -> PathBuf {
    let own = Path::new("/proc/self/exe");
    if own.exists() {
        return own.to_owned();
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("gleaner"))
}
