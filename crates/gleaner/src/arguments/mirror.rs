//! What can be said to `gleaner mirror`.

use super::{Manners, Network, What};
use clap::Args;
use gleaner_model::GivenUrl;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    // A page without its pictures and styles is no copy.
    mut_arg("types", |types| types.default_values(["all"])),
    after_help = "What to collect, manners and network count only where nothing was collected from the URL yet, so that it is \
                  crawled first: `gleaner mirror https://example.com/ copy` does all at once. Later `gleaner track` and \
                  `gleaner mirror` bring the copy up to date (docs/mirror.md)."
)]
pub(crate) struct Mirror {
    /// A project's name, or a URL: then its whole project where that begins there, else what was collected below its folder.
    /// A URL from which nothing was collected yet is crawled first
    #[arg(value_name = "PROJECT|URL")]
    pub(crate) what: GivenUrl,
    /// Where to write: a new or empty folder, or a copy that this command wrote, which is brought up to date
    pub(crate) folder: PathBuf,
    /// As it was at the end of this run, as `gleaner runs` lists it [default: the newest]
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,
    /// Write also over the copy of something else
    #[arg(long)]
    pub(crate) replace: bool,
    /// Name every address of the site itself that the copy has not
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) collect: What,
    #[command(flatten)]
    pub(crate) manners: Manners,
    #[command(flatten)]
    pub(crate) network: Network,
}
