//! What can be said to `gleaner concepts`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct Concepts {
    /// The project's name
    pub(crate) project: String,
    /// Print the key phrases of this document, by its number or URL
    #[arg(long, value_name = "DOCUMENT", conflicts_with = "format")]
    pub(crate) document: Option<String>,
    /// How many rows to print, best first, 0 for all [default: 50; 10 key phrases; all for s3-csv and s3-sql]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// Only concepts with this word
    #[arg(long, value_name = "WORD", conflicts_with = "document")]
    pub(crate) about: Option<String>,
    /// The largest number of words in a concept
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) words: u8,
    /// Look for the terms in this file instead: one per line, or SKOS as RDF/XML or Turtle
    #[arg(long, value_name = "FILE", conflicts_with_all = ["about", "top", "format"])]
    pub(crate) vocabulary: Option<PathBuf>,
    /// The format to print
    #[arg(long, value_enum, default_value_t = ConceptFormat::Text)]
    pub(crate) format: ConceptFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConceptFormat {
    /// For people
    Text,
    /// CSV with a header
    Csv,
    /// The columns Tokens, TokenCount, Frequency, DocFrequency, Perm, TokensOrigin, FirstPos, Distance
    S3Csv,
    /// The same as an SQL table `Concepts`
    S3Sql,
}
