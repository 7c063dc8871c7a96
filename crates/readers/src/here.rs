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

/// The document as PDF.
pub(crate) fn to_pdf(bytes: &[u8], ask: &Ask, tools: &Tools, budget: &Budget) -> Result<Vec<u8>, Unread> {
    let bytes = unpack(bytes)?;
    let given = Given {
        media_type: &ask.media_type,
        name: &ask.name,
    };
    match detect(&bytes, &given)? {
        Format::Pdf => Ok(bytes.into_owned()),
        Format::Unknown => Err(Unread::Unknown),
        format => tools.to_pdf(format, &bytes, budget.limit()),
    }
}
