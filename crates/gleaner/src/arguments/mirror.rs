//! What can be said to `gleaner mirror`.

use super::{Manners, Network, What};
use clap::Args;
use gleaner_model::GivenUrl;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    // A page without its pictures and styles is no copy.
    mut_arg("types", |types| types.default_values(["all"]))
)]
pub(crate) struct Mirror {
    /// A project's name, or a URL; one from which nothing was collected yet is crawled first
    #[arg(value_name = "PROJECT|URL")]
    pub(crate) what: GivenUrl,
    /// The folder to write: new, empty, or a copy that this command wrote, which is updated
    pub(crate) folder: PathBuf,
    /// Copy the site as it was at the end of this run [default: the newest]
    #[arg(long, value_name = "N")]
    pub(crate) run: Option<i64>,
    /// Overwrite the copy of something else
    #[arg(long)]
    pub(crate) replace: bool,
    /// Name every address of the site that the copy lacks
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) collect: What,
    #[command(flatten)]
    pub(crate) manners: Manners,
    #[command(flatten)]
    pub(crate) network: Network,
}
