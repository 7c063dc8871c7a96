//! What can be said to `gleaner search` and `gleaner chunks`.

use clap::Args;
use clap::builder::PossibleValuesParser;
use gleaner_text::chunks;
use gleaner_words::Language;
use std::str::FromStr;

#[derive(Args)]
#[command(after_help = "\
What WORDS may be (docs/search.md):
  gleaner search harbour opening hours       documents that have all these words, in any of their forms
  gleaner search 'harbour OR port -toll'     either word, and not the third
  gleaner search '\"opened to the public\"'    these words side by side; \"…\"~3 with up to 3 others between them
  gleaner search title:harbour host:a.org    also heading:, text:, url:, type:, lang:
  gleaner search 'harb* opnening~'           a beginning; a word with a letter wrong (~2: two)
  gleaner search --as-of 3 harbour           as things were at the end of run 3, or at a time
  gleaner search --vanished '\"free entry\"'   when this went, page by page; --appeared: when it came
  gleaner search --suggest harbour           key phrases of the best answers, to ask on with
  gleaner search rebuild                     makes the index anew (to look for that word: text:rebuild)

The index lies in the data folder (derived/), follows it by itself and can be thrown away.")]
pub(crate) struct Search {
    /// What to look for
    #[arg(required = true)]
    pub(crate) words: Vec<String>,
    /// Only documents of this project; repeatable
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Vec<String>,
    /// Only documents of this host and of hosts below it; repeatable
    #[arg(long)]
    pub(crate) host: Vec<String>,
    /// Only documents that the last run found to be so [default: all but MIS and OUT]; repeatable
    #[arg(long, value_parser = PossibleValuesParser::new(["NEW", "UPD", "SAM", "MIS", "ERR", "OUT"]), ignore_case = true)]
    pub(crate) state: Vec<String>,
    /// Only documents of this type: text/html, or just text; repeatable
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) media_type: Vec<String>,
    /// Only documents in this language: en, de, …; und: unknown; repeatable
    #[arg(long, value_name = "CODE", value_parser = language)]
    pub(crate) lang: Vec<Language>,
    /// Only versions fetched since this time: 2026-11-16, 2026-11-16T03:04:05Z, or 7d, 12h ago
    #[arg(long, value_name = "TIME")]
    pub(crate) since: Option<String>,
    /// Only versions fetched until this time
    #[arg(long, value_name = "TIME")]
    pub(crate) until: Option<String>,
    /// As things were at the end of a run, or at a time
    #[arg(long, value_name = "RUN|TIME")]
    pub(crate) as_of: Option<String>,
    /// When documents began to say this: in all runs, or in those behind the first up to the second
    #[arg(long, value_name = "RUN..RUN", num_args = 0..=1, require_equals = true, default_missing_value = "..",
          value_parser = Runs::from_str, conflicts_with_all = ["as_of", "cursor", "facets", "all_versions"])]
    pub(crate) appeared: Option<Runs>,
    /// When documents ceased to say this
    #[arg(long, value_name = "RUN..RUN", num_args = 0..=1, require_equals = true, default_missing_value = "..",
          value_parser = Runs::from_str, conflicts_with_all = ["as_of", "cursor", "facets", "all_versions"])]
    pub(crate) vanished: Option<Runs>,
    /// Search every version there ever was, not only the newest
    #[arg(long, conflicts_with = "as_of")]
    pub(crate) all_versions: bool,
    /// How many answers
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) limit: u32,
    /// Go on behind an answer, by the cursor it came with
    #[arg(long)]
    pub(crate) cursor: Option<String>,
    /// Tell key phrases of the best answers instead of listing them, to ask on with
    #[arg(long, conflicts_with_all = ["facets", "appeared", "vanished"])]
    pub(crate) suggest: bool,
    /// Count the answers by project, host, type, language and state instead of listing them
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
        let wrong = || format!("write two runs as 3..5, or 3.. or ..5: {text}");
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
        format!("that language is not told apart; these are: {}", codes.join(" "))
    })
}

#[derive(Args)]
#[command(after_help = "\
One object a line. A chunk that came:
  {\"id\",\"document\",\"version\",\"url\",\"title\",\"headings\",\"ordinal\",\"tokens\",\"text\"}
one that went (without an id: all chunks of the document):
  {\"gone\":true,\"id\",\"document\",\"url\"}
and at the end {\"cursor\"}, for --since of the next time (docs/chunks.md).")]
pub(crate) struct Chunks {
    /// The project's name
    pub(crate) project: String,
    /// Only what came and went since the call that ended with this cursor
    #[arg(long, value_name = "CURSOR")]
    pub(crate) since: Option<String>,
    /// Tokens of a chunk at most, estimated
    #[arg(long, value_name = "N", default_value_t = chunks::TOKENS_DEFAULT as u32,
          value_parser = clap::value_parser!(u32).range(chunks::TOKENS_MIN as i64..=chunks::TOKENS_MAX as i64))]
    pub(crate) tokens: u32,
}
