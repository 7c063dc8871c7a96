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
    /// Two versions by their numbers, as `gleaner versions` lists them; -1 is the newest, -2 the one before it. One alone is
    /// compared with the newest [default: the last two that say something of their own]
    #[arg(value_name = "VERSION", num_args = 0..=2, allow_negative_numbers = true)]
    pub(crate) versions: Vec<i64>,
    /// In which form [default: unified]
    #[arg(long, value_enum)]
    pub(crate) format: Option<DiffFormat>,
    /// Characters in a line, for side-by-side [default: the terminal's]
    #[arg(long, value_name = "N")]
    pub(crate) width: Option<usize>,
    /// Show what the project's equality ignores like everything else
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffFormat {
    /// Old lines before new lines
    Unified,
    /// One text with the words marked that went and came
    Words,
    /// Two columns
    SideBySide,
    Json,
    /// One page that needs nothing else
    Html,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum As {
    /// The bytes
    Raw,
    /// The visible text, a block a line
    Text,
    /// The main text without menus, side bars and footers
    Main,
    Markdown,
}

#[derive(Args)]
pub(crate) struct FindSid {
    /// Lists of links, one URL a line, one file for each session
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The length of the id, where there is only one list and it is known
    #[arg(long, value_name = "K", value_parser = super::positive)]
    pub(crate) length: Option<usize>,
}

#[derive(Args)]
pub(crate) struct Reconsider {
    /// The project's name, as `gleaner runs` lists it
    pub(crate) project: String,
    /// When two versions are the same, such as `main,learned` or `visible,ignore:regex="[0-9]+ views"`
    #[arg(long, value_name = "CHAIN")]
    pub(crate) equality: String,
    /// Only tell what would change
    #[arg(long)]
    pub(crate) dry_run: bool,
}
