//! `gleaner chunks`: pieces of text for language models, and which of them went.

use super::convert::pool_for_texts;
use super::search::usage;
use crate::arguments::Chunks;
use crate::output::Output;
use gleaner_publish::found::chunk_line;
use gleaner_store::ledger;
use gleaner_text::TextError;
use gleaner_text::chunks::feed;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// What ends a feed before its end.
enum Cut {
    Text(TextError),
    Output(std::io::Error),
}

impl From<TextError> for Cut {
    fn from(error: TextError) -> Cut {
        Cut::Text(error)
    }
}

pub(crate) fn chunks(data: &Path, arguments: &Chunks, output: Output) -> anyhow::Result<ExitCode> {
    let reader = ledger::open(data)?;
    let mut out = output.writer();
    let tokens = arguments.tokens as usize;
    let done = feed(
        data,
        &*reader,
        &pool_for_texts(),
        &arguments.project,
        arguments.since.as_deref(),
        tokens,
        |line| writeln!(out, "{}", chunk_line(&line)).map_err(Cut::Output),
    );
    match done {
        Ok(()) => {}
        Err(Cut::Text(error)) => return Err(usage(error)),
        Err(Cut::Output(error)) => return Err(error.into()),
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
