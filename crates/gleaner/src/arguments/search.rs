//! What can be said to `gleaner search` and `gleaner chunks`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use gleaner_text::chunks;
use gleaner_words::Language;
use std::str::FromStr;

#[derive(Args)]
pub(crate) struct Search {
    /// The words to search for
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// Only documents of this project; repeatable
    #[arg(long, value_name = "NAME", help_heading = "Which documents")]
    pub(crate) project: Vec<String>,
    /// Only documents of this host and its subdomains; repeatable
    #[arg(long, value_name = "HOST", help_heading = "Which documents")]
    pub(crate) host: Vec<String>,
    /// Only documents in this state after the last run [default: all but MIS and OUT]; repeatable
    #[arg(long, value_name = "STATE", value_parser = PossibleValuesParser::new(["NEW", "UPD", "SAM", "MIS", "ERR", "OUT"]), ignore_case = true, help_heading = "Which documents")]
    pub(crate) state: Vec<String>,
    /// Only documents of this type, such as text/html or text; repeatable
    #[arg(long = "type", value_name = "TYPE", help_heading = "Which documents")]
    pub(crate) media_type: Vec<String>,
    /// Only documents in this language, such as en or de (und: unknown); repeatable
    #[arg(long, value_name = "CODE", value_parser = language, help_heading = "Which documents")]
    pub(crate) lang: Vec<Language>,
    /// Only versions fetched since this time: 2026-11-16, 2026-11-16T03:04:05Z, or 7d or 12h ago
    #[arg(long, value_name = "TIME", help_heading = "Which documents")]
    pub(crate) since: Option<String>,
    /// Only versions fetched until this time
    #[arg(long, value_name = "TIME", help_heading = "Which documents")]
    pub(crate) until: Option<String>,
    /// Search the documents as they were at the end of a run, or at a time
    #[arg(long, value_name = "RUN|TIME", help_heading = "When")]
    pub(crate) as_of: Option<String>,
    /// Show when documents began to say this: in all runs, or in those after the first and up to the second
    #[arg(long, value_name = "RUN..RUN", num_args = 0..=1, require_equals = true, default_missing_value = "..",
          value_parser = Runs::from_str, conflicts_with_all = ["as_of", "cursor", "facets", "all_versions"], help_heading = "When")]
    pub(crate) appeared: Option<Runs>,
    /// Show when documents stopped saying this
    #[arg(long, value_name = "RUN..RUN", num_args = 0..=1, require_equals = true, default_missing_value = "..",
          value_parser = Runs::from_str, conflicts_with_all = ["as_of", "cursor", "facets", "all_versions"], help_heading = "When")]
    pub(crate) vanished: Option<Runs>,
    /// Search every version, not only the newest
    #[arg(long, conflicts_with = "as_of", help_heading = "When")]
    pub(crate) all_versions: bool,
    /// How many results to print
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
    /// Continue after the result that this cursor came with
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// Suggest further words (key phrases of the best results) instead of listing results
    #[arg(long, conflicts_with_all = ["facets", "appeared", "vanished"])]
    pub(crate) suggest: bool,
    /// Count the results by project, host, type, language and state instead of listing them
    #[arg(long)]
    pub(crate) facets: bool,
}

/// Runs behind one up to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Runs {
    pub(crate) from: Option<i64>,
    pub(crate) to: Option<i64>,
}

impl FromStr for Runs {
    type Err = String;

    fn from_str(text: &str) -> Result<Runs, String> {
        let wrong = || format!("write two runs like 3..5, or 3.. or ..5: {text}");
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let number = |text: &str| match text {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| wrong()),
        };
        Ok(Runs {
            from: number(from)?,
            to: number(to)?,
        })
    }
}

fn language(text: &str) -> Result<Language, String> {
    Language::parse(text).ok_or_else(|| {
        let codes: Vec<&str> = Language::all().map(Language::code).collect();
        format!(
            "this language is not one that is recognised; these are: {}",
            codes.join(" ")
        )
    })
}

#[derive(Args)]
pub(crate) struct Chunks {
    /// The project's name
    pub(crate) project: String,
    /// Print only what is new or gone since the call that ended with this cursor
    #[arg(long, value_name = "CURSOR")]
    pub(crate) since: Option<String>,
    /// The largest number of tokens in a chunk, estimated
    #[arg(long, value_name = "N", default_value_t = chunks::TOKENS_DEFAULT as u32,
          value_parser = clap::value_parser!(u32).range(chunks::TOKENS_MIN as i64..=chunks::TOKENS_MAX as i64))]
    pub(crate) tokens: u32,
}
