//! A document a row: Parquet.

use super::gather::each_text;
use super::jsonl::{hex, title};
use super::select::select;
use super::{ExportRequest, Exported, Sources};
use crate::ExportError;
use crate::parquet::{Cell, ColumnKind, ParquetTable};
use std::io::Write;

/// As the fields of a JSON line.
const COLUMNS: [(&str, ColumnKind); 15] = [
    ("document", ColumnKind::Int),
    ("version", ColumnKind::Int),
    ("run", ColumnKind::Int),
    ("url", ColumnKind::Text),
    ("host", ColumnKind::Text),
    ("title", ColumnKind::Text),
    ("type", ColumnKind::Text),
    ("state", ColumnKind::Text),
    ("gone_run", ColumnKind::Int),
    ("fetched_at", ColumnKind::Time),
    ("first_fetched_at", ColumnKind::Time),
    ("size", ColumnKind::Int),
    ("digest", ColumnKind::Text),
    ("text", ColumnKind::Text),
    ("reason", ColumnKind::Text),
];

/// Writes a row for each document. `progress` hears how many are done, and of how many.
pub fn write_parquet<W: Write + Send>(
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    to: W,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(Exported, W), ExportError> {
    let holdings = select(sources.reader, request)?;
    let mut table = ParquetTable::new(to, &COLUMNS)?;
    let done = each_text(sources, request, &holdings, progress, |holding, said| {
        let text = said.as_ref().ok().map(|said| said.text.as_str());
        Ok(table.push(&[
            Cell::Int(holding.document.0),
            Cell::Int(holding.version.0),
            Cell::Int(holding.run.0),
            Cell::Text(&holding.url),
            Cell::Text(&holding.host),
            Cell::text(title(holding, said)),
            Cell::Text(&holding.media_type),
            Cell::Text(holding.state.as_str()),
            Cell::int(holding.gone_run.map(|run| run.0)),
            Cell::Int(holding.fetched_at.0),
            Cell::Int(holding.first_fetched_at.0),
            Cell::Int(holding.size as i64),
            Cell::Text(&hex(&holding.digest.0)),
            Cell::text(text),
            Cell::text(said.as_ref().err().map(|reason| reason.code())),
        ])?)
    })?;
    Ok((done, table.finish()?))
}
