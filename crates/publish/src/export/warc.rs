//! The records of chosen documents in one WARC file, as they lie in the archive.

use super::select::select;
use super::{ExportRequest, Exported, Sources};
use crate::ExportError;
use gleaner_model::Timestamp;
use gleaner_store::StoreError;
use gleaner_store::ledger::{Extract, Extracted, Holding};
use std::io::Write;

/// Who wrote it.
pub(super) const SOFTWARE: &str = concat!("gleaner/", env!("CARGO_PKG_VERSION"));

/// Writes the records of each document. `file_name` stands in the first record; `progress` hears how many are done.
pub fn write_warc(
    sources: Sources<'_>,
    request: &ExportRequest<'_>,
    file_name: &str,
    now: Timestamp,
    to: &mut dyn Write,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Exported, ExportError> {
    let holdings = select(sources.reader, request)?;
    let done = copy(
        sources,
        &holdings,
        file_name,
        now,
        to,
        progress,
        &mut |_, _, _| {},
    )?;
    to.flush()?;
    Ok(done)
}

/// Copies records; `each` hears of every document with its records and where they begin in the file.
pub(super) fn copy(
    sources: Sources<'_>,
    holdings: &[Holding],
    file_name: &str,
    now: Timestamp,
    to: &mut dyn Write,
    progress: &mut dyn FnMut(u64, u64),
    each: &mut dyn FnMut(&Holding, &Extracted, u64),
) -> Result<Exported, ExportError> {
    let mut done = Exported::default();
    let mut extract = Extract::default();
    let info = extract.warcinfo(file_name, now, SOFTWARE);
    to.write_all(&info)?;
    let mut at = info.len() as u64;
    for (nth, holding) in holdings.iter().enumerate() {
        match extract.records(sources.reader, holding.document, holding.version) {
            Ok(records) => {
                to.write_all(&records.bytes)?;
                each(holding, &records, at);
                at += records.bytes.len() as u64;
                done.note(holding, None);
            }
            Err(error) if error.is_of_one_version() || matches!(error, StoreError::NotFound { .. }) => {
                done.failed.push((holding.url.clone(), error.to_string()));
            }
            Err(error) => return Err(error.into()),
        }
        progress(nth as u64 + 1, holdings.len() as u64);
    }
    Ok(done)
}
