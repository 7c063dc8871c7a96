//! What can be said to `gleaner mirror`.

use super::{Manners, Network, What};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Id};
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
    /// First fetch the images, styles and scripts that pages show but were not collected, from other hosts too
    #[arg(long)]
    pub(crate) fetch_missing: bool,
    /// Overwrite the copy of something else
    #[arg(long)]
    pub(crate) replace: bool,
    /// List every address of the site that the copy lacks
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) collect: What,
    #[command(flatten)]
    pub(crate) manners: Manners,
    #[command(flatten)]
    pub(crate) network: Network,
    /// The options that count for a crawl and that a person gave, as they are written.
    #[arg(skip)]
    pub(crate) given: Vec<String>,
}

impl Mirror {
    /// Notes which options were given on the command line; defaults are not.
    pub(crate) fn note_given(&mut self, matches: &ArgMatches) {
        let own = [
            "what",
            "folder",
            "run",
            "fetch_missing",
            "replace",
            "verbose",
            "data",
            "json",
        ];
        let is_given = |name: &&Id| {
            matches.value_source(name.as_str()) == Some(ValueSource::CommandLine)
                && !own.contains(&name.as_str())
        };
        let options = matches.ids().filter(is_given);
        self.given = options
            .filter(|name| matches.try_contains_id(name.as_str()).is_ok())
            .map(|name| format!("--{}", name.as_str().replace('_', "-")))
            .filter(|name| {
                name.chars()
                    .all(|c| c == '-' || c.is_ascii_lowercase() || c.is_ascii_digit())
            })
            .collect();
    }
}
