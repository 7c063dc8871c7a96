//! What can be said to `gleaner mirror`.

use super::{Manners, Network, What};
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Id};
use gleaner_model::GivenUrl;
use std::path::PathBuf;

#[derive(Args)]
#[command(
    // A page without its pictures and styles is no copy.
    mut_arg("types", |types| types.default_values(["all"])),
    after_help = "What to collect, manners and network count only where something is fetched: where nothing was collected from the \
                  URL yet, so that it is crawled first, and with --fetch-missing. `gleaner mirror https://example.com/ copy` does \
                  all at once. Later `gleaner track` and `gleaner mirror` bring the copy up to date (docs/mirror.md)."
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
    /// First fetch the images, styles and scripts that the pages show and nobody collected, also from other hosts
    #[arg(long)]
    pub(crate) fetch_missing: bool,
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
