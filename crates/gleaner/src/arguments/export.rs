//! What can be said to `gleaner export`.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Export {
    /// The project's name, as `gleaner runs` shows it
    pub(crate) project: String,
    /// For s3, text and markdown: the folder to write: new, empty, or one that this command wrote
    pub(crate) folder: Option<PathBuf>,
    /// The form to write
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(crate) form: ExportForm,
    /// For jsonl, parquet, warc and wacz: the file to write; - prints it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Overwrite existing files, and write all files of a folder again
    #[arg(long)]
    pub(crate) force: bool,
    /// Which part of the text to write
    #[arg(long, value_enum, default_value = "main", value_name = "PART")]
    pub(crate) text: ExportText,
    /// What to do with documents that are gone
    #[arg(long, value_enum, default_value = "remove", value_name = "WHAT")]
    pub(crate) gone: ExportGone,
    #[command(flatten)]
    pub(crate) chosen: Chosen,
    /// Name the files `Data_N.txt`, N being the document's number, and the list `Address_File.txt`
    #[arg(long, help_heading = "Form s3")]
    pub(crate) s3_names: bool,
    /// Write absolute paths in the list of addresses
    #[arg(long, help_heading = "Form s3")]
    pub(crate) absolute: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Which documents")]
pub(crate) struct Chosen {
    /// Only documents in this state after the last run [default: all but MIS and OUT]; repeatable
    #[arg(long, value_name = "STATE", value_parser = PossibleValuesParser::new(["NEW", "UPD", "SAM", "MIS", "ERR", "OUT"]), ignore_case = true)]
    pub(crate) state: Vec<String>,
    /// Only documents of this type, such as text/html or text; repeatable
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) media_type: Vec<String>,
    /// Only documents of this host; repeatable
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Vec<String>,
    /// Only documents whose path and query match a pattern such as '/docs/*' or '*.pdf'; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) path: Vec<String>,
    /// Only documents fetched since this time: 2026-11-16, 2026-11-16T03:04:05Z, or 7d or 12h ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Write the documents as they were at the end of this run, or at this time [default: the newest finished run]
    #[arg(long, visible_alias = "run", value_name = "RUN|TIME")]
    pub(crate) as_of: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// Texts, five-star metadata files and the list of the texts
    S3,
    /// A tree of text files
    Text,
    /// A tree of Markdown files
    Markdown,
    /// One JSON object per line
    Jsonl,
    /// A table in columns
    Parquet,
    /// Records of the archive
    Warc,
    /// Records with an index and a list of pages, for replay tools
    Wacz,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportText {
    /// Without menus, footers and the like
    Main,
    /// All that is visible
    All,
    /// Paragraphs and nothing else
    Paragraphs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportGone {
    /// They are removed from the export
    Remove,
    /// They stay, marked as gone
    Mark,
}
