//! How much a run says while it goes on.

use clap::Args;

#[derive(Args, Clone, Copy, Default)]
#[command(next_help_heading = "Output")]
pub(crate) struct Telling {
    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print a line for every URL as it is done, with its state, status and size
    #[arg(short, long)]
    pub(crate) verbose: bool,
    /// Print counters and times at the end: answers, outcomes, how long fetching, reading and keeping took
    #[arg(long)]
    pub(crate) stats: bool,
}
