//! What do files say that are no pages: office documents, books, letters, TeX? (G6, A8, F1)
//!
//! In: bytes, and what is known of them (announced type, name). Out: a [`Reading`]: the text in pieces (headings,
//! paragraphs, list items, rows, code, each with its page), metadata and links; or an [`Unread`] that says why not.
//!
//! ```text
//!  bytes ──detect──► Format ──its reader──► Pen ──► Reading ──write──► text, Markdown, HTML
//!            └─ gzip is taken off first
//! ```
//! The one idea: a reader walks its format once and hands words and block ends to a [`Pen`], which folds, bounds and keeps
//! them. All readers here are our own, recurse nowhere and are bounded by [`limits`]. PDF and PostScript need foreign code;
//! the room `readers` has it, and also runs these in a process apart.

mod container;
mod detect;
mod doc;
mod docx;
mod elements;
mod epub;
mod fields;
mod front_matter;
mod letter;
pub mod limits;
mod markdown;
mod odf;
mod page;
mod pen;
mod ppt;
mod pptx;
mod properties;
mod reading;
mod rtf;
mod sheet;
mod tex;
mod write;
mod xls;
mod xlsx;

pub(crate) use detect::media_type_inside;
pub use detect::{Given, detect, is_packed, unpack};
pub use pen::Pen;
pub use reading::{Format, HeadLine, Layout, Metadata, Piece, Reading, Target, Unread};
pub use write::{html, markdown as to_markdown, text as to_text};

/// Reads a document of a format that needs no foreign code; gzip is off already. PDF and PostScript are refused.
pub fn read(format: Format, bytes: &[u8], given: &Given<'_>) -> Result<Reading, Unread> {
    let mut pen = Pen::new(format);
    match format {
        Format::Docx => docx::read(bytes, &mut pen)?,
        Format::Pptx => pptx::read(bytes, &mut pen)?,
        Format::Xlsx => xlsx::read(bytes, &mut pen)?,
        Format::Odt | Format::Ods | Format::Odp => odf::read(bytes, &mut pen)?,
        Format::Epub => epub::read(bytes, &mut pen)?,
        Format::Doc => doc::read(bytes, &mut pen)?,
        Format::Ppt => ppt::read(bytes, &mut pen)?,
        Format::Xls => xls::read(bytes, &mut pen)?,
        Format::Rtf => rtf::read(bytes, &mut pen),
        Format::Tex => tex::read(bytes, &mut pen),
        Format::Mail => letter::read(bytes, &mut pen),
        Format::Markdown => markdown::read(bytes, &mut pen),
        Format::Html => page::read(bytes, given.media_type, &mut pen),
        Format::Text => page::read_plain(bytes, given.media_type, &mut pen),
        Format::Pdf | Format::PostScript | Format::Unknown => return Err(Unread::Unknown),
    }
    pen.finish()
}

#[cfg(test)]
mod tests;
