//! What can be said to `gleaner concepts`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
#[command(after_help = "\
Examples:
  gleaner concepts manual                          words that often stand near each other, the largest sets first
  gleaner concepts manual --about network          those that have this word, in any of its forms
  gleaner concepts manual --document 12            the key phrases of one document
  gleaner concepts manual --vocabulary terms.txt   the terms of a list or a SKOS file, and where they are named
  gleaner concepts manual --format s3-sql > concepts.sql

--json gives one object a line (docs/concepts.md).")]
pub(crate) struct Concepts {
    /// The project's name
    pub(crate) project: String,
    /// The key phrases of this document, by its number or URL
    #[arg(long, value_name = "DOCUMENT")]
    pub(crate) document: Option<String>,
    /// How many rows, best first; 0: all [default: 50, 10 key phrases, all for s3-csv and s3-sql]
    #[arg(long, value_name = "N")]
    pub(crate) top: Option<usize>,
    /// Only concepts with this word
    #[arg(long, value_name = "WORD", conflicts_with = "document")]
    pub(crate) about: Option<String>,
    /// Words of a concept at most
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=5))]
    pub(crate) words: u8,
    /// Look for the terms of this file instead: a term a line, or SKOS as RDF/XML or Turtle
    #[arg(long, value_name = "FILE", conflicts_with = "about")]
    pub(crate) vocabulary: Option<PathBuf>,
    /// What to write
    #[arg(long, value_enum, default_value_t = ConceptFormat::Text)]
    pub(crate) format: ConceptFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ConceptFormat {
    /// For people
    Text,
    /// A table with a head
    Csv,
    /// The columns Tokens, TokenCount, Frequency, DocFrequency, Perm, TokensOrigin, FirstPos, Distance
    S3Csv,
    /// The same as an SQL table `Concepts`
    S3Sql,
}
