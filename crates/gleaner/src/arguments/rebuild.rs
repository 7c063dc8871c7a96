//! What can be said to `gleaner rebuild`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    gleaner rebuild                                   a new gleaner.db from archive/*.warc.gz\n  \
    gleaner --data new rebuild --from crawl.warc.gz   a new folder from a WARC file of another program\n  \
    gleaner --data new rebuild --from archives/ --name example\n\n\
Exit codes: 0 done, 1 done and some records could not be read, 2 wrong usage, 3 could not do it (docs/rebuild.md).")]
pub(crate) struct Rebuild {
    /// WARC and WACZ files of other programs, or folders that hold some; they are copied into the data folder, which must be new
    #[arg(long, value_name = "FILE|FOLDER", num_args = 1..)]
    pub(crate) from: Vec<PathBuf>,
    /// With --from: the project's name [default: the first page's host]
    #[arg(long, requires = "from", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) name: Option<String>,
}
