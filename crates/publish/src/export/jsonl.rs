//! JSON lines: a document a line, with its numbers, its times and its text.

use super::gather::{Said, SaidText, each_text};
use super::select::select;
use super::{ExportRequest, Exported, Sources};
use crate::ExportError;
use crate::time::iso;
use gleaner_model::Reason;
use gleaner_store::ledger::Holding;
use gleaner_text::is_page_part;
use serde::Serialize;
use std::io::Write;

/// One line. What is not known is null: every line has the same fields.
#[derive(Debug, Serialize)]
struct Line<'a> {
    document: i64,
    version: i64,
    run: i64,
    url: &'a str,
    host: &'a str,
    title: Option<&'a str>,
    #[serde(rename = "type")]
    media_type: &'a str,
    state: &'a str,
    gone_run: Option<i64>,
    fetched_at: String,
    first_fetched_at: String,
    size: u64,
    /// SHA-256 of the bytes as sent.
    digest: String,
    text: Option<&'a str>,
    /// Why there is no text.
    reason: Option<&'static str>,
}

/// Writes a line for each document. `progress` hears how many are done, and of how many.
pub fn write_jsonl(
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    to: &mut dyn Write,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Exported, ExportError> {
    let holdings = select(sources.reader, request)?;
    let done = each_text(sources, request, &holdings, progress, |holding, said| {
        serde_json::to_writer(&mut *to, &line(holding, said)).map_err(std::io::Error::from)?;
        Ok(to.write_all(b"\n")?)
    })?;
    to.flush()?;
    Ok(done)
}

fn line<'a>(holding: &'a Holding, said: &'a Said<SaidText>) -> Line<'a> {
    Line {
        document: holding.document.0,
        version: holding.version.0,
        run: holding.run.0,
        url: &holding.url,
        host: &holding.host,
        title: title(holding, said),
        media_type: &holding.media_type,
        state: holding.state.as_str(),
        gone_run: holding.gone_run.map(|run| run.0),
        fetched_at: iso(holding.fetched_at),
        first_fetched_at: iso(holding.first_fetched_at),
        size: holding.size,
        digest: hex(&holding.digest.0),
        text: said.as_ref().ok().map(|said| said.text.as_str()),
        reason: said.as_ref().err().map(|reason| reason.code()),
    }
}

/// As the text has it, else as the catalog.
pub(super) fn title<'a>(holding: &'a Holding, said: &'a Said<SaidText>) -> Option<&'a str> {
    let own = said.as_ref().ok().map(|said| said.title.as_str());
    own.or(holding.title.as_deref()).filter(|title| !title.is_empty())
}

pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(64), |mut out, byte| {
        let _infallible = write!(out, "{byte:02x}");
        out
    })
}

impl Exported {
    /// Counts a document, and notes why it has no text.
    pub(super) fn note(&mut self, holding: &Holding, reason: Option<&Reason>) {
        self.documents += 1;
        self.gone += u64::from(holding.gone_run.is_some());
        match reason {
            None => {}
            Some(Reason::Lost) => {
                let why = "its bytes are lost or damaged".to_owned();
                self.failed.push((holding.url.clone(), why));
            }
            // Nobody misses the text of a style sheet.
            Some(_) if is_page_part(&holding.media_type) => {}
            Some(reason) => self
                .without_text
                .push((holding.url.clone(), reason.code().to_owned())),
        }
    }
}
