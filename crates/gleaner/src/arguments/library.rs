//! What can be said to `gleaner library`.

use clap::{Args, Subcommand};
use std::path::PathBuf;

use super::examples;

#[derive(Subcommand)]
pub(crate) enum Library {
    /// Say what kind of document each file is, and whether a library keeps it
    #[command(after_help = examples::LIBRARY_CLASSIFY)]
    Classify(Classify),
}

#[derive(Args)]
pub(crate) struct Classify {
    /// The documents, in any format that `gleaner convert` reads; gzip is removed first
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Judge documents by their content and look, not by their names
    #[arg(long)]
    pub(crate) ignore_names: bool,
    /// What people decided: {"file", "genre" or "accept"} a line; the filter learns from it
    #[arg(long, value_name = "FILE")]
    pub(crate) overrules: Option<PathBuf>,
    /// Use no outside programs, such as Ghostscript
    #[arg(long)]
    pub(crate) no_tools: bool,
}
