//! What can be said to `gleaner export`.

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "\
Into a folder, which is brought up to date by the same command later (only what changed is touched):
  gleaner export site out --as s3              text/NAME.txt, metadata/NAME.txt and .json, addresses.txt
  gleaner export site out --as s3 --s3-names   Data_N.txt and Address_File.txt instead
  gleaner export site out --as markdown        a tree of Markdown files; text: of text files
Into one file, or to the output with -o -:
  gleaner export site --as jsonl -o site.jsonl --type text/html
  gleaner export site --as parquet -o site.parquet
  gleaner export site --as warc -o new.warc.gz --state NEW --state UPD
  gleaner export site --as wacz -o site.wacz --path '/docs/*' --as-of 2026-11-16

docs/export.md tells more.")]
pub(crate) struct Export {
    /// The project's name, as `gleaner runs` shows it
    pub(crate) project: String,
    /// For s3, text and markdown: a new or empty folder, or one that this command wrote
    pub(crate) folder: Option<PathBuf>,
    /// In which form
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub(crate) form: ExportForm,
    /// For jsonl, parquet, warc and wacz: the file to write; - is the output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write over files of others, over another export, or over a file that is there; make all files of a folder anew
    #[arg(long)]
    pub(crate) force: bool,
    /// Which part of the text
    #[arg(long, value_enum, default_value = "main", value_name = "PART")]
    pub(crate) text: ExportText,
    /// What happens to documents that are gone
    #[arg(long, value_enum, default_value = "remove")]
    pub(crate) gone: ExportGone,
    #[command(flatten)]
    pub(crate) chosen: Chosen,
    /// With s3: files named `Data_N.txt`, N being the document's number, and the list `Address_File.txt`
    #[arg(long)]
    pub(crate) s3_names: bool,
    /// With s3: whole paths in the list of addresses
    #[arg(long)]
    pub(crate) absolute: bool,
}

#[derive(Args)]
#[command(next_help_heading = "Which documents")]
pub(crate) struct Chosen {
    /// Documents that the last run found to be so [default: all but MIS and OUT]; repeatable
    #[arg(long, value_parser = PossibleValuesParser::new(["NEW", "UPD", "SAM", "MIS", "ERR", "OUT"]), ignore_case = true)]
    pub(crate) state: Vec<String>,
    /// Documents of this type: text/html, or just text; repeatable
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) media_type: Vec<String>,
    /// Documents of this host; repeatable
    #[arg(long)]
    pub(crate) host: Vec<String>,
    /// Documents whose path with its query is like this, as '/docs/*' or '*.pdf'; repeatable
    #[arg(long, value_name = "PATTERN")]
    pub(crate) path: Vec<String>,
    /// Documents fetched since this time: 2026-11-16, 2026-11-16T03:04:05Z, or 7d, 12h ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// As things were at the end of this run, or at this time [default: the newest finished run]
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
    /// A JSON object a line
    Jsonl,
    /// A table in columns
    Parquet,
    /// Records of the archive
    Warc,
    /// The same with an index and a list of pages, for players of archives
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
    /// They leave the export
    Remove,
    /// They stay, and it is said that they are gone
    Mark,
}
