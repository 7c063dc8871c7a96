//! What can be said to the commands that read: versions, diffs, and history judged anew.

use clap::{Args, ValueEnum};
use gleaner_model::GivenUrl;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Versions {
    /// A document's number, as `gleaner ls` lists it, or its URL
    #[arg(value_name = "ID|URL")]
    pub(crate) document: GivenUrl,
}

#[derive(Args)]
pub(crate) struct Diff {
    /// A document's number, as `gleaner ls` lists it, or its URL
    #[arg(value_name = "ID|URL")]
    pub(crate) document: GivenUrl,
    /// Two versions by number (-1 is the newest); one alone is compared with the newest [default: the last two that differ]
    #[arg(value_name = "VERSION", num_args = 0..=2, allow_negative_numbers = true)]
    pub(crate) versions: Vec<i64>,
    /// The format to print [default: unified]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DiffFormat>,
    /// Characters per line, for side-by-side [default: the terminal's]
    #[arg(long, value_name = "N")]
    pub(crate) width: Option<usize>,
    /// Also show what the project's equality ignores
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Old lines before new lines
    Unified,
    /// One text with removed and added words marked
    Words,
    /// Two columns
    SideBySide,
    /// For programs
    Json,
    /// One self-contained page
    Html,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum As {
    /// The bytes
    Raw,
    /// The visible text, one block per line
    #[value(alias = "all")]
    Text,
    /// The main text without menus, side bars and footers
    Main,
    /// The paragraphs of the page and nothing else
    Paragraphs,
    /// The main text with headings, lists, tables, links, images and code
    Markdown,
    /// The same for the whole page, menus and footers included
    MarkdownAll,
    /// The main text as plain HTML
    Html,
    /// Title, authors, dates, licence and the like, as JSON
    Metadata,
}

#[derive(Args)]
pub(crate) struct Convert {
    /// A file, a document's number as `gleaner ls` lists it, or its URL
    #[arg(value_name = "FILE|ID|URL")]
    pub(crate) document: GivenUrl,
    /// The form to convert to; pdf needs LibreOffice, or Ghostscript for PostScript
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    pub(crate) to: Form,
    /// The file to write [default: print it]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The version's number, as `gleaner versions` lists it; -1 is the newest [default: the newest]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) version: Option<i64>,
    /// Do not use other programs (Ghostscript)
    #[arg(long)]
    pub(crate) no_tools: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// One block per line
    Text,
    /// With headings, lists and tables
    Markdown,
    /// Plain HTML
    Html,
    /// Made by LibreOffice or Ghostscript
    Pdf,
    /// Metadata, links and blocks with their kinds and pages
    Json,
}

#[derive(Args)]
pub(crate) struct ReadDocument {
    /// Address space of the process, in bytes
    #[arg(long)]
    pub(crate) memory: Option<u64>,
}

#[derive(Args)]
pub(crate) struct FindSid {
    /// Lists of links, one URL per line; one file per session
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The length of the ID, if there is only one list and it is known
    #[arg(long, value_name = "K", value_parser = super::positive)]
    pub(crate) length: Option<usize>,
}

#[derive(Args)]
pub(crate) struct Reconsider {
    /// The project's name, as `gleaner runs` lists it
    pub(crate) project: String,
    /// When two versions count as the same, such as main,learned (docs/track.md)
    #[arg(long, value_name = "CHAIN")]
    pub(crate) equality: String,
    /// Only show what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}
