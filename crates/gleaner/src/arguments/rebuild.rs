//! What can be said to `gleaner rebuild`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Rebuild {
    /// WARC and WACZ files of other programs, or folders with some; copied into the data folder, which must be new
    #[arg(long, value_name = "FILE|FOLDER", num_args = 1..)]
    pub(crate) from: Vec<PathBuf>,
    /// With --from: the project's name [default: the first page's host]
    #[arg(long, requires = "from", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) name: Option<String>,
}
