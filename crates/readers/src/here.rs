//! Reads a document in this process, which is therefore one that may die.

use crate::budget::Budget;
use crate::frame::Ask;
use crate::pdf;
use crate::tools::Tools;
use gleaner_parse::documents::{self, Format, Given, Reading, Unread, detect, unpack};

pub(crate) fn read(
    bytes: &[u8],
    given: &Given<'_>,
    tools: &Tools,
    budget: &Budget,
) -> Result<Reading, Unread> {
    let bytes = unpack(bytes)?;
    let format = detect(&bytes, given)?;
    match format {
        Format::Pdf => pdf::read(bytes.into_owned(), budget),
        Format::PostScript => tools.postscript(&bytes, budget.limit()),
        Format::Unknown => Err(Unread::Unknown),
        format => documents::read(format, &bytes, given),
    }
}

/// The document as PDF: laid out by the program that knows its format, else as its text reads.
pub(crate) fn to_pdf(bytes: &[u8], ask: &Ask, tools: &Tools, budget: &Budget) -> Result<Vec<u8>, Unread> {
    let bytes = unpack(bytes)?;
    let given = Given {
        media_type: &ask.media_type,
        name: &ask.name,
    };
    let format = detect(&bytes, &given)?;
    let as_text = || {
        let reading = documents::read(format, &bytes, &given)?;
        tools.to_pdf(Format::Html, documents::html(&reading).as_bytes(), budget.limit())
    };
    match format {
        Format::Pdf => Ok(bytes.into_owned()),
        Format::Unknown => Err(Unread::Unknown),
        Format::PostScript => tools.to_pdf(format, &bytes, budget.limit()),
        // Office programs show the source of these, or nothing.
        Format::Tex | Format::Mail | Format::Markdown | Format::Text | Format::Epub => as_text(),
        _ => match tools.to_pdf(format, &bytes, budget.limit()) {
            // It is damaged, or the program lacks the part for this format: our own reader knows which.
            Err(Unread::Damaged(_)) => as_text(),
            made => made,
        },
    }
}
