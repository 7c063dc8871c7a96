//! What is logged, how and where: of every command.

use crate::log::Filter;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
#[expect(
    clippy::struct_field_names,
    reason = "each is named as its option, and no other option may be named alike"
)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Log {
    /// Log what is done and decided: off, error, warn, info, debug or trace, or by part, such as info,units=debug (docs/log.md)
    #[arg(
        long,
        global = true,
        env = "GLEANER_LOG",
        hide_env_values = true,
        value_name = "FILTER"
    )]
    pub(crate) log: Option<Filter>,
    /// The format of the log
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "text",
        value_name = "FORMAT"
    )]
    pub(crate) log_format: LogFormat,
    /// Append the log to this file instead of writing it to standard error; without --log the level is info
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One line per event, for people
    Text,
    /// One JSON object per line; messages on standard error become such lines too
    Json,
}
